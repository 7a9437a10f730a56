import { relative } from 'node:path'
import { execa } from 'execa'
import type { StepOutcome } from '../shapes/turn.ts'
import { clip } from './read.ts'
import { type Bench, failed } from './tool.ts'

/** One line of what ripgrep found: the file it is about, and how it is shown. */
export type Hit = { path: string; line: string }

const COMMON = ['--no-config', '--color=never', '--no-messages', '--sort=path']

/**
 * Runs ripgrep in the workspace and collects its hits in order, up to the limits. Ignored, hidden and linked files stay
 * out, and so does what is off limits. Arguments are given one by one: there is no shell in between.
 */
export const ripgrep = async (
  args: string[],
  toHit: (line: string) => Hit | null,
  bench: Bench,
): Promise<StepOutcome> => {
  const { workspace, limits, path, signal } = bench
  const stop = new AbortController()
  const child = execa('rg', [...COMMON, ...offLimits(bench), ...args], {
    cwd: workspace.root,
    env: { PATH: path },
    extendEnv: false,
    stdin: 'ignore',
    buffer: { stdout: false, stderr: true },
    maxBuffer: 10_000,
    cancelSignal: AbortSignal.any([signal, stop.signal]),
    timeout: limits.seconds * 1000,
    reject: false,
  })
  const found = await collect(child.iterable(), toHit, limits)
  if (found.cut !== null) stop.abort()
  const { exitCode, stderr, timedOut, isCanceled, code } = await child
  if (code === 'ENOENT') return failed('ripgrep is missing: `./bellhop doctor` says how to install it')
  if (timedOut) return failed(`the search took longer than ${limits.seconds} s`)
  if (isCanceled && found.cut === null) return failed('the search was cancelled')
  if (exitCode === 2) return failed(String(stderr).trim().split('\n').slice(0, 3).join(' ') || 'ripgrep failed')
  return { kind: 'ok', ...found }
}

type Found = { output: string; paths: string[]; cut: string | null }

const collect = async (
  lines: AsyncIterable<string>,
  toHit: (line: string) => Hit | null,
  { outputLines, outputBytes }: Bench['limits'],
): Promise<Found> => {
  const shown: string[] = []
  const paths = new Set<string>()
  let bytes = 0
  for await (const line of lines) {
    const hit = toHit(line)
    if (!hit) continue
    bytes += Buffer.byteLength(hit.line) + 1
    if (shown.length >= outputLines || bytes > outputBytes) {
      return { output: shown.join('\n'), paths: [...paths], cut: `cut after ${shown.length} lines; there is more` }
    }
    shown.push(clip(hit.line, outputBytes))
    paths.add(hit.path)
  }
  return { output: shown.join('\n'), paths: [...paths], cut: null }
}

/** Folders that are off limits are left out by name; only exclusions are given as globs, so no rule is overridden. */
const offLimits = ({ workspace }: Bench): string[] =>
  workspace.offLimits
    .map((folder) => relative(workspace.root, folder))
    .filter((name) => name !== '' && !name.startsWith('..'))
    .flatMap((name) => ['--glob', `!/${name.replace(/[\\*?[\]{}!]/g, '\\$&')}`])
