import type { Fence } from '../evidence/append.ts'
import type { Store } from '../evidence/store.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { StepReport } from '../shapes/turn.ts'
import { type Touch, touchOf } from '../tools/touch.ts'
import { readDecision } from './approvals.ts'
import { createLeaving } from './leaving.ts'
import { answerId, type CallRequest, type LeaveRequest, type Request } from './request.ts'
import { createRound } from './round.ts'
import { createTaking, type Taken } from './take.ts'
import type { Workshop } from './workshop.ts'

type Queue = {
  /** Where requests wait for their session's drain. */
  mailbox: {
    put: (session: string, item: string) => Promise<void>
    all: (session: string) => Promise<string[]>
    remove: (session: string, item: string) => Promise<void>
  }
  wake: (session: string) => Promise<void>
}

export type Steps = ReturnType<typeof createSteps>

/** How often a request that nobody answered is asked again: Redis may have lost it. */
const AGAIN_MS = 2000

/**
 * Steps, in the order of their session: side by side where they touch nothing in common, one after the other where they
 * do. Each is an intent before and an outcome after the tool has run. A step that has an outcome is never run again; one
 * that has only an intent was interrupted, and is never run again either.
 */
export const createSteps = (workshop: Workshop, { mailbox, wake }: Queue) => {
  const { store, live, clock } = workshop
  const take = createTaking(workshop)
  const leave = createLeaving(workshop, take)

  /** Puts a request in line and waits for its answer; null when the signal ended the wait. */
  const request = async (asked: Request, signal: AbortSignal): Promise<Entry | null> => {
    const item = JSON.stringify(asked)
    let woken = 0
    return live.until(async () => {
      const answer = await store.get(answerId(asked))
      // Looking again at every hint, but asking again only now and then.
      if (answer || Date.now() - woken < AGAIN_MS) return answer
      if (asked.kind === 'call' && (await waits(asked))) return null
      woken = Date.now()
      await mailbox.put(asked.session, item)
      const late = await store.get(answerId(asked))
      if (late) await mailbox.remove(asked.session, item)
      else await wake(asked.session)
      return late
    }, signal)
  }

  /** Whether a person is being asked: there is nothing to wake until one answers, or the time is up. */
  const waits = async (request: CallRequest): Promise<boolean> => {
    const { asked, overdue, decision } = await readDecision(store, request, clock())
    return asked !== null && decision.kind === 'none' && !overdue
  }

  const drain = async (session: string, signal: AbortSignal): Promise<void> => {
    // A wake that comes late finds nothing, and takes nothing over from whoever is at it.
    if ((await mailbox.all(session)).length === 0) return
    const fence = await store.claim(`${session}/steps`)
    const round = createRound({
      items: () => mailbox.all(session),
      remove: (item) => mailbox.remove(session, item),
      touched,
      deal: (asked) => deal(asked, writer(fence)),
    })
    while (!signal.aborted && (await round.begin())) await round.next()
    await round.settled()
  }

  const writer =
    (fence: Fence): Write =>
    async (drafts, unless) => {
      const { ok, refusal } = { refusal: null, ...(await store.append(drafts, fence, unless)) }
      if (ok) return { kind: 'written' }
      return refusal && !LATER.has(refusal.code) ? { kind: 'refused', why: refusal.message } : { kind: 'later' }
    }

  /** Where no step is under way, nobody else writes for the session: there is no need to stand in line. */
  const leaveAtOnce = async (asked: LeaveRequest): Promise<boolean> => {
    const { open } = await workshop.ledgers.of(asked.session)
    if (open.size > 0) return false
    const fence = await store.claim(`${asked.session}/steps`)
    const taken = await deal(asked, writer(fence))
    return taken.kind === 'answered'
  }

  /** What a request would touch; leaving touches everything, and what cannot be read, nothing. */
  const touched = async (asked: Request | null): Promise<Touch> => {
    const none = { reads: [], writes: [] }
    if (asked?.kind !== 'call') return { alone: asked !== null, ...none }
    const session = await store.session(asked.session)
    return touchOf(asked.call, workshop.specs.get(session?.peripheral ?? '') ?? null)
  }

  /** Deals with one request. What cannot be read, and what somebody else put in the box, is taken out and not run. */
  const deal = async (asked: Request, write: Write): Promise<Taken> => {
    if (await store.get(answerId(asked))) return ANSWERED
    const session = await store.session(asked.session)
    if (session?.agent !== asked.author.id || asked.author.kind !== 'agent') return ANSWERED
    return asked.kind === 'call' ? leave.beforeHop(asked, session, write) : leave.atTurnEnd(asked, session, write)
  }

  return {
    /** Asks for a step and waits for its report. */
    ask: async (asked: Omit<CallRequest, 'kind'>, signal: AbortSignal): Promise<StepReport | null> => {
      const entry = await request({ kind: 'call', ...asked }, signal)
      return entry && reportIn(entry)
    },
    /** Leaves the peripheral at the end of a turn; answers whether it is left. */
    leave: async (asked: Omit<LeaveRequest, 'kind'>, signal: AbortSignal): Promise<boolean> => {
      const whole: LeaveRequest = { kind: 'leave', ...asked }
      return (await leaveAtOnce(whole)) || (await request(whole, signal)) !== null
    },
    drain,
  }
}

const ANSWERED: Taken = { kind: 'answered' }

const LATER: ReadonlySet<string> = new Set(['fenced', 'store-full', 'store-failed'])

/**
 * What writing came to: written; `later` where another worker has the session, or the store is away; `refused` where it
 * will never be written as it is.
 */
export type Written = { kind: 'written' | 'later' } | { kind: 'refused'; why: string }

/** Writes under the fence of a drain, unless there is an entry that forbids it. */
export type Write = (drafts: Parameters<Store['append']>[0], unless?: string) => Promise<Written>

const reportIn = ({ id, body }: Entry): StepReport => {
  if (body?.event === 'step-ended') return body.outcome
  if (body?.event === 'step-refused') return { kind: 'refused', refusal: body.refusal }
  throw new Error(`${id} is no report of a step`)
}
