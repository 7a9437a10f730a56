import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadHouse } from '../config/load.ts'
import { createPeople } from '../evidence/people.ts'
import { openStore, type Store } from '../evidence/store.ts'
import { createBook } from '../evidence/usage.ts'
import { folderAt, storeOf, userName } from '../house/folder.ts'
import { type Settings, viewsOf } from '../house/parts.ts'
import { systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { Operation } from '../operations/operation.ts'
import { historyOf } from '../operations/undo-history.ts'
import type { Presence } from '../shapes/agent.ts'
import { refusal } from '../shapes/refusal.ts'
import { type Result, refused } from '../shapes/result.ts'
import { postOf } from '../status/posts.ts'
import { createTurnViews } from '../status/turn-view.ts'
import { createWorks } from '../tickle/work.ts'
import { helpOf } from '../tools/table.ts'
import { createProgress } from './progress.ts'

/** The store of a data folder, or of the server it is on, for reading alone: an instance may run on it or not. */
export const openOffline = async (settings: Settings): Promise<Store> => {
  const url = storeOf(folderAt(settings.data), settings.evidence)
  if (settings.evidence === null && !existsSync(url)) {
    throw new Problem(`there is no evidence in ${settings.data}`, 'name the data folder with --data DIR')
  }
  return openStore({ url, clock: systemClock, readonly: true })
}

const ABSENT = (id: string): Presence => ({
  id,
  type: null,
  readiness: 'absent',
  peripherals: [],
  reason: 'no instance runs',
})

const CHANGES_NOTHING = refused(refusal('store-failed', 'nothing can be changed while no instance runs'))

/** Missions are in the workspace: without an instance nobody looks at them. */
const notHere = (): Promise<never> =>
  Promise.reject(new Problem('nobody looks at missions while no instance runs', 'start it: bellhop up'))
const NO_OUTLOOK = { portfolio: notHere, next: notHere, named: notHere, activity: notHere }

/** Asks the store of a data folder itself: the evidence is all it takes, and it is opened for reading only. */
export const askOffline = async (
  row: Operation,
  input: Record<string, unknown>,
  settings: Settings,
): Promise<Result<unknown>> => {
  const { config, specs } = loadHouse(join(settings.root, 'config'), settings.configFile, settings)
  const store = await openOffline(settings)
  const views = viewsOf({ store, config, folder: folderAt(settings.data), workspace: settings.workspace })
  const progress: { end: () => void }[] = []
  try {
    return await row.run(input, {
      person: { name: userName(), role: 'viewer', face: 'cli', via: null },
      seat: null,
      room: null,
      store,
      who: async () => [],
      rooms: config.rooms,
      config,
      book: createBook({ store, clock: systemClock }),
      tickle: {
        works: createWorks(store),
        issues: async () => CHANGES_NOTHING,
        boxesOf: async () => CHANGES_NOTHING,
        repository: null,
      },
      obligationsOf: async () => CHANGES_NOTHING,
      people: createPeople({ store, config }),
      // Nobody is known to be here: a turn that was under way is not gone on with.
      turns: createTurnViews({ store, presenceOf: async (id) => ABSENT(id), clock: systemClock, stalledMs: 0 }),
      postOf: (id) => postOf(store, id),
      isOpenTo: async () => false,
      postsAt: async () => ({ posts: [], more: false }),
      health: async () => ({ ready: false, version: settings.version, up: {}, reasons: [] }),
      processes: async () => [],
      lanes: async () => [],
      standingOf: async () => null,
      bulletinOf: async (room) =>
        Promise.reject(new Problem(`nobody knows how things stand in ${room}`, 'start it: bellhop up')),
      patterns: async () =>
        Promise.reject(new Problem('patterns are read where an instance runs', 'start it: bellhop up')),
      // A game is played by a server, which runs with an instance.
      worlds: { list: async () => [], roomOf: async () => null, look: async () => null },
      residents: [],
      specs,
      ...views,
      verifyStore: (kept) => {
        const line = createProgress('verified')
        progress.push(line)
        return views.verifyStore(kept, line.show)
      },
      compact: async () => CHANGES_NOTHING,
      closeSession: async () => CHANGES_NOTHING,
      undo: {
        history: (session) => historyOf(store, session),
        show: async () => ({ files: [], diff: '' }),
        restore: async () => CHANGES_NOTHING,
      },
      checkouts: { agents: [], merge: async () => 'no instance runs', state: async () => null },
      helpOf,
      outlook: NO_OUTLOOK,
      gatehouse: { judge: async () => CHANGES_NOTHING, takes: async () => null, saysOf: () => '' },
      holds: { all: async () => [], release: async () => {} },
      elsewhere: async () => null,
      wakeSteps: () => {},
      now: systemClock,
      newId: () => '',
    })
  } finally {
    for (const line of progress) line.end()
    await store.close()
  }
}
