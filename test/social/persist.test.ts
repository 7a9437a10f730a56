import { describe, expect, test } from 'vitest'
import { BELLHOP } from '../../src/evidence/drafts.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import { receive } from '../../src/social/pipeline.ts'
import { line, linesOf, ready, testSocial } from '../support/social.ts'
import { must } from '../support/store.ts'
import { whoamiText } from '../support/whoami.ts'

const RECEIPT = { message: 'm1', room: 'quiet', assignments: [], answer: null }
const assignment = (agent: string, session: string, message = 'm1') => ({
  turn: `${message}.${agent}`,
  session,
  agent,
  peripheral: 'explore',
})

describe('talk', () => {
  test('is kept with the person’s name, and heard', async () => {
    await using house = await testSocial()
    expect(await receive(line({ text: 'good morning' }), house.social)).toEqual(
      ok({ ...RECEIPT, mode: 'coordination' }),
    )
    expect(await linesOf(house.store)).toEqual([
      ['room-quiet', 'message', 'ada', null],
      ['room-quiet', 'heard', 'bellhop', 'm1'],
    ])
    expect(house.enqueued).toEqual([])
  })

  test('by somebody who speaks as somebody else is kept with both names', async () => {
    await using house = await testSocial()
    await receive(line({ credential: { token: 'token-of-ada', as: 'grace' } }), house.social)
    expect((await house.store.get('m1'))?.author).toEqual({ kind: 'person', id: 'grace', face: 'cli', via: 'ada' })
  })

  test('is kept letter by letter, whatever the letters', async () => {
    await using house = await testSocial()
    const text = ' a\u0000b\r\n\ud83d\ude00 \ud800 "\\ <b>é e\u0301 '
    await receive(line({ text }), house.social)
    expect((await house.store.get('m1'))?.body).toEqual({ event: 'message', text })
  })
})

describe('a command', () => {
  test('is kept, and so is its answer', async () => {
    await using house = await testSocial()
    const answer = whoamiText({ name: 'ada', role: 'admin', face: 'cli', via: null }, ['explore'])
    expect(await receive(line({ text: '/whoami' }), house.social)).toEqual(
      ok({ ...RECEIPT, mode: 'coordination', answer }),
    )
    expect(await linesOf(house.store)).toEqual([
      ['room-quiet', 'message', 'ada', null],
      ['room-quiet', 'answered', 'bellhop', 'm1'],
    ])
    expect((await house.store.get('m1.receipt'))?.body).toEqual({ event: 'answered', operation: 'whoami', answer })
  })

  test('that changes something is kept before the change, by the person who asked', async () => {
    await using house = await testSocial()
    expect(await receive(line({ text: '/mode discuss' }), house.social)).toEqual(
      ok({ ...RECEIPT, mode: 'coordination', answer: 'quiet is in discuss' }),
    )
    expect(await linesOf(house.store)).toEqual([
      ['room-quiet', 'message', 'ada', null],
      ['room-quiet', 'mode-changed', 'ada', null],
      ['room-quiet', 'answered', 'bellhop', 'm1'],
    ])
    expect(await house.store.roomMode('quiet')).toBe('discuss')
  })

  test('that the operation itself refuses is kept with the refusal', async () => {
    await using house = await testSocial()
    const why = refusal('entry-unknown', 'there is no entry nowhere')
    expect(await receive(line({ text: '/tree nowhere' }), house.social)).toEqual(refused(why))
    expect(await linesOf(house.store)).toEqual([
      ['room-quiet', 'message', 'ada', null],
      ['room-quiet', 'refused', 'bellhop', 'm1'],
    ])
    expect((await house.store.get('m1.receipt'))?.body).toEqual({ event: 'refused', stage: 'persist', refusal: why })
  })
})

describe('work', () => {
  test('for one agent opens its session and is accepted there, and the queue is told after that', async () => {
    await using house = await testSocial()
    expect(await receive(line({ text: '@codex read it' }), house.social)).toEqual(
      ok({ ...RECEIPT, mode: 'action', assignments: [assignment('codex-1', 's-n1')] }),
    )
    expect(await linesOf(house.store)).toEqual([
      ['room-quiet', 'message', 'ada', null],
      ['s-n1', 'session-opened', 'ada', 'm1'],
      ['s-n1', 'accepted', 'ada', 'm1'],
      ['room-quiet', 'assigned', 'bellhop', 'm1'],
    ])
    expect(await house.store.get('m1.codex-1')).toMatchObject({
      subject: { type: 'session', id: 's-n1' },
      body: { event: 'accepted', agent: 'codex-1', room: 'quiet', peripheral: 'explore', request: 'read it' },
      tags: ['room/quiet', 'agent/codex-1', 'peripheral/explore'],
    })
    expect(house.enqueued).toEqual(['s-n1'])
  })

  test('for several agents is a turn of each, in a session of each', async () => {
    await using house = await testSocial()
    expect(await receive(line({ text: '@all read it' }), house.social)).toEqual(
      ok({
        ...RECEIPT,
        mode: 'action',
        assignments: [assignment('claude-1', 's-n1'), assignment('codex-1', 's-n2'), assignment('codex-2', 's-n3')],
      }),
    )
    expect(await linesOf(house.store)).toEqual([
      ['room-quiet', 'message', 'ada', null],
      ['s-n1', 'session-opened', 'ada', 'm1'],
      ['s-n1', 'accepted', 'ada', 'm1'],
      ['s-n2', 'session-opened', 'ada', 'm1'],
      ['s-n2', 'accepted', 'ada', 'm1'],
      ['s-n3', 'session-opened', 'ada', 'm1'],
      ['s-n3', 'accepted', 'ada', 'm1'],
      ['room-quiet', 'assigned', 'bellhop', 'm1'],
    ])
    expect(house.enqueued).toEqual(['s-n1', 's-n2', 's-n3'])
  })

  test('for an agent that has a session joins it', async () => {
    await using house = await testSocial()
    await receive(line({ text: '@codex read it' }), house.social)
    const next = await receive(line({ id: 'm2', text: '@codex and that' }), house.social)
    expect(must(next).assignments).toEqual([assignment('codex-1', 's-n1', 'm2')])
    expect((await linesOf(house.store)).slice(4)).toEqual([
      ['room-quiet', 'message', 'ada', null],
      ['s-n1', 'accepted', 'ada', 'm2'],
      ['room-quiet', 'assigned', 'bellhop', 'm2'],
    ])
  })

  test('in another room, and after a reset, begins a session of its own', async () => {
    await using house = await testSocial()
    const sessionOf = async (id: string, room: string) =>
      must(await receive(line({ id, room, text: '@codex read it' }), house.social)).assignments[0]?.session
    const first = await sessionOf('m1', 'quiet')
    const elsewhere = await sessionOf('m2', 'lobby')
    await receive(line({ id: 'm3', text: '/reset codex-1' }), house.social)
    const afterReset = await sessionOf('m4', 'quiet')
    expect([first, elsewhere, afterReset]).toEqual(['s-n1', 's-n2', 's-n3'])
  })

  test('that is refused leaves the line and the refusal, and no session', async () => {
    const absent = { presenceOf: async (id: string) => ({ ...ready(id), readiness: 'absent' as const }) }
    await using house = await testSocial(() => absent)
    const why = refusal('agent-not-ready', 'codex-1 is absent, so it gets no work')
    expect(await receive(line({ text: '@codex read it' }), house.social)).toEqual(refused(why))
    expect(await linesOf(house.store)).toEqual([
      ['room-quiet', 'message', 'ada', null],
      ['room-quiet', 'refused', 'bellhop', 'm1'],
    ])
    expect((await house.store.get('m1.receipt'))?.body).toEqual({ event: 'refused', stage: 'dispatch', refusal: why })
    expect(house.enqueued).toEqual([])
  })
})

describe('what a stranger says', () => {
  test.each([
    ['no message at all', 'read', 42, 'request-invalid'],
    ['to no room', 'presence', line({ room: 'nowhere' }), 'room-unknown'],
    ['without a token', 'authenticate', line({ credential: { token: '', as: null } }), 'unauthenticated'],
    [
      'as somebody else',
      'authenticate',
      line({ credential: { token: 'token-of-bob', as: 'ada' } }),
      'impersonation-refused',
    ],
  ])('%s is not kept, only that it was refused, and at which stage', async (_what, stage, given, code) => {
    await using house = await testSocial()
    expect(await receive(given, house.social)).toMatchObject({ ok: false, refusal: { code } })
    const entries = must(await house.store.query({})).entries
    expect(entries).toMatchObject([
      { session: 'house', author: BELLHOP, tags: [], body: { event: 'refused', stage, refusal: { code } } },
    ])
  })
})

test('a line that a stage refused once it was known who spoke is kept with the stage', async () => {
  await using house = await testSocial()
  await receive(line({ text: '/mdoe' }), house.social)
  const kept = [await house.store.get('m1'), await house.store.get('m1.receipt')]
  expect(kept.map((entry) => entry?.body)).toEqual([
    { event: 'message', text: '/mdoe' },
    {
      event: 'refused',
      stage: 'mode',
      refusal: refusal('command-unknown', 'there is no command /mdoe; did you mean /mode [to]?'),
    },
  ])
})

test('whatever was said, every chain it left is whole', async () => {
  await using house = await testSocial()
  const said = ['hello', '@all read it', '/mode discuss', '@claude look', '/mode nowhere', '/reset claude-1', '/who']
  for (const [i, text] of said.entries()) await receive(line({ id: `m${i}`, text }), house.social)
  await receive(null, house.social)
  const verified = await receive(line({ id: 'check', text: '/verify all=true' }), house.social)
  expect(must(verified).answer).toMatch(/\nverified: 5 chains, all whole$/)
})
