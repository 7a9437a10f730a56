import { mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { atBest } from '../../src/peripherals/examples.ts'
import { type PeripheralSpec, type ToolCall, ToolName } from '../../src/shapes/peripheral.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import type { FileState, StepReport } from '../../src/shapes/turn.ts'
import { type Given, gate, type Standing } from '../../src/tools/gate.ts'
import { type Inside, openWorkspace, type Workspace } from '../../src/workspace/paths.ts'
import { stateOf } from '../../src/workspace/state.ts'
import { CONTROL } from '../support/control.ts'
import { DESK } from '../support/desk.ts'
import { wall } from '../support/explore.ts'
import { scratch } from '../support/folder.ts'
import { LIBRARY } from '../support/library.ts'

export const PATH = process.env['PATH'] ?? ''

export type Options = {
  limits?: Partial<PeripheralSpec['limits']>
  scope?: Partial<PeripheralSpec['scope']>
  path?: string
  signal?: AbortSignal
  /** Done once the gate has passed the call, before it runs. */
  between?: () => void
  /** Done when a content is kept: before anything is written. */
  keeping?: (content: Buffer) => void
}

/** What a session knows and keeps: the states it saw of files, contents for undo, outputs that were too long. */
type Memory = { seen: Map<string, FileState>; kept: Buffer[]; spilled: Map<string, Inside> }

const remember = (): Memory => ({ seen: new Map(), kept: [], spilled: new Map() })

/** A wall with every tool, all of the workspace to read and to write. */
const EVERYTHING = wall({ tools: [...ToolName.options], scope: { ...wall().scope, write: ['**'] } })

const everything = ({ limits, scope }: Options): PeripheralSpec => ({
  ...EVERYTHING,
  scope: scope ? { ...EVERYTHING.scope, ...scope } : EVERYTHING.scope,
  limits: { ...EVERYTHING.limits, ...limits },
})

/** A call as a step makes it: through the gate, and run if that lets it; what it saw and made is remembered. */
export const call = async (
  workspace: Workspace,
  tool: string,
  args: ToolCall['args'],
  { memory = remember(), keeper = null, ...options }: Options & { memory?: Memory; keeper?: Keeper | null } = {},
): Promise<StepReport> => {
  const spec = everything(options)
  const verdict = await gate({ tool, args }, standingOf(spec, workspace, memory))
  if (!verdict.ok) return { kind: 'refused', refusal: verdict.refusal }
  if (verdict.value.kind === 'asks') throw new Error(`a person is asked: ${verdict.value.why}`)
  options.between?.()
  const outcome = await verdict.value.run(givenFor(options, memory, keeper))
  if (outcome.kind === 'interrupted') return outcome
  for (const { path, state } of outcome.seen ?? []) memory.seen.set(path, state)
  for (const { path, after } of outcome.files ?? []) {
    if (after === null) memory.seen.delete(path)
    else memory.seen.set(path, after)
  }
  return outcome
}

const standingOf = (spec: PeripheralSpec, workspace: Workspace, memory: Memory): Standing => ({
  ...atBest(spec, workspace),
  mode: 'execute',
  kept: (path) => memory.spilled.get(path) ?? null,
})

/** Writes an output where it can be read again. */
type Keeper = (name: string, text: string) => Inside

const givenFor = ({ path = PATH, signal, keeping }: Options, memory: Memory, keeper: Keeper | null): Given => {
  const nowhere = () => Promise.reject(new Error('no test of a file tool asks for this'))
  return {
    step: 'step-1',
    session: 'session-1',
    ring: nowhere,
    joined: nowhere,
    tickle: { scan: nowhere, page: nowhere, cycle: nowhere },
    world: { reset: nowhere, act: nowhere, state: nowhere },
    path,
    signal: signal ?? new AbortController().signal,
    seen: (name) => memory.seen.get(name) ?? null,
    keep: async (content) => {
      memory.kept.push(content)
      keeping?.(content)
    },
    tree: nowhere,
    changes: nowhere,
    spill: async (text) => {
      const place = `spill:${memory.spilled.size + 1}`
      memory.spilled.set(place, keeper?.(place, text) ?? { real: '/dev/null', name: place })
      return place
    },
    progress: () => {},
    execute: nowhere,
    terminals: { start: nowhere, read: nowhere, write: nowhere, stop: nowhere, names: () => [] },
    ask: async () => refused(refusal('query-invalid', 'no test of a file tool asks for this')),
    reflect: nowhere,
    control: CONTROL,
    desk: DESK,
    library: LIBRARY,
    advance: nowhere,
    hop: nowhere,
  }
}

/** A workspace in a folder of its own, beside which a test may put what is outside; and a session that works in it. */
export const bench = async (files: Record<string, string> = {}, { offLimits = [] as string[] } = {}) => {
  const folder = scratch()
  const above = realpathSync(folder.path)
  const root = join(above, 'ws')
  mkdirSync(root)
  for (const [name, text] of Object.entries(files)) folder.write(join('ws', name), text)
  const workspace = await openWorkspace(
    root,
    offLimits.map((name) => join(root, name)),
  )
  const memory = remember()
  const keeper = (name: string, text: string): Inside => ({ real: folder.write(join('spills', name), text), name })
  const tool = (name: ToolName) => (args: ToolCall['args'], options?: Options) =>
    call(workspace, name, args, { ...options, memory, keeper })
  return {
    above,
    root,
    workspace,
    memory,
    /** Writes a file, named from the folder above the workspace. */
    write: folder.write,
    read: tool('read'),
    list: tool('list'),
    glob: tool('glob'),
    grep: tool('grep'),
    edit: tool('edit'),
    multiEdit: tool('multi-edit'),
    applyPatch: tool('apply-patch'),
    writeFile: tool('write'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

export type Bench = Awaited<ReturnType<typeof bench>>

type Fine = Extract<StepReport, { kind: 'ok' }>

export const fine = (output: string, paths: string[], cut: string | null = null): Fine => ({
  kind: 'ok',
  output,
  paths,
  cut,
})

/** What reading a file comes to: what is shown of it, and what it is as a whole. */
export const shownOf = (it: Bench, path: string, output: string, cut: string | null = null): Fine => ({
  ...fine(output, [path], cut),
  seen: [{ path, state: stateOf(readFileSync(join(it.root, path)), false) }],
})

export const failure = (message: string): StepReport => ({ kind: 'failed', message })
