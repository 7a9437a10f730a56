import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { atBest } from '../../src/peripherals/examples.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import { RoomMode } from '../../src/shapes/room.ts'
import { dispatch } from '../../src/social/dispatch.ts'
import type { Classified } from '../../src/social/mode.ts'
import { gate } from '../../src/tools/gate.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { scratch } from '../support/folder.ts'
import { AGENTS, line, QUIET, ready } from '../support/social.ts'

const SHIPPED = loadPeripherals(join(import.meta.dirname, '../../config/peripherals'), null, {
  checks: {},
  deploys: {},
})

/** The least that a room must be in for each peripheral; each mode opens what the ones before it do. */
const OPENED_BY: Record<string, RoomMode> = {
  chat: 'discuss',
  reflect: 'discuss',
  'mission-control': 'discuss',
  alfworld: 'discuss',
  explore: 'diagnose',
  test: 'diagnose',
  discipline: 'diagnose',
}

const opens = (mode: RoomMode, peripheral: string): boolean =>
  RoomMode.options.indexOf(mode) >= RoomMode.options.indexOf(OPENED_BY[peripheral] ?? 'execute')

const needed = (peripheral: string): string => RoomMode.options.filter((mode) => opens(mode, peripheral)).join(' or ')

const all = [...SHIPPED.values()].flatMap((spec) => RoomMode.options.map((mode) => [mode, spec.id, spec] as const))

test('the peripherals here are those of the table, with those that only execute opens', () => {
  const known = [...Object.keys(OPENED_BY), 'edit', 'deploy', 'proof', 'mission']
  expect([...SHIPPED.keys()].filter((id) => !known.includes(id))).toEqual([])
  expect(RoomMode.options.map((mode) => [mode, [...SHIPPED.keys()].filter((id) => opens(mode, id))])).toEqual([
    ['discuss', ['alfworld', 'chat', 'mission-control', 'reflect']],
    ['diagnose', ['alfworld', 'chat', 'discipline', 'explore', 'mission-control', 'reflect', 'test']],
    [
      'execute',
      [
        'alfworld',
        'chat',
        'deploy',
        'discipline',
        'edit',
        'explore',
        'mission-control',
        'mission',
        'proof',
        'reflect',
        'test',
      ],
    ],
  ])
})

describe('through the gate', () => {
  /** What becomes of each call that the peripheral allows, in a room of this mode. */
  const judge = async (spec: PeripheralSpec, mode: RoomMode) => {
    using folder = scratch()
    const workspace = await openWorkspace(folder.path, [])
    const verdicts = spec.examples.allowed.map(({ tool, args, phase }) =>
      gate(
        { tool, args },
        {
          ...atBest(spec, workspace, phase),
          mode,
          role: spec.role,
        },
      ),
    )
    return (await Promise.all(verdicts)).map((verdict) => (verdict.ok ? 'through' : verdict))
  }

  test.each(all)('%s lets %s work, or says what would', async (mode, id, spec) => {
    const forbidden = refused(refusal('mode-forbids', `the room is in ${mode}; ${id} needs ${needed(id)}`))
    const verdict = opens(mode, id) ? 'through' : forbidden
    expect(await judge(spec, mode)).toEqual(spec.examples.allowed.map(() => verdict))
  })
})

describe('on the way in', () => {
  const message = (roomMode: RoomMode, peripheral: string): Classified => ({
    ...line({}),
    place: QUIET,
    person: { name: 'ada', role: 'admin', face: 'cli', via: null },
    token: null,
    grant: null,
    mode: 'action',
    roomMode,
    wish: { kind: 'work', agents: ['claude-1'], peripheral, request: 'work' },
  })
  const house = {
    agents: AGENTS,
    specs: SHIPPED,
    presenceOf: async (agent: string) => ({ ...ready(agent), peripherals: [...SHIPPED.keys()] }),
    spentOver: async () => null,
    hopsIn: async () => 0,
    mostHops: 4,
    entryOf: async () => null,
    ringOf: async () => refused(refusal('bell-unknown', 'no test here rings')),
  }

  test.each(all)('%s lets %s begin, or says what would', async (mode, id) => {
    const sent = message(mode, id)
    expect(await dispatch(sent, house)).toEqual(
      opens(mode, id)
        ? ok({
            ...sent,
            hops: 0,
            route: { to: 'agents', request: 'work', work: [{ agent: 'claude-1', peripheral: id }] },
          })
        : refused(refusal('mode-forbids', `quiet is in ${mode}; ${id} needs ${needed(id)}`)),
    )
  })
})
