import type { BodyOf, Entry } from '../../shapes/evidence.ts'
import type { Fruit } from '../../shapes/fruit.ts'
import { mayAct, type Role } from '../../shapes/person.ts'
import type { Finding } from '../complain.ts'
import type { Wall } from './wall.ts'

type Stopped = BodyOf<'peripheral-stopped'>
type Started = BodyOf<'peripheral-started'>

/** A stay that has ended: the entry that says so, and the steps of it that asked for a hop, each with where to. */
export type Left = { id: string; stop: Stopped; hops: ReadonlyMap<string, string>; whole: boolean }

/** What is wrong with the way a peripheral was left: no exit of its wall leads there, or its condition is not true. */
export const wrongExit = ({ peripheral, to, when, fruit }: Stopped, wall: Wall): Finding[] => {
  if (to === undefined && when === undefined) return []
  const ways = wall.exit?.filter((exit) => exit.to.includes(to ?? '')) ?? null
  if (ways?.every((exit) => exit.when !== when)) {
    return [{ rule: 'hop', what: `leaves ${peripheral} for ${to} when ${when}, which is no exit of it` }]
  }
  return isTrue(when ?? '', fruit)
    ? []
    : [{ rule: 'hop', what: `leaves ${peripheral} when ${when}, which its fruit does not show` }]
}

/** What an exit's condition means, for a fruit. A condition that is not known is not true. */
const isTrue = (condition: string, fruit: Fruit): boolean => {
  const { found, changed, checks, tests, deploy, review, world, blocked, cycles } = fruit
  switch (condition) {
    case 'always':
      return true
    case 'found-target':
      return found.length > 0
    case 'changed':
      return Boolean(changed?.length) && !checks?.some(({ ok }) => !ok)
    case 'blocked':
      return blocked === true
    case 'pass':
    case 'fail':
    case 'flaky':
      return tests?.result === condition
    case 'deployed':
      return Boolean(deploy?.pushed.length || deploy?.ran.length)
    case 'reviewed':
      return Boolean(review)
    // A text world: a game that was won, or five moves in a row that were for nothing.
    case 'won':
      return Boolean(world?.won.length)
    case 'stuck':
      return (world?.idle ?? 0) > 4
    case 'cycle-completed':
      return Boolean(cycles)
    default:
      return false
  }
}

/** What is known of the moment a peripheral was started. */
export type Moment = {
  /** The stay that ended before it, in the same turn. */
  left: Left | null
  /** What the person asked for, and as whom. */
  asked: { peripheral: string; role: Role | undefined } | null
  /** Whether the last tests of the session passed, and nothing was changed since. */
  tested: boolean
}

/** What is wrong with the way a peripheral was entered: by a hop that its stop leads to, or as a person may ask for it. */
export const wrongEntry = (entry: Entry, start: Started, wall: Wall, moment: Moment): Finding[] => {
  const wrong = start.hop === undefined ? wrongRequest(start, wall, moment) : wrongHop(entry, start, wall, moment.left)
  const role = moment.asked?.role
  const low = role !== undefined && wall.role !== null && !mayAct(role, wall.role)
  const extra = Object.keys(start.context ?? {}).filter((key) => wall.context?.includes(key) === false)
  return [
    ...(wrong === null ? [] : [wrong]),
    ...(low ? [`starts ${wall.id}, which needs the role ${wall.role}, for a ${role}`] : []),
    ...(extra.length > 0 ? [`carries ${extra.join(', ')}, which ${wall.id} does not take`] : []),
  ].map((what) => ({ rule: 'hop', what }))
}

const wrongHop = ({ inReplyTo }: Entry, start: Started, wall: Wall, left: Left | null): string | null => {
  const { peripheral, hop = '', entry } = start
  if (left === null || inReplyTo !== left.id) return 'hops, and does not answer the stop it hops from'
  const from = left.stop.peripheral
  if (left.stop.to !== peripheral) return `hops to ${peripheral}, and ${from} was not left for it`
  if (left.whole && left.hops.get(hop) !== peripheral) return `hops by ${hop}, which did not ask for ${peripheral}`
  const way = `from-${from}`
  const open = wall.entry === null || (wall.entry.includes(way) && wall.entry.includes(entry ?? ''))
  return open ? null : `enters ${peripheral} from ${from}, which is not among its entries`
}

const wrongRequest = ({ peripheral, entry }: Started, wall: Wall, { asked, tested }: Moment): string | null => {
  const open = ['user-request', 'tests-passed'].includes(entry ?? '') && wall.entry?.includes(entry ?? '') !== false
  if (!open) return `enters ${peripheral} by ${entry ?? 'nothing'}, which is not how it may begin`
  if (entry === 'tests-passed' && !tested)
    return `enters ${peripheral} by passed tests, and none passed on what is there`
  if (asked === null || asked.peripheral === peripheral) return null
  return `begins in ${peripheral}, and the person asked for ${asked.peripheral}`
}
