import type { Live } from '../evidence/live.ts'
import { type Steer, steersFrom } from '../evidence/steers.ts'
import type { SessionRecord, Store, TurnRecord } from '../evidence/store.ts'
import { unlessAborted } from '../lib/unless-aborted.ts'
import { stopped } from '../peripherals/drafts.ts'
import type { Steps } from '../peripherals/steps.ts'
import type { Author, Draft } from '../shapes/evidence.ts'
import type { PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { Heard } from './think.ts'
import { type Beginning, type Conclusion, createBegin, type Enter, stoppedBy, turnDrafts, type Write } from './turn.ts'

type Options = {
  store: Store
  live: Pick<Live, 'until'>
  steps: Pick<Steps, 'ask' | 'leave'>
  /** The walls that are put up in a room: narrowed by the profile that holds there. */
  wallsIn: (room: string) => Promise<ReadonlyMap<string, PeripheralSpec>>
  enter: Enter
  /** The steps of a session that were begun and have no outcome. */
  openSteps: (session: string) => Promise<[string, ToolCall][]>
  roomMode: (room: string) => Promise<RoomMode>
  /** Who works as an agent: `unknown` where there is none of that name, `not-here` where it is one that works in other processes only. */
  inhabitantOf: (agent: string) => Promise<Inhabitant | 'unknown' | 'not-here'>
  isReady: (agent: string) => Promise<boolean>
  /** Whether a person has an agent begin nothing more. */
  isPaused?: (agent: string) => Promise<boolean>
  /** Whether an agent comes in by a door: its turns are conducted there. */
  isElsewhere: (agent: string) => Promise<boolean>
}

/** Two ways to stop: take no further turn, and give up the one that runs (it is resumed at the next start). */
export type Stops = { closing: AbortSignal; abandon: AbortSignal }

/** Who works in a peripheral: how it comes to its answer, and the name it signs with. */
export type Inhabitant = { think: Think; author: Author }

/** Works on a turn until there is an answer; null where the signal ended it, or a person. */
type Think = (work: Beginning, heard: Heard, write: Write, signal: AbortSignal) => Promise<Conclusion | null>

type Work = Inhabitant & Beginning

/**
 * Runs the turns of a session, one after the other, in the order they were accepted. A turn is resumed, not rerun:
 * its mind is asked again from the beginning, and every step that has a report already is answered from evidence.
 */
export const createTurns = (options: Options) => {
  const { store, live, steps, wallsIn, openSteps, inhabitantOf, isReady, isElsewhere } = options
  const { isPaused = async () => false } = options
  const begin = createBegin(options)

  const drain = async (session: string, { closing, abandon }: Stops): Promise<void> => {
    const first = await store.nextTurn(session)
    if (!first || (await isElsewhere(first.agent))) return
    const fence = await store.claim(`${session}/turns`)
    const write: Write = async (drafts) => (await store.append(drafts, fence)).ok
    while (!closing.aborted) {
      const turn = await store.nextTurn(session)
      // Work for an agent that is not ready waits, and is looked for again by the sweep.
      if (!turn || !(await isReady(turn.agent)) || (await isHeldUp(turn))) return
      if (!(await run(turn, write, abandon))) return
    }
  }

  /** What has begun goes on, and what is to end is let go; all else waits until a person lets the agent go on. */
  const isHeldUp = async ({ id, agent, status }: TurnRecord): Promise<boolean> =>
    status === 'accepted' && (await isPaused(agent)) && !(await store.get(`${id}.stop`))

  /** Answers whether the turn came to its end and the next one may begin. */
  const run = async (turn: TurnRecord, write: Write, abandon: AbortSignal): Promise<boolean> => {
    const spec = (await wallsIn(turn.room)).get(turn.peripheral)
    const inhabitant = await unlessAborted(abandon, inhabitantOf(turn.agent))
    // It is left as it is: another worker can do it, and the sweep wakes it until one has.
    if (inhabitant === null || inhabitant === 'not-here') return false
    if (spec && inhabitant !== 'unknown') return inhabit({ turn, spec, ...inhabitant }, write, abandon)
    const session = await store.session(turn.session)
    const open = await openSteps(turn.session)
    return write(lost(turn, spec ? turn.agent : turn.peripheral, session, open))
  }

  const inhabit = async (work: Work, write: Write, abandon: AbortSignal): Promise<boolean> => {
    const { turn, author } = work
    const heard: Heard = { steers: 0 }
    const end = async (conclusion: Conclusion) => {
      const late = (await steersFrom(store, turn.id, heard.steers)).filter(({ page }) => !page)
      return write([turnDrafts(turn, author).ended(unheard(conclusion, late))])
    }
    const begun = await begin(work, write)
    if (begun.kind === 'fenced') return false
    if (begun.kind === 'over') return end(begun.conclusion)
    const conclusion = await conduct(work, heard, write, abandon)
    const asked = { session: turn.session, turn: turn.id, author }
    if (!conclusion || !(await steps.leave(asked, abandon))) return false
    return end(conclusion)
  }

  /** Lets the mind work, until it has an answer or a person stops it. Null when the instance goes down. */
  const conduct = async (work: Work, heard: Heard, write: Write, abandon: AbortSignal): Promise<Conclusion | null> => {
    const { turn, think } = work
    const over = new AbortController()
    const stopping = new AbortController()
    const ends = AbortSignal.any([abandon, over.signal])
    const stopId = `${turn.id}.stop`
    const watching = live
      .until(() => store.get(stopId), ends, stopId)
      .then((asked) => {
        if (asked) stopping.abort()
        return asked
      })
      // While the store is away nobody can stop a turn, and the turn finds that out by itself.
      .catch(() => null)
    try {
      const signal = AbortSignal.any([abandon, stopping.signal])
      const conclusion = await think(work, heard, write, signal)
      if (abandon.aborted) return conclusion
      // A step may have heard of the stop first, and the mind come to its end before we did. Where nobody asked for one,
      // somebody else has the session, or nothing can be written: it is looked for again by the sweep.
      const stop = await store.get(stopId)
      return stop ? stoppedBy(stop) : conclusion
    } finally {
      over.abort()
      await watching
    }
  }

  return { drain }
}

/** What was said to a turn when it had come to its end is not lost: the answer says that nobody heard it. */
const unheard = ({ answer, ...how }: Conclusion, late: readonly Steer[]): Conclusion => ({
  ...how,
  answer: [answer, ...late.map(({ text }) => `not heard any more, say it anew: ${text}`)].join('\n\n'),
})

/** How a turn ends whose agent or peripheral is no longer there: signed for the agent, and with no wall left standing. */
const lost = (
  turn: TurnRecord,
  missing: string,
  session: SessionRecord | null,
  open: [string, ToolCall][],
): Draft[] => {
  const author: Author = { kind: 'agent', id: turn.agent, face: 'worker', via: null }
  const entry = turnDrafts(turn, author)
  const ended = entry.ended({ outcome: 'failed', answer: `${missing} is no longer configured here` })
  const steps = open.map(entry.interrupted)
  if (!session?.peripheral) return [...steps, ended]
  const { id, peripheral } = { id: turn.id, peripheral: session.peripheral }
  const stop = { id: `${id}.stopped`, turn: id, peripheral, inReplyTo: `${id}.started` }
  return [...steps, stopped(session, author, { ...stop, fruit: { steps: 0, found: [] } }, null), ended]
}
