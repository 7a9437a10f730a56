import type { Store } from '../evidence/store.ts'
import type { Log } from '../lib/log.ts'
import type { Checkouts } from '../workspace/checkouts.ts'
import type { Place } from '../workspace/place.ts'

type Options = {
  /** Where everybody works who has no checkout, and the agents that have one. */
  home: Place
  apart: readonly string[]
  checkouts: Pick<Checkouts, 'of' | 'isMade' | 'refresh'>
  store: Pick<Store, 'unfinishedTurns'>
  log: Pick<Log, 'warn'>
}

/** Where agents work: in the workspace, or each in a checkout of its own. */
export const createPlaces = ({ home, apart, checkouts, store, log }: Options) => {
  const begun = new Map<string, { turn: string; ready: Promise<void> }>()

  /** Who has nothing of its own in its checkout begins a turn with what is committed by now; never beside another turn. */
  const refresh = async (agent: string, turn: string): Promise<void> => {
    const others = (await store.unfinishedTurns()).filter(
      (other) => other.agent === agent && other.status === 'running' && other.id !== turn,
    )
    if (others.length === 0) await checkouts.refresh(agent)
  }

  return {
    /** Where an agent works in a turn. An error, with a sentence, where it has no checkout and should have one. */
    inTurn: async (agent: string, turn: string): Promise<Place> => {
      if (!apart.includes(agent)) return home
      if (begun.get(agent)?.turn !== turn) {
        const ready = refresh(agent, turn).catch((error: Error) =>
          log.warn('a checkout was not brought up to date', { agent, error: error.message }),
        )
        begun.set(agent, { turn, ready })
      }
      await begun.get(agent)?.ready
      return checkouts.of(agent)
    },
    /** Where it works, for those who look at what it did: nothing is made for that. */
    of: async (agent: string): Promise<Place> =>
      apart.includes(agent) && checkouts.isMade(agent) ? checkouts.of(agent) : home,
  }
}
