import { describe, expect, test } from 'vitest'
import { requestOf } from '../../src/evidence/amendments.ts'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import type { Role } from '../../src/shapes/person.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { receive } from '../../src/social/pipeline.ts'
import { line, type TestSocial, testSocial } from '../support/social.ts'
import { must } from '../support/store.ts'

/** Ada in each role, and grace in two: who asks is in the token. */
const owners = [
  ...(['viewer', 'operator', 'approver', 'admin'] as const).map((role) => ({
    token: `ada-${role}`,
    name: 'ada',
    role,
  })),
  ...(['operator', 'approver'] as const).map((role) => ({ token: `grace-${role}`, name: 'grace', role })),
]
type Token = `ada-${Role}` | 'grace-operator' | 'grace-approver'

const house = () => testSocial(() => ({ owners }))

const say = ({ social }: TestSocial, id: string, text: string, token: Token = 'ada-operator') =>
  receive(line({ id, text, credential: { token, as: null } }), social)

const sayInLobby = ({ social }: TestSocial, id: string, text: string) =>
  receive(line({ id, text, room: 'lobby', credential: { token: 'ada-operator', as: null } }), social)

const answer = async (it: TestSocial, id: string, text: string, token?: Token) =>
  must(await say(it, id, text, token)).answer

/** Writes the next thing that becomes of a turn, as its agent would. */
const move = async ({ store }: TestSocial, turn: string, part: string, body: Body) => {
  const known = await store.turn(turn)
  if (!known) throw new Error(`there is no turn ${turn}`)
  const { session, room, agent } = known
  const author = { kind: 'agent', id: agent, face: 'rehearsal', via: null } as const
  must(
    await store.append([sessionDraft({ id: `${turn}.${part}`, session, room, agent, author, body, inReplyTo: turn })]),
  )
}
const start = (it: TestSocial, turn: string) => move(it, turn, 'started', { event: 'turn-started', turn })
const end = (it: TestSocial, turn: string) =>
  move(it, turn, 'ended', { event: 'turn-ended', turn, outcome: 'done', answer: '' })

const ask = (it: TestSocial, turn: string) =>
  move(it, turn, '0.approval', {
    event: 'approval-asked',
    turn,
    step: `${turn}.0`,
    approval: 'k7f2q',
    call: { tool: 'write', args: {} },
    why: 'it is an example',
    opens: 'write',
    until: '2026-01-02T04:00:00.000Z',
  })

describe('the queue', () => {
  test('has what runs and what waits, agent by agent, in line order, with how each stands', async () => {
    await using it = await house()
    it.clock.now -= 7_200_000
    must(await say(it, 'm1', '@codex read\n  it'))
    it.clock.now += 7_200_000 - 90_000
    must(await say(it, 'm2', '@claude @codex and that', 'grace-operator'))
    must(await say(it, 'm3', '@codex and more'))
    it.clock.now += 90_000
    must(await sayInLobby(it, 'm4', '@codex elsewhere'))
    await start(it, 'm1.codex-1')
    await start(it, 'm2.claude-1')
    await ask(it, 'm2.claude-1')
    must(await say(it, 'm5', '/amend m2.codex-1 and this instead', 'grace-operator'))
    must(await say(it, 'm6', '/unqueue m3.codex-1'))
    expect((await answer(it, 'm7', '/queue', 'ada-viewer'))?.split('\n')).toEqual([
      'codex-1 in quiet: running for 2h, ada asks: read it (m1.codex-1)',
      '1. codex-1 in quiet: accepted for 1m, 1 ahead of it, grace asks: and this instead (m2.codex-1)',
      'codex-1 in quiet: removed for 1m, ada asks: and more (m3.codex-1)',
      '1. codex-1 in lobby: accepted for 0s, ada asks: elsewhere (m4.codex-1)',
      'claude-1 in quiet: waiting for 1m, grace asks: and that (m2.claude-1)',
    ])
    expect(await answer(it, 'm8', '/queue claude-1')).toBe(
      'claude-1 in quiet: waiting for 1m, grace asks: and that (m2.claude-1)',
    )
  })

  test('is empty where nothing is asked, and what has ended is not in it', async () => {
    await using it = await house()
    const nothing = 'nothing is being worked on, and nothing waits'
    expect(await answer(it, 'm1', '/queue')).toBe(nothing)
    must(await say(it, 'm2', '@codex read it'))
    await start(it, 'm2.codex-1')
    await end(it, 'm2.codex-1')
    expect(await answer(it, 'm3', '/queue')).toBe(nothing)
  })

  test('is for programs, too, with the time that it was asked at', async () => {
    await using it = await house()
    must(await say(it, 'm1', '@codex read it'))
    const outputs: unknown[] = []
    must(
      await receive(line({ id: 'm2', text: '/queue', credential: { token: 'ada-viewer', as: null } }), {
        ...it.social,
        heard: (output) => outputs.push(output),
      }),
    )
    const row = { turn: 'm1.codex-1', agent: 'codex-1', room: 'quiet', state: 'accepted', request: 'read it' }
    const rest = { by: 'ada', at: '2026-01-02T03:04:05.000Z', seconds: 0, ahead: 0, number: 1 }
    expect(outputs).toEqual([{ turns: [{ ...row, ...rest }] }])
  })
})

describe('an amendment', () => {
  test('is asked for instead, as often as one likes, by who asked; and the chain holds', async () => {
    await using it = await house()
    must(await say(it, 'm1', '@codex read it'))
    expect(await answer(it, 'm2', '/amend m1.codex-1 look at the tests, too')).toBe(
      'codex-1 will be asked for that instead (m1.codex-1)',
    )
    must(await say(it, 'm3', '/amend 1 read nothing'))
    expect(await requestOf(it.store, 'm1.codex-1')).toBe('read nothing')
    const amended = must(await it.store.query({ event: 'turn-amended', order: 'oldest' })).entries
    expect(amended.map(({ id, author, inReplyTo, body }) => [id, author.id, inReplyTo, body])).toEqual(
      ['look at the tests, too', 'read nothing'].map((request, n) => [
        `m1.codex-1.amend-${n}`,
        'ada',
        'm1.codex-1',
        { event: 'turn-amended', turn: 'm1.codex-1', request },
      ]),
    )
    const session = (await it.store.turn('m1.codex-1'))?.session ?? ''
    expect(await verifyChain(it.store, session)).toMatchObject({ ok: true, violations: [] })
  })

  test.each<[asked: Token, amends: Token, needed: Role | null]>([
    ['ada-operator', 'ada-operator', null],
    ['ada-operator', 'ada-admin', null],
    ['ada-operator', 'grace-operator', 'approver'],
    ['ada-operator', 'grace-approver', null],
    ['ada-approver', 'grace-approver', null],
    ['ada-admin', 'grace-approver', 'admin'],
    ['ada-admin', 'ada-operator', 'admin'],
    ['ada-admin', 'ada-admin', null],
  ])('of what %s asked for, by %s, is never in the name of a higher role', async (asked, amends, needed) => {
    await using it = await house()
    must(await say(it, 'm1', '@codex read it', asked))
    const said = await say(it, 'm2', '/amend m1.codex-1 other', amends)
    expect([said.ok || said.refusal.code, await requestOf(it.store, 'm1.codex-1')]).toEqual(
      needed === null ? [true, 'other'] : ['role-too-low', 'read it'],
    )
    if (!said.ok) expect(said.refusal.message).toMatch(new RegExp(`^to amend m1.codex-1 needs the role ${needed}, as `))
  })

  test('of a turn that has begun, has ended, was taken out, is elsewhere or is not there is refused, and says what to do', async () => {
    await using it = await house()
    must(await say(it, 'm1', '@codex one'))
    must(await say(it, 'm2', '@codex two'))
    must(await sayInLobby(it, 'm3', '@codex three'))
    await start(it, 'm1.codex-1')
    const amend = (id: string, turn: string) => say(it, id, `/amend ${turn} other`)
    const begun = await amend('m4', 'm1.codex-1')
    await end(it, 'm1.codex-1')
    must(await say(it, 'm5', '/unqueue m2.codex-1'))
    expect([
      begun,
      await amend('m6', 'm1.codex-1'),
      await amend('m7', 'm2.codex-1'),
      await amend('m8', 'm3.codex-1'),
      await amend('m9', 'm1'),
    ]).toEqual([
      refused(refusal('session-busy', 'the turn m1.codex-1 has begun: say /steer to add to it')),
      refused(refusal('turn-unknown', 'the turn m1.codex-1 has ended')),
      refused(refusal('turn-stopped', 'm2.codex-1 was taken out of the line')),
      refused(refusal('turn-unknown', 'm3.codex-1 is a turn of lobby: say it there')),
      refused(refusal('turn-unknown', 'there is no turn m1')),
    ])
    expect(must(await it.store.query({ event: 'turn-amended' })).entries).toEqual([])
  })

  test('by two at the same moment is one after the other', async () => {
    await using it = await house()
    must(await say(it, 'm1', '@codex one'))
    const both = await Promise.all([
      say(it, 'm2', '/amend m1.codex-1 two'),
      say(it, 'm3', '/amend m1.codex-1 three', 'grace-approver'),
    ])
    expect(both.map(({ ok }) => ok)).toEqual([true, true])
    const amended = must(await it.store.query({ event: 'turn-amended', order: 'oldest' })).entries
    expect(amended.map(({ id }) => id)).toEqual(['m1.codex-1.amend-0', 'm1.codex-1.amend-1'])
  })

  test('is refused when there were too many, and of an agent that works elsewhere', async () => {
    await using it = await house()
    must(await say(it, 'm1', '@codex @claude one'))
    for (let n = 0; n < 32; n++) must(await say(it, `a${n}`, `/amend m1.codex-1 other ${n}`))
    expect(await say(it, 'm2', '/amend m1.codex-1 once more')).toEqual(
      refused(refusal('budget-spent', 'm1.codex-1 was amended 32 times already')),
    )
    const { contextFor } = it.social
    const social: typeof it.social = {
      ...it.social,
      contextFor: (person, room) => ({ ...contextFor(person, room), residents: ['codex-1'] }),
    }
    expect(await say({ ...it, social }, 'm3', '/amend m1.claude-1 other')).toEqual(
      refused(refusal('turn-unknown', 'claude-1 works elsewhere: take m1.claude-1 out with /unqueue, and ask anew')),
    )
  })
})

describe('a turn that is taken out of the line', () => {
  test('is stopped before it begins, by who said so and with the reason', async () => {
    await using it = await house()
    must(await say(it, 'm1', '@codex one'))
    expect(await answer(it, 'm2', '/unqueue m1.codex-1 not needed any more', 'grace-operator')).toBe(
      'codex-1 will not begin with it (m1.codex-1)',
    )
    expect(await it.store.get('m1.codex-1.stop')).toMatchObject({
      author: { kind: 'person', id: 'grace' },
      inReplyTo: 'm1.codex-1',
      body: { event: 'stop-asked', turn: 'm1.codex-1', why: 'not needed any more' },
    })
    expect(await answer(it, 'm3', '/unqueue m1.codex-1')).toBe('codex-1 will not begin with it (m1.codex-1)')
  })

  test('has not begun: of one that has, /stop is what is meant', async () => {
    await using it = await house()
    must(await say(it, 'm1', '@codex one'))
    await start(it, 'm1.codex-1')
    const running = await say(it, 'm2', '/unqueue m1.codex-1')
    await end(it, 'm1.codex-1')
    expect([running, await say(it, 'm3', '/unqueue m1.codex-1')]).toEqual([
      refused(refusal('session-busy', 'the turn m1.codex-1 has begun: say /stop to end it')),
      refused(refusal('turn-unknown', 'the turn m1.codex-1 has ended')),
    ])
    expect(await it.store.get('m1.codex-1.stop')).toBe(null)
  })
})

test.each([
  ['/amend m1.codex-1 other', 'say /steer to add to it'],
  ['/unqueue m1.codex-1', 'say /stop to end it'],
])('%s is too late for a turn that begins between the look and the word', async (text, instead) => {
  await using it = await house()
  must(await say(it, 'm1', '@codex one'))
  const { contextFor } = it.social
  let begun = false
  const append: TestSocial['store']['append'] = async (...given) => {
    if (!begun) await start(it, 'm1.codex-1')
    begun = true
    return it.store.append(...given)
  }
  const social: TestSocial['social'] = {
    ...it.social,
    contextFor: (person, room) => ({ ...contextFor(person, room), store: { ...it.store, append } }),
  }
  expect(await say({ ...it, social }, 'm2', text)).toEqual(
    refused(refusal('session-busy', `the turn m1.codex-1 has begun: ${instead}`)),
  )
  expect([await requestOf(it.store, 'm1.codex-1'), await it.store.get('m1.codex-1.stop')]).toEqual(['one', null])
})
