import { approvals, approve, deny } from './approvals.ts'
import { bell, bells, whistle } from './bells.ts'
import { bind, unwatch, watch } from './bindings.ts'
import { bulletin } from './bulletin.ts'
import { step } from './by-hand.ts'
import { debrief } from './debrief.ts'
import { breakdown, claim, count, evidence, facets, forks, questions, recent, replies, show, tree } from './evidence.ts'
import { createHelp, createWhoami } from './help.ts'
import { hops, steps } from './history.ts'
import { compact, digest, head, verify } from './keeping.ts'
import { checkouts, merge } from './merge.ts'
import { mc, mission, todo } from './missions.ts'
import { more } from './more.ts'
import { networks } from './networks.ts'
import { now } from './now.ts'
import { obligations } from './obligations.ts'
import { type Operation, roleOfPeople } from './operation.ts'
import { ack, pages, tickle } from './pages.ts'
import { pair, people, unpair } from './pairing.ts'
import { pattern, patterns } from './patterns.ts'
import { pause, resume } from './pausing.ts'
import { activity, next, portfolio } from './portfolio.ts'
import { posts } from './posts.ts'
import { profile, profiles } from './profile.ts'
import { proof, proofs } from './proofs.ts'
import { amend, queue, unqueue } from './queue.ts'
import { recall } from './recall.ts'
import { mode, rooms, who } from './rooms.ts'
import { act, hop, leave, seat, start } from './seat.ts'
import { reset, sessions, status } from './sessions.ts'
import { gate, settings, ungate } from './settings.ts'
import { accept, sources } from './sources.ts'
import { steer } from './steer.ts'
import { archive, begin, fork, threads, unarchive } from './threads.ts'
import { mint, revoke, tokens } from './tokens.ts'
import { diff, rewind, undo } from './undo.ts'
import { usage } from './usage.ts'
import { tryCall, wall } from './wall.ts'
import { holds, peripherals, release, stop } from './work.ts'
import { work as workQueue } from './work-queue.ts'
import { world, worlds } from './worlds.ts'

const help = createHelp(() => topics)
const whoami = createWhoami(() => topics)

/** The rows by what they are about, each once: help is ordered by it. */
const persons = [help, who, whoami, people, pair, unpair, tokens, mint, revoke, sources, accept] as const
const work = [
  peripherals,
  wall,
  tryCall,
  start,
  step,
  hop,
  leave,
  seat,
  queue,
  amend,
  unqueue,
  steer,
  stop,
  diff,
  undo,
  rewind,
  merge,
  checkouts,
  holds,
  release,
  usage,
  // missions
  mc,
  mission,
  obligations,
  todo,
  // patterns
  patterns,
  pattern,
  // proofs
  proofs,
  proof,
  portfolio,
  next,
  activity,
  // bells and whistles
  bell,
  whistle,
  bells,
  pause,
  resume,
  // Tickle
  workQueue,
  tickle,
  pages,
  ack,
  // the text world
  world,
  worlds,
] as const
const deciding = [approvals, approve, deny] as const
const watching = [now, posts, status, bulletin, more, watch, unwatch, sessions, debrief, recall, steps, hops] as const
const places = [
  rooms,
  mode,
  gate,
  ungate,
  settings,
  profile,
  profiles,
  threads,
  begin,
  fork,
  archive,
  unarchive,
  bind,
  networks,
  reset,
] as const
const chains = [
  evidence,
  recent,
  show,
  tree,
  replies,
  forks,
  questions,
  claim,
  count,
  facets,
  breakdown,
  digest,
  verify,
  head,
  compact,
] as const
const seats = [act] as const

const rows = [...persons, ...work, ...deciding, ...watching, ...places, ...chains, ...seats] as const

const topics = { work, watching, deciding, rooms: places, evidence: chains, people: persons }

/** Everything that can be asked of Bellhop, once. */
export const operations: readonly Operation[] = rows

/** What people can ask, in a room and elsewhere: agents have tools instead, and a few rows of their own. */
export const commands: readonly Operation[] = operations.filter(({ agents }) => !agents)

/** What people can say in a room: besides, what is for agents elsewhere, and for people who work by hand there. */
export const spoken: readonly Operation[] = operations.filter((row) => roleOfPeople(row) !== null)

/** What each row takes and answers, by its name: types alone, for whoever asks from outside. */
export type Operations = { [Row in (typeof rows)[number] as Row['name']]: NonNullable<Row['types']> }

export const operationNamed = (name: string): Operation | null => operations.find((row) => row.name === name) ?? null
