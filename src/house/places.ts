import type { Store } from '../evidence/store.ts'
import type { Log } from '../lib/log.ts'
import type { Alone } from '../registry/alone.ts'
import type { Checkouts } from '../workspace/checkouts.ts'
import type { Place } from '../workspace/place.ts'

type Options = {
  /** Where everybody works who has no checkout, and the agents that have one. */
  home: Place
  apart: readonly string[]
  checkouts: Pick<Checkouts, 'of' | 'isMade' | 'refresh' | 'begun' | 'noteBegun'>
  alone: Alone
  store: Pick<Store, 'unfinishedTurns'>
  log: Pick<Log, 'warn'>
}

/** Where agents work: in the workspace, or each in a checkout of its own. */
export const createPlaces = ({ home, apart, checkouts, alone, store, log }: Options) => {
  const begun = new Map<string, { turn: string; ready: Promise<void> }>()

  /**
   * Who has nothing of its own in its checkout begins a turn with what is committed by now; never beside another turn, and once
   * for a turn, however many workers have a part in it. One process at a time looks and does it: a turn runs before it comes
   * here, so that whoever looks sees it, or it waits here until that one is done.
   */
  const begin = (agent: string, turn: string): Promise<void> =>
    alone(agent, async (still) => {
      const begun = await checkouts.begun(agent)
      if (begun.includes(turn)) return
      const open = await store.unfinishedTurns({ agent })
      const isAlone = open.every(({ id, status }) => id === turn || status !== 'running')
      const failed = (error: Error) =>
        log.warn('a checkout was not brought up to date', { agent, error: error.message })
      if (isAlone) await checkouts.refresh(agent, still).catch(failed)
      const unfinished = open.map(({ id }) => id)
      await checkouts.noteBegun(agent, [...begun.filter((id) => unfinished.includes(id)), turn]).catch(failed)
    })

  return {
    /** Where an agent works in a turn. An error, with a sentence, where it has no checkout and should have one. */
    inTurn: async (agent: string, turn: string): Promise<Place> => {
      if (!apart.includes(agent)) return home
      if (begun.get(agent)?.turn !== turn) {
        const ready = begin(agent, turn)
        begun.set(agent, { turn, ready })
        // Who could not begin does so when it is asked for again.
        ready.catch(() => begun.delete(agent))
      }
      await begun.get(agent)?.ready
      return checkouts.of(agent)
    },
    /** Where it works, for those who look at what it did: nothing is made for that. */
    of: async (agent: string): Promise<Place> =>
      apart.includes(agent) && checkouts.isMade(agent) ? checkouts.of(agent) : home,
  }
}
