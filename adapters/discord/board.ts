import type { APIEmbedField } from 'discord.js'
import type { Situation } from '../../src/shapes/situation.ts'
import { BLANK, type Body } from './body.ts'
import { BLUE, GREEN, RED, YELLOW } from './colours.ts'
import { cut, plainly, short } from './tame.ts'

/** How things stand in a room, as one message that is pinned and changes. */
export const boardOf = (situation: Situation): Body => ({
  ...BLANK,
  embed: {
    title: `How things stand in ${plainly(situation.room)}`,
    color: colourOf(situation),
    fields: fieldsOf(situation).map(({ name, value, inline = false }) => ({ name, value: cut(value, FIELD), inline })),
    footer: { text: boardFooter(situation.room) },
    timestamp: situation.at,
  },
  at: situation.at,
  board: true,
})

/** What a board is known by, whatever it says: where nobody remembers which message it was, it is found by it. */
const boardFooter = (room: string): string => `board of ${room}`

const FIELD = 1024
const LINE = 160

const colourOf = ({ agents, approvals, budgets, work }: Situation): number => {
  if (agents.some(({ gone }) => gone) || budgets.some(({ state }) => state === 'spent')) return RED
  if (approvals.length > 0 || budgets.length > 0 || work.stuck > 0) return YELLOW
  return work.running + work.queued > 0 ? BLUE : GREEN
}

type Field = Pick<APIEmbedField, 'name' | 'value' | 'inline'>

const fieldsOf = (situation: Situation): Field[] => {
  const { agents, approvals, budgets, missions, more } = situation
  return [
    { name: 'Agents', value: lines(agents.map(agentLine), more.agents) || 'none' },
    { name: 'Work', value: workText(situation), inline: true },
    { name: 'Turns that ended', value: endedText(situation), inline: true },
    ...some('Waiting for a person', approvals.map(approvalLine), more.approvals),
    ...some(
      'Missions',
      missions.open.map(({ title, status }) => `${plainly(short(title, LINE))} · ${plainly(short(status, 20))}`),
      more.missions,
    ),
    ...some(
      'Budgets',
      budgets.map(({ state, says }) => `**${state}**: ${plainly(short(says, LINE))}`),
      more.budgets,
    ),
  ]
}

const some = (name: string, all: string[], more: number): Field[] =>
  all.length === 0 ? [] : [{ name, value: lines(all, more) }]

const lines = (all: readonly string[], more: number): string =>
  [...all, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')

const agentLine = ({ id, readiness, doing, waiting }: Situation['agents'][number]): string => {
  const how = doing === null ? readiness : `at work: ${plainly(short(doing, LINE))}`
  return `**${plainly(id)}** ${how}${waiting > 0 ? ` · ${waiting} waiting for it` : ''}`
}

const approvalLine = ({ approval, agent, opens, until }: Situation['approvals'][number]): string =>
  `**${plainly(approval)}** ${plainly(agent)}: ${plainly(short(opens, LINE))}, until <t:${Math.floor(Date.parse(until) / 1000)}:R>`

const workText = ({ work: { running, queued, waiting, stuck } }: Situation): string =>
  `${running} at work, ${queued} in line, ${waiting} waiting, ${stuck} stuck`

const endedText = ({ ended: { done, failed, cancelled } }: Situation): string =>
  `${done} done, ${failed} failed, ${cancelled} cancelled`
