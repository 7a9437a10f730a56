import { sessionDraft } from '../evidence/drafts.ts'
import { hashOf } from '../evidence/hash.ts'
import type { SessionRecord, Store, TurnRecord } from '../evidence/store.ts'
import type { Steps } from '../peripherals/steps.ts'
import type { Author, Body, Draft, Entry } from '../shapes/evidence.ts'
import type { PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import type { StepReport, TurnOutcome } from '../shapes/turn.ts'
import type { Mind } from './mind.ts'

type Options = {
  store: Store
  steps: Pick<Steps, 'ask'>
  specs: ReadonlyMap<string, PeripheralSpec>
  mindOf: (agent: string) => Inhabitant | null
  isReady: (agent: string) => Promise<boolean>
}

/** Two ways to stop: take no further turn, and give up the one that runs (it is resumed at the next start). */
export type Stops = { closing: AbortSignal; abandon: AbortSignal }

/** Who works in a peripheral: a mind, and the name it signs with. */
type Inhabitant = { mind: Mind; author: Author }

type Conclusion = { outcome: TurnOutcome; answer: string; reports: StepReport[] }

/**
 * Runs the turns of a session, one after the other, in the order they were accepted. A turn is resumed, not rerun:
 * its mind is asked again from the beginning, and every step that has a report already is answered from evidence.
 */
export const createTurns = ({ store, steps, specs, mindOf, isReady }: Options) => {
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
  const run = async (turn: TurnRecord, write: Write, signal: AbortSignal): Promise<boolean> => {
    const spec = specs.get(turn.peripheral)
    const inhabitant = mindOf(turn.agent)
    const session = await store.session(turn.session)
    if (!spec || !inhabitant) {
      const open = await openSteps(turn)
      return write(lost(turn, spec ? turn.agent : turn.peripheral, session, open))
    }
    const entry = drafter(turn, inhabitant.author)
    const begun = await write(session?.peripheral ? [entry.turnStarted()] : [entry.turnStarted(), entry.started(spec)])
    const conclusion = begun ? await conduct(turn, inhabitant, signal) : null
    if (!conclusion) return false
    return write([entry.stopped(spec.id, conclusion.reports), entry.turnEnded(conclusion)])
  }

  /** Lets the mind work: each call it makes is a step, each report goes back to it. Null when the signal ended it. */
  const conduct = async (
    turn: TurnRecord,
    { mind, author }: Inhabitant,
    signal: AbortSignal,
  ): Promise<Conclusion | null> => {
    const reports: StepReport[] = []
    const think = thinker(mind, await requestOf(turn))
    for (;;) {
      const thought = think(reports.at(-1))
      if (!('call' in thought)) return { ...thought, reports }
      const asked = { session: turn.session, turn: turn.id, n: reports.length, author, call: thought.call }
      const report = await steps.ask(asked, signal)
      if (!report) return null
      reports.push(report)
      if (reports.filter(isSpent).length > RUNAWAY) {
        return { outcome: 'failed', answer: 'the agent went on after its steps were spent', reports }
      }
    }
  }

  /** The steps of a turn that were begun and have no outcome. */
  const openSteps = async ({ id }: TurnRecord): Promise<Entry[]> => {
    const open: Entry[] = []
    for (let n = 0; ; n++) {
      const [intent, outcome] = [await store.get(`${id}.${n}.intent`), await store.get(`${id}.${n}.outcome`)]
      if (!intent && !outcome) return open
      if (intent && !outcome) open.push(intent)
    }
  }

  const requestOf = async ({ id }: TurnRecord): Promise<string> => {
    const accepted = await store.get(id)
    if (accepted?.body.event !== 'accepted') throw new Error(`${id} is no accepted turn`)
    return accepted.body.request
  }

  return { drain }
}

/** How often a mind may be told that its steps are spent before its turn is ended. */
const RUNAWAY = 3

const isSpent = (report: StepReport): boolean => report.kind === 'refused' && report.refusal.code === 'budget-spent'

type Thought = { call: ToolCall } | { outcome: TurnOutcome; answer: string }

/** A mind that is asked for one thought at a time. What it throws is its failure; what others throw is not. */
const thinker = (mind: Mind, request: string): ((report: StepReport | undefined) => Thought) => {
  let thoughts: ReturnType<Mind> | null = null
  return (report) => {
    try {
      thoughts ??= mind(request)
      const { done, value } = report ? thoughts.next(report) : thoughts.next()
      return done ? { outcome: 'done', answer: value } : { call: value }
    } catch (error) {
      return { outcome: 'failed', answer: `the agent failed: ${(error as Error).message}` }
    }
  }
}

type Write = (drafts: Draft[]) => Promise<boolean>

/** How a turn ends whose agent or peripheral is no longer there: signed for the agent, and with no wall left standing. */
const lost = (turn: TurnRecord, missing: string, session: SessionRecord | null, open: Entry[]): Draft[] => {
  const entry = drafter(turn, { kind: 'agent', id: turn.agent, face: 'worker', via: null })
  const ended = entry.turnEnded({ outcome: 'failed', answer: `${missing} is no longer configured here` })
  const steps = open.map(entry.interrupted)
  return session?.peripheral ? [...steps, entry.stopped(session.peripheral, []), ended] : [...steps, ended]
}

/** The most paths a fruit lists: the steps have them all. */
const FOUND = 200

/** What a turn leaves behind: how many steps it took, and the files that really turned up in them. */
const fruitOf = (reports: StepReport[]) => {
  const found = reports.flatMap((report) => (report.kind === 'ok' ? report.paths : []))
  return { steps: reports.length, found: [...new Set(found)].sort().slice(0, FOUND) }
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
    started: (spec: PeripheralSpec) =>
      draft(
        'peripheral',
        { event: 'peripheral-started', turn, peripheral, tools: spec.tools, spec: hashOf(spec) },
        `${turn}.started`,
      ),
    stopped: (active: string, reports: StepReport[]) =>
      draft(
        'stopped',
        { event: 'peripheral-stopped', turn, peripheral: active, reason: 'turn-ended', fruit: fruitOf(reports) },
        `${turn}.started`,
      ),
    interrupted: ({ id, body }: Entry) => {
      if (body?.event !== 'step-intended') throw new Error(`${id} began no step`)
      const { step, call } = body
      const outcome = { kind: 'interrupted', message: 'its turn was ended without it' } as const
      return draft(
        step.slice(turn.length + 1).concat('.outcome'),
        { event: 'step-ended', turn, step, tool: call.tool, outcome },
        id,
      )
    },
    turnEnded: ({ outcome, answer }: Pick<Conclusion, 'outcome' | 'answer'>) =>
      draft('ended', { event: 'turn-ended', turn, outcome, answer }, turn),
  }
}
