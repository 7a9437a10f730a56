import { describe, expect, test } from 'vitest'
import { roomDraft } from '../../src/evidence/drafts.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import { Role } from '../../src/shapes/person.ts'
import { type RefusalCode, refusal } from '../../src/shapes/refusal.ts'
import { type Result, refused } from '../../src/shapes/result.ts'
import { RoomMode } from '../../src/shapes/room.ts'
import { receive } from '../../src/social/pipeline.ts'
import { line, type TestSocial, testSocial } from '../support/social.ts'
import { ADA, must } from '../support/store.ts'

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

test('the status shows what waits, in line', async () => {
  await using house = await testSocial()
  await receive(line({ id: 'm1', text: '@codex read it' }), house.social)
  await receive(line({ id: 'm2', text: '@codex @claude and that' }), house.social)
  expect(must(await receive(line({ id: 'm3', text: '/status' }), house.social)).answer).toBe(
    [
      'codex-1: accepted (m1.codex-1)',
      'codex-1: accepted, 1 ahead of it (m2.codex-1)',
      'claude-1: accepted (m2.claude-1)',
    ].join('\n'),
  )
})

test('a verdict on a chain that is not there is a refusal, not a success', async () => {
  await using house = await testSocial()
  expect(await receive(line({ text: '/verify s-nowhere' }), house.social)).toEqual(
    refused(refusal('session-unknown', 'there is no session s-nowhere')),
  )
})
