import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import type { MissionStatus } from '../shapes/mission.ts'
import { countsText } from './lines.ts'

/** How it stands in the house, as it is seen from one room. */
export type Situation = {
  sessions: { all: number; active: number }
  agents: { id: string; standing: string; works: boolean }[]
  queue: { running: number; waiting: number }
  /** Those of the room and its threads; of others only how many there are: what they would open is not for this room. */
  approvals: { name: string; agent: string; opens: string }[]
  elsewhere: number
  missions: { all: number; counts: [MissionStatus, number][] }
  focus: string | null
  budgets: string[]
}

/** How it stands, in a few short lines. */
export const bulletin = (situation: Situation): string => {
  const { sessions, agents, queue, approvals, elsewhere, missions, focus, budgets } = situation
  const shown = approvals.slice(0, MOST)
  return [
    `Mission control: ${count(sessions.all, 'session')} (${sessions.active} active)`,
    `Agents: ${agents.map(agentText).join(', ') || 'none'}`,
    `Queue: ${queue.running} running, ${queue.waiting} waiting`,
    `Approvals: ${approvalsText(approvals.length, elsewhere)}`,
    ...shown.map(({ name, agent, opens }) => `  ${name}: ${agent} asks to ${oneLine(opens, 80)}`),
    ...(approvals.length > MOST ? [`  ... and ${approvals.length - MOST} more`] : []),
    `Missions: ${missions.all}${countsText(missions.counts)}${focus === null ? '' : `, this room is focused on ${focus}`}`,
    ...budgets.map((text) => `Budget: ${oneLine(text, 200)}`),
  ].join('\n')
}

const MOST = 3

const approvalsText = (here: number, elsewhere: number): string => {
  if (here + elsewhere === 0) return 'none wait'
  return `${here + elsewhere} wait${elsewhere === 0 ? '' : `, ${elsewhere} of them in other rooms`}`
}

const agentText = ({ id, standing, works }: Situation['agents'][number]): string =>
  `${id} ${standing}${works ? ' and at work' : ''}`
