import { describe, expect, test } from 'vitest'
import { houseDraft, roomDraft } from '../../src/evidence/drafts.ts'
import { createPeople } from '../../src/evidence/people.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Sender } from '../../src/shapes/network.ts'
import { Networks, People } from '../../src/shapes/networks.ts'
import type { Role } from '../../src/shapes/person.ts'
import { ADA, must, type TestStore, testStore } from '../support/store.ts'

const sender = (part: Partial<Sender>): Sender => ({
  network: 'libera',
  account: null,
  visit: null,
  nick: 'ada',
  bot: false,
  groups: [],
  ...part,
})

const NETWORKS = Networks.parse({
  libera: { kind: 'irc', host: 'irc.example', channels: { '#team': 'lobby' } },
  oftc: { kind: 'irc', host: 'irc.example', channels: { '#team': 'lobby' }, role: 'operator' },
  guild: {
    kind: 'discord',
    token: 'TOKEN',
    channels: { '100000000000000001': 'lobby' },
    role: 'viewer',
    groups: { '200000000000000001': 'operator', '200000000000000002': 'approver' },
  },
})
const PEOPLE = People.parse({
  ada: { role: 'operator', roles: { ops: 'admin', oftc: 'approver' }, accounts: ['libera/ada'] },
  grace: { accounts: ['guild/300000000000000001', 'oftc/grace', 'libera/~v-1'] },
})

const peopleIn = ({ store }: TestStore) => createPeople({ store, config: { people: PEOPLE, networks: NETWORKS } })

let written = 0
const pair = async (store: Store, person: string, identity: string, role: Role = 'viewer') =>
  must(await store.append([houseDraft(`pair.${++written}`, { event: 'paired', person, role, identity }, [], ADA)]))
const unpair = async (store: Store, person: string, identity: string) =>
  must(await store.append([houseDraft(`unpair.${++written}`, { event: 'unpaired', person, identity }, [], ADA)]))

describe('who somebody is', () => {
  test.each<[what: string, from: Partial<Sender>, room: string, standing: unknown]>([
    ['an account of the config', { account: 'ada' }, 'lobby', ['ada', 'operator', false, 'ada']],
    ['however its letters are written', { account: 'ADA' }, 'lobby', ['ada', 'operator', false, 'ada']],
    ['in a room where they may do more', { account: 'ada' }, 'ops', ['ada', 'admin', false, 'ada']],
    ['the same name without an account', { nick: 'ada' }, 'ops', ['~ada@libera', 'viewer', true, null]],
    ['an account that nobody knows', { account: 'eve', nick: 'ada' }, 'lobby', ['eve@libera', 'viewer', true, null]],
    [
      'the same account of another network',
      { network: 'oftc', account: 'ada' },
      'lobby',
      ['ada@oftc', 'operator', false, null],
    ],
    [
      'a network that gives everybody a role',
      { network: 'oftc', account: 'eve' },
      'lobby',
      ['eve@oftc', 'operator', false, null],
    ],
    [
      'but not those whom it does not know',
      { network: 'oftc', visit: 'v-2' },
      'lobby',
      ['~ada@oftc', 'viewer', true, null],
    ],
    [
      'a person without a role of their own',
      { network: 'oftc', account: 'grace' },
      'lobby',
      ['grace', 'operator', false, 'grace'],
    ],
    ['a visit, whatever the config says of it', { visit: 'v-1' }, 'lobby', ['~ada@libera', 'viewer', true, null]],
    [
      'a network that the config does not have',
      { network: 'nowhere', account: 'ada' },
      'lobby',
      ['ada@nowhere', 'viewer', true, null],
    ],
    [
      'a name that every object has',
      { network: 'libera', account: 'constructor' },
      'constructor',
      ['constructor@libera', 'viewer', true, null],
    ],
  ])('is said for %s', async (_what, from, room, standing) => {
    await using house = await testStore()
    const { name, role, guest, person } = await peopleIn(house).standingOf(sender(from), room)
    expect([name, role, guest, person]).toEqual(standing)
  })

  test('on Discord goes by the highest of what the roles of the server give', async () => {
    await using house = await testStore()
    const people = peopleIn(house)
    const inGroups = async (...groups: string[]) =>
      people.standingOf(sender({ network: 'guild', account: '400000000000000001', nick: 'ada', groups }), 'lobby')
    const standing = { name: 'ada@guild', guest: false, person: null }
    expect([
      await inGroups(),
      await inGroups('200000000000000001', '200000000000000009'),
      await inGroups('200000000000000002', '200000000000000001'),
    ]).toEqual([
      { ...standing, role: 'viewer' },
      { ...standing, role: 'operator' },
      { ...standing, role: 'approver' },
    ])
    const nobody = sender({ network: 'guild', groups: ['200000000000000002'] })
    expect(await people.standingOf(nobody, 'lobby')).toMatchObject({ role: 'viewer', guest: true })
  })

  test('in a thread is what it is in the room that it was begun in', async () => {
    await using house = await testStore()
    const begun = { thread: 't-1', agent: 'claude-1', name: '', room: 'ops', mode: 'execute', from: null } as const
    const body = { event: 'thread-started', ...begun } as const
    must(await house.store.append([roomDraft({ id: 't-1.thread', room: 't-1', author: ADA, body })]))
    const { role } = await peopleIn(house).standingOf(sender({ account: 'ada' }), 't-1')
    expect(role).toBe('admin')
  })

  test.each([
    ['of characters that a chat would obey', '\u0002a\u202Ed\u0000a b@c~d\ud800', '~adabcd@libera'],
    ['of nothing else', '~@~', '~somebody@libera'],
    ['too long for evidence to be signed with', 'é'.repeat(64), `~${'é'.repeat(56)}@libera`],
    ['that would be cut in the middle of a character', `${'x'.repeat(55)}😀`, `~${'x'.repeat(55)}@libera`],
  ])('by a name %s is made plain', async (_what, nick, name) => {
    await using house = await testStore()
    expect((await peopleIn(house).standingOf(sender({ nick }), 'lobby')).name).toBe(name)
  })
})

describe('what is paired', () => {
  test('is the person’s from then on, with what the config gives them, until it is unpaired', async () => {
    await using house = await testStore()
    const people = peopleIn(house)
    const visit = sender({ visit: 'v-7', nick: 'somebody' })
    const standings = [await people.standingOf(visit, 'ops')]
    await pair(house.store, 'ada', 'libera/~v-7')
    standings.push(await people.standingOf(visit, 'ops'), await people.standingOf(visit, 'lobby'))
    await unpair(house.store, 'ada', 'libera/~v-7')
    standings.push(await people.standingOf(visit, 'ops'))
    await pair(house.store, 'ada', 'libera/~v-7')
    standings.push(await people.standingOf(visit, 'lobby'))
    const guest = { name: '~somebody@libera', role: 'viewer', guest: true, person: null }
    const ada = { name: 'ada', guest: false, person: 'ada' }
    const operator = { ...ada, role: 'operator' }
    expect(standings).toEqual([guest, { ...ada, role: 'admin' }, operator, guest, operator])
  })

  test('with somebody whom the config does not know gives what the offer did, and never makes an admin', async () => {
    await using house = await testStore()
    const people = peopleIn(house)
    for (const role of ['operator', 'approver', 'admin'] as const) {
      await pair(house.store, 'root', `libera/${role}`, role)
    }
    const roles = ['operator', 'approver', 'admin'].map(async (account) => {
      const { role, guest } = await people.standingOf(sender({ account }), 'lobby')
      return [role, guest]
    })
    expect(await Promise.all(roles)).toEqual([
      ['operator', false],
      ['approver', false],
      ['approver', false],
    ])
    expect(await people.roleIn('root', { room: 'lobby', network: null })).toBe('approver')
  })

  test('with somebody whom the config knew, and knows no longer, gives nothing', async () => {
    await using house = await testStore()
    await pair(house.store, 'eve', 'libera/eve')
    expect(await peopleIn(house).standingOf(sender({ account: 'eve' }), 'lobby')).toEqual({
      name: 'eve',
      role: 'viewer',
      guest: true,
      person: 'eve',
    })
  })

  test('changes nothing of what the config says', async () => {
    await using house = await testStore()
    await pair(house.store, 'grace', 'libera/Ada', 'approver')
    const people = peopleIn(house)
    expect([await people.personOf('libera/ada'), people.givenTo('libera/ADA')]).toEqual(['ada', 'ada'])
    expect(await people.identitiesOf('grace')).toEqual(['guild/300000000000000001', 'oftc/grace', 'libera/~v-1'])
  })

  test('is known to everybody who looks, also to one who had looked before', async () => {
    await using house = await testStore()
    const [first, second] = [peopleIn(house), peopleIn(house)]
    expect(await first.everybody()).toEqual(['ada', 'grace'])
    await pair(house.store, 'root', 'oftc/root', 'operator')
    for (const people of [first, second]) {
      expect([await people.everybody(), await people.identitiesOf('root'), await people.personOf('oftc/root')]).toEqual(
        [['ada', 'grace', 'root'], ['oftc/root'], 'root'],
      )
    }
  })
})

test.each<[person: string, room: string | null, network: string | null, role: Role | null]>([
  ['ada', null, null, 'operator'],
  ['ada', 'ops', null, 'admin'],
  ['ada', 'lobby', 'oftc', 'approver'],
  ['grace', 'ops', 'oftc', null],
  ['nobody', 'ops', 'oftc', null],
])('%s in the room %s on the network %s has the role %s of their own', async (person, room, network, role) => {
  await using house = await testStore()
  expect(await peopleIn(house).roleIn(person, { room, network })).toBe(role)
})
