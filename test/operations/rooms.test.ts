import { describe, expect, test } from 'vitest'
import { roomDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import { Role } from '../../src/shapes/person.ts'
import { type RefusalCode, refusal } from '../../src/shapes/refusal.ts'
import { ok, type Result, refused } from '../../src/shapes/result.ts'
import { RoomMode } from '../../src/shapes/room.ts'
import type { TurnView } from '../../src/shapes/turn-view.ts'
import { receive } from '../../src/social/pipeline.ts'
import { line, type TestSocial, testSocial } from '../support/social.ts'
import { ADA, must } from '../support/store.ts'
import { openAsking } from './asking.ts'

const owners = Role.options.map((role) => ({ token: `token-of-${role}`, name: role, role }))

const houseIn = async (mode: RoomMode): Promise<TestSocial> => {
  const house = await testSocial(() => ({ owners }))
  const body = { event: 'mode-changed', from: 'execute', to: mode } as const
  must(await house.store.append([roomDraft({ id: 'before', room: 'quiet', author: ADA, body })]))
  return house
}

const ask = (house: TestSocial, text: string, role: Role = 'admin'): Promise<Result<Receipt>> =>
  receive(line({ text, credential: { token: `token-of-${role}`, as: null } }), house.social)

describe('a room goes from one mode to another', () => {
  type Outcome = 'ok' | RefusalCode
  /** For each way, what an operator and what an approver meets; a viewer never gets that far. */
  const ways: Record<RoomMode, Record<RoomMode, [operator: Outcome, approver: Outcome]>> = {
    discuss: {
      discuss: ['ok', 'ok'],
      diagnose: ['ok', 'ok'],
      execute: ['transition-invalid', 'transition-invalid'],
    },
    diagnose: { discuss: ['ok', 'ok'], diagnose: ['ok', 'ok'], execute: ['role-too-low', 'ok'] },
    execute: { discuss: ['ok', 'ok'], diagnose: ['ok', 'ok'], execute: ['ok', 'ok'] },
  }
  const expected = (role: Role, from: RoomMode, to: RoomMode): Outcome => {
    if (role === 'viewer') return 'role-too-low'
    return ways[from][to][role === 'operator' ? 0 : 1]
  }
  const all = RoomMode.options.flatMap((from) =>
    RoomMode.options.flatMap((to) => Role.options.map((role) => [from, to, role] as const)),
  )

  test.each(all)('%s to %s, by one with the role %s', async (from, to, role) => {
    await using house = await houseIn(from)
    const answer = await ask(house, `/mode ${to}`, role)
    const outcome = expected(role, from, to)
    expect([answer.ok ? answer.value.answer : answer.refusal.code, await house.store.roomMode('quiet')]).toEqual(
      outcome === 'ok' ? [`quiet is in ${to}`, to] : [outcome, from],
    )
  })

  test('and where it cannot, or the role is too low, is told how', async () => {
    await using discussing = await houseIn('discuss')
    await using diagnosing = await houseIn('diagnose')
    expect([await ask(discussing, '/mode execute'), await ask(diagnosing, '/mode execute', 'operator')]).toEqual([
      refused(refusal('transition-invalid', 'discuss cannot become execute at once: go through diagnose')),
      refused(refusal('role-too-low', 'diagnose to execute needs the role approver; you are operator')),
    ])
  })

  test('and says which it is in when it is only asked, or is there already, without a new entry', async () => {
    await using house = await houseIn('diagnose')
    const answers = [
      must(await ask(house, '/mode')),
      must(
        await receive(
          line({ id: 'm2', text: '/mode diagnose', credential: { token: 'token-of-admin', as: null } }),
          house.social,
        ),
      ),
    ]
    expect(answers.map(({ answer }) => answer)).toEqual(['quiet is in diagnose', 'quiet is in diagnose'])
    expect(must(await house.store.query({ event: 'mode-changed' })).entries.map(({ id }) => id)).toEqual(['before'])
  })

  test('by itself: no other room follows', async () => {
    await using house = await houseIn('discuss')
    expect(must(await ask(house, '/rooms')).answer).toBe(
      'lobby: execute, claude-1 listens\nquiet: discuss, nobody listens',
    )
  })
})

describe('a reset', () => {
  test('closes the agent’s session in this room, by the person who asked, and says which', async () => {
    await using house = await testSocial()
    await receive(line({ id: 'here', text: '@codex read it' }), house.social)
    await receive(line({ id: 'there', room: 'lobby', text: '@codex read it' }), house.social)
    const { answer } = must(await receive(line({ text: '/reset codex-1' }), house.social))
    expect(answer).toBe('codex-1 starts afresh (session s-n1 is closed)')
    expect(must(await house.store.query({ event: 'session-closed' })).entries).toMatchObject([
      { session: 's-n1', author: ADA, body: { event: 'session-closed', reason: 'reset by ada' } },
    ])
    expect((await house.store.sessions(10)).map(({ id, room, open }) => [id, room, open])).toEqual([
      ['s-n2', 'lobby', true],
      ['s-n1', 'quiet', false],
    ])
  })

  test('of an agent without a session says so and changes nothing', async () => {
    await using house = await testSocial()
    expect(must(await receive(line({ text: '/reset codex-1' }), house.social)).answer).toBe(
      'codex-1 has no open session here',
    )
    expect(must(await house.store.query({ event: 'session-closed' })).entries).toEqual([])
  })
})

describe('the status', () => {
  const view = (part: Partial<TurnView>): TurnView => ({
    turn: 'm1.codex-1',
    session: 's-1',
    room: 'quiet',
    agent: 'codex-1',
    peripheral: 'explore',
    by: 'ada',
    request: 'read it',
    state: 'accepted',
    detail: '',
    ahead: 0,
    steps: { taken: 0, failed: 0, refused: 0 },
    approval: null,
    accepted: '2026-01-02T03:04:05.000Z',
    started: null,
    ended: null,
    ...part,
  })
  const open = [
    view({ state: 'running', detail: 'reads\n README.md \u001b[31m' }),
    view({ turn: 'm2.codex-1', state: 'queued', ahead: 1 }),
    view({ turn: 'm3.claude-1', room: 'lobby', agent: 'claude-1' }),
  ]

  test.each(['status', 'jobs'])('by the name of %s shows every turn as it stands, on a line each', async (name) => {
    await using it = await openAsking({ change: { turns: { of: async () => null, open: async () => open } } })
    expect(await it.ask(name)).toEqual(ok({ turns: open }))
    expect(await it.answer(name)).toBe(
      [
        'codex-1 in quiet: running, reads README.md [31m (m1.codex-1)',
        'codex-1 in quiet: queued, 1 ahead of it (m2.codex-1)',
        'claude-1 in lobby: accepted (m3.claude-1)',
      ].join('\n'),
    )
  })

  test('of nothing says so', async () => {
    await using it = await openAsking()
    expect(await it.answer('status')).toBe('nothing is being worked on')
  })
})

describe('a stop', () => {
  const stops = async ({ store }: TestSocial) =>
    must(await store.query({ event: 'stop-asked', order: 'oldest' })).entries.map(({ body }) => body)
  const begin = async ({ store }: TestSocial, turn: string) => {
    const known = await store.turn(turn)
    const { session = '', room = '', agent = '' } = known ?? {}
    const body = { event: 'turn-started', turn } as const
    const author = { kind: 'agent', id: agent, face: 'rehearsal', via: null } as const
    must(await store.append([sessionDraft({ id: `${turn}.started`, session, room, agent, author, body })]))
  }

  test.each(['/stop', '/cancel'])('by the name of %s ends one turn, or takes it out of the line', async (name) => {
    await using house = await testSocial()
    await receive(line({ id: 'm1', text: '@codex read it' }), house.social)
    await receive(line({ id: 'm2', text: '@codex and that' }), house.social)
    await receive(line({ id: 'm3', text: '@codex and more' }), house.social)
    await begin(house, 'm1.codex-1')
    const answers = [
      must(await receive(line({ id: 'm4', text: `${name} m2.codex-1 no need` }), house.social)).answer,
      must(await receive(line({ id: 'm5', text: `${name} m1.codex-1` }), house.social)).answer,
    ]
    expect(answers).toEqual(['stopping codex-1 (m2.codex-1)', 'stopping codex-1 (m1.codex-1)'])
    expect(await stops(house)).toEqual([
      { event: 'stop-asked', turn: 'm2.codex-1', why: 'no need', queued: true },
      { event: 'stop-asked', turn: 'm1.codex-1', why: '' },
    ])
  })

  test('of an agent ends what it is at and what waits behind it, and is not said twice', async () => {
    await using house = await testSocial()
    await receive(line({ id: 'm1', text: '@codex read it' }), house.social)
    await receive(line({ id: 'm2', text: '@codex @claude and that' }), house.social)
    await begin(house, 'm1.codex-1')
    for (const id of ['m3', 'm4']) {
      expect(must(await receive(line({ id, text: '/stop codex-1' }), house.social)).answer).toBe(
        'stopping codex-1 (m1.codex-1), codex-1 (m2.codex-1)',
      )
    }
    expect(await stops(house)).toEqual([
      { event: 'stop-asked', turn: 'm1.codex-1', why: '' },
      { event: 'stop-asked', turn: 'm2.codex-1', why: '', queued: true },
    ])
  })

  test('of a turn of another room, of one that is not there, or of nobody is refused', async () => {
    await using house = await testSocial()
    await receive(line({ id: 'm1', room: 'lobby', text: '@codex read it' }), house.social)
    const answers = ['/stop m1.codex-1', '/stop m9.codex-1', '/stop grace'].map((text, i) =>
      receive(line({ id: `s${i}`, text }), house.social),
    )
    expect(await Promise.all(answers)).toEqual([
      refused(refusal('turn-unknown', 'm1.codex-1 is no turn of quiet that could be stopped')),
      refused(refusal('turn-unknown', 'm9.codex-1 is no turn of quiet that could be stopped')),
      refused(refusal('agent-unknown', 'there is no agent grace; there is claude-1, codex-1, codex-2')),
    ])
  })
})

test('a verdict on a chain that is not there is a refusal, not a success', async () => {
  await using house = await testSocial()
  expect(await receive(line({ text: '/verify s-nowhere' }), house.social)).toEqual(
    refused(refusal('session-unknown', 'there is no session s-nowhere')),
  )
})
