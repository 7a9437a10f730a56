/** A row of a text as it is read on IRC. `at` leads back from a place in it to the place in the text that it was made of. */
export type Row = { text: string; at: (offset: number) => number; fenced: boolean }

/** A stretch of the text, and what is said for it. */
type Stretch = { from: number; to: number; says: string }

/**
 * Markdown as plain rows: headings, emphasis and links become words, code is indented, tables stay as they are. Rows that
 * say nothing are left out. `fenced` is whether the text begins inside of code.
 */
export const flatten = (text: string, fenced = false): Row[] => {
  const rows: Row[] = []
  let from = 0
  let inside = fenced
  for (const line of text.split('\n')) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) inside = !inside
    else if (line.trim() !== '' && !isRule(line))
      rows.push(rowOf(inside ? code(line, from) : prose(line, from), inside))
    from += line.length + 1
  }
  return rows
}

/** The rows of a text that is no Markdown, as they are. */
export const rowsOf = (text: string): Row[] => {
  let from = 0
  return text.split('\n').flatMap((line) => {
    const at = from
    from += line.length + 1
    return line.trim() === '' ? [] : [rowOf([{ from: at, to: at + line.length, says: line }], false)]
  })
}

/** The line between the head of a table and its rows. */
const isRule = (line: string): boolean => /^[\s|:-]+$/.test(line) && /\|\s*:?-/.test(line)

const rowOf = (stretches: readonly Stretch[], fenced: boolean): Row => ({
  text: stretches.map(({ says }) => says).join(''),
  at: (offset) => placeOf(stretches, offset),
  fenced,
})

/** Inside of what was rewritten, the place is its beginning: a part may be read twice, and none is lost. */
const placeOf = (stretches: readonly Stretch[], offset: number): number => {
  let said = 0
  for (const { from, to, says } of stretches) {
    if (offset < said + says.length) return says.length === to - from ? from + (offset - said) : from
    said += says.length
  }
  return stretches.at(-1)?.to ?? 0
}

const code = (line: string, from: number): Stretch[] => [
  { from, to: from, says: '  ' },
  { from, to: from + line.length, says: line },
]

const prose = (line: string, from: number): Stretch[] => {
  const heading = /^\s{0,3}#{1,6}\s+/.exec(line)?.[0]
  if (heading !== undefined)
    return [{ from, to: from + heading.length, says: '' }, ...inline(line.slice(heading.length), from + heading.length)]
  const bullet = /^\s*[*+](?=\s)/.exec(line)?.[0]
  if (bullet !== undefined)
    return [
      { from, to: from + bullet.length, says: `${bullet.slice(0, -1)}-` },
      ...inline(line.slice(bullet.length), from + bullet.length),
    ]
  return inline(line, from)
}

/** How far apart two marks of emphasis may be: without an end, a line of marks would take for ever. */
const INLINE = new RegExp(
  [
    /(?<code>`{1,3}[^`]{1,400}`{1,3})/,
    /!?\[(?<words>[^\][]{0,400})\]\((?<address>[^\s()]{1,1000})\)/,
    /<(?<bare>https?:\/\/[^\s<>]{1,1000})>/,
    /(?<mark>\*\*|~~|(?<!\w)__)(?=\S)(?<strong>.{1,400}?)(?<=\S)\k<mark>/,
    /(?<thin>(?<![\w*])\*|(?<!\w)_)(?=[^\s*_])(?<soft>[^*_]{1,400}?)(?<=\S)\k<thin>(?!\w)/,
    /\\(?<escaped>[\\`*_{}[\]()#+.!~|<>-])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

const inline = (text: string, from: number): Stretch[] => {
  const stretches: Stretch[] = []
  let done = 0
  const keep = (end: number) => {
    if (end > done) stretches.push({ from: from + done, to: from + end, says: text.slice(done, end) })
  }
  for (const { 0: whole, index, groups = {} } of text.matchAll(INLINE)) {
    keep(index)
    done = index + whole.length
    stretches.push(...rewritten(whole, from + index, groups))
  }
  keep(text.length)
  return stretches
}

const rewritten = (whole: string, from: number, groups: Record<string, string | undefined>): Stretch[] => {
  const to = from + whole.length
  const { words, address = '', bare, mark, strong, thin, soft, escaped } = groups
  const emphasis = mark ?? thin
  if (emphasis !== undefined) {
    const inner = from + emphasis.length
    return [
      { from, to: inner, says: '' },
      ...inline(strong ?? soft ?? '', inner),
      { from: to - emphasis.length, to, says: '' },
    ]
  }
  if (words !== undefined)
    return [{ from, to, says: words === '' || words === address ? address : `${words} (${address})` }]
  return [{ from, to, says: bare ?? escaped ?? whole }]
}
