import { z } from 'zod'
import { focusOf } from '../evidence/focus.ts'
import { oneLine } from '../lib/plain.ts'
import { Obligations } from '../shapes/obligation.ts'
import { refusal } from '../shapes/refusal.ts'
import { refused } from '../shapes/result.ts'
import { defineOperation } from './operation.ts'

export const obligations = defineOperation({
  name: 'obligations',
  files: true,
  summary:
    'what a mission owes and how that stands: obligations and why, its cycles, what failed, its file held against it',
  example: 'obligations M-retry',
  positional: ['mission'],
  input: z.strictObject({
    mission: z.string().min(1).max(80).optional().describe('without one, what this room is focused on'),
  }),
  output: Obligations,
  role: 'viewer',
  reads: true,
  offline: false,
  run: async ({ mission }, { store, room, obligationsOf }) => {
    const meant = mission ?? (room === null ? null : await focusOf(store, room))
    if (meant === null) return refused(refusal('mission-unknown', 'say which mission: none is focused on here'))
    return obligationsOf(meant)
  },
  render: (output) => (output.begun ? whole(output) : unbegun(output)),
})

/** A room reads so many lines of each at most; over HTTP and with --json there are all. */
const MOST = 20

const unbegun = ({ mission, title }: Obligations): string =>
  `${mission}: ${title}\nnobody has taken it up yet; say /mission @claude ${mission}, and what is to be done first`

const whole = ({ mission, title, path, obligations, cycle, cycles, failed, audit }: Obligations): string =>
  [
    `${mission}: ${title} (${path ?? 'its file is gone'})`,
    ...some(obligations, ({ id, status, basis, text, dependsOn, why }) => {
      const on = dependsOn.length === 0 ? '' : ` <- ${dependsOn.join(', ')}`
      const because = why === '' ? '' : ` (${oneLine(why, 120)})`
      return `- ${id} [${status}${basis === null ? '' : ` by ${basis}`}] ${oneLine(text, 120)}${on}${because}`
    }),
    ...(cycle ? [`cycle ${cycle.n} on ${cycle.item} is in ${cycle.phase}`] : []),
    ...some(cycles.slice(-CYCLES), ({ n, item, outcome, why }) => {
      return `cycle ${n} on ${item}: ${outcome}${why === '' ? '' : ` (${oneLine(why, 120)})`}`
    }),
    ...some(failed, ({ n, item, approach, why }) => {
      return `failed on ${item} in cycle ${n}: ${oneLine(approach, 120)} (${oneLine(why, 120)})`
    }),
    ...some(audit, ({ path: at, line, what, right }) => `${at}:${line}: ${oneLine(what, 200)}; ${right}`),
  ].join('\n')

/** As many cycles as are told, the last ones. */
const CYCLES = 5

const some = <T>(rows: readonly T[], line: (row: T) => string): string[] => [
  ...rows.slice(0, MOST).map(line),
  ...(rows.length > MOST ? [`... and ${rows.length - MOST} more`] : []),
]
