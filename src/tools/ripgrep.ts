import { closeSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { execa } from 'execa'
import type { StepOutcome } from '../shapes/turn.ts'
import { contains, type Inside, type Opened, openInside } from '../workspace/paths.ts'
import { type Confirm, confirming } from './confirm.ts'
import { collect, type Named, outcomeOf } from './hits.ts'
import { isKept, targetOf } from './target.ts'
import { type Bench, failed } from './tool.ts'

type Search = {
  args: string[]
  /** Where to search, as it was given. */
  place: string
  /** Whether a file is asked for. */
  wants: (named: Named) => boolean
  /** The line to show for what ripgrep named; null where that is not true. */
  toLine: (named: Named, confirm: Confirm) => Promise<string | null>
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
export const ripgrep = async (search: Search, bench: Bench): Promise<StepOutcome> => {
  const { hardLinks } = bench.spec.scope
  const opened = await openInside(targetOf(bench, search.place), hardLinks)
  if (typeof opened === 'string') return failed(opened)
  const confirm = confirming(opened, hardLinks)
  try {
    return await run(search, opened, confirm, bench)
  } catch (error) {
    return failed((error as Error).message)
  } finally {
    await confirm.close()
    closeSync(opened.fd)
  }
}

/** The search begins at what was opened, not at its name: whoever swaps the name for a link gains nothing. */
const run = async (search: Search, opened: Opened, confirm: Confirm, bench: Bench): Promise<StepOutcome> => {
  const { limits, path, signal } = bench
  const { door, folder } = opened
  const target = targetOf(bench, search.place)
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
  const nameOf = namesIn(target, opened)
  const toNamed = (line: string): Named | null => {
    const named = nameOf(line)
    return named && search.wants(named) && mayShow(named, opened, bench) ? named : null
  }
  const toLine = (named: Named) => search.toLine(named, confirm)
  const found = await collect(child.stdout, { toNamed, toLine, enough: () => enough.abort() }, bench)
  if (isKept(search.place)) found.paths = []
  if (found.more) return await outcomeOf(found, null, bench)
  const { exitCode, stderr, timedOut, isCanceled, code, shortMessage } = await child
  if (code === 'ENOENT') return failed('ripgrep is missing: `./bellhop doctor` says how to install it')
  if (timedOut) return failed(`the search took longer than ${limits.seconds} s`)
  if (isCanceled) return failed('the search was cancelled')
  const said = sentenceOf(String(stderr))
  // What ripgrep says nothing about, with messages off, are files that it could not read.
  const unread = exitCode === 2 && said === ''
  if (exitCode !== 0 && exitCode !== 1 && !unread) return failed(said || `ripgrep failed: ${shortMessage}`)
  return await outcomeOf(found, unread ? 'some files could not be read' : sharedIn(confirm), bench)
}

const sharedIn = (confirm: Confirm): string | null => {
  const count = confirm.shared()
  return count === 0 ? null : `left out: ${count === 1 ? 'a file' : `${count} files`} with several names (hard links)`
}

/** What ripgrep says of a pattern: the error, the pattern, where in it, and why. Advice on its flags comes after that. */
const sentenceOf = (stderr: string): string => stderr.split('\n').slice(0, 4).join(' ').replace(/\s+/g, ' ').trim()

/** Makes a file of a line. What is hidden stays out, even where an ignore file calls it back. */
const namesIn = (target: Inside, { door, folder }: Opened) => {
  const prefix = folder ? './' : door
  return (line: string): Named | null => {
    const [shown = '', rest = null] = line.split('\0', 2)
    if (!shown.startsWith(prefix)) return null
    if (!folder) return { path: target.name, below: basename(target.name), rest }
    const below = shown.slice(prefix.length)
    return /(^|\/)\./.test(below) ? null : { path: join(target.name, below), below, rest }
  }
}

/** What is off limits or out of scope is left out by its path; the gate has judged a file that was asked for by name. */
const mayShow = ({ path }: Named, { folder }: Opened, { workspace, shows }: Bench): boolean =>
  !folder || (shows(path) && !workspace.offLimits.some((place) => contains(place, join(workspace.root, path))))

/** Folders that are off limits are left out by name; only exclusions are given as globs, so no rule is overridden. */
const offLimits = (target: Inside, { workspace }: Bench): string[] =>
  workspace.offLimits
    .map((folder) => relative(target.real, folder))
    .filter((name) => name !== '' && !name.startsWith('..'))
    .flatMap((name) => ['--glob', `!/${name.replace(/[\\*?[\]{}! ]/g, '\\$&')}`])
