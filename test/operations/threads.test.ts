import { describe, expect, test } from 'vitest'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { roomOfThread, threadOf } from '../../src/evidence/threads.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { receive } from '../../src/social/pipeline.ts'
import { LOBBY, line, QUIET, type TestSocial, testSocial } from '../support/social.ts'
import { CLAUDE, must } from '../support/store.ts'

/** A house in which threads are rooms. */
const threaded = () =>
  testSocial((store) => ({
    roomsFor: async (room) => {
      const thread = await threadOf(store, room)
      return [LOBBY, QUIET, ...(thread ? [roomOfThread(thread, [LOBBY, QUIET])] : [])]
    },
  }))

const say = (house: TestSocial, id: string, text: string, room = 'lobby') =>
  receive(line({ id, text, room }), house.social)

const ask = async (house: TestSocial, id: string, text: string, room?: string) =>
  must(await say(house, id, text, room)).answer

const ULID = '01hxyzabcdefghjkmnpqrstvwx'
const AT = '2026-01-02 03:04'

/** Lets a turn of claude-1 in a thread run, or end. */
const move = async (house: TestSocial, turn: string, part: string, body: Body) => {
  const known = await house.store.turn(turn)
  if (!known) throw new Error(`there is no turn ${turn}`)
  const { session, room, agent } = known
  const draft = { id: `${turn}.${part}`, session, room, agent, author: CLAUDE, body, inReplyTo: turn }
  must(await house.store.append([sessionDraft(draft)]))
}
const start = (house: TestSocial, turn: string) => move(house, turn, 'started', { event: 'turn-started', turn })
const end = (house: TestSocial, turn: string) =>
  move(house, turn, 'ended', { event: 'turn-ended', turn, outcome: 'done', answer: 'so' })

describe('a thread', () => {
  test('is begun with whoever listens in the room, or with whom is named; its id follows from the message', async () => {
    await using house = await threaded()
    expect(await ask(house, ULID, '/new')).toBe(`t-${ULID}  ${AT}  with claude-1`)
    const other = await ask(house, 'm2', '/new codex-1 the flaky test')
    expect(other).toMatch(/^t-[0-9a-f]{26} {2}2026-01-02 03:04 {2}with codex-1, the flaky test$/)
    expect((await ask(house, 'm3', '/threads'))?.split('\n')).toEqual([other, `t-${ULID}  ${AT}  with claude-1`])
    expect(await say(house, 'm4', '/new gpt')).toEqual(
      refused(refusal('agent-unknown', 'there is no agent gpt; there is claude-1, codex-1, codex-2')),
    )
  })

  test('is a room whose agent listens, as open as the room it was begun in and in the mode that was in', async () => {
    await using house = await threaded()
    await ask(house, 'm1', '/mode discuss', 'quiet')
    await ask(house, ULID, '/new claude-1', 'quiet')
    const thread = await threadOf(house.store, `t-${ULID}`)
    expect(thread && roomOfThread(thread, [LOBBY, QUIET])).toEqual({
      id: `t-${ULID}`,
      faces: QUIET.faces,
      mode: 'discuss',
      listener: 'claude-1',
    })
    const heard = must(await say(house, 'm2', 'read it', `t-${ULID}`))
    expect(heard.assignments.map(({ turn, agent }) => [turn, agent])).toEqual([['m2.claude-1', 'claude-1']])
  })

  test('that is archived takes no messages, and does again once it is not; both only once', async () => {
    await using house = await threaded()
    await ask(house, ULID, '/new')
    const line = `t-${ULID}  ${AT}  with claude-1`
    expect(await ask(house, 'm1', `/archive t-${ULID}`)).toBe(`${line}, archived`)
    expect(await ask(house, 'm2', `/archive t-${ULID}`)).toBe(`${line}, archived`)
    expect(await say(house, 'm3', 'read it', `t-${ULID}`)).toEqual(
      refused(refusal('thread-archived', `t-${ULID} is archived, and takes no more messages`)),
    )
    expect([await ask(house, 'm4', '/threads'), await ask(house, 'm5', '/threads archived=true')]).toEqual([
      'no threads yet',
      `${line}, archived`,
    ])
    expect(await ask(house, 'm6', `/unarchive t-${ULID}`)).toBe(line)
    expect((await say(house, 'm7', 'read it', `t-${ULID}`)).ok).toBe(true)
    const said = must(await house.store.query({ event: 'thread-archived', order: 'oldest' })).entries
    expect(said.map(({ id }) => id)).toEqual([`t-${ULID}.archived-0`, `t-${ULID}.archived-1`])
  })

  test.each(['archive', 'unarchive', 'fork'])('that is not there cannot be the aim of /%s', async (name) => {
    await using house = await threaded()
    expect(await say(house, 'm1', `/${name} t-1`)).toEqual(refused(refusal('thread-unknown', 'there is no thread t-1')))
  })
})

describe('a fork', () => {
  test('goes on from the last turn that ended, and its first entry is a fork of that', async () => {
    await using house = await threaded()
    await ask(house, ULID, '/new claude-1 first')
    const room = `t-${ULID}`
    must(await say(house, 'm1', 'one', room))
    await start(house, 'm1.claude-1')
    await end(house, 'm1.claude-1')
    must(await say(house, 'm2', 'two', room))
    const id = `2${ULID.slice(1)}`
    expect(await ask(house, id, `/fork ${room}`)).toBe(`t-${id}  ${AT}  with claude-1, first, goes on from m1.claude-1`)
    expect((await house.store.forks('m1.claude-1')).map((entry) => entry.id)).toEqual([`t-${id}.thread`])
    expect(await say(house, 'm3', `/fork ${room} turn=m2.claude-1`)).toEqual(
      refused(refusal('session-busy', 'the turn m2.claude-1 has not ended')),
    )
    expect(await say(house, 'm4', `/fork ${room} turn=elsewhere`)).toEqual(
      refused(refusal('turn-unknown', `${room} has no turn elsewhere`)),
    )
  })
})

describe('a steer', () => {
  test('is written for the turn that runs in the room, one after the other', async () => {
    await using house = await threaded()
    must(await say(house, 'm1', 'one'))
    await start(house, 'm1.claude-1')
    expect(await ask(house, 'm2', '/steer and look at the tests, too')).toBe('claude-1 will hear it (m1.claude-1)')
    expect(await ask(house, 'm3', '/steer agent=claude-1 "and more"')).toBe('claude-1 will hear it (m1.claude-1)')
    const entries = must(await house.store.query({ event: 'steered', order: 'oldest' })).entries
    expect(entries.map(({ id, author, body }) => [id, author.id, body])).toEqual([
      ['m1.claude-1.steer-0', 'ada', { event: 'steered', turn: 'm1.claude-1', text: 'and look at the tests, too' }],
      ['m1.claude-1.steer-1', 'ada', { event: 'steered', turn: 'm1.claude-1', text: 'and more' }],
    ])
  })

  test('of nothing that runs, of another turn, and of several at once, is refused', async () => {
    await using house = await threaded()
    must(await say(house, 'm1', '@claude @codex one'))
    const idle = refused(refusal('turn-unknown', 'nothing is running in lobby'))
    expect(await say(house, 'm2', '/steer more')).toEqual(idle)
    await start(house, 'm1.claude-1')
    await start(house, 'm1.codex-1')
    expect(await say(house, 'm3', '/steer more')).toEqual(
      refused(refusal('command-invalid', 'several turns run in lobby: say whose, with agent=, of claude-1, codex-1')),
    )
    expect(await say(house, 'm4', '/steer more turn=m0.claude-1')).toEqual(
      refused(refusal('turn-unknown', 'm0.claude-1 is not running in lobby')),
    )
  })

  test('of a turn that is being stopped, or was left, is refused', async () => {
    await using house = await threaded()
    must(await say(house, 'm1', 'one'))
    await start(house, 'm1.claude-1')
    must(await say(house, 'm2', '/stop'))
    expect(await say(house, 'm3', '/steer more')).toEqual(
      refused(refusal('turn-stopped', 'the turn m1.claude-1 is being stopped')),
    )
    must(await say(house, 'm4', '@codex one'))
    await start(house, 'm4.codex-1')
    const fruit = { steps: 0, found: [] }
    const turn = 'm4.codex-1'
    await move(house, turn, 'stopped', {
      event: 'peripheral-stopped',
      turn,
      peripheral: 'explore',
      reason: 'turn-ended',
      fruit,
    })
    expect(await say(house, 'm5', '/steer more agent=codex-1')).toEqual(
      refused(refusal('turn-unknown', 'the turn m4.codex-1 is at its end: say it anew')),
    )
  })
})
