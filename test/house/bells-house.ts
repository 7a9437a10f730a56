import { createClient } from '../../src/client/client.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import type { BodyOf, Entry, EventName } from '../../src/shapes/evidence.ts'
import { startTestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

/** Three agents that can all ring from where they begin. */
const AGENTS = `
agents:
  - { id: claude-1, type: claude, runner: rehearsal, peripheral: explore }
  - { id: codex-1, type: codex, runner: rehearsal, peripheral: explore }
  - { id: tickle-1, type: tickle, runner: rehearsal, peripheral: explore }
`

/** A house whose agents ring for each other by `use bell {…}`, as their grammar has it. */
export const startBellHouse = async ({ config = '', worker = true } = {}) => {
  const house = await startTestHouse({ config: AGENTS + config, worker })
  const client = createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
  const { store } = house

  const entriesOf = async (event: EventName): Promise<Entry[]> =>
    must(await store.query({ event, order: 'oldest', limit: 1000 })).entries
  const bodiesOf = async <E extends EventName>(event: E): Promise<BodyOf<E>[]> =>
    (await entriesOf(event)).map(({ body }) => body as BodyOf<E>)

  const turnOf = async (text: string, room = 'lobby'): Promise<string> =>
    must(await client.say({ room, text })).assignments[0]?.turn ?? ''

  const endOf = async (turn: string): Promise<BodyOf<'turn-ended'>> => {
    const { body } = await eventually(`${turn} to end`, () => store.get(`${turn}.ended`))
    if (body.event !== 'turn-ended') throw new Error(`${turn} has no end`)
    return body
  }

  return {
    ...house,
    client,
    entriesOf,
    bodiesOf,
    turnOf,
    endOf,
    /** Waits until nothing is left to be done, and every bell has its answer. */
    settled: async (): Promise<void> => {
      await eventually('everything to settle', async () => {
        const rung = await entriesOf('bell-rung')
        const answered = await entriesOf('bell-answered')
        return rung.length === answered.length && (await store.unfinishedTurns()).length === 0
      })
    },
    /** What is wrong with any chain that there is. */
    violations: async () => {
      const found = []
      for (const chain of await store.chains()) found.push(...(await verifyChain(store, chain)).violations)
      return found
    },
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  }
}

/** What a rehearsal is asked, so that it makes just this call. */
export const use = (tool: string, args: Record<string, unknown>): string => `use ${tool} ${JSON.stringify(args)}`
