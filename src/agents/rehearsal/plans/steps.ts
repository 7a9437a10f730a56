import type { ToolCall } from '../../../shapes/peripheral.ts'
import type { StepReport } from '../../../shapes/turn.ts'
import { anyCase, baseOf, isFileLike } from '../language/files.ts'
import type { Pattern } from '../language/intent.ts'

/**
 * A part of a turn: it yields calls (those yielded together may run side by side), is handed their reports, and depends
 * on nothing else, so it can be replayed.
 */
export type Plan<T> = Generator<readonly ToolCall[], T, readonly StepReport[]>

export type Ok = Extract<StepReport, { kind: 'ok' }>

/** What the tools take; a longer pattern is not tried. */
export const LONGEST_PATTERN = 1000

type Below = { path: string | null; glob: string | null }
type Search = Pattern & { word: boolean }

export const grepCall = ({ pattern, syntax, ignoreCase, word }: Search, { path, glob }: Below): ToolCall => ({
  tool: 'grep',
  args: {
    pattern,
    ...(syntax === 'literal' && { literal: true }),
    ...(ignoreCase && { ignoreCase }),
    ...(word && { word }),
    ...(path !== null && { path }),
    ...(glob !== null && { glob }),
  },
})

export const globCall = (pattern: string, path: string | null): ToolCall => ({
  tool: 'glob',
  args: { pattern, ...(path !== null && { path }) },
})

export const readCall = (path: string, from: number, lines: number): ToolCall => ({
  tool: 'read',
  args: { path, from, lines },
})

/** One call by itself, and its report. */
export function* step(call: ToolCall): Plan<StepReport> {
  const [report] = yield [call]
  if (report === undefined) throw new Error(`nobody reported on ${call.tool}`)
  return report
}

export type Placed = { report: StepReport; path: string | null; note: string }

/**
 * A call below a path. Where it fails and the workspace holds exactly one such folder or file elsewhere, it is made
 * there, and the note says so: people say "in tools" for src/tools.
 */
export function* within(where: string | null, call: (path: string | null) => ToolCall): Plan<Placed> {
  const report = yield* step(call(where))
  if (report.kind !== 'failed' || where === null) return { report, path: where, note: '' }
  const places = yield* placesOf(where)
  const [place, ...others] = places
  if (places.includes(where)) return { report, path: where, note: '' }
  if (place === undefined) return { report, path: where, note: ` (is ${where} no path? then put the text in quotes)` }
  if (others.length > 0) return { report, path: where, note: ` (did you mean ${places.slice(0, 5).join(', ')}?)` }
  return { report: yield* step(call(place)), path: place, note: ` (there is no ${where}; this is ${place})` }
}

function* placesOf(where: string): Plan<string[]> {
  const name = baseOf(where)
  const pattern = `**/${anyCase(name)}${isFileLike(name) ? '' : '/**'}`
  if (name === '' || pattern.length > LONGEST_PATTERN) return []
  const report = yield* step(globCall(pattern, null))
  if (report.kind !== 'ok') return []
  return [...new Set(report.paths.flatMap((path) => placeIn(path, name.toLowerCase())))].sort(shorterFirst)
}

const placeIn = (path: string, name: string): string[] => {
  const parts = path.split('/')
  const at = parts.findIndex((part) => part.toLowerCase() === name)
  return at === -1 ? [] : [parts.slice(0, at + 1).join('/')]
}

export const shorterFirst = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : Number(a > b))
