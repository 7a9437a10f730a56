import { requestOf } from '../evidence/amendments.ts'
import { steerAt } from '../evidence/steers.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import { stepId } from '../peripherals/request.ts'
import type { Steps } from '../peripherals/steps.ts'
import { asksFor } from '../shapes/bell.ts'
import type { Author } from '../shapes/evidence.ts'
import type { PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import type { StepReport } from '../shapes/turn.ts'
import type { Mind, Place } from './mind.ts'
import type { Conclusion, Write } from './turn.ts'

type Options = {
  store: Pick<Store, 'get'>
  steps: Pick<Steps, 'ask'>
  specs: ReadonlyMap<string, PeripheralSpec>
}

/** A turn that is thought about, and by whom. */
type Pondered = Thought & { mind: Mind }
type Thought = { turn: TurnRecord; spec: PeripheralSpec; author: Author }

/** How far the thinking has come: where the session is, how many calls were made, and what was heard. */
type Progress = { peripheral: string; asked: number; spent: number; answers: string[] }

/** How many of the lines that were added to a turn its mind has heard. */
export type Heard = { steers: number }

/**
 * Lets a mind work on a turn: on its request, and then on each line that was added to it meanwhile, in their order. Where
 * it is follows from the reports alone, so that a turn that is resumed takes the same steps again.
 */
export const createThinking = ({ store, steps, specs }: Options) => {
  /** As many calls as a turn may make in all, let through or not: far more than any wall has steps for. */
  const mostCalls = 2 * Math.max(...[...specs.values()].map(({ limits }) => limits.stepsPerTurn), 1)

  /** Null where the signal ended it, or a person. */
  const think = async (work: Pondered, heard: Heard, signal: AbortSignal): Promise<Conclusion | null> => {
    const at: Progress = { peripheral: work.spec.id, asked: 0, spent: 0, answers: [] }
    let request: string | null = await askedOf(work.turn)
    while (request !== null) {
      const conclusion = await ponder(work, request, at, signal)
      if (!conclusion) return null
      at.answers.push(conclusion.answer)
      if (conclusion.outcome !== 'done') return { ...conclusion, answer: at.answers.join('\n\n') }
      request = await nextAdded(work.turn, heard)
    }
    return { outcome: 'done', answer: at.answers.join('\n\n') }
  }

  /** The next line that was added and asks for something: whoever is paged has answered by coming so far. */
  const nextAdded = async ({ id }: TurnRecord, heard: Heard): Promise<string | null> => {
    for (;;) {
      const added = await steerAt(store, id, heard.steers)
      if (added === null) return null
      heard.steers++
      if (!added.page) return added.text
    }
  }

  /** Each call of the mind is a step, each report goes back to it; calls made together are asked for together. */
  const ponder = async (
    work: Pondered,
    request: string,
    at: Progress,
    signal: AbortSignal,
  ): Promise<Conclusion | null> => {
    const next = thinker(work.mind, request, placeOf(at))
    let reports: StepReport[] | undefined
    for (;;) {
      const thought = next(reports)
      if (!('calls' in thought)) return thought
      const { calls } = thought
      const answers = await askAll(work, calls, at, signal)
      if (!answers) return null
      reports = answers
      at.spent += reports.filter(isSpent).length
      at.peripheral = reachedBy(calls, reports) ?? at.peripheral
      if (hasRunAway(at)) return { outcome: 'failed', answer: 'the agent went on after its steps were spent' }
    }
  }

  const hasRunAway = ({ spent, asked }: Progress): boolean => spent > RUNAWAY || asked > mostCalls

  /** The reports of calls that were made together; null where the signal ended the wait for one, or a person the turn. */
  const askAll = async (
    { turn, author }: Pondered,
    calls: readonly ToolCall[],
    at: Progress,
    signal: AbortSignal,
  ): Promise<StepReport[] | null> => {
    const first = at.asked
    at.asked += calls.length
    const answers = await Promise.all(
      calls.map((call, i) => {
        const step = stepId(turn.id, first + i)
        return steps.ask({ session: turn.session, turn: turn.id, step, author, call }, signal)
      }),
    )
    const reports = answers.filter((answer) => answer !== null)
    // What is stopped is not thought about any further: whoever stopped it is told that it was.
    return reports.length < answers.length || reports.some(isStopped) ? null : reports
  }

  const placeOf = ({ peripheral }: Progress): Place => ({
    peripheral,
    tools: specs.get(peripheral)?.tools ?? [],
    context: {},
  })

  /** What is only told, and asks for nothing, is taken note of: what others answer is never read as a request. */
  const toldIn = async ({ id }: TurnRecord): Promise<string | null> => {
    const body = (await store.get(id))?.body
    const bell = body?.event === 'accepted' ? body.bell : undefined
    if (!bell || asksFor(bell.act)) return null
    return `noted: ${bell.from}, ${bell.act}${bell.ref === null ? '' : ` on ${bell.ref}`}`
  }

  const askedOf = async ({ id }: TurnRecord): Promise<string> => {
    const request = await requestOf(store, id)
    if (request === null) throw new Error(`${id} is no accepted turn`)
    return request
  }

  /** How a mind thinks about turns. */
  return (mind: Mind) => async (work: Thought, heard: Heard, _write: Write, signal: AbortSignal) => {
    const told = await toldIn(work.turn)
    return told === null ? think({ ...work, mind }, heard, signal) : ({ outcome: 'done', answer: told } as const)
  }
}

/** How often a mind may be told that its steps are spent before its turn is ended. */
const RUNAWAY = 3

const isSpent = (report: StepReport): boolean => report.kind === 'refused' && report.refusal.code === 'budget-spent'

const isStopped = (report: StepReport): boolean => report.kind === 'refused' && report.refusal.code === 'turn-stopped'

/** Where a hop led that was let through; null where none was. */
const reachedBy = (calls: readonly ToolCall[], reports: readonly StepReport[]): string | null => {
  const hop = calls.findLast(({ tool }, i) => tool === 'hop' && reports[i]?.kind === 'ok')
  return typeof hop?.args['to'] === 'string' ? hop.args['to'] : null
}

type Idea = { calls: readonly ToolCall[] } | Conclusion

/** A mind that is asked for one thought at a time. What it throws is its failure; what others throw is not. */
const thinker = (mind: Mind, request: string, place: Place): ((reports: StepReport[] | undefined) => Idea) => {
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
