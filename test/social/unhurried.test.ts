import { expect, test } from 'vitest'
import type { Message } from '../../src/shapes/message.ts'
import type { Room } from '../../src/shapes/room.ts'
import { receive, type Social } from '../../src/social/pipeline.ts'
import { refuse } from '../../src/social/refuse.ts'
import { createSparingly } from '../../src/social/sparingly.ts'
import { line, linesOf, testSocial } from '../support/social.ts'
import { must } from '../support/store.ts'

const SECRET = 'secret-of-the-networks'
const TEAM: Room = { id: 'team', faces: ['irc', 'cli'], mode: 'execute', listener: null }

/** A house that has nothing left for anybody, and what it was asked for. */
const fullHouse = async (part: Partial<Social> = {}) => {
  const asked: object[] = []
  const it = await testSocial(() => ({
    limits: async (of) => {
      asked.push(of)
      return { limited: 'person', wait: 7 }
    },
    ...part,
  }))
  const sparingly = createSparingly({
    write: (stage, refusal) => refuse(it.social, stage, refusal),
    failed: () => {},
    most: 2,
  })
  return { ...it, asked, sparingly, social: { ...it.social, sparingly } }
}

const REFUSED = {
  ok: false,
  refusal: {
    code: 'rate-exceeded',
    message: 'ada says too much at once: wait 7 s',
    remedy: 'wait as long as the answer says, then go on more slowly',
    wait: 7,
  },
}

test('who says too much at once is told how long to wait, and of many such refusals the first and the count are kept', async () => {
  await using it = await fullHouse()
  for (let i = 0; i < 5; i++) expect(await receive(line({ id: `m${i}` }), it.social)).toEqual(REFUSED)
  await it.sparingly.close()
  const { entries } = must(await it.store.query({ order: 'oldest' }))
  expect(entries.map(({ session, body }) => [session, body.event === 'refused' && body.refusal.message])).toEqual([
    ['house', 'ada says too much at once: wait 7 s'],
    ['house', 'ada says too much at once: wait 7 s'],
    ['house', 'ada says too much at once: wait 7 s, and 2 more like it'],
  ])
})

test('the same line is taken later, under the same id', async () => {
  await using it = await fullHouse()
  expect((await receive(line({}), it.social)).ok).toBe(false)
  expect((await receive(line({}), { ...it.social, limits: async () => null })).ok).toBe(true)
  expect((await linesOf(it.store)).map(([, event]) => event)).toEqual(['refused', 'message', 'heard'])
})

test.each(['/stop', '/pause claude-1', '/approve kqzfm', '/deny kqzfm no', '!cancel'])(
  '%s is never made to wait',
  async (text) => {
    await using it = await fullHouse()
    const said = await receive(line({ text }), it.social)
    expect([it.asked, said.ok ? null : said.refusal.code]).not.toContainEqual('rate-exceeded')
    expect(it.asked).toEqual([])
  },
)

test('everything else is: talk, work, commands, and what a program gives as a command', async () => {
  await using it = await fullHouse()
  const lines: Partial<Message>[] = [
    { text: 'hello' },
    { text: '@claude-1 read it' },
    { text: '/who' },
    { text: '/who', command: { name: 'who', input: {} } },
  ]
  for (const [i, part] of lines.entries())
    expect(await receive(line({ id: `m${i}`, ...part }), it.social)).toEqual(REFUSED)
  expect(it.asked).toEqual(lines.map(() => ({ room: 'quiet', person: 'ada' })))
})

test('so is what would be refused for what it says: who is told so all day says too much as well', async () => {
  await using it = await fullHouse()
  const lines: Partial<Message>[] = [
    { text: '/nothing-of-that-name' },
    { text: '@cluade read it' },
    { text: '/who', command: { name: 'nothing', input: {} } },
  ]
  for (const [i, part] of lines.entries())
    expect(await receive(line({ id: `m${i}`, ...part }), it.social)).toEqual(REFUSED)
  expect(it.asked).toEqual(lines.map(() => ({ room: 'quiet', person: 'ada' })))
})

test('so is what is never made to wait, where it is not theirs to ask for', async () => {
  await using it = await fullHouse()
  const said = await receive(line({ text: '/stop', credential: { token: 'token-of-eve', as: null } }), it.social)
  expect([it.asked, said.ok ? null : said.refusal.code]).toEqual([[{ room: 'quiet', person: 'eve' }], 'rate-exceeded'])
})

test('what is refused before anybody is known does not fill the store, however often it is said', async () => {
  await using it = await fullHouse({ limits: async () => null })
  expect((await receive(line({ id: 'taken' }), it.social)).ok).toBe(true)
  const wrong: Partial<Message>[] = [
    { room: 'nowhere' },
    { id: 'not an id' },
    { credential: { token: 'nobody’s', as: null } },
    { id: 'taken', text: 'something else' },
  ]
  for (const part of wrong)
    for (let i = 0; i < 5; i++) expect((await receive(line({ id: `m${i}`, ...part }), it.social)).ok).toBe(false)
  await it.sparingly.close()
  const { entries } = must(await it.store.query({ event: 'refused', order: 'oldest' }))
  const told = entries.map(({ body }) => (body.event === 'refused' ? body.refusal : null))
  const codes = ['room-unknown', 'request-invalid', 'unauthenticated', 'id-conflict']
  const twice = codes.flatMap((code) => [code, code])
  expect(told.slice(0, 8).map((one) => one?.code)).toEqual(twice)
  const last = told.slice(8).map((one) => [one?.code, one?.message.endsWith(', and 2 more like it')])
  expect(last).toEqual(codes.map((code) => [code, true]))
})

test('a person is one person on every face; a guest is whoever the network says; a bot is counted apart from its room', async () => {
  const sender = { network: 'libera', account: 'grace', visit: null, nick: 'grace', bot: false, groups: [] }
  const heard = (id: string, from: Partial<typeof sender>, guest: boolean) =>
    fullHouse({
      roomsFor: async () => [TEAM],
      networks: {
        secret: SECRET,
        standingOf: async () => ({ name: 'grace', role: 'operator', guest }),
        allows: () => true,
      },
    }).then(async (it) => {
      await using house = it
      const credential = { token: SECRET, as: null, sender: { ...sender, ...from } }
      await receive(line({ id, face: 'irc', room: 'team', credential }), house.social)
      return it.asked
    })
  expect(await heard('m1', {}, false)).toEqual([{ room: 'team', person: 'grace' }])
  expect(await heard('m2', { account: 'eve' }, true)).toEqual([{ room: 'team', person: '~libera/eve' }])
  expect(await heard('m3', { bot: true }, false)).toEqual([{ person: 'grace' }])
})

test('of a bot that says too much the first lines that are dropped are written down and the others counted, and it is told nothing', async () => {
  const sender = { network: 'libera', account: 'feed', visit: null, nick: 'feed', bot: true, groups: [] }
  await using it = await fullHouse({
    roomsFor: async () => [TEAM],
    networks: {
      secret: SECRET,
      standingOf: async () => ({ name: 'feed', role: 'viewer', guest: true }),
      allows: () => false,
    },
  })
  const credential = { token: SECRET, as: null, sender }
  for (let i = 0; i < 5; i++)
    expect(await receive(line({ id: `m${i}`, face: 'irc', room: 'team', credential }), it.social)).toEqual({
      ok: true,
      value: {
        message: `m${i}`,
        room: 'team',
        mode: 'coordination',
        assignments: [],
        answer: null,
        dropped: 'rate-exceeded',
      },
    })
  await it.sparingly.close()
  const { entries } = must(await it.store.query({ order: 'oldest' }))
  expect(entries.map(({ session, body }) => [session, body.event === 'refused' && body.refusal.message])).toEqual([
    ['house', 'feed says too much at once: wait 7 s'],
    ['house', 'feed says too much at once: wait 7 s'],
    ['house', 'feed says too much at once: wait 7 s, and 2 more like it'],
  ])
})

test('a token that was made for somebody is counted, and of an agent the token alone', async () => {
  const owner = { token: 'made', name: 'ci', role: 'operator', key: 'tok-1', expires: null } as const
  await using it = await fullHouse({ minted: async () => owner })
  const credential = { token: 'made', as: null }
  await receive(line({ id: 'm1', credential }), it.social)
  const grant = {
    kind: 'agent',
    agent: 'guest-1',
    type: 'guest',
    role: 'operator',
    room: 'quiet',
    peripherals: ['explore'],
  } as const
  await receive(line({ id: 'm2', face: 'agent', credential }), {
    ...it.social,
    minted: async () => ({ ...owner, grant, name: 'guest-1' }) as never,
  })
  expect(it.asked).toEqual([
    { room: 'quiet', person: 'ci', token: 'tok-1' },
    { room: 'quiet', token: 'tok-1' },
  ])
})

test('what Bellhop says itself follows from what was taken before, and is not counted', async () => {
  await using it = await fullHouse()
  expect((await receive(line({}), { ...it.social, ownIds: true })).ok).toBe(true)
  expect(it.asked).toEqual([])
})
