import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/shapes/message.ts'
import type { Sender } from '../../src/shapes/network.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import type { Room } from '../../src/shapes/room.ts'
import type { Standing } from '../../src/social/authenticate.ts'
import { receive } from '../../src/social/pipeline.ts'
import { AGENTS, line, linesOf, testSocial } from '../support/social.ts'
import { must } from '../support/store.ts'

const SECRET = 'secret-of-the-networks'
const TEAM: Room = { id: 'team', faces: ['irc', 'cli'], mode: 'execute', listener: 'claude-1' }

const sender = (part: Partial<Sender> = {}): Sender => ({
  network: 'libera',
  account: 'grace',
  visit: null,
  nick: 'grace',
  bot: false,
  groups: [],
  ...part,
})

const STANDINGS: Record<string, Standing> = {
  grace: { name: 'grace', role: 'operator', guest: false },
  eve: { name: 'eve@libera', role: 'viewer', guest: true },
  scout: { name: 'scout@libera', role: 'operator', guest: false },
}

let said = 0
const heard = (text: string, from: Partial<Sender> = {}): Message =>
  line({
    id: `libera~${++said}`,
    face: 'irc',
    room: 'team',
    text,
    credential: { token: SECRET, as: null, sender: sender(from) },
  })

const house = ({ listener = null, hops = 0 }: { listener?: string | null; hops?: number } = {}) =>
  testSocial(() => ({
    roomsFor: async () => [TEAM],
    networks: {
      secret: SECRET,
      standingOf: async ({ account, nick }) =>
        STANDINGS[account ?? ''] ?? { name: `~${nick}@libera`, role: 'viewer', guest: true },
      allows: ({ account }) => account === 'scout',
    },
    listenerOf: async () => listener,
    hopsIn: async () => hops,
  }))

const BOT = { account: 'otherbot', nick: 'otherbot', bot: true }
const SCOUT = { account: 'scout', nick: 'scout', bot: true }

describe('whoever comes from a network', () => {
  test('is who the process on the network says, and signs with the account they are known by', async () => {
    await using it = await house()
    must(await receive(heard('@claude read it'), it.social))
    const [message] = must(await it.store.query({ event: 'message' })).entries
    const [accepted] = must(await it.store.query({ event: 'accepted' })).entries
    expect([message?.author, accepted?.author, accepted?.body]).toEqual([
      { kind: 'person', id: 'grace', face: 'irc', via: 'libera/grace' },
      { kind: 'person', id: 'grace', face: 'irc', via: 'libera/grace' },
      {
        event: 'accepted',
        agent: 'claude-1',
        room: 'team',
        peripheral: 'explore',
        request: 'read it',
        role: 'operator',
      },
    ])
  })

  test.each<[string, (message: Message) => Message]>([
    ['with another secret', (given) => ({ ...given, credential: { ...given.credential, token: 'token-of-ada' } })],
    ['with none', (given) => ({ ...given, credential: { ...given.credential, token: '' } })],
    ['through another face', (given) => ({ ...given, face: 'cli' })],
    ['as somebody else', (given) => ({ ...given, credential: { ...given.credential, as: 'ada' } })],
  ])('is nobody %s', async (_how, change) => {
    await using it = await house()
    expect(await receive(change(heard('/who')), it.social)).toEqual(
      refused(refusal('unauthenticated', 'only Bellhop itself speaks for people on networks')),
    )
  })

  test('is nobody where this process is on no network', async () => {
    await using it = await testSocial(() => ({ roomsFor: async () => [TEAM] }))
    expect(
      await receive({ ...heard('/who'), credential: { token: '', as: null, sender: sender() } }, it.social),
    ).toEqual(refused(refusal('unauthenticated', 'only Bellhop itself speaks for people on networks')))
  })

  test('does not come by a token: that says nothing of who they are there', async () => {
    await using it = await house()
    const byToken = { ...heard('/who'), credential: { token: 'token-of-ada', as: null } }
    expect(await receive(byToken, it.social)).toEqual(
      refused(refusal('unauthenticated', 'nobody comes in through irc by a token')),
    )
  })
})

describe('a guest, whom nobody gave a role', () => {
  const NONE = 'you have none here: /whoami says more'
  const EVE = { account: 'eve', nick: 'eve' }

  test('talks, and asks what is for everybody', async () => {
    await using it = await house({ listener: 'claude-1' })
    const answers = [await receive(heard('hello', EVE), it.social), await receive(heard('!who', EVE), it.social)]
    expect(answers.map((answer) => must(answer).assignments)).toEqual([[], []])
  })

  test.each([
    ['@claude read it', `explore needs the role operator; ${NONE}`],
    ['!explore read it', `explore needs the role operator; ${NONE}`],
    ['!evidence', `/evidence needs the role viewer; ${NONE}`],
    ['!mode execute', `/mode needs the role operator; ${NONE}`],
    ['!approve abcde', `/approve needs the role approver; ${NONE}`],
  ])('is refused %s', async (text, message) => {
    await using it = await house()
    expect(await receive(heard(text, EVE), it.social)).toEqual(refused(refusal('role-too-low', message)))
  })

  test('is everybody whose nick is that of somebody known', async () => {
    await using it = await house()
    expect(await receive(heard('!explore read it', { account: null, nick: 'grace' }), it.social)).toEqual(
      refused(refusal('role-too-low', `explore needs the role operator; ${NONE}`)),
    )
  })
})

describe('a line in a channel', () => {
  test('that names nobody is talk where the room is gated, and work for whoever listens where it is not', async () => {
    await using gated = await house()
    await using open = await house({ listener: 'codex-1' })
    const agents = async (it: typeof gated) =>
      must(await receive(heard('read it'), it.social)).assignments.map(({ agent }) => agent)
    expect([await agents(gated), await agents(open)]).toEqual([[], ['codex-1']])
  })

  test('with the command of another bot is no mistake; one that is nearly ours is', async () => {
    await using it = await house()
    expect([
      must(await receive(heard('!seen ada'), it.social)).answer,
      await receive(heard('!statsu'), it.social),
      await receive(heard('/seen ada'), it.social),
    ]).toEqual([
      null,
      refused(refusal('command-unknown', 'there is no command /statsu; did you mean /status?')),
      refused(refusal('command-unknown', 'there is no command /seen')),
    ])
  })

  test('begins a peripheral also where it names no agent: whoever starts there has it', async () => {
    await using it = await house()
    const { assignments } = must(await receive(heard('!explore where is main?'), it.social))
    expect(assignments.map(({ agent, peripheral }) => [agent, peripheral])).toEqual([['claude-1', 'explore']])
  })

  test('names only so many agents', async () => {
    const many = Array.from({ length: 6 }, (_, i) => ({ ...AGENTS[0], id: `claude-${i + 1}` }) as (typeof AGENTS)[0])
    await using it = await testSocial(() => ({ agents: async () => many }))
    expect(await receive(line({ text: '@all read it' }), it.social)).toEqual(
      refused(refusal('mentions-exceeded', 'it names 6 agents, and one line may name 5')),
    )
  })
})

describe('a bot', () => {
  test('is written down and dropped, whatever it says; nobody is told, and the same line again is dropped again', async () => {
    await using it = await house({ listener: 'claude-1' })
    const lines = ['@claude read it', '!mode discuss', '!moed', 'hello'].map((text) => heard(text, BOT))
    const answers = []
    for (const one of [...lines, ...lines.slice(0, 1)]) answers.push(await receive(one, it.social))
    const dropped = (message: string) =>
      ok({ message, room: 'team', mode: 'coordination', assignments: [], answer: null, dropped: 'bot-ignored' })
    expect(answers).toEqual([...lines, ...lines.slice(0, 1)].map(({ id }) => dropped(id)))
    expect((await linesOf(it.store)).map(([, event]) => event)).toEqual(lines.flatMap(() => ['message', 'dropped']))
  })

  test('that may give work does, and what it says to nobody is for nobody', async () => {
    await using it = await house({ listener: 'claude-1' })
    const work = must(await receive(heard('@claude read it', SCOUT), it.social))
    const talk = must(await receive(heard('read it', SCOUT), it.social))
    const [accepted] = must(await it.store.query({ event: 'accepted' })).entries
    expect([work.assignments.length, talk.assignments.length, accepted?.body]).toMatchObject([1, 0, { hops: 1 }])
  })

  test('that may give work is told of no mistake, and not that it set off too much', async () => {
    await using it = await house({ hops: 4 })
    expect([
      must(await receive(heard('!moed', SCOUT), it.social)).dropped,
      must(await receive(heard('@claude read it', SCOUT), it.social)).dropped,
      must(await receive(heard('@claude read it'), it.social)).dropped,
    ]).toEqual(['command-unknown', 'hops-exceeded', undefined])
  })
})
