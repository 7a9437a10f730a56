import type { Readable } from 'node:stream'
import { deadline } from './deadline.ts'
import type { Bench } from './tool.ts'

/** A file that a search named: its path in the workspace, and below what is searched; the rest of the line, if any. */
export type Named = { path: string; below: string; rest: string | null }

type Search = {
  /** What to make of a line of the search; null where it is not to be shown. */
  toNamed: (line: string) => Named | null
  /** The line to show for it; null where there is none. */
  toLine: (named: Named) => Promise<string | null>
  /** Ends the search. */
  enough: () => void
}

/** What is shown, what else is kept, and whether there is still more. */
export type Found = { shown: string[]; kept: string[]; paths: string[]; more: boolean }

/** The most that is kept of a search, in bytes. */
const KEPT = 1_000_000

/** Collects the hits of a search in their order, as many as may be shown, and some more to be read later. */
export const collect = async (output: Readable, search: Search, bench: Bench): Promise<Found> => {
  const { outputLines, outputBytes } = bench.limits
  const shown: string[] = []
  const kept: string[] = []
  const paths = new Set<string>()
  let bytes = 0
  for await (const { path, line } of hitsIn(output, search, bench)) {
    bytes += Buffer.byteLength(line) + 1
    if (kept.length === 0 && shown.length < outputLines && bytes <= outputBytes) {
      shown.push(line)
      paths.add(path)
    } else if (bytes <= KEPT) kept.push(line)
    else {
      search.enough()
      return { shown, kept, paths: [...paths], more: true }
    }
  }
  return { shown, kept, paths: [...paths], more: false }
}

async function* hitsIn(output: Readable, { toNamed, toLine }: Search, bench: Bench) {
  // Judging names is our own work: it has the same time as the search.
  const late = deadline(bench, 'search')
  for await (const lines of linesIn(output)) {
    for (const text of lines) {
      const breath = late()
      if (breath !== null) await breath
      const named = toNamed(text)
      const line = named && (await toLine(named))
      if (named && line !== null) yield { path: named.path, line }
    }
  }
}

/** Lines as they come, many at a time: there can be a great many. */
async function* linesIn(output: Readable): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  for await (const chunk of output) {
    const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  if (rest !== '') yield [rest]
}

export const outcomeOf = async ({ shown, kept, paths, more }: Found, note: string | null, { spill }: Bench) => {
  const output = shown.join('\n')
  const count = shown.length + kept.length
  if (kept.length === 0 && !more) return { kind: 'ok' as const, output, paths, cut: note }
  const place = await spill([...shown, ...kept].join('\n'))
  const cut = `cut after ${shown.length} lines; ${more ? 'the first' : 'all'} ${count}: read ${place}`
  return { kind: 'ok' as const, output, paths, cut: note === null ? cut : `${cut}; ${note}`, spill: place }
}
