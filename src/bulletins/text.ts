import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import type { Readiness } from '../shapes/agent.ts'
import { type BulletinKind, type Change, MOST_DONE, type Situation } from '../shapes/situation.ts'

const LONGEST = 200
/** How many of a kind a text names; the board and the evidence have the rest. */
const NAMED = 5

type Told = { kind: BulletinKind; told: readonly Change[]; situation: Situation }

/** A bulletin in a few short lines, as they can be read in any chat: what changed, and how things stand. */
export const bulletinText = ({ kind, told, situation }: Told): string => {
  const news = told.map(({ text }) => oneLine(text, LONGEST))
  const stands = kind === 'change' ? [] : situationLines(situation)
  const head = kind === 'digest' ? [`while ${situation.room} was not to be disturbed:`] : []
  return [...head, ...news, ...stands].join('\n')
}

/** How things stand in a room, line by line. */
export const situationLines = (situation: Situation): string[] => {
  const { room, agents, approvals, budgets, missions, more, at } = situation
  const ready = agents.filter(({ readiness }) => readiness === 'ready').length
  return [
    `${room}: ${ready} of ${count(agents.length + more.agents, 'agent')} ready; ${workText(situation)}`,
    ...named(agents.filter(isWorthALine)).map(agentText),
    ...named(approvals).map((one) => `${waitsText(one)}, for ${ageText(one.asked, at)} so far`),
    ...overText(approvals.length + more.approvals, 'approval'),
    ...named(budgets).map(({ state, says }) => `budget ${state}: ${oneLine(says, LONGEST)}`),
    ...missionLines(missions, more.missions),
    ...endedLines(situation),
  ]
}

const named = <T>(items: readonly T[]): readonly T[] => items.slice(0, NAMED)

const overText = (size: number, what: string): string[] =>
  size > NAMED ? [`and ${count(size - NAMED, `more ${what}`)}`] : []

const workText = ({ work: { running, queued, waiting, stuck } }: Situation): string => {
  const parts = [
    ...(running > 0 ? [`${count(running, 'turn')} at work`] : []),
    ...(queued > 0 ? [`${queued} in line`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for a person`] : []),
    ...(stuck > 0 ? [`${stuck} stuck`] : []),
  ]
  return parts.join(', ') || 'no work'
}

type Agent = Situation['agents'][number]

const isWorthALine = ({ readiness, doing }: Agent): boolean => readiness !== 'ready' || doing !== null

const READINESS: Record<Readiness, string> = {
  registered: 'not ready',
  ready: 'ready',
  lapsed: 'lost',
  absent: 'not here',
  broken: 'broken',
}

/** How an agent stands, in words. */
const agentText = ({ id, readiness, doing, waiting }: Agent): string => {
  const how = doing === null ? `is ${READINESS[readiness]}` : `is at work: ${oneLine(doing, LONGEST)}`
  return `${id} ${how}${waiting > 0 ? `, and ${count(waiting, 'turn')} ${waiting === 1 ? 'waits' : 'wait'} for it` : ''}`
}

type Approval = Situation['approvals'][number]

const waitsText = ({ approval, agent, opens }: Approval): string =>
  `${agent} waits for a person: ${approval}, to ${oneLine(opens, LONGEST)}`

type Missions = Situation['missions']

const missionLines = ({ open, done }: Missions, more: number): string[] => {
  const size = open.length + more
  if (size === 0 && done.length === 0) return []
  const names = open.slice(0, NAMED).map(({ title, status }) => `${oneLine(title, 60)} (${oneLine(status, 20)})`)
  const rest = size > NAMED ? [`and ${size - NAMED} more`] : []
  return [`missions: ${size} open, ${done.length} done${names.length > 0 ? `: ${[...names, ...rest].join(', ')}` : ''}`]
}

const endedLines = ({ ended: { since, done, failed, cancelled } }: Situation): string[] => {
  if (done + failed + cancelled === 0) return []
  const parts = [
    ...(done > 0 ? [`${done} done`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ]
  return [
    `turns that ended since ${since === null ? 'the beginning' : since.slice(0, 16).replace('T', ' ')}: ${parts.join(', ')}`,
  ]
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const

/** How long something lasted, in its largest unit. */
const ageText = (from: string, to: string): string => {
  const seconds = Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 1000))
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['s', 1]
  return `${Math.floor(seconds / size)}${unit}`
}

/**
 * What changed between two looks that no other post says. That an approval is asked for, or an agent lost, is a post of its
 * own; that the one has waited for long, and the other with work, is not.
 */
export const changesBetween = (before: Situation, after: Situation): Change[] => [
  ...after.approvals
    .filter(({ approval, late }) => late && !before.approvals.some((one) => one.approval === approval && one.late))
    .map((one) => ({
      about: 'approval' as const,
      text: `half of its time is over: ${waitsText(one)}; /approve ${one.approval} or /deny ${one.approval}`,
    })),
  ...after.agents
    .filter(({ id, gone }) => gone && !before.agents.some((one) => one.id === id && one.gone))
    .map((one) => ({ about: 'agent' as const, text: agentText(one) })),
  ...doneSince(before.missions, after.missions).map((id) => ({
    about: 'mission' as const,
    text: `mission done: ${missionText(id, before.missions)}`,
  })),
  ...after.budgets
    .filter((one) => !before.budgets.some((was) => sameBudget(was, one) && was.state === one.state))
    .map(({ state, says }) => ({ about: 'budget' as const, text: `budget ${state}: ${says}` })),
]

/** Of those that were many, the oldest are not remembered: what sorts before all that are was done before. */
const doneSince = (before: Missions, after: Missions): string[] => {
  const oldest = before.done.length < MOST_DONE ? '' : ([...before.done].sort()[0] ?? '')
  return after.done.filter((id) => !before.done.includes(id) && id > oldest)
}

const missionText = (id: string, { open }: Missions): string => {
  const title = open.find((one) => one.id === id)?.title
  return title === undefined ? id : `${title} (${id})`
}

type Budget = Situation['budgets'][number]

const sameBudget = (a: Budget, b: Budget): boolean => a.agent === b.agent && a.of === b.of && a.unit === b.unit

/** Whether a bulletin of the one would tell nothing that one of the other did not. */
export const saysTheSame = (before: Situation, after: Situation): boolean => {
  const { done, failed, cancelled } = after.ended
  return done + failed + cancelled === 0 && JSON.stringify(gist(before)) === JSON.stringify(gist(after))
}

/** What counts, in lists: not how long something has lasted, nor how much exactly of a budget is used, nor in which order a store keeps it. */
const gist = ({ agents, work, approvals, budgets, missions, more }: Situation) => [
  agents.map(({ id, readiness, doing, waiting, gone }) => [id, readiness, doing, waiting, gone]),
  [work.running, work.queued, work.waiting, work.stuck],
  approvals.map(({ approval, late }) => [approval, late]),
  budgets.map(({ agent, of, unit, state }) => [agent, of, unit, state]),
  missions.open.map(({ id, status }) => [id, status]),
  missions.done,
  [more.agents, more.approvals, more.budgets, more.missions],
]
