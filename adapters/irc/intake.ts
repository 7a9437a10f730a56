import { setTimeout as pause } from 'node:timers/promises'
import { pauseOf } from './channels.ts'

/** Something that was heard, to be handed over: it throws while the house cannot be reached. */
export type Task = { who: string; run: () => Promise<void> }

type Options = {
  /** How many may wait. */
  most: number
  /** What becomes of one that nobody waits for any more. */
  fellOut: (task: Task, why: 'full' | 'over') => void
  /** That one has to wait, and why. */
  waits: (cause: unknown) => void
  signal: AbortSignal
}

const PAUSES = { firstMs: 250, mostMs: 30_000 }

/** What was heard and not handed over yet: in order for each channel, and again until the house has it. */
export const createIntake = ({ most, fellOut, waits, signal }: Options) => {
  const lanes = new Map<string, Task[]>()
  let waiting = 0
  const draining = new Set<Promise<void>>()

  const drain = async (channel: string, tasks: Task[]) => {
    for (let task = tasks[0]; task !== undefined; task = tasks[0]) {
      if (!(await handOver(task, waits, signal))) fellOut(task, 'over')
      tasks.shift()
      waiting--
    }
    lanes.delete(channel)
  }
  const enter = (channel: string, task: Task) => {
    waiting++
    const lane = lanes.get(channel)
    if (lane) {
      lane.push(task)
      return
    }
    const tasks = [task]
    lanes.set(channel, tasks)
    const drained = drain(channel, tasks).finally(() => draining.delete(drained))
    draining.add(drained)
  }

  return {
    put: (channel: string, task: Task): void => {
      if (waiting < most) enter(channel, task)
      else fellOut(task, 'full')
    },
    settled: async (): Promise<void> => {
      while (draining.size > 0) await Promise.all(draining)
    },
  }
}

const handOver = async ({ run }: Task, waits: Options['waits'], signal: AbortSignal): Promise<boolean> => {
  for (let failures = 0; ; failures++) {
    try {
      await run()
      return true
    } catch (cause) {
      if (failures === 0) waits(cause)
      if (signal.aborted) return false
      await pause(pauseOf(PAUSES, failures), undefined, { signal }).catch(() => {})
    }
  }
}
