import { sessionDraft } from '../../src/evidence/drafts.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Author } from '../../src/shapes/evidence.ts'
import type { Seated } from '../../src/tools/playing.ts'
import { createWorldClient } from '../../src/world/client.ts'
import { startWorldServer } from '../../src/world/server.ts'
import { createWorlds } from '../../src/world/worlds.ts'
import { must } from '../support/store.ts'

const authorOf = (agent: string): Author => ({ kind: 'agent', id: agent, face: 'rehearsal', via: null })

/** A step of an agent that is under way: what it does in a game answers its intent. */
const seatedIn = async (store: Store, agent: string, step: string, room = 'lobby'): Promise<Seated> => {
  const author = authorOf(agent)
  const body = {
    event: 'step-intended',
    turn: 't',
    step,
    call: { tool: 'world-act', args: { action: 'look' } },
  } as const
  must(await store.append([sessionDraft({ id: `${step}.intent`, session: `s-${agent}`, room, agent, author, body })]))
  return { room, agent, turn: 't', step, author }
}

/** How many were opened: no two steps have one name. */
let opened = 0

/** The games on a store, with a server of their own that can be taken away, and put back with nothing in it. */
export const openGames = async (store: Store, shared?: () => string) => {
  let server = await startWorldServer()
  const games = createWorlds({ store, server: createWorldClient(async () => shared?.() ?? server.url) })
  let steps = 0
  const prefix = opened++
  const seated = (agent: string, room?: string) => seatedIn(store, agent, `${agent}-${prefix}.${steps++}`, room)
  return {
    ...games,
    act: async (agent: string, action: string) => games.at(await seated(agent)).act(action),
    reset: async (agent: string, how: Partial<Parameters<ReturnType<typeof games.at>['reset']>[0]> = {}) =>
      games.at(await seated(agent)).reset({ kind: null, seed: null, again: false, ...how }),
    state: async (agent: string) => games.at(await seated(agent)).state(),
    stop: () => server.close(),
    /** Another server in its place, that has heard of nothing. */
    restart: async () => {
      await server.close()
      server = await startWorldServer()
    },
    url: () => server.url,
    [Symbol.asyncDispose]: () => server.close(),
  }
}
