import { sessionDraft } from '../evidence/drafts.ts'
import type { Live } from '../evidence/live.ts'
import type { SessionRecord, Store, TurnRecord } from '../evidence/store.ts'
import { seldom } from '../lib/seldom.ts'
import { started, stopped } from '../peripherals/drafts.ts'
import type { Entered } from '../peripherals/entering.ts'
import { stepId } from '../peripherals/request.ts'
import type { Steps } from '../peripherals/steps.ts'
import type { Author, Body, Draft, Entry } from '../shapes/evidence.ts'
import type { PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import type { Role } from '../shapes/person.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { StepReport, TurnOutcome } from '../shapes/turn.ts'
import type { Mind, Place } from './mind.ts'

type Options = {
  store: Store
  live: Pick<Live, 'until'>
  steps: Pick<Steps, 'ask' | 'leave'>
  specs: ReadonlyMap<string, PeripheralSpec>
  enter: (spec: PeripheralSpec, session: string, asker: { role: Role; mode: RoomMode }) => Promise<Entered>
  /** The steps of a session that were begun and have no outcome. */
  openSteps: (session: string) => Promise<[string, ToolCall][]>
  roomMode: (room: string) => Promise<RoomMode>
  mindOf: (agent: string) => Inhabitant | null
  isReady: (agent: string) => Promise<boolean>
}

/** Two ways to stop: take no further turn, and give up the one that runs (it is resumed at the next start). */
export type Stops = { closing: AbortSignal; abandon: AbortSignal }

/** Who works in a peripheral: a mind, and the name it signs with. */
type Inhabitant = { mind: Mind; author: Author }

/** A turn, the wall it begins behind, and who does the work. */
type Work = Inhabitant & { turn: TurnRecord; spec: PeripheralSpec }

type Conclusion = { outcome: TurnOutcome; answer: string }

/**
 * Runs the turns of a session, one after the other, in the order they were accepted. A turn is resumed, not rerun:
 * its mind is asked again from the beginning, and every step that has a report already is answered from evidence.
 */
export const createTurns = ({ store, live, steps, specs, enter, openSteps, roomMode, mindOf, isReady }: Options) => {
  /** As many calls as a turn may make in all, let through or not: far more than any wall has steps for. */
  const mostCalls = 2 * Math.max(...[...specs.values()].map(({ limits }) => limits.stepsPerTurn), 1)

  const drain = async (session: string, { closing, abandon }: Stops): Promise<void> => {
    const fence = await store.claim(`${session}/turns`)
    const write: Write = async (drafts) => (await store.append(drafts, fence)).ok
    while (!closing.aborted) {
      const turn = await store.nextTurn(session)
      // Work for an agent that is not ready waits, and is looked for again by the sweep.
      if (!turn || !(await isReady(turn.agent))) return
      if (!(await run(turn, write, abandon))) return
    }
  }

  /** Answers whether the turn came to its end and the next one may begin. */
  const run = async (turn: TurnRecord, write: Write, abandon: AbortSignal): Promise<boolean> => {
    const spec = specs.get(turn.peripheral)
    const inhabitant = mindOf(turn.agent)
    if (spec && inhabitant) return inhabit({ turn, spec, ...inhabitant }, write, abandon)
    const session = await store.session(turn.session)
    const open = await openSteps(turn.session)
    return write(lost(turn, spec ? turn.agent : turn.peripheral, session, open))
  }

  const inhabit = async (work: Work, write: Write, abandon: AbortSignal): Promise<boolean> => {
    const { turn, author } = work
    const end = (conclusion: Conclusion) => write([drafter(turn, author).turnEnded(conclusion)])
    const begun = await begin(work, write)
    if (begun === null) return false
    if (begun !== BEGUN) return end(begun)
    const conclusion = await conduct(work, abandon)
    const asked = { session: turn.session, turn: turn.id, author }
    if (!conclusion || !(await steps.leave(asked, abandon))) return false
    return end(conclusion)
  }

  /** Puts the wall up, unless it stands already; or says how the turn ends before it began. Null: it is another's. */
  const begin = async ({ turn, spec, author }: Work, write: Write): Promise<typeof BEGUN | Conclusion | null> => {
    const { id, session, room, agent } = turn
    const begins = drafter(turn, author).turnStarted()
    const instead = async (conclusion: Conclusion) => ((await write([begins])) ? conclusion : null)
    if (await store.get(`${id}.peripheral`)) return BEGUN
    const stop = await store.get(`${id}.stop`)
    if (stop) return instead(stoppedBy(stop))
    const entered = await enter(spec, session, await askerOf(turn))
    if (!entered.ok) {
      return instead({ outcome: 'failed', answer: `${entered.refusal.message} [${entered.refusal.code}]` })
    }
    const start = { id: `${id}.peripheral`, turn: id, entry: entered.entry, inReplyTo: `${id}.started` }
    const place = { id: session, room, agent, peripheral: spec.id }
    const wall = started(place, author, spec, { ...start, context: {}, hop: null })
    return (await write([begins, wall])) ? BEGUN : null
  }

  /** Who asked, as the message came in, and the mode the room is in now. */
  const askerOf = async ({ id, room }: TurnRecord) => {
    const accepted = (await store.get(id))?.body
    const role = accepted?.event === 'accepted' ? accepted.role : undefined
    return { role: role ?? 'operator', mode: await roomMode(room) } as const
  }

  /** Lets the mind work, until it has an answer or a person stops it. Null when the instance goes down. */
  const conduct = async (work: Work, abandon: AbortSignal): Promise<Conclusion | null> => {
    const { turn } = work
    const over = new AbortController()
    const stopping = new AbortController()
    const ends = AbortSignal.any([abandon, over.signal])
    const watching = live
      .until(
        seldom(STOP_MS, () => store.get(`${turn.id}.stop`)),
        ends,
      )
      .then((asked) => {
        if (asked) stopping.abort()
        return asked
      })
      // While the store is away nobody can stop a turn, and the turn finds that out by itself.
      .catch(() => null)
    try {
      const signal = AbortSignal.any([abandon, stopping.signal])
      const conclusion = await think(work, signal)
      if (conclusion || abandon.aborted) return conclusion
      const stop = await watching
      return stop && stoppedBy(stop)
    } finally {
      over.abort()
      await watching
    }
  }

  /** Each call of the mind is a step, each report goes back to it; calls made together are asked for together. */
  const think = async ({ turn, spec, mind, author }: Work, signal: AbortSignal): Promise<Conclusion | null> => {
    const ponder = thinker(mind, await requestOf(turn), { peripheral: spec.id, tools: spec.tools, context: {} })
    let reports: StepReport[] | undefined
    let asked = 0
    let spent = 0
    for (;;) {
      const thought = ponder(reports)
      if (!('calls' in thought)) return thought
      const first = asked
      asked += thought.calls.length
      const answers = await Promise.all(
        thought.calls.map((call, i) => {
          const step = stepId(turn.id, first + i)
          return steps.ask({ session: turn.session, turn: turn.id, step, author, call }, signal)
        }),
      )
      reports = answers.filter((answer) => answer !== null)
      if (reports.length < answers.length) return null
      spent += reports.filter(isSpent).length
      if (spent > RUNAWAY || asked > mostCalls)
        return { outcome: 'failed', answer: 'the agent went on after its steps were spent' }
    }
  }

  const requestOf = async ({ id }: TurnRecord): Promise<string> => {
    const accepted = await store.get(id)
    if (accepted?.body.event !== 'accepted') throw new Error(`${id} is no accepted turn`)
    return accepted.body.request
  }

  return { drain }
}

/** How often it is looked for that a person stops a turn: the store may grow a thousand times a second. */
const STOP_MS = 250

const BEGUN = Symbol('begun')

/** How often a mind may be told that its steps are spent before its turn is ended. */
const RUNAWAY = 3

const isSpent = (report: StepReport): boolean => report.kind === 'refused' && report.refusal.code === 'budget-spent'

const stoppedBy = ({ author, body }: Entry): Conclusion => {
  const why = body?.event === 'stop-asked' && body.why !== '' ? `: ${body.why}` : ''
  return { outcome: 'cancelled', answer: `stopped by ${author.id}${why}` }
}

type Thought = { calls: readonly ToolCall[] } | Conclusion

/** A mind that is asked for one thought at a time. What it throws is its failure; what others throw is not. */
const thinker = (mind: Mind, request: string, place: Place): ((reports: StepReport[] | undefined) => Thought) => {
  let thoughts: ReturnType<Mind> | null = null
  return (reports) => {
    try {
      thoughts ??= mind(request, place)
      const { done, value } = reports ? thoughts.next(reports) : thoughts.next()
      return done ? { outcome: 'done', answer: value } : { calls: value }
    } catch (error) {
      return { outcome: 'failed', answer: `the agent failed: ${(error as Error).message}` }
    }
  }
}

type Write = (drafts: Draft[]) => Promise<boolean>

/** How a turn ends whose agent or peripheral is no longer there: signed for the agent, and with no wall left standing. */
const lost = (
  turn: TurnRecord,
  missing: string,
  session: SessionRecord | null,
  open: [string, ToolCall][],
): Draft[] => {
  const author: Author = { kind: 'agent', id: turn.agent, face: 'worker', via: null }
  const entry = drafter(turn, author)
  const ended = entry.turnEnded({ outcome: 'failed', answer: `${missing} is no longer configured here` })
  const steps = open.map(entry.interrupted)
  if (!session?.peripheral) return [...steps, ended]
  const { id, peripheral } = { id: turn.id, peripheral: session.peripheral }
  const stop = { id: `${id}.stopped`, turn: id, peripheral, inReplyTo: `${id}.started` }
  return [...steps, stopped(session, author, { ...stop, fruit: { steps: 0, found: [] } }, null), ended]
}

const drafter = ({ id: turn, session, room, agent, peripheral }: TurnRecord, author: Author) => {
  const draft = (part: string, body: Body, inReplyTo: string) =>
    sessionDraft({
      id: `${turn}.${part}`,
      session,
      room,
      agent,
      author,
      body,
      inReplyTo,
      tags: [`peripheral/${peripheral}`],
    })
  return {
    turnStarted: () => draft('started', { event: 'turn-started', turn }, turn),
    interrupted: ([step, call]: [string, ToolCall]) => {
      const outcome = { kind: 'interrupted', message: 'its turn was ended without it' } as const
      const part = `${step.slice(turn.length + 1)}.outcome`
      return draft(part, { event: 'step-ended', turn, step, tool: call.tool, outcome }, `${step}.intent`)
    },
    turnEnded: ({ outcome, answer }: Conclusion) =>
      draft('ended', { event: 'turn-ended', turn, outcome, answer }, turn),
  }
}
