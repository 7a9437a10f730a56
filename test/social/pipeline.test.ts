import { once } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { createLane } from '../../src/queue/lane.ts'
import { MESSAGE_BYTES, Receipt } from '../../src/shapes/message.ts'
import { Refusal, refusal } from '../../src/shapes/refusal.ts'
import { type Result, refused } from '../../src/shapes/result.ts'
import { receive } from '../../src/social/pipeline.ts'
import { startTestRedis } from '../support/redis.ts'
import { anyText, line, linesOf, ready, testSocial } from '../support/social.ts'
import { must, testStore } from '../support/store.ts'

/** What the store says an answer was: by the id of the message, or else by the newest entry. */
const inEvidence = async (store: Store, answer: Result<Receipt>): Promise<unknown> => {
  if (!answer.ok) {
    const body = must(await store.query({ limit: 1 })).entries[0]?.body
    return body?.event === 'refused' ? { ok: false, refusal: Refusal.parse(body.refusal) } : body
  }
  const { message, assignments } = Receipt.parse(answer.value)
  const turns = await Promise.all(assignments.map(({ turn }) => store.get(turn)))
  const body = (await store.get(`${message}.receipt`))?.body
  if (turns.some((turn) => turn?.body.event !== 'accepted')) return 'a turn is missing'
  if (body?.event === 'assigned') return { ...answer, value: { ...answer.value, assignments: body.assignments } }
  if (body?.event === 'answered') return { ...answer, value: { ...answer.value, answer: body.answer } }
  return body?.event === 'heard' ? answer : body
}

describe('every message is answered with a receipt or a refusal, and there is evidence of it', () => {
  const word = fc.oneof(
    fc.constantFrom('@claude', '@codex-2', 'claude:', '@all', '@bob', '@cluade', '/', '!', '/explore', '\n'),
    fc.constantFrom('/help', '/who', '/mode', '/reset', '/evidence', '/tree', '/verify', '/sessions', '/status'),
    fc.constantFrom('discuss', 'execute', 'all=true', 'limit=2', 'author="a b"', 'm0', 'claude-1', '"', '='),
    anyText,
  )
  const text = fc.oneof(
    fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
    anyText,
  )

  test('for any text', async () => {
    await using house = await testSocial()
    let said = 0
    const room = fc.constantFrom('lobby', 'quiet')
    await fc.assert(
      fc.asyncProperty(text, room, async (given, place) => {
        const answer = await receive(line({ id: `m${said++}`, room: place, text: given }), house.social)
        expect(await inEvidence(house.store, answer)).toEqual(answer)
      }),
      { numRuns: 150 },
    )
    expect(house.logged).toEqual([])
  })

  test('for any sender', async () => {
    await using house = await testSocial()
    const token = fc.oneof(fc.constantFrom('token-of-ada', 'token-of-bob', 'token-of-eve'), fc.string())
    const as = fc.option(fc.oneof(fc.constantFrom('grace', '\ud800', '\u001b[2J'), text))
    let said = 0
    await fc.assert(
      fc.asyncProperty(token, as, async (secret, name) => {
        const credential = { token: secret, as: name }
        const answer = await receive(line({ id: `m${said++}`, credential }), house.social)
        expect(await inEvidence(house.store, answer)).toEqual(answer)
      }),
      { numRuns: 100 },
    )
    const verified = must(await receive(line({ id: 'check', text: '/verify all=true' }), house.social))
    expect([verified.answer?.split('\n').at(-1), house.logged]).toEqual(['verified: 2 chains, all whole', []])
  })

  test('for anything that is no message', async () => {
    await using house = await testSocial()
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true })
    const nearly = fc.record({
      id: fc.oneof(fc.constant('m1'), anything),
      face: fc.oneof(fc.constant('cli'), anything),
      room: fc.oneof(fc.constant('quiet'), anything),
      text: fc.oneof(fc.constant('hello'), anything),
      credential: fc.oneof(fc.constant({ token: 'token-of-ada', as: null }), anything),
    })
    const extra = fc.tuple(fc.string(), anything).map(([key, value]) => ({ ...line({}), [`x${key}`]: value }))
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, nearly, extra), async (given) => {
        const answer = await receive(given, house.social)
        expect(await inEvidence(house.store, answer)).toEqual(answer)
      }),
      { numRuns: 150 },
    )
    expect(house.logged).toEqual([])
  })
})

describe('a message that is none is refused with the field that is wrong', () => {
  test.each([
    ['nothing', null, 'message: Invalid input: expected object, received null'],
    ['no id', { ...line({}), id: undefined }, 'id: Invalid input: expected string, received undefined'],
    ['an id with a dot', line({ id: 'm1.receipt' }), 'id: expected an id of letters, digits, "_", "~", "-"'],
    ['an id that is too long', line({ id: 'm'.repeat(65) }), 'id: expected an id of letters, digits, "_", "~", "-"'],
    ['blanks', line({ text: ' \n\t' }), 'text: expected some text'],
    ['too much', line({ text: 'é'.repeat(MESSAGE_BYTES / 2 + 1) }), `text: expected at most ${MESSAGE_BYTES} bytes`],
    ['an identity of its own', { ...line({}), person: 'root' }, 'message: Unrecognized key: "person"'],
    [
      'a name with half of a character',
      line({ credential: { token: 'token-of-ada', as: 'gr\ud800ce' } }),
      'credential.as: expected a name without control characters',
    ],
    [
      'a name that a terminal would obey',
      line({ credential: { token: 'token-of-ada', as: '\u001b[2J' } }),
      'credential.as: expected a name without control characters',
    ],
  ])('%s', async (_what, given, message) => {
    await using house = await testSocial()
    expect(await receive(given, house.social)).toEqual(refused(refusal('request-invalid', message)))
  })

  test('and the longest one that is allowed is taken', async () => {
    await using house = await testSocial()
    const longest = line({ id: 'm'.repeat(64), text: 'é'.repeat(MESSAGE_BYTES / 2) })
    expect(must(await receive(longest, house.social)).mode).toBe('coordination')
  })
})

describe('a receipt is given once it is in the store', () => {
  test('and not before: while the store writes, there is no answer and nothing is queued', async () => {
    const [begun, writing] = [new AbortController(), new AbortController()]
    const written = once(writing.signal, 'abort')
    const slow = (store: Store): Store => ({
      ...store,
      append: async (drafts, fence) => {
        begun.abort()
        await written
        return store.append(drafts, fence)
      },
    })
    await using house = await testSocial((store) => ({ store: slow(store) }))
    const begins = once(begun.signal, 'abort')
    const answers: unknown[] = []
    const answered = receive(line({ text: '@codex read it' }), house.social).then((answer) => answers.push(answer))
    await begins
    expect([answers, house.enqueued, await linesOf(house.store)]).toEqual([[], [], []])
    writing.abort()
    await answered
    expect([answers.length, house.enqueued, (await linesOf(house.store)).length]).toEqual([1, ['s-n1'], 4])
  })

  test('so that whoever opens the file when the queue is told finds the turn', async () => {
    const found: Promise<unknown>[] = []
    await using kept = await testStore()
    const look = async () => {
      const other = await openStore({ url: kept.url, clock: () => 0, readonly: true })
      const turns = await other.unfinishedTurns()
      await other.close()
      return turns.map(({ id, session, status }) => [id, session, status])
    }
    await using house = await testSocial(() => ({ store: kept.store, enqueue: () => found.push(look()) }))
    await receive(line({ text: '@codex read it' }), house.social)
    expect(await Promise.all(found)).toEqual([[['m1.codex-1', 's-n1', 'accepted']]])
  })

  test('a store that takes nothing is a refusal: no receipt, nothing queued, and the log has it', async () => {
    const full = refusal('store-full', 'the disk of the evidence store is full; nothing was written')
    await using house = await testSocial((store) => ({ store: { ...store, append: async () => refused(full) } }))
    expect(await receive(line({ text: '@codex read it' }), house.social)).toEqual(refused(full))
    expect([house.enqueued, house.logged]).toEqual([[], ['a refusal could not be written down']])
  })

  test('Redis may die once it is known who is ready: the receipt comes all the same', async () => {
    await using server = await startTestRedis()
    const lane = createLane({ redis: server.redis, prefix: 'test', name: 'turns' })
    await lane.wake('s-warm')
    let woken = 0
    await using house = await testSocial(() => ({
      presenceOf: async (agent) => {
        await server.kill()
        return ready(agent)
      },
      enqueue: (session) => {
        lane.wake(session).then(
          () => woken++,
          () => {},
        )
      },
    }))
    const { assignments } = must(await receive(line({ text: '@codex read it' }), house.social))
    expect(await house.store.unfinished()).toEqual(assignments.map(({ session }) => session))
    expect(woken).toBe(0)
  })
})

test('a line that the store did not take once can be sent again', async () => {
  const failed = refusal('store-failed', 'the evidence store did not take it: it was busy')
  let fails = 1
  await using house = await testSocial((store) => ({
    store: { ...store, append: async (...given) => (fails-- > 0 ? refused(failed) : store.append(...given)) },
  }))
  expect(await receive(line({ text: '@codex read it' }), house.social)).toEqual(refused(failed))
  expect(must(await receive(line({ text: '@codex read it' }), house.social)).assignments).toEqual([
    { turn: 'm1.codex-1', session: 's-n3', agent: 'codex-1', peripheral: 'explore' },
  ])
})

test('what throws on the way is a refusal too, it is evidence, and the line can be sent again', async () => {
  const lost = { presenceOf: () => Promise.reject(new Error('the registry is on fire')) }
  await using house = await testSocial(() => lost)
  const why = refusal('store-failed', 'it could not be dealt with: the registry is on fire')
  expect(await receive(line({ text: '@codex read it' }), house.social)).toEqual(refused(why))
  expect(must(await house.store.query({})).entries).toMatchObject([
    { session: 'house', body: { event: 'refused', stage: 'pipeline', refusal: why } },
  ])
  expect(house.logged).toEqual(['a message could not be dealt with'])
  const again = await receive(line({ text: '@codex read it' }), {
    ...house.social,
    presenceOf: async (id) => ready(id),
  })
  expect(must(again).assignments).toMatchObject([{ turn: 'm1.codex-1' }])
})
