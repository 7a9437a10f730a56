import { anyCase, baseOf, inAnyCase, isFileLike } from '../language/files.ts'
import type { Intent, IntentOf, Scope } from '../language/intent.ts'
import type { Lines } from '../language/slots.ts'
import { counted, cutNote, excerpt, linesOf, tally, told } from './answer.ts'
import { outputOf } from './report.ts'
import { globCall, LONGEST_PATTERN, type Ok, type Plan, readCall, step, within } from './steps.ts'

const EXCERPT_LINES = 60
const PATHS_SHOWN = 30
const CANDIDATES_SHOWN = 10

type CountedFiles = Extract<Intent, { of: 'files' }>
type CountedLines = Extract<Intent, { of: 'lines' }>

/** Reads a file or some of its lines; if that fails, the only file of that name, or says which there are. */
export function* readFile(intent: IntentOf<'read'>): Plan<string> {
  const { path } = intent
  const report = yield* step(linesFrom(intent, path))
  if (report.kind === 'ok') return page(report, intent, path)
  if (report.kind !== 'failed') return told(report)
  const candidates = yield* filesNamed(path)
  const [only, ...others] = candidates
  if (only === undefined) return isFileLike(path) ? told(report) : yield* openFolder(path, told(report))
  // the file is there, so the failure is about something else
  if (candidates.includes(path)) return told(report)
  if (others.length > 0) {
    const shown = candidates.slice(0, CANDIDATES_SHOWN).map((candidate) => `  ${candidate}`)
    const more = candidates.length > CANDIDATES_SHOWN ? [`  and ${candidates.length - CANDIDATES_SHOWN} more`] : []
    return [`there is no ${path}; files of that name:`, ...shown, ...more].join('\n')
  }
  const second = yield* step(linesFrom(intent, only))
  if (second.kind !== 'ok') return told(second)
  return `there is no ${path}; the only file of that name is ${page(second, intent, only)}`
}

/** Reads several files side by side, the beginning of each. */
export function* readFiles({ paths }: IntentOf<'reads'>): Plan<string> {
  const most = Math.floor(EXCERPT_LINES / paths.length)
  const reports = yield paths.map((path) => readCall(path, 1, most + 1))
  const pages = paths.map((path, at) => {
    const report = reports[at]
    if (report?.kind === 'ok') return page(report, { from: null, to: null }, path, most)
    return `${path}: ${report === undefined ? 'not read' : told(report)}`
  })
  return pages.join('\n')
}

/** What is in one folder, by the tool for that. */
export function* listFolder(where: string): Plan<string> {
  const { report, path, note } = yield* within(where, (place) => ({ tool: 'list', args: { path: place ?? where } }))
  if (report.kind !== 'ok') return told(report) + note
  const lines = outputOf(report)
  return lines.length === 0 ? `${path} is empty.${note}` : `${path}:${note}\n${lines.join('\n')}`
}

/** Names the files, or the folders with their counts where the files are many. */
export function* list(intent: IntentOf<'list'>): Plan<string> {
  const found = yield* filesMatching(intent)
  if ('answer' in found) return found.answer
  const { report, path, head, note } = found
  if (report.paths.length === 0) return `${head}.${note}`
  return `${head}:${note}\n${tree(report.paths, path)}${cutNote(report.cut)}`
}

export function* countFiles(intent: CountedFiles): Plan<string> {
  const found = yield* filesMatching(intent)
  if ('answer' in found) return found.answer
  return `${found.head}.${found.note}${cutNote(found.report.cut)}`
}

type Matching = { report: Ok; path: string | null; head: string; note: string } | { answer: string }

/** The files of a glob as it stands, or else in whatever case. */
function* filesMatching({ where, glob }: Scope): Plan<Matching> {
  const { report, path, note } = yield* within(where, (place) => globCall(glob ?? '**', place))
  const again = report.kind === 'ok' && report.paths.length === 0 && glob !== null
  const second = again ? yield* step(globCall(inAnyCase(glob), path)) : report
  if (second.kind !== 'ok') return { answer: told(second) + note }
  const spelling = again && second.paths.length > 0 ? ', ignoring case' : ''
  return { report: second, path, note, head: `${found(second, glob)}${spelling}${path === null ? '' : ` in ${path}`}` }
}

export function* countLines({ path: where }: CountedLines): Plan<string> {
  const { report, path, note } = yield* within(where, (place) => ({ tool: 'read', args: { path: place ?? where } }))
  if (report.kind !== 'ok') return told(report) + note
  const least = report.cut === null ? '' : 'at least '
  return `${path} has ${least}${counted(linesOf(report.output).length, 'line')}.${note}${cutNote(report.cut)}`
}

/** One line more than is shown is asked for, so that the answer knows whether there are more. */
const linesFrom = ({ from, to }: Lines, path: string) => {
  const start = from ?? 1
  return readCall(path, start, Math.min((to ?? start + EXCERPT_LINES) - start + 1, EXCERPT_LINES + 1))
}

const page = (report: Ok, { from, to }: Lines, path: string, most = EXCERPT_LINES): string => {
  const start = from ?? 1
  const lines = linesOf(report.output)
  if (lines.length === 0) return `${path} has nothing ${from === null ? 'in it' : `from line ${start} on`}.`
  const shown = lines.slice(0, most)
  const last = start + shown.length - 1
  const more =
    lines.length > shown.length ? `\n  and more: ask for lines ${last + 1}-${Math.max(to ?? 0, last + 40)}` : ''
  return `${path}, lines ${start}-${last}:\n${excerpt(shown, start)}${more}${cutNote(report.cut)}`
}

function* filesNamed(path: string): Plan<string[]> {
  const name = baseOf(path).toLowerCase()
  const pattern = `**/${anyCase(baseOf(path))}*`
  if (name === '' || pattern.length > LONGEST_PATTERN) return []
  const report = yield* step(globCall(pattern, null))
  if (report.kind !== 'ok') return []
  return report.paths.filter((candidate) => {
    const base = baseOf(candidate).toLowerCase()
    return base === name || base.startsWith(`${name}.`)
  })
}

/** "open src" may mean a folder; where it is none either, the first failure is what counts. */
function* openFolder(path: string, failure: string): Plan<string> {
  const report = yield* step(globCall('**', path))
  if (report.kind !== 'ok' || report.paths.length === 0) return failure
  return `${path} is a folder; ${found(report, null)}:\n${tree(report.paths, path)}${cutNote(report.cut)}`
}

const found = (report: Ok, pattern: string | null): string => {
  const matching = pattern === null ? '' : ` matching ${pattern}`
  if (report.paths.length === 0) return `there are no files${matching}`
  return `${report.cut === null ? '' : 'at least '}${counted(report.paths.length, 'file')}${matching}`
}

const tree = (paths: readonly string[], below: string | null): string => {
  if (paths.length <= PATHS_SHOWN) return paths.map((path) => `  ${path}`).join('\n')
  const skip = below === null ? 0 : below.length + 1
  const entries = tally(paths.map((path) => path.slice(0, path.indexOf('/', skip) + 1) || path))
  const lines = entries.map(([entry, count]) => `  ${entry}${entry.endsWith('/') ? `  ${counted(count, 'file')}` : ''}`)
  const more = lines.length > PATHS_SHOWN ? [`  and ${lines.length - PATHS_SHOWN} more`] : []
  return [...lines.slice(0, PATHS_SHOWN), ...more].join('\n')
}
