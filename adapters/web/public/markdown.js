// Markdown as elements. It is read by a library and built here, node by node: whatever it says, it becomes text, links that
// lead to the web and nothing else, and no markup of its own.
import { Lexer } from '/vendor/marked.js'
import { codeBlock } from './copying.js'
import { make } from './elements.js'

/** What is longer than this, or has such a row, is shown as it is: reading it could hold the page up. */
const LONGEST = 60_000
const LONGEST_ROW = 4000
/** So many marks of emphasis in one paragraph are none: to pair them takes longer than there is time. */
const MOST_MARKS = 200
/** So many lists and quotes within each other are more than anybody means; beyond it, they are rows of text. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){13}|^[ \t]{48}[ \t]*(?:>|[-*+]|\d{1,9}[.)])/

export const markdown = (text) => {
  const rows = text.split('\n')
  const isOdd = text.length > LONGEST || rows.some((row) => row.length > LONGEST_ROW || TOO_DEEP.test(row))
  return (isOdd ? null : read(text)) ?? [make('p', 'text', text)]
}

/** Null for what the library cannot take: whatever is in a text, it is not lost by that. */
const read = (text) => {
  try {
    return blocksOf(new Reader({ gfm: true }).lex(text))
  } catch {
    return null
  }
}

class Reader extends Lexer {
  inlineTokens(text, tokens = []) {
    const marks = text.match(/[*_~]+/g)?.length ?? 0
    if (marks <= MOST_MARKS) return super.inlineTokens(text, tokens)
    tokens.push({ type: 'text', raw: text, text })
    return tokens
  }
}

const blocksOf = (tokens = []) => tokens.flatMap((token) => BLOCKS[token.type]?.(token) ?? [paragraph(token)])

const paragraph = ({ tokens, text, raw }) => make('p', 'text', ...(tokens ? inlineOf(tokens) : [text ?? raw ?? '']))

const BLOCKS = {
  space: () => [],
  def: ({ raw }) => [make('p', 'text', raw)],
  hr: () => [make('hr', '')],
  // A heading of an answer is none of the page's.
  heading: ({ tokens }) => [make('p', 'text heading', make('strong', '', ...inlineOf(tokens)))],
  code: ({ text, lang }) => [codeBlock(text, lang ?? '')],
  blockquote: ({ tokens }) => [make('blockquote', '', ...blocksOf(tokens))],
  html: ({ raw }) => [make('p', 'text', raw.trimEnd())],
  list: ({ ordered, start, items }) => {
    const list = make(ordered ? 'ol' : 'ul', 'listed', ...items.map(itemOf))
    if (ordered && start !== 1) list.start = start
    return [list]
  },
  table: ({ header, rows }) => {
    const row = (tag) => (cells) => make('tr', '', ...cells.map(({ tokens }) => make(tag, '', ...inlineOf(tokens))))
    const table = make('table', '', make('thead', '', row('th')(header)), make('tbody', '', ...rows.map(row('td'))))
    return [make('div', 'table', table)]
  },
}

/** A line of a list; of one that can be ticked off, whether it is. */
const itemOf = ({ task, checked, tokens }) => {
  const [first, ...rest] = tokens.filter(({ type }) => type !== 'checkbox')
  const isLine = first?.type === 'text' || first?.type === 'paragraph'
  const line = isLine ? inlineOf(first.tokens ?? [first]) : blocksOf(first ? [first] : [])
  return make('li', task ? 'task' : '', task ? `${checked ? '☑' : '☐'} ` : '', ...line, ...blocksOf(rest))
}

const inlineOf = (tokens = []) => tokens.map((token) => INLINE[token.type]?.(token) ?? plainly(token.text ?? token.raw))

const INLINE = {
  text: ({ tokens, text }) => (tokens ? make('span', '', ...inlineOf(tokens)) : plainly(text)),
  escape: ({ text }) => text,
  strong: ({ tokens }) => make('strong', '', ...inlineOf(tokens)),
  em: ({ tokens }) => make('em', '', ...inlineOf(tokens)),
  del: ({ tokens }) => make('del', '', ...inlineOf(tokens)),
  codespan: ({ text }) => make('code', '', text),
  br: () => '\n',
  html: ({ raw }) => raw,
  checkbox: () => '',
  link: ({ href, tokens }) => linkTo(href, inlineOf(tokens)),
  // Nothing is fetched from elsewhere: a picture is a way to it.
  image: ({ href, text }) => linkTo(href, [text || href]),
}

/** Entities of a text are what they stand for: nothing here is read as markup again. */
const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&nbsp;': '\u00a0' }
const plainly = (text) => text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity])

/** A way out, with the host that it leads to where its text does not say it; anything but the web is shown, and no way. */
const linkTo = (href, children) => {
  const shown = make('span', '', ...children)
  const address = URL.canParse(href) ? new URL(href) : null
  if (!/^https?:$/.test(address?.protocol ?? '')) {
    if (!href.endsWith(shown.textContent)) shown.append(` (${href})`)
    return shown
  }
  const link = make('a', '', ...shown.childNodes)
  link.href = address.href
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
  return saysHost(link.textContent, address.host) ? link : make('span', '', link, ` (${address.host})`)
}

/** Whether a text begins like the address of a host: to name it somewhere is not enough. */
const saysHost = (text, host) => {
  const rest = text.trim().replace(/^https?:\/\//i, '')
  return rest.toLowerCase().startsWith(host) && /^(?:$|[/?#])/.test(rest.slice(host.length))
}
