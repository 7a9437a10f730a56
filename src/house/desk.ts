import { createDesk } from '../cycles/desk.ts'
import { createUndertakings } from '../cycles/undertakings.ts'
import type { Config } from '../shapes/config.ts'
import type { Parts } from './parts.ts'

/** Work that lasts, on the parts of this process: who still stands behind a wall is for the ledgers to say. */
export const deskOf = ({ store, clock, ledgers, config }: Desked): ReturnType<typeof createDesk> =>
  createDesk({
    store,
    clock,
    undertakings: createUndertakings(store),
    stayOf: async (session) => (await ledgers.of(session)).stay?.started ?? null,
    folders: config.missions.folders,
  })

type Desked = Pick<Parts, 'store' | 'clock' | 'ledgers'> & { config: Pick<Config, 'missions'> }
