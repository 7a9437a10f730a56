import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import type { Place } from '../../../src/agents/mind.ts'
import { rehearse } from '../../../src/agents/rehearsal/rehearse.ts'
import type { ToolCall } from '../../../src/shapes/peripheral.ts'
import type { StepReport } from '../../../src/shapes/turn.ts'

export const placeAt = (peripheral: string, ...tools: string[]): Place => ({ peripheral, tools, context: {} })

export const EXPLORE = placeAt('explore', 'read', 'glob', 'grep')

/** Answers each call from the list of reports, and with the last of it from then on. */
export const play = (request: string, reports: readonly StepReport[], place: Place) => {
  const mind = rehearse(request, place)
  const steps: (readonly ToolCall[])[] = []
  let next = mind.next()
  for (let told = 0; !next.done && steps.length < 100; ) {
    steps.push(next.value)
    next = mind.next(next.value.map(() => reports[told++] ?? reports.at(-1) ?? NOTHING))
  }
  return { steps, answer: next.done ? next.value : null }
}

const NOTHING: StepReport = { kind: 'ok', output: '', paths: [], cut: null }

/** Where somebody is asked, and who reports on the calls that were made together. */
type Asked = { place: Place; perform: (call: ToolCall) => Promise<StepReport> }

/** Drives a mind to its answer; calls that were yielded together are performed together. */
export const drive = async (request: string, { place, perform }: Asked) => {
  const mind = rehearse(request, place)
  const steps: ToolCall[] = []
  let next = mind.next()
  while (!next.done) {
    steps.push(...next.value)
    next = mind.next(await Promise.all(next.value.map(perform)))
  }
  return { steps, answer: next.value }
}

/** A repository in a folder of its own, and the three tools over it with the real rg, as small as their contract allows. */
export type Repository = AsyncDisposable & { ask: (request: string) => Promise<{ steps: ToolCall[]; answer: string }> }

export const repository = async (files: Record<string, string>): Promise<Repository> => {
  const root = await mkdtemp(join(tmpdir(), 'rehearsal-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return {
    ask: (request) => drive(request, { place: EXPLORE, perform: (call) => look(root, call) }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  }
}

type Args = {
  path?: string
  pattern?: string
  from?: number
  lines?: number
  literal?: boolean
  word?: boolean
  ignoreCase?: boolean
  glob?: string
}

export const look = async (root: string, call: ToolCall): Promise<StepReport> => {
  const args: Args = call.args
  if (call.tool === 'read') return read(root, args)
  return call.tool === 'glob' ? glob(root, args) : grep(root, args)
}

const read = async (root: string, { path = '', from = 1, lines = 10_000 }: Args): Promise<StepReport> => {
  try {
    const text = await readFile(join(root, path), 'utf8')
    const output = text
      .split(/(?<=\n)/)
      .slice(from - 1, from - 1 + lines)
      .join('')
    return { kind: 'ok', output, paths: [path], cut: null }
  } catch (error) {
    return { kind: 'failed', message: String(error).replaceAll(root, '') }
  }
}

const glob = async (root: string, { pattern = '', path = '' }: Args): Promise<StepReport> => {
  try {
    await access(join(root, path))
    const { stdout } = await execa('rg', ['--files', '--sort', 'path', '-g', pattern], {
      cwd: join(root, path),
      reject: false,
    })
    const paths = linesOf(stdout).map((found) => (path === '' ? found : `${path}/${found}`))
    return { kind: 'ok', output: paths.join('\n'), paths, cut: null }
  } catch {
    return { kind: 'failed', message: `no such path: ${path}` }
  }
}

const grep = async (root: string, { pattern = '', path = '.', ...args }: Args): Promise<StepReport> => {
  const flags = [
    ...(args.literal ? ['-F'] : []),
    ...(args.word ? ['-w'] : []),
    ...(args.ignoreCase ? ['-i'] : []),
    ...(args.glob ? ['-g', args.glob] : []),
  ]
  const found = await execa('rg', ['-nH', '--no-heading', '--sort', 'path', ...flags, '-e', pattern, '--', path], {
    cwd: root,
    reject: false,
  })
  if (found.exitCode === 2) return { kind: 'failed', message: found.stderr }
  const lines = linesOf(found.stdout).map((line) => line.replace(/^\.\//, ''))
  const paths = [...new Set(lines.map((line) => line.slice(0, line.search(/:\d+:/))))]
  return { kind: 'ok', output: lines.join('\n'), paths, cut: null }
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')
