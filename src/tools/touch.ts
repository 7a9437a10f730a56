import { posix } from 'node:path'
import { type PeripheralSpec, SourceTool, type ToolCall, ToolName } from '../shapes/peripheral.ts'
import { tools } from './table.ts'

/** What a call would touch, before the gate has looked: enough to tell which calls may run side by side. */
export type Touch = { alone: boolean; reads: readonly string[]; writes: readonly string[] }

export const touchOf = (call: ToolCall, spec: PeripheralSpec | null): Touch => {
  const name = ToolName.safeParse(call.tool).data
  const args = name && tools[name].args.safeParse(call.args)
  const reach = spec && name && args?.success ? tools[name].reach(args.data, spec) : null
  // What a server of the config may do is not known here: where the wall lets something be written, it may.
  const foreign = spec?.tools.some((tool) => tool === call.tool) && SourceTool.safeParse(call.tool).success
  if (foreign) return { alone: spec?.sandbox !== 'read-only', reads: [], writes: [] }
  // What will be refused touches nothing.
  if (!reach?.ok) return { alone: false, reads: [], writes: [] }
  const { alone = false, reads = [], writes = [] } = reach.value
  return { alone, reads: reads.map(posix.normalize), writes: writes.map(posix.normalize) }
}

/** Whether one of two calls must wait for the other: it is alone, or writes where the other reads or writes. */
export const conflict = (a: Touch, b: Touch): boolean =>
  a.alone || b.alone || meet(a.writes, [...b.reads, ...b.writes]) || meet(b.writes, a.reads)

const meet = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.some((other) => one === other || isBelow(one, other) || isBelow(other, one)))

const isBelow = (path: string, folder: string): boolean => folder === '.' || path.startsWith(`${folder}/`)
