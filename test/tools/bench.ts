import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { PeripheralSpec, ToolCall } from '../../src/shapes/peripheral.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import { gate, type Standing } from '../../src/tools/gate.ts'
import { openWorkspace, type Workspace } from '../../src/tools/paths.ts'
import { EXPLORE } from '../support/explore.ts'
import { scratch } from '../support/folder.ts'

export const PATH = process.env['PATH'] ?? ''

export type Options = {
  limits?: Partial<PeripheralSpec['limits']>
  path?: string
  signal?: AbortSignal
  /** Done once the gate has passed the call, before it runs. */
  between?: () => void
}

/** A call as a step makes it: through the gate, and run if that lets it. */
export const call = async (
  workspace: Workspace,
  tool: string,
  args: ToolCall['args'],
  { limits = {}, path = PATH, signal = new AbortController().signal, between = () => {} }: Options = {},
): Promise<StepReport> => {
  const spec = { ...EXPLORE, limits: { ...EXPLORE.limits, ...limits } }
  const standing: Standing = { spec, mode: 'execute', taken: 0, workspace }
  const verdict = await gate({ tool, args }, standing)
  if (!verdict.ok) return { kind: 'refused', refusal: verdict.refusal }
  between()
  return verdict.value.run({ path, signal })
}

/** A workspace in a folder of its own, beside which a test may put what is outside. */
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
  return {
    above,
    root,
    workspace,
    /** Writes a file, named from the folder above the workspace. */
    write: folder.write,
    read: (args: ToolCall['args'], options?: Options) => call(workspace, 'read', args, options),
    glob: (args: ToolCall['args'], options?: Options) => call(workspace, 'glob', args, options),
    grep: (args: ToolCall['args'], options?: Options) => call(workspace, 'grep', args, options),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

export type Bench = Awaited<ReturnType<typeof bench>>

export const fine = (output: string, paths: string[], cut: string | null = null): StepReport => ({
  kind: 'ok',
  output,
  paths,
  cut,
})

export const failure = (message: string): StepReport => ({ kind: 'failed', message })
