import { createPeople } from '../../src/evidence/people.ts'
import { roomOfThread, threadOf } from '../../src/evidence/threads.ts'
import type { Context, Operation } from '../../src/operations/operation.ts'
import { inputFrom, words } from '../../src/operations/parse.ts'
import { spoken } from '../../src/operations/table.ts'
import type { Sender } from '../../src/shapes/network.ts'
import { identityOf } from '../../src/shapes/network.ts'
import { Networks, People } from '../../src/shapes/networks.ts'
import type { Person, Role } from '../../src/shapes/person.ts'
import type { Result } from '../../src/shapes/result.ts'
import type { Room } from '../../src/shapes/room.ts'
import { AGENTS, BULLETINS, LOBBY, QUIET, type TestSocial, testSocial } from '../support/social.ts'

const PLACES: readonly Room[] = [LOBBY, QUIET]

/** Two networks: an IRC one where everybody may talk, and a Discord one where a role of the server makes an operator. */
const NETWORKS = {
  libera: { kind: 'irc', host: 'irc.example', channels: { '#team': 'lobby' } },
  guild: {
    kind: 'discord',
    token: 'TOKEN',
    channels: { '100000000000000001': 'lobby' },
    groups: { '200000000000000001': 'operator', '200000000000000002': 'approver' },
  },
} as const

export const sender = (part: Partial<Sender>): Sender => ({
  network: 'libera',
  account: null,
  visit: null,
  nick: 'ada',
  bot: false,
  groups: [],
  ...part,
})

export const atHome = (name: string, role: Role): Person => ({ name, role, face: 'cli', via: null })

type Given = {
  people?: unknown
  networks?: unknown
  rooms?: readonly Room[]
  change?: Partial<Context>
}

/** A house with people and networks of its own, whose rows are asked as they would be in a room. */
export const openAsking = async ({ people = {}, networks = NETWORKS, rooms = PLACES, change = {} }: Given = {}) => {
  const it: TestSocial = await testSocial()
  const prices = { asOf: '2026-01-01', models: {} }
  const named = { networks: Networks.parse(networks), people: People.parse(people) }
  const config = { agents: AGENTS, profiles: {}, profile: null, prices, bulletins: BULLETINS, ...named }
  const known = createPeople({ store: it.store, config })
  const contextFor = (person: Person, room: string | null): Context => ({
    ...it.social.contextFor(person, room ?? ''),
    room,
    rooms,
    config,
    people: known,
    turns: { of: async () => null, open: async () => [] },
    postOf: async () => null,
    now: () => it.clock.now,
    ...change,
  })
  /** Somebody of a network, as they are let in to a room. */
  const fromNetwork = async (who: Sender, room: string): Promise<Person> => {
    const { name, role, guest } = await known.standingOf(who, room)
    const face = who.network === 'guild' ? 'discord' : 'irc'
    return { name, role, face, via: identityOf(who), ...(guest ? { guest: true as const } : {}), sender: who }
  }
  const run = async (text: string, person: Person, room: string | null): Promise<[Operation, Result<unknown>]> => {
    const [name = '', ...rest] = words(text)
    const row = spoken.find((one) => one.name === name || one.aliases?.includes(name))
    if (!row) throw new Error(`there is no row ${name}`)
    const input = inputFrom(row, rest)
    return [row, input.ok ? await row.run(input.value, contextFor(person, room)) : input]
  }
  return {
    ...it,
    known,
    contextFor,
    fromNetwork,
    /** What a row answers. */
    ask: async (text: string, person: Person = atHome('ada', 'admin'), room: string | null = 'quiet') =>
      (await run(text, person, room))[1],
    /** What a room reads of it, or the code and the sentence of a refusal. */
    answer: async (text: string, person: Person = atHome('ada', 'admin'), room: string | null = 'quiet') => {
      const [row, output] = await run(text, person, room)
      return output.ok ? row.render(output.value) : `${output.refusal.code}: ${output.refusal.message}`
    },
    /** What whoever asked reads alone. */
    whisper: async (text: string, person: Person, room = 'quiet') => {
      const [row, output] = await run(text, person, room)
      return output.ok ? (row.whisper?.(output.value) ?? null) : output.refusal.code
    },
    placeOf: async (room: string) => {
      const thread = await threadOf(it.store, room)
      return thread ? roomOfThread(thread, rooms) : rooms.find(({ id }) => id === room)
    },
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  }
}
export type Asking = Awaited<ReturnType<typeof openAsking>>
