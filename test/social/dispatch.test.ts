import { describe, expect, test } from 'vitest'
import { operationNamed, spoken } from '../../src/operations/table.ts'
import { type Presence, Readiness } from '../../src/shapes/agent.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { Role } from '../../src/shapes/person.ts'
import { type RefusalCode, refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import { RoomMode } from '../../src/shapes/room.ts'
import { dispatch } from '../../src/social/dispatch.ts'
import type { Classified, Wish } from '../../src/social/mode.ts'
import { AGENTS, EXPLORE, line, QUIET, ready } from '../support/social.ts'

/** A wall for each way a room can be: one open always, one but for talk, one only for work. */
const WALLS: PeripheralSpec[] = [
  { ...EXPLORE, id: 'chat', modes: ['discuss', 'diagnose', 'execute'], role: 'viewer' },
  EXPLORE,
  { ...EXPLORE, id: 'edit', modes: ['execute'], role: 'approver' },
]

type Case = { wish: Wish; role?: Role; roomMode?: RoomMode; presence?: Partial<Presence> }

const house = (presence: Partial<Presence>, asked: string[] = []) => ({
  agents: AGENTS,
  specs: new Map(WALLS.map((spec) => [spec.id, spec])),
  presenceOf: async (agent: string) => {
    asked.push(agent)
    return { ...ready(agent), peripherals: WALLS.map(({ id }) => id), ...presence }
  },
  spentOver: async (agent: string, room: string) =>
    agent === 'codex-2' && room === 'lobby' ? 'codex-2 has used 52,100 of the 50,000 tokens of its day' : null,
  hopsIn: async () => 0,
  mostHops: 4,
  entryOf: async ({ entry }: PeripheralSpec) =>
    entry.includes('user-request') ? null : refusal('entry-refused', 'it is entered from test'),
  ringOf: async () => refused(refusal('bell-unknown', 'no test here rings')),
})

const classified = ({ wish, role = 'admin', roomMode = 'execute' }: Case): Classified => ({
  ...line({}),
  place: QUIET,
  person: { name: 'ada', role, face: 'cli', via: null },
  token: null,
  grant: null,
  mode: wish.kind === 'work' ? 'action' : 'coordination',
  roomMode,
  wish,
})

const send = (given: Case) => dispatch(classified(given), house(given.presence ?? {}))

const work = (agents: string[], peripheral: string | null = null): Wish => ({
  kind: 'work',
  agents,
  peripheral,
  request: 'look',
})

const command = (name: string): Wish => {
  const operation = operationNamed(name)
  if (!operation) throw new Error(`there is no operation ${name}`)
  return { kind: 'command', operation, input: {} }
}

/** `ok`, or the code of the refusal. */
const verdict = async (given: Case): Promise<'ok' | RefusalCode> => {
  const answer = await send(given)
  return answer.ok ? 'ok' : answer.refusal.code
}

test('talk goes to the room, for anybody and in any mode', async () => {
  const given: Case = { wish: { kind: 'talk' }, role: 'viewer', roomMode: 'discuss', presence: { readiness: 'absent' } }
  expect(await send(given)).toEqual(ok({ ...classified(given), hops: 0, route: { to: 'room' } }))
})

test('work goes to each agent, in the peripheral it starts in or the one that was asked for', async () => {
  const own: Case = { wish: work(['codex-2', 'claude-1']) }
  const asked: Case = { wish: work(['codex-2'], 'edit') }
  expect([await send(own), await send(asked)]).toEqual([
    ok({
      ...classified(own),
      hops: 0,
      route: {
        to: 'agents',
        request: 'look',
        work: [
          { agent: 'codex-2', peripheral: 'explore' },
          { agent: 'claude-1', peripheral: 'explore' },
        ],
      },
    }),
    ok({
      ...classified(asked),
      hops: 0,
      route: { to: 'agents', request: 'look', work: [{ agent: 'codex-2', peripheral: 'edit' }] },
    }),
  ])
})

describe('a room’s mode and a peripheral', () => {
  const open: Record<string, Record<RoomMode, 'ok' | RefusalCode>> = {
    chat: { discuss: 'ok', diagnose: 'ok', execute: 'ok' },
    explore: { discuss: 'mode-forbids', diagnose: 'ok', execute: 'ok' },
    edit: { discuss: 'mode-forbids', diagnose: 'mode-forbids', execute: 'ok' },
  }
  const pairs = WALLS.flatMap(({ id }) => RoomMode.options.map((roomMode) => [id, roomMode] as const))

  test.each(pairs)('%s in %s', async (peripheral, roomMode) => {
    expect(await verdict({ wish: work(['claude-1'], peripheral), roomMode })).toBe(open[peripheral]?.[roomMode])
  })

  test('that do not fit are refused with the modes that would', async () => {
    expect(await send({ wish: work(['claude-1'], 'explore'), roomMode: 'discuss' })).toEqual(
      refused(refusal('mode-forbids', 'quiet is in discuss; explore needs diagnose or execute')),
    )
  })
})

/** What each role may do: what the ones before it may, and what it is named for. */
const may: Record<Role, Role[]> = {
  viewer: ['viewer'],
  operator: ['viewer', 'operator'],
  approver: ['viewer', 'operator', 'approver'],
  admin: ['viewer', 'operator', 'approver', 'admin'],
}

describe('a role', () => {
  const pairs = WALLS.flatMap((spec) => Role.options.map((role) => [role, spec.id, spec.role] as const))
  test.each(pairs)('%s may start %s only from %s on', async (role, peripheral, needed) => {
    expect(await verdict({ wish: work(['claude-1'], peripheral), role })).toBe(
      may[role].includes(needed) ? 'ok' : 'role-too-low',
    )
  })

  const rows = spoken.flatMap((row) => Role.options.map((role) => [role, row.name, row.byHand ?? row.role] as const))
  test.each(rows)('%s may ask for /%s only from %s on', async (role, name, needed) => {
    expect(await verdict({ wish: command(name), role })).toBe(may[role].includes(needed) ? 'ok' : 'role-too-low')
  })

  test('that is too low is refused with the one that is needed', async () => {
    expect([
      await send({ wish: work(['claude-1']), role: 'viewer' }),
      await send({ wish: command('mode'), role: 'viewer' }),
    ]).toEqual([
      refused(refusal('role-too-low', 'explore needs the role operator; you are viewer')),
      refused(refusal('role-too-low', '/mode needs the role operator; you are viewer')),
    ])
  })
})

describe('an agent', () => {
  test.each(Readiness.options)('that is %s gets work only if that is ready', async (readiness) => {
    expect(await verdict({ wish: work(['claude-1']), presence: { readiness } })).toBe(
      readiness === 'ready' ? 'ok' : 'agent-not-ready',
    )
  })

  test('that is not ready is refused with what is known of the reason', async () => {
    expect([
      await send({ wish: work(['claude-1']), presence: { readiness: 'lapsed' } }),
      await send({ wish: work(['claude-1']), presence: { readiness: 'registered', reason: 'rg: not found' } }),
    ]).toEqual([
      refused(refusal('agent-not-ready', 'claude-1 is lapsed, so it gets no work')),
      refused(refusal('agent-not-ready', 'claude-1 is registered (rg: not found), so it gets no work')),
    ])
  })

  test('that cannot inhabit a peripheral is refused with those it can', async () => {
    expect(await send({ wish: work(['claude-1'], 'edit'), presence: { peripherals: ['chat', 'explore'] } })).toEqual(
      refused(refusal('peripheral-not-inhabited', 'claude-1 cannot inhabit edit; it can chat, explore')),
    )
  })

  test('whose peripheral is not there is refused with those that are', async () => {
    expect(await send({ wish: work(['claude-1'], 'deploy') })).toEqual(
      refused(refusal('peripheral-unknown', 'there is no peripheral deploy; there is chat, explore, edit')),
    )
  })
})

test('of several agents, one that is not ready is enough: nobody gets the work', async () => {
  const rest = house({})
  const answer = await dispatch(classified({ wish: work(['claude-1', 'codex-1']) }), {
    ...rest,
    presenceOf: async (agent) =>
      agent === 'codex-1' ? { ...ready(agent), readiness: 'absent' } : rest.presenceOf(agent),
  })
  expect(answer).toEqual(refused(refusal('agent-not-ready', 'codex-1 is absent, so it gets no work')))
})

test('who may not ask learns nothing of who is ready', async () => {
  const asked: string[] = []
  await dispatch(classified({ wish: work(['claude-1']), role: 'viewer' }), house({}, asked))
  await dispatch(classified({ wish: work(['claude-1']), roomMode: 'discuss' }), house({}, asked))
  expect(asked).toEqual([])
})

test('an agent whose budget is used up gets no work there, and hears which it is', async () => {
  const given = classified({ wish: work(['codex-2']) })
  const spent = 'codex-2 has used 52,100 of the 50,000 tokens of its day, so codex-2 gets no work in lobby'
  expect([
    await dispatch({ ...given, room: 'lobby' }, house({})),
    (await dispatch({ ...given, room: 'quiet' }, house({}))).ok,
    await dispatch({ ...classified({ wish: work(['claude-1', 'codex-2']) }), room: 'lobby' }, house({})),
    await dispatch({ ...given, room: 'lobby' }, house({ readiness: 'absent' })),
  ]).toEqual([
    refused(refusal('budget-spent', spent)),
    true,
    refused(refusal('budget-spent', spent)),
    refused(refusal('agent-not-ready', 'codex-2 is absent, so it gets no work')),
  ])
})

test('a peripheral that nobody can begin in is not begun in, whoever asks', async () => {
  const closed: PeripheralSpec = { ...EXPLORE, id: 'deploy', entry: ['from-test'] }
  const rest = house({ peripherals: ['deploy'] })
  const specs = new Map([['deploy', closed]])
  expect(await dispatch(classified({ wish: work(['claude-1'], 'deploy') }), { ...rest, specs })).toEqual(
    refused(refusal('entry-refused', 'it is entered from test')),
  )
})
