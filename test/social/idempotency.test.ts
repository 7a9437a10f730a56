import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/evidence/store.ts'
import type { Message, Receipt } from '../../src/shapes/message.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, type Result, refused } from '../../src/shapes/result.ts'
import { receive } from '../../src/social/pipeline.ts'
import { AGENTS, line, linesOf, ready, type TestSocial, testSocial } from '../support/social.ts'
import { must } from '../support/store.ts'
import { whoamiText } from '../support/whoami.ts'

const TIMES = 20

const eventsIn = async (store: Store): Promise<string[]> => (await linesOf(store)).map(([, event]) => event)

/** The same answer, as often as it was asked for. */
const same = (answers: Result<Receipt>[]): Result<Receipt>[] => answers.map(() => answers[0] as Result<Receipt>)

const allAtOnce = (house: TestSocial, messages: Message[]): Promise<Result<Receipt>[]> =>
  Promise.all(messages.map((message) => receive(message, house.social)))

const copies = (message: Message): Message[] => Array.from({ length: TIMES }, () => message)

describe('the same message', () => {
  const cases: [what: string, text: string, left: string[]][] = [
    ['talk', 'good morning', ['message', 'heard']],
    ['work', '@codex read it', ['message', 'session-opened', 'accepted', 'assigned']],
    ['a command that looks', '/evidence', ['message', 'answered']],
    ['a command that changes something', '/mode discuss', ['message', 'mode-changed', 'answered']],
    ['a line that is refused', '/mdoe', ['message', 'refused']],
    ['a command that is refused', '/tree nowhere', ['message', 'refused']],
  ]

  test.each(cases)('twice (%s) is answered twice and done once', async (_what, text, left) => {
    await using house = await testSocial()
    const first = await receive(line({ text }), house.social)
    const second = await receive(line({ text }), house.social)
    expect(second).toEqual(first)
    expect(await eventsIn(house.store)).toEqual(left)
  })

  test.each(cases)(
    `${TIMES} times at once (%s) is answered ${TIMES} times and done once`,
    async (_what, text, left) => {
      await using house = await testSocial()
      const answers = await allAtOnce(house, copies(line({ text })))
      expect(answers).toEqual(same(answers))
      expect((await eventsIn(house.store)).sort()).toEqual([...left].sort())
    },
  )

  test(`for everybody, ${TIMES} times at once, is one turn of each`, async () => {
    await using house = await testSocial()
    const answers = await allAtOnce(house, copies(line({ text: '@all read it' })))
    expect(answers).toEqual(same(answers))
    expect((await house.store.unfinishedTurns()).map(({ id }) => id)).toEqual(AGENTS.map(({ id }) => `m1.${id}`))
    expect(await house.store.sessions(100)).toHaveLength(AGENTS.length)
  })

  test('is still answered the same when its agent has left and its room has changed', async () => {
    await using house = await testSocial()
    const first = await receive(line({ text: '@codex read it' }), house.social)
    await receive(line({ id: 'm2', text: '/mode discuss' }), house.social)
    const absent = {
      ...house.social,
      presenceOf: async (id: string) => ({ ...ready(id), readiness: 'absent' as const }),
    }
    expect(await receive(line({ text: '@codex read it' }), absent)).toEqual(first)
  })

  test('is done if it was only written down before: as after a crash between the line and the answer', async () => {
    await using house = await testSocial()
    const contextFor = () => {
      throw new Error('killed')
    }
    await receive(line({ text: '/whoami' }), { ...house.social, contextFor })
    expect(await house.store.get('m1')).toMatchObject({ body: { event: 'message', text: '/whoami' } })
    expect(must(await receive(line({ text: '/whoami' }), house.social)).answer).toBe(
      whoamiText({ name: 'ada', role: 'admin', face: 'cli', via: null }, ['explore']),
    )
  })
})

describe('the same id for something else', () => {
  const others: [what: string, other: Partial<Message>][] = [
    ['another text', { text: '@codex read that' }],
    ['another sender', { credential: { token: 'token-of-bob', as: null } }],
    ['another name', { credential: { token: 'token-of-ada', as: 'grace' } }],
    ['another room', { room: 'lobby' }],
  ]
  const FIRST = line({ text: '@codex read it' })
  const CONFLICT = refused(refusal('id-conflict', 'm1 is the id of another message'))

  test.each(others)('(%s) is refused, the first stands, and the refusal is evidence', async (_what, other) => {
    await using house = await testSocial()
    const first = await receive(FIRST, house.social)
    const before = await linesOf(house.store)
    expect(await receive({ ...FIRST, ...other }, house.social)).toEqual(CONFLICT)
    expect(await linesOf(house.store)).toEqual([...before, ['house', 'refused', 'bellhop', null]])
    expect(await receive(FIRST, house.social)).toEqual(first)
    expect([house.enqueued, house.logged]).toEqual([['s-n1'], []])
  })

  test.each(others)('(%s) at the same time: one is done, the other is refused', async (_what, other) => {
    await using house = await testSocial()
    const [first, second] = await allAtOnce(house, [FIRST, { ...FIRST, ...other }])
    expect([first?.ok, second]).toEqual([true, CONFLICT])
    expect((await eventsIn(house.store)).sort()).toEqual(
      ['message', 'session-opened', 'accepted', 'assigned', 'refused'].sort(),
    )
  })

  test('an admin who speaks as somebody is not that somebody', async () => {
    await using house = await testSocial()
    await receive(line({ credential: { token: 'token-of-bob', as: null } }), house.social)
    const asBob = line({ credential: { token: 'token-of-ada', as: 'bob' } })
    expect(await receive(asBob, house.social)).toEqual(CONFLICT)
  })

  test.each([`bell-${'0a'.repeat(16)}`, `page-${'0a'.repeat(10)}`, 'tickle-w-1-1', 'w-1'])(
    'an id as Bellhop makes them (%s) is nobody’s to take',
    async (id) => {
      await using house = await testSocial()
      expect(await receive(line({ id }), house.social)).toEqual(
        refused(refusal('id-conflict', `ids such as ${id} are for Bellhop itself`)),
      )
      expect(await house.store.get(id)).toBeNull()
    },
  )

  test('the id of an entry that is no message is taken too', async () => {
    await using house = await testSocial()
    await receive(null, house.social)
    expect(await receive(line({ id: 'n1' }), house.social)).toEqual(
      refused(refusal('id-conflict', 'n1 is the id of another message')),
    )
  })
})

describe('an agent has one session in a room', () => {
  test(`also when ${TIMES} first messages come at once`, async () => {
    await using house = await testSocial()
    const messages = Array.from({ length: TIMES }, (_, i) => line({ id: `m${i}`, text: `@codex read ${i}` }))
    const answers = await allAtOnce(house, messages)
    const [session] = await house.store.sessions(100)
    expect(answers).toEqual(
      messages.map(({ id: message }) =>
        ok({
          message,
          room: 'quiet',
          mode: 'action',
          assignments: [{ turn: `${message}.codex-1`, session: session?.id, agent: 'codex-1', peripheral: 'explore' }],
          answer: null,
        }),
      ),
    )
    expect(await house.store.sessions(100)).toEqual([session])
    expect((await house.store.unfinishedTurns()).map(({ id }) => id).sort()).toEqual(
      messages.map(({ id }) => `${id}.codex-1`).sort(),
    )
  })

  test('also when each look for one is followed by somebody else who opens it', async () => {
    const others = AGENTS.map(({ id }) => id)
    const house: TestSocial = await testSocial((store) => ({
      store: {
        ...store,
        openSession: async (room, agent) => {
          const found = await store.openSession(room, agent)
          const other = agent === 'codex-2' ? others.shift() : undefined
          if (other)
            must(await receive(line({ id: `by-${other}`, text: `@${other} first` }), { ...house.social, store }))
          return found
        },
      },
    }))
    await using _house = house
    const { assignments } = must(await receive(line({ text: '@all read it' }), house.social))
    const open = await Promise.all(AGENTS.map(({ id }) => house.store.openSession('quiet', id)))
    expect(assignments.map(({ session }) => session)).toEqual(open.map((session) => session?.id))
    expect(await house.store.sessions(100)).toHaveLength(AGENTS.length)
  })
})
