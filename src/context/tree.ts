import { join } from 'node:path'
import { count } from '../lib/count.ts'
import type { Look, Looked } from './look.ts'
import { CUT, cut, framed } from './pieces.ts'
import type { Quote } from './quote.ts'

/** How many names a line has, and the bytes of each; and how many lines there are. */
const MOST_NAMES = 24
const NAME_BYTES = 80
const PATH_BYTES = 200
const MOST_LINES = 80

/** A workspace in a few lines, the nearest folders first: each with its files, and how many of them are not named. */
export const treeText = (quote: Quote, { folders, more }: Look, bytes: number): string => {
  const lines = folders.flatMap((looked) => lineOf(quote, looked) ?? [])
  return framed(
    quote,
    lines.slice(0, MOST_LINES).map((line) => ({ line })),
    {
      label: 'files',
      bytes,
      keep: 'first',
      left: (n) => `${more ? 'at least ' : ''}${count(n, 'more folder')} with files`,
      gone: Math.max(0, lines.length - MOST_LINES) + (more ? 1 : 0),
    },
  ).text
}

/** Null where there is nothing to name: a folder that has only folders is seen by these. */
const lineOf = (quote: Quote, { name, files, links, closed }: Looked): string | null => {
  const text = (one: string) => nameText(quote, one, NAME_BYTES)
  const names = [
    ...files.map((file) => [file, ''] as const),
    ...links.map((link) => [link, ' (link)'] as const),
    ...closed.map((folder) => [folder, `/${CUT}`] as const),
  ]
  if (names.length === 0) return null
  const shown = names.slice(0, MOST_NAMES).map(([one, kind]) => `${text(one)}${kind}`)
  const rest = names.length > MOST_NAMES ? [`${names.length - MOST_NAMES} more`] : []
  return `${nameText(quote, join(name, '/'), PATH_BYTES)}  ${[...shown, ...rest].join(', ')}`
}

/** A name as it is; one that could be taken for several is a JSON string. */
const nameText = (quote: Quote, name: string, bytes: number): string => {
  const short = cut(quote.clean(name), bytes)
  return /[\s,"]/.test(short) ? quote.json(short) : short
}
