import { type Tag, tokensOf } from './html-tokens.ts'

/**
 * A page of HTML as text that one can read: blocks on lines of their own, links followed by where they lead. It goes
 * over the page once, forwards, whatever is in it.
 */
export const readable = (html: string, base: URL): string => {
  const page: Writing = { parts: [], links: [], pre: 0 }
  for (const token of tokensOf(html)) {
    if (typeof token === 'string') write(page, token)
    else mark(page, token, base)
  }
  return tidied(page.parts.join(''))
}

/** A text as it grows: the links that are open, and how many blocks deep it is in one that keeps its blanks. */
type Writing = { parts: string[]; links: (string | null)[]; pre: number }

const write = ({ parts, pre }: Writing, text: string): void => {
  const said = unescaped(text)
  parts.push(pre > 0 ? said : said.replace(/[ \t\r\n\f]+/g, ' '))
}

const mark = (page: Writing, { name, close, attribute }: Tag, base: URL): void => {
  const { parts, links } = page
  if (name === 'a') {
    const link = close ? links.pop() : null
    if (link) parts.push(` (${link})`)
    if (!close) links.push(linkTo(attribute('href'), base))
  }
  if (name === 'pre') page.pre = Math.max(0, page.pre + (close ? -1 : 1))
  if (name === 'img') parts.push(unescaped(attribute('alt')))
  parts.push(breakFor(name, close))
}

const breakFor = (name: string, close: boolean): string => {
  if (name === 'li' && !close) return '\n- '
  if (CELLS.has(name)) return close ? '\t' : ''
  if (/^h[1-6]$/.test(name)) return close ? '\n' : `\n\n${'#'.repeat(Number(name[1]))} `
  if (APART.has(name)) return '\n\n'
  return BLOCKS.has(name) ? '\n' : ''
}

const CELLS = new Set(['td', 'th'])
const APART = new Set(['p', 'pre', 'ul', 'ol', 'dl', 'table', 'blockquote', 'section', 'article', 'title', 'hr'])
const BLOCKS = new Set(
  'address aside body br button caption dd details div dt fieldset figcaption figure footer form head header html label legend li main nav option summary tbody textarea tfoot thead tr'.split(
    ' ',
  ),
)

/** Where a link leads, if that is another page. */
const linkTo = (href: string, base: URL): string | null => {
  const given = unescaped(href).trim()
  if (given === '' || given.startsWith('#') || !URL.canParse(given, base.href)) return null
  const { protocol, href: whole } = new URL(given, base)
  return protocol === 'http:' || protocol === 'https:' ? whole : null
}

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,31}));?/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED.get(name) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code === 0 || code > 0x10ffff ? '\uFFFD' : String.fromCodePoint(code)
  })

const NAMED: ReadonlyMap<string, string> = new Map(
  'amp& lt< gt> quot" apos\' nbsp\u00A0 copy© reg® trade™ mdash— ndash– hellip… lsquo‘ rsquo’ ldquo“ rdquo” laquo« raquo» bull• middot· times× deg° larr← rarr→ uarr↑ darr↓ sect§ para¶ euro€ pound£ auml\u00E4 ouml\u00F6 uuml\u00FC Auml\u00C4 Ouml\u00D6 Uuml\u00DC szlig\u00DF eacute\u00E9 egrave\u00E8 agrave\u00E0 ccedil\u00E7'
    .split(' ')
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
)

/** No blanks at the ends of lines, and no two empty lines in a row. */
const tidied = (text: string): string => {
  const lines = text.split('\n').map((line) => line.trimEnd().replace(/^ (?=\S)/, ''))
  return lines
    .filter((line, at) => line !== '' || (lines[at - 1] ?? '') !== '')
    .join('\n')
    .trimEnd()
}
