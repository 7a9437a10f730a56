/** A tag of a page; what an attribute of it says is looked up when it is wanted. */
export type Tag = { name: string; close: boolean; attribute: (name: string) => string }

/**
 * The tags of a page and the texts between them, in order. Comments, scripts and the like are left out. What is never
 * closed ends the page, as in a browser: so nothing is looked at twice.
 */
export function* tokensOf(html: string): Generator<string | Tag> {
  for (let at = 0; at < html.length; ) {
    const { token, end } = html[at] === '<' ? markupAt(html, at) : textAt(html, at)
    if (token !== null) yield token
    at = end
  }
}

type Found = { token: string | Tag | null; end: number }

const textAt = (html: string, at: number): Found => {
  const end = orEnd(html, html.indexOf('<', at))
  return { token: html.slice(at, end), end }
}

const markupAt = (html: string, at: number): Found => {
  if (html.startsWith('<!--', at)) return { token: null, end: orEnd(html, html.indexOf('-->', at + 4), 3) }
  NAME.lastIndex = at
  const [whole = '', slash, name] = NAME.exec(html) ?? []
  if (name === undefined) {
    // A `<` that begins nothing is just that.
    const skipped = /[!?/]/.test(html[at + 1] ?? '')
    return skipped ? { token: null, end: orEnd(html, html.indexOf('>', at), 1) } : { token: '<', end: at + 1 }
  }
  const inner = at + whole.length
  const close = tagEnd(html, inner)
  if (close === -1) return { token: null, end: html.length }
  const tag = tagOf(name.toLowerCase(), slash === '/', html.slice(inner, close))
  return { token: tag, end: tag.close ? close + 1 : contentAt(html, close + 1, tag.name) }
}

const NAME = /<(\/?)([a-z][a-z0-9:-]{0,40})/iy

/** Where a tag ends: at a `>` that is in no quotes. */
const tagEnd = (html: string, from: number): number => {
  for (let at = from; ; ) {
    EDGE.lastIndex = at
    const edge = EDGE.exec(html)
    if (!edge || edge[0] === '>') return edge?.index ?? -1
    at = html.indexOf(edge[0], edge.index + 1) + 1
    if (at === 0) return -1
  }
}

const EDGE = /["'>]/g

/** Where it goes on after a tag: for what nobody reads, at its end. */
const contentAt = (html: string, at: number, name: string): number => {
  const end = UNREAD.get(name)
  if (!end) return at
  end.lastIndex = at
  return orEnd(html, end.exec(html)?.index ?? -1)
}

const UNREAD: ReadonlyMap<string, RegExp> = new Map(
  ['script', 'style', 'template', 'svg', 'noscript', 'iframe', 'object', 'canvas'].map((name) => [
    name,
    new RegExp(`</${name}`, 'gi'),
  ]),
)

const orEnd = (html: string, at: number, past = 0): number => (at === -1 ? html.length : at + past)

const LONGEST_ATTRIBUTES = 8192

const tagOf = (name: string, close: boolean, attributes: string): Tag => ({
  name,
  close,
  attribute: (wanted) => {
    const pattern = new RegExp(`(?:^|\\s)${wanted}\\s{0,9}=\\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i')
    const [, double, single, bare] = pattern.exec(attributes.slice(0, LONGEST_ATTRIBUTES)) ?? []
    return double ?? single ?? bare ?? ''
  },
})
