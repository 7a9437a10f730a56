import { expect, test } from 'vitest'
import { rankSessions, recallSession, recallWords } from '../../src/evidence/recall.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Draft } from '../../src/shapes/evidence.ts'
import { atHome, openAsking, sender } from '../operations/asking.ts'
import { ADA, CLAUDE, must, said, testStore } from '../support/store.ts'
import { inSession } from './history.ts'

type Session = { id: string; agent?: string; room?: string; request: string; answer?: string; briefed?: string }

/** A session of one turn: what was asked, and what was answered, where it has ended. */
const sessionOf = ({ id, agent = 'claude-1', room = 'lobby', request, answer, briefed }: Session): Draft[] => {
  const put = inSession(id, room, agent)
  const turn = `${id}-t`
  const author = { ...CLAUDE, id: agent }
  return [
    put(`${id}.opened`, ADA, { event: 'session-opened', agent, room }),
    put(turn, ADA, { event: 'accepted', agent, room, peripheral: 'explore', request }),
    ...(briefed === undefined
      ? []
      : [
          put(
            `${turn}.briefed`,
            { kind: 'house' as const, id: 'bellhop', face: 'house', via: null },
            {
              event: 'turn-briefed' as const,
              turn,
              text: briefed,
              from: [],
            },
          ),
        ]),
    ...(answer === undefined
      ? []
      : [put(`${turn}.ended`, author, { event: 'turn-ended', turn, outcome: 'done', answer })]),
    put(`${id}.closed`, ADA, { event: 'session-closed', reason: 'reset by ada' }),
  ]
}

const fill = async (store: Store, ...sessions: Session[]): Promise<void> => {
  for (const session of sessions) must(await store.append(sessionOf(session)))
}

const PAST: Session[] = [
  { id: 's-01', request: 'where is the retry logic?', answer: 'in src/lease.ts\nthe retry of a lease is there' },
  { id: 's-02', agent: 'codex-1', room: 'den', request: 'mend the lease', answer: 'done' },
  { id: 's-03', request: 'read README.md', answer: 'a lease, a lease', briefed: 'retry retry lease' },
  { id: 's-04', request: 'nothing of the kind', answer: 'no' },
]

test('sessions are ranked by how many of the words they have, how often, and how late they began', async () => {
  await using it = await testStore()
  must(await it.store.append([said('m1', 'a retry of the lease')]))
  await fill(it.store, ...PAST)
  expect(must(await rankSessions(it.store, { words: ['retry', 'lease'] }))).toEqual([
    { session: 's-01', words: ['retry', 'lease'], hits: 3 },
    { session: 's-03', words: ['lease'], hits: 1 },
    { session: 's-02', words: ['lease'], hits: 1 },
  ])
  expect(must(await rankSessions(it.store, { words: ['leas*', 'retry'], agent: 'codex-1' }))).toEqual([
    { session: 's-02', words: ['leas*'], hits: 1 },
  ])
})

test('only what was written since a time counts', async () => {
  await using it = await testStore()
  await fill(it.store, ...PAST.slice(0, 1))
  it.clock.now += 86_400_000
  await fill(it.store, ...PAST.slice(1))
  const ranked = must(await rankSessions(it.store, { words: ['lease'], since: '12h' }))
  expect(ranked.map(({ session }) => session)).toEqual(['s-03', 's-02'])
})

test('a session is remembered by what was asked first, how it ended, and the best line', async () => {
  await using it = await testStore()
  await fill(it.store, ...PAST)
  expect(await recallSession(it.store, { session: 's-01', words: ['retry', 'lease'], hits: 3 })).toEqual({
    session: 's-01',
    words: ['retry', 'lease'],
    hits: 3,
    agent: 'claude-1',
    room: 'lobby',
    open: false,
    about: 'where is the retry logic?',
    outcome: 'done',
    began: '2026-01-02T03:04:05.000Z',
    ended: '2026-01-02T03:04:05.000Z',
    best: { entry: 's-01-t.ended', line: 'the retry of a lease is there' },
  })
  expect(await recallSession(it.store, { session: 's-99', words: ['retry'], hits: 1 })).toBeNull()
})

test('the words are those of the index, each once', () => {
  expect(recallWords('Retry, retry leas* «LEASE»')).toEqual(['retry', 'leas*', 'lease'])
})

test('in a room it is asked with words and filters, page by page', async () => {
  await using it = await openAsking()
  await fill(it.store, ...PAST)
  const when = '2026-01-02 03:04'
  expect([
    await it.answer('recall retry lease'),
    await it.answer('recall lease limit=1 page=2'),
    await it.answer('recall lease agent=codex-1'),
    await it.answer('recall zebra'),
    await it.answer('recall lease room=den'),
    await it.answer('recall lease where=den'),
    await it.answer('recall a b c d e f g h i'),
    await it.answer('recall lease limit=50'),
  ]).toEqual([
    [
      `${when}  claude-1 in lobby: where is the retry logic? (done) [s-01]`,
      '  retry, lease: 3 entries; the retry of a lease is there [s-01-t.ended]',
      `${when}  claude-1 in lobby: read README.md (done) [s-03]`,
      '  lease: 1 entry; a lease, a lease [s-03-t.ended]',
      `${when}  codex-1 in den: mend the lease (done) [s-02]`,
      '  lease: 1 entry; mend the lease [s-02-t]',
    ].join('\n'),
    [
      `${when}  codex-1 in den: mend the lease (done) [s-02]`,
      '  lease: 1 entry; mend the lease [s-02-t]',
      'of 3 sessions; more: page=3',
    ].join('\n'),
    [`${when}  codex-1 in den: mend the lease (done) [s-02]`, '  lease: 1 entry; mend the lease [s-02-t]'].join('\n'),
    'no session has one of these words',
    [`${when}  codex-1 in den: mend the lease (done) [s-02]`, '  lease: 1 entry; mend the lease [s-02-t]'].join('\n'),
    expect.stringContaining('that is no filter: there is agent, room, since, limit and page; usage: /recall WORDS'),
    'command-invalid: 9 words are too many: name up to 8',
    expect.stringContaining('command-invalid: limit: expected at most'),
  ])
})

test('who may not look into a room is shown nothing of the sessions there', async () => {
  const people = { ada: { roles: { lobby: 'viewer' }, accounts: ['libera/ada'] } }
  await using it = await openAsking({ people })
  await fill(it.store, ...PAST)
  const ada = await it.fromNetwork(sender({ account: 'ada' }), 'lobby')
  const sessions = async (person: typeof ada) => {
    const answer = must(await it.ask('recall lease', person, 'lobby')) as { sessions: { session: string }[] }
    return answer.sessions.map(({ session }) => session)
  }
  expect([await sessions(ada), await sessions(atHome('ada', 'viewer'))]).toEqual([
    ['s-03', 's-01'],
    ['s-03', 's-02', 's-01'],
  ])
  // Not even how many there are: words that only others wrote are words that nobody has.
  expect([
    await it.answer('recall mend', ada, 'lobby'),
    await it.answer('recall lease room=den', ada, 'lobby'),
    await it.answer('recall lease limit=1', ada, 'lobby'),
    await it.answer('recall lease limit=1 page=3', ada, 'lobby'),
    await it.answer('debrief codex-1', ada, 'lobby'),
  ]).toEqual([
    'no session has one of these words',
    'no session has one of these words',
    expect.stringMatching(/\nof 2 sessions; more: page=2$/),
    'there is no such page: 2 sessions in all',
    'session-unknown: there is no session codex-1',
  ])
  expect(await it.answer('debrief s-02', ada, 'lobby')).toBe(
    'role-too-low: to look at it needs the role viewer in den; you have none there',
  )
})
