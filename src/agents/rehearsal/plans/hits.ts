import { brief, counted, cutNote, linesOf } from './answer.ts'
import type { Ok } from './steps.ts'

/** What grep found, read back from its lines: `path:line:text`. */
export type Hit = { path: string; line: number; text: string }

const SHOWN = 10
const LONGEST = 1000

export const hitsOf = (report: Ok): Hit[] => {
  const paths = new Set(report.paths)
  return linesOf(report.output).flatMap((line) => hitOf(line.slice(0, LONGEST), paths))
}

/** A path may hold `:1:` itself: what the report names as a path decides. */
const hitOf = (line: string, paths: ReadonlySet<string>): Hit[] => {
  const places = [...line.matchAll(/:(\d{1,9}):/g)]
  const place = places.find((at) => paths.has(line.slice(0, at.index))) ?? places[0]
  if (place === undefined || place.index === 0) return []
  const text = line.slice(place.index + place[0].length)
  return [{ path: line.slice(0, place.index), line: Number(place[1]), text }]
}

export const at = ({ path, line }: Hit): string => `${path}:${line}`

/** The first hits, one a line, and how many more there are. */
export const listing = (hits: readonly Hit[], cut: string | null): string => {
  const lines = hits.slice(0, SHOWN).map((hit) => `  ${at(hit)}  ${brief(hit.text)}`)
  const more = hits.length > SHOWN ? [`  and ${hits.length - SHOWN} more`] : []
  return [...lines, ...more].join('\n') + cutNote(cut)
}

export const spread = (hits: readonly Hit[]): string =>
  `${counted(hits.length, 'line')} in ${counted(new Set(hits.map((hit) => hit.path)).size, 'file')}`
