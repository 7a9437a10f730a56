// Markdown as elements. It is read by a library and built here, node by node: whatever it says, it becomes text, links that
// lead to the web and nothing else, and no markup of its own.
import { Lexer } from '/vendor/marked.js'
import { verbatim } from './diff.js'
import { make } from './elements.js'

/** What is longer than this is shown as it is: reading it would hold the page up. */
const LONGEST = 60_000

export const markdown = (text) => {
  if (text.length > LONGEST) return [make('p', 'text', text)]
  return blocksOf(new Lexer({ gfm: true }).lex(text))
}

const blocksOf = (tokens = []) => tokens.flatMap((token) => BLOCKS[token.type]?.(token) ?? [paragraph(token)])

const paragraph = ({ tokens, text, raw }) => make('p', 'text', ...(tokens ? inlineOf(tokens) : [text ?? raw ?? '']))

const BLOCKS = {
  space: () => [],
  def: ({ raw }) => [make('p', 'text', raw)],
  hr: () => [make('hr', '')],
  // A heading of an answer is none of the page's.
  heading: ({ tokens }) => [make('p', 'text heading', make('strong', '', ...inlineOf(tokens)))],
  code: ({ text }) => [verbatim('', text)],
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
  const [first, ...rest] = tokens
  const isLine = first?.type === 'text' || first?.type === 'paragraph'
  const line = isLine ? inlineOf(first.tokens ?? [first]) : blocksOf(first ? [first] : [])
  return make('li', '', task ? `${checked ? '☑' : '☐'} ` : '', ...line, ...blocksOf(rest))
}

const inlineOf = (tokens = []) => tokens.map((token) => INLINE[token.type]?.(token) ?? textOf(token))

/** Entities are what they stand for: nothing here is read as markup again. */
const textOf = ({ raw = '', text }) => plainly(text ?? raw)

const INLINE = {
  text: ({ tokens, text }) => (tokens ? make('span', '', ...inlineOf(tokens)) : plainly(text)),
  escape: ({ text }) => plainly(text),
  strong: ({ tokens }) => make('strong', '', ...inlineOf(tokens)),
  em: ({ tokens }) => make('em', '', ...inlineOf(tokens)),
  del: ({ tokens }) => make('del', '', ...inlineOf(tokens)),
  codespan: ({ text }) => make('code', '', plainly(text)),
  br: () => '\n',
  html: ({ raw }) => raw,
  checkbox: () => '',
  link: ({ href, tokens }) => linkTo(href, inlineOf(tokens)),
  // Nothing is fetched from elsewhere: a picture is a way to it.
  image: ({ href, text }) => linkTo(href, [text || href]),
}

const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const plainly = (text) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity])

/** A way out, with the host that it leads to where its text does not say it; anything but the web is shown, and no way. */
const linkTo = (href, children) => {
  const address = URL.canParse(href) ? new URL(href) : null
  if (!/^https?:$/.test(address?.protocol ?? '')) return make('span', '', ...children, ` (${plainly(href)})`)
  const link = make('a', '', ...children)
  link.href = address.href
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
  return link.textContent.includes(address.host) ? link : make('span', '', link, ` (${address.host})`)
}
