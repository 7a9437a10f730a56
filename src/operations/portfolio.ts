import { z } from 'zod'
import { money } from '../evidence/budgets.ts'
import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import { MissionId } from '../shapes/mission.ts'
import { Activity, type ActivityDay, PortfolioSeen, Ranked } from '../shapes/portfolio.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { defineOperation } from './operation.ts'

export const portfolio = defineOperation({
  name: 'portfolio',
  files: true,
  summary: 'all missions as data: how they stand, what the evidence has of them, drift, complaints, what changed',
  example: 'portfolio',
  positional: [],
  input: z.strictObject({}),
  output: PortfolioSeen,
  role: 'viewer',
  reads: true,
  offline: false,
  run: async (_input, { outlook, rooms }) => ok(await outlook.portfolio(rooms.map(({ id }) => id))),
  render: ({ missions, complaints, covered }) =>
    [
      `${count(missions.length, 'mission')}, ${covered} with evidence of work; ${count(complaints.length, 'complaint')}`,
      ...missions
        .slice(0, SHOWN)
        .map(
          ({ id, status, title, boxes }) => `  ${id} [${status}] ${boxes.done}/${boxes.total} ${oneLine(title, 80)}`,
        ),
      ...(missions.length > SHOWN ? [`  and ${missions.length - SHOWN} more`] : []),
    ].join('\n'),
})

const SHOWN = 20

export const next = defineOperation({
  name: 'next',
  files: true,
  summary: 'what should be worked on next, best first, with the reasons and what each counts',
  example: 'next',
  positional: [],
  input: z.strictObject({ limit: z.coerce.number().int().min(1).max(500).default(10).describe('how many, up to 500') }),
  output: z.strictObject({ next: z.array(Ranked), more: z.int() }),
  role: 'viewer',
  reads: true,
  offline: false,
  run: async ({ limit }, { outlook }) => {
    const ranked = await outlook.next()
    return ok({ next: ranked.slice(0, limit), more: Math.max(0, ranked.length - limit) })
  },
  render: ({ next: ranked, more }) =>
    [
      ...ranked.map(
        ({ id, score, reasons }, i) => `${i + 1}. ${id} (${score}): ${reasons.map(({ why }) => why).join(', ')}`,
      ),
      ...(more > 0 ? [`and ${more} more`] : []),
    ].join('\n') || 'nothing can be worked on next: no mission is ready or in progress',
})

export const activity = defineOperation({
  name: 'activity',
  files: true,
  summary: 'turns, steps, failures and cost day by day: of everything, or of one mission',
  example: 'activity days=7',
  positional: ['mission'],
  input: z.strictObject({
    mission: MissionId.optional().describe('of this mission alone, such as M-retry; of its last 500 turns'),
    days: z.coerce.number().int().min(1).max(90).default(30).describe('for so many days (UTC), up to 90'),
  }),
  output: Activity,
  role: 'viewer',
  reads: true,
  offline: false,
  run: async ({ mission, days }, { outlook }) => {
    if (mission === undefined) return ok(await outlook.activity(null, days))
    const id = await outlook.named(mission)
    if (id === null) return refused(refusal('mission-unknown', `there is no mission ${mission}`))
    return ok(await outlook.activity(id, days))
  },
  render: ({ days }) =>
    days
      .filter(({ turns, steps, tokens }) => turns + steps + tokens > 0)
      .map(dayText)
      .join('\n') || 'nothing was done in these days',
})

const dayText = ({ day, turns, failed, steps, usd }: ActivityDay): string =>
  `${day}: ${count(turns, 'turn')} (${failed} failed), ${count(steps, 'step')}, ${money(usd)}`
