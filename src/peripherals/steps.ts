import type { Fence } from '../evidence/append.ts'
import type { Store } from '../evidence/store.ts'
import { canBeWrittenLater } from '../shapes/refusal.ts'
import { type Touch, touchOf } from '../tools/touch.ts'
import { createAsking, type Queue } from './asking.ts'
import { createLeaving } from './leaving.ts'
import { answerId, type LeaveRequest, type Request } from './request.ts'
import { createRound } from './round.ts'
import { createTaking, type Taken } from './take.ts'
import type { Workshop } from './workshop.ts'

export type Steps = ReturnType<typeof createSteps>

/** The way to a session's drain, and whether sessions wait for somebody who drains them. */
type Drained = Queue & { isWaitedFor: () => Promise<boolean> }

/**
 * Steps, in the order of their session: side by side where they touch nothing in common, one after the other where they
 * do. Each is an intent before and an outcome after the tool has run. A step that has an outcome is never run again; one
 * that has only an intent was interrupted, and is never run again either.
 */
export const createSteps = (workshop: Workshop, queue: Drained) => {
  const { store, live, clock } = workshop
  const { mailbox } = queue
  const asking = createAsking({ store, live, clock, queue })
  const take = createTaking(workshop)
  const leave = createLeaving(workshop, take)

  const drain = async (session: string, signal: AbortSignal): Promise<void> => {
    // A wake that comes late finds nothing, and takes nothing over from whoever is at it.
    if ((await mailbox.all(session)).length === 0) return
    const fence = await store.claim(`${session}/steps`)
    const box = await mailbox.attend(session)
    const round = createRound({
      items: box.items,
      remove: box.remove,
      touched,
      deal: (asked) => deal(asked, writer(fence)),
    })
    let goneAt = performance.now() + STAY_MS
    const mayStay = async (): Promise<boolean> => {
      if (signal.aborted || round.fenced() || round.waits()) return false
      if (performance.now() < goneAt) return true
      // To go and to come again costs more than many steps: only where that gives another a place.
      goneAt = performance.now() + STAY_MS
      return !(await queue.isWaitedFor().catch(() => true))
    }
    try {
      // An agent that was answered often asks again at once: whoever is still here saves it the way through the queue.
      do {
        while (!signal.aborted && (await round.begin())) await round.next()
        await round.settled()
      } while ((await mayStay()) && (await box.wait(LINGER_MS)))
    } finally {
      // Where it could not be looked for more, as while the store is away, what runs goes on: whoever came next would say that it
      // was interrupted.
      await round.over()
      // Who put something in may have heard that somebody is here, and nobody is any longer.
      const left = await box.leave()
      if (left.some((item) => !round.knows(item))) await queue.wake(session)
    }
  }

  const writer = (fence: Fence): Write => {
    const write: Writing = async (drafts, ...unless) => {
      const { ok, refusal } = { refusal: null, ...(await store.append(drafts, fence, ...unless)) }
      if (ok) return { kind: 'written' }
      return refusal && !canBeWrittenLater(refusal) ? { kind: 'refused', why: refusal.message } : { kind: 'later' }
    }
    return Object.assign(write, { isOurs: () => store.holds(fence) })
  }

  /** Where no step is under way or waits, nobody else writes for the session: there is no need to stand in line. */
  const leaveAtOnce = async (asked: LeaveRequest): Promise<boolean> => {
    const { open } = await workshop.ledgers.of(asked.session)
    if (open.size > 0 || (await mailbox.all(asked.session)).length > 0) return false
    // It takes the session over from a drain that is still here: nothing more is to be left to that one.
    await mailbox.dismiss(asked.session)
    const fence = await store.claim(`${asked.session}/steps`)
    const taken = await deal(asked, writer(fence))
    return taken.kind === 'answered'
  }

  /** What a request would touch; leaving touches everything, and what cannot be read, nothing. */
  const touched = async (asked: Request | null): Promise<Touch> => {
    const none = { reads: [], writes: [] }
    if (asked?.kind !== 'call') return { alone: asked !== null, ...none }
    const { stay } = await workshop.ledgers.of(asked.session)
    return touchOf(asked.call, (stay && workshop.walls.standing(stay.peripheral, stay.spec)) ?? null)
  }

  /** Deals with one request. What cannot be read, and what somebody else put in the box, is taken out and not run. */
  const deal = async (asked: Request, write: Write): Promise<Taken> => {
    if (await store.has(answerId(asked))) return ANSWERED
    const session = await store.session(asked.session)
    if (session?.agent !== asked.author.id || asked.author.kind !== 'agent') return ANSWERED
    return asked.kind === 'call' ? leave.beforeHop(asked, session, write) : leave.atTurnEnd(asked, session, write)
  }

  return {
    ask: asking.ask,
    /** Leaves the peripheral at the end of a turn; answers whether it is left. */
    leave: async (asked: Omit<LeaveRequest, 'kind'>, signal: AbortSignal): Promise<boolean> =>
      (await leaveAtOnce({ kind: 'leave', ...asked })) || (await asking.leave(asked, signal)),
    drain,
  }
}

/** How long a drain that has nothing left to do stays at the mailbox; and how often it looks whether others wait for its place. */
const LINGER_MS = 20
const STAY_MS = 1000

const ANSWERED: Taken = { kind: 'answered' }

/**
 * What writing came to: written; `later` where another worker has the session, or the store is away; `refused` where it
 * will never be written as it is.
 */
export type Written = { kind: 'written' | 'later' } | { kind: 'refused'; why: string }

type Writing = (drafts: Parameters<Store['append']>[0], ...unless: string[]) => Promise<Written>

/** Writes under the fence of a drain, unless there is an entry that forbids it; and says whether that fence still stands. */
export type Write = Writing & { isOurs: () => Promise<boolean> }
