import { basename, join, relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { execa } from 'execa'
import type { StepOutcome } from '../shapes/turn.ts'
import { contains, type Inside, type Opened, openInside } from './paths.ts'
import { clip } from './read.ts'
import { type Bench, failed } from './tool.ts'

/** One line of what ripgrep found: the file it is about, and how it is shown. */
type Hit = { path: string; line: string }

type Search = {
  args: string[]
  /** What to make of a file: its path in the workspace, and below the target; the rest of the line, where there is one. */
  toHit: (path: string, below: string, rest: string | null) => Hit | null
}

/** Names with a line break are left out: ripgrep answers in lines, and half of such a name could pass for another. */
const COMMON = [
  '--no-config',
  '--color=never',
  '--no-messages',
  '--no-require-git',
  '--sort=path',
  '--glob',
  '!*\n*',
] as const

/**
 * Runs ripgrep on what the gate has passed and collects its hits in order, up to the limits. Ignored, hidden and linked
 * files stay out, and so does what is off limits. Arguments are given one by one: there is no shell in between.
 */
export const ripgrep = async (search: Search, target: Inside, bench: Bench): Promise<StepOutcome> => {
  const opened = await openInside(target)
  if (typeof opened === 'string') return failed(opened)
  try {
    return await run(search, target, opened, bench)
  } catch (error) {
    return failed((error as Error).message)
  } finally {
    await opened.handle.close()
  }
}

/** The search begins at what was opened, not at its name: whoever swaps the name for a link gains nothing. */
const run = async (search: Search, target: Inside, opened: Opened, bench: Bench): Promise<StepOutcome> => {
  const { limits, path, signal } = bench
  const { door, folder } = opened
  const enough = new AbortController()
  const child = execa('rg', [...COMMON, ...offLimits(target, bench), ...search.args, '--', folder ? './' : door], {
    cwd: folder ? door : '/',
    env: { PATH: path },
    extendEnv: false,
    stdin: 'ignore',
    buffer: { stdout: false, stderr: true },
    maxBuffer: 10_000,
    cancelSignal: AbortSignal.any([signal, enough.signal]),
    timeout: limits.seconds * 1000,
    reject: false,
  })
  const found = await collect(child.iterable(), hitsOf(search, target, opened, bench), limits, () => enough.abort())
  if (found.cut !== null) return { kind: 'ok', ...found }
  const { exitCode, stderr, timedOut, isCanceled, code, shortMessage } = await child
  if (code === 'ENOENT') return failed('ripgrep is missing: `./bellhop doctor` says how to install it')
  if (timedOut) return failed(`the search took longer than ${limits.seconds} s`)
  if (isCanceled) return failed('the search was cancelled')
  const said = sentenceOf(String(stderr))
  // What ripgrep says nothing about, with messages off, are files that it could not read.
  if (exitCode === 2 && said === '') return { kind: 'ok', ...found, cut: 'some files could not be read' }
  if (exitCode !== 0 && exitCode !== 1) return failed(said || `ripgrep failed: ${shortMessage}`)
  return { kind: 'ok', ...found }
}

/** What ripgrep says of a pattern: the error, the pattern, where in it, and why. Advice on its flags comes after that. */
const sentenceOf = (stderr: string): string => stderr.split('\n').slice(0, 4).join(' ').replace(/\s+/g, ' ').trim()

/**
 * Makes a hit of a line. What is off limits is left out here too, by its path, however it is spelt; and what is hidden,
 * even where an ignore file calls it back.
 */
const hitsOf = (search: Search, target: Inside, { door, folder }: Opened, { workspace }: Bench) => {
  const { root, offLimits } = workspace
  const prefix = folder ? './' : door
  return (line: string): Hit | null => {
    const [shown = '', rest = null] = line.split('\0', 2)
    if (!shown.startsWith(prefix)) return null
    const below = folder ? shown.slice(prefix.length) : basename(target.name)
    const path = folder ? join(target.name, below) : target.name
    if (folder && /(^|\/)\./.test(below)) return null
    if (offLimits.some((place) => contains(place, join(root, path)))) return null
    return search.toHit(path, below, rest)
  }
}

const BREATH_MS = 10

type Found = { output: string; paths: string[]; cut: string | null }

const collect = async (
  lines: AsyncIterable<string>,
  toHit: (line: string) => Hit | null,
  { outputLines, outputBytes, seconds }: Bench['limits'],
  enough: () => void,
): Promise<Found> => {
  const shown: string[] = []
  const paths = new Set<string>()
  let bytes = 0
  const end = performance.now() + seconds * 1000
  let breath = performance.now()
  for await (const line of lines) {
    // Matching names is our own work: others get their turn in between, and it has the same time as ripgrep.
    if (performance.now() - breath > BREATH_MS) {
      await setImmediate()
      breath = performance.now()
      if (breath > end) throw new Error(`the search took longer than ${seconds} s`)
    }
    const hit = toHit(line)
    if (!hit) continue
    bytes += Buffer.byteLength(hit.line) + 1
    if (shown.length >= outputLines || bytes > outputBytes) {
      enough()
      return { output: shown.join('\n'), paths: [...paths], cut: `cut after ${shown.length} lines; there is more` }
    }
    shown.push(clip(hit.line, outputBytes))
    paths.add(hit.path)
  }
  return { output: shown.join('\n'), paths: [...paths], cut: null }
}

/** Folders that are off limits are left out by name; only exclusions are given as globs, so no rule is overridden. */
const offLimits = (target: Inside, { workspace }: Bench): string[] =>
  workspace.offLimits
    .map((folder) => relative(target.real, folder))
    .filter((name) => name !== '' && !name.startsWith('..'))
    .flatMap((name) => ['--glob', `!/${name.replace(/[\\*?[\]{}! ]/g, '\\$&')}`])
