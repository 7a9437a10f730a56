import { expect, test } from 'vitest'
import type { Presence } from '../../src/shapes/agent.ts'
import type { TurnState } from '../../src/shapes/turn-view.ts'
import { judge, type Looked } from '../../src/tickle/judge.ts'

const NOW = Date.parse('2026-01-02T12:00:00.000Z')
const MINUTE = 60_000

const ago = (minutes: number): string => new Date(NOW - minutes * MINUTE).toISOString()

const turn = (state: TurnState, heard: number | null, doing: string | null = null, id = 't1'): Looked => ({
  view: { turn: id, room: 'lobby', state, detail: `detail of ${state}`, by: 'ada' },
  lately: heard === null ? null : { heard: ago(heard), entry: `${id}.x`, doing },
})

const here = (readiness: Presence['readiness'], reason: string | null = null): Presence => ({
  id: 'codex-1',
  type: 'codex',
  readiness,
  peripherals: ['edit'],
  reason,
})

test.each([
  ['nothing to do', here('ready'), [], 'idle', 'it has nothing to do'],
  ['a turn that was accepted', here('ready'), [turn('accepted', null)], 'queued', 'detail of accepted'],
  ['a turn behind another', here('ready'), [turn('queued', null)], 'queued', 'detail of queued'],
  ['a turn that begins', here('ready'), [turn('running', null)], 'queued', 'about to begin'],
  ['just heard of', here('ready'), [turn('running', 0)], 'thinking', 'heard of 0 minutes ago'],
  ['nearly too long', here('ready'), [turn('stalled', 9.99)], 'thinking', 'heard of 9 minutes ago'],
  ['too long', here('ready'), [turn('stalled', 10)], 'stuck', 'nothing was heard for 10 minutes'],
  [
    'at a step',
    here('ready'),
    [turn('stalled', 61, 'run npm test')],
    'stuck',
    'nothing was heard for 61 minutes, at: run npm test',
  ],
  ['for hours', here('ready'), [turn('stalled', 190)], 'stuck', 'nothing was heard for 3 hours'],
  ['waiting for a person for long', here('ready'), [turn('waiting', 100)], 'waiting', 'detail of waiting'],
  ['interrupted', here('ready'), [turn('interrupted', 100)], 'parked', 'detail of interrupted'],
  [
    'stepped back in a turn',
    here('registered', 'not signed in'),
    [turn('interrupted', 100)],
    'parked',
    'not signed in',
  ],
  ['stepped back', here('registered'), [], 'parked', 'it is not ready yet'],
  ['gone in a turn', here('lapsed'), [turn('interrupted', 100)], 'gone', 'it is lapsed'],
  ['never here', here('absent', 'it has not registered'), [], 'gone', 'it has not registered'],
  ['an entry that cannot be read', here('broken'), [turn('stalled', 30)], 'stuck', 'nothing was heard for 30 minutes'],
  ['nothing known of it', null, [turn('running', 1)], 'thinking', 'heard of 1 minute ago'],
  [
    'one stuck among others',
    here('ready'),
    [turn('running', 1), turn('stalled', 12, null, 't2')],
    'stuck',
    'nothing was heard for 12 minutes',
  ],
  [
    'one waiting, one queued',
    here('ready'),
    [turn('queued', null), turn('waiting', 3, null, 't2')],
    'waiting',
    'detail of waiting',
  ],
] as const)('an agent is judged by what is known of it: %s', (...[, presence, turns, ...expected]) => {
  const judged = judge({ agent: 'codex-1', presence, turns }, NOW, 10 * MINUTE)
  expect([judged.agent, judged.state, judged.why]).toEqual(['codex-1', ...expected])
})

test('the turn that is told of is the one that is stuck', () => {
  const turns = [turn('running', 1), turn('stalled', 12, null, 't2'), turn('queued', null, null, 't3')]
  expect(judge({ agent: 'codex-1', presence: here('ready'), turns }, NOW, 10 * MINUTE).turn).toBe(turns[1])
})
