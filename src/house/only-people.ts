import { setTimeout } from 'node:timers/promises'
import { openApprovals } from '../evidence/approvals.ts'
import { parksOf } from '../evidence/parks.ts'
import type { Parts } from './parts.ts'

const LOOK_MS = 100

/** Resolves once all that is still under way here waits, for a person or for what is not under way: there is no telling until when. */
export const onlyPeople = async (
  { store, clock }: Pick<Parts, 'store' | 'clock'>,
  here: ReadonlySet<string>,
): Promise<void> => {
  const isSo = async (): Promise<boolean> => {
    const running = (await store.unfinishedTurns({ status: 'running' })).filter(({ session }) => here.has(session))
    const waiting = [...(await openApprovals(store, clock())), ...(await parksOf(store, running, clock()))]
    const asking = new Set(waiting.map(({ turn }) => turn))
    return running.every(({ id }) => asking.has(id))
  }
  // While the store is away nobody knows: what runs has its time all the same.
  while (!(await isSo().catch(() => false))) await setTimeout(LOOK_MS, null, { ref: false })
}
