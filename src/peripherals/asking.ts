import type { Live } from '../evidence/live.ts'
import { isParked } from '../evidence/parks.ts'
import type { Store } from '../evidence/store.ts'
import { type Clock, steadyClock } from '../lib/clock.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { StepReport } from '../shapes/turn.ts'
import { readDecision } from './approvals.ts'
import { answerId, type CallRequest, type LeaveRequest, type Request } from './request.ts'

/** The way to a session's drain: where requests wait for it, and what wakes it. */
export type Queue = {
  mailbox: {
    /** Answers whether somebody was at the mailbox, and has heard of it. */
    put: (session: string, item: string) => Promise<boolean>
    all: (session: string) => Promise<string[]>
    /** Comes to the mailbox, to take out what is there. */
    attend: (session: string) => Promise<Attendance>
    /** Sends whoever is there away. */
    dismiss: (session: string) => Promise<void>
  }
  wake: (session: string) => Promise<void>
}

/** Somebody at a mailbox, who takes out what was dealt with. */
type Attendance = {
  items: () => Promise<string[]>
  remove: (item: string) => Promise<void>
  /** Waits a little for something to come; answers whether there is anything. */
  wait: (ms: number) => Promise<boolean>
  /** Goes, and answers what is left there. */
  leave: () => Promise<string[]>
}

type Options = { store: Store; live: Pick<Live, 'until'>; clock: Clock; queue: Queue }

export type Asking = ReturnType<typeof createAsking>

/** How often a request that nobody answered is asked again: Redis may have lost it. */
const AGAIN_MS = 2000

/** Asks a session's drain, in whichever process it is, and waits for the evidence of its answer. */
export const createAsking = ({ store, live, clock, queue: { mailbox, wake } }: Options) => {
  /** Puts a request in line and waits for its answer; null when the signal ended the wait. */
  const request = async (asked: Request, signal: AbortSignal, isNew = false): Promise<Entry | null> => {
    const item = JSON.stringify(asked)
    const id = answerId(asked)
    let woken: number | null = null
    const look = async (): Promise<Entry | null> => (isNew && woken === null ? null : store.get(id))
    const again = async (told: Entry | null): Promise<Entry | null> => {
      const answer = told ?? (await look())
      // Looking again at every hint, but asking again only now and then.
      if (answer || (woken !== null && steadyClock() - woken < AGAIN_MS)) return answer
      if (woken === null || !(await waits(asked))) await put()
      return null
    }
    const put = async (): Promise<void> => {
      const retried = woken !== null
      woken = steadyClock()
      const heard = await mailbox.put(asked.session, item)
      // Whoever said to have heard of it may have died since.
      if (!heard || retried) await wake(asked.session)
    }
    return live.until(again, signal, id)
  }

  /** Whether a person is being asked, or others are waited for: there is nothing to wake until then, or until the time is up. */
  const waits = async (call: Request): Promise<boolean> => {
    if (call.kind !== 'call') return false
    const { asked, overdue, decision } = await readDecision(store, call, clock())
    if (asked !== null && decision.kind === 'none' && !overdue) return true
    return isParked(store, call.step, clock())
  }

  return {
    /** Asks for a step and waits for its report. */
    /** One that is new cannot have been answered yet: nobody looks. */
    ask: async (asked: Omit<CallRequest, 'kind'>, signal: AbortSignal, isNew = false): Promise<StepReport | null> => {
      const entry = await request({ kind: 'call', ...asked }, signal, isNew)
      return entry && reportIn(entry)
    },
    /** Leaves the peripheral at the end of a turn; answers whether it is left. */
    leave: async (asked: Omit<LeaveRequest, 'kind'>, signal: AbortSignal): Promise<boolean> =>
      (await request({ kind: 'leave', ...asked }, signal)) !== null,
  }
}

const reportIn = ({ id, body }: Entry): StepReport => {
  if (body?.event === 'step-ended') return body.outcome
  if (body?.event === 'step-refused') return { kind: 'refused', refusal: body.refusal }
  throw new Error(`${id} is no report of a step`)
}
