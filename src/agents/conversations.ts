import type { Conversation, Hands, Opened, Opening, Runner } from '../runners/runner.ts'
import type { Failure } from '../shapes/runner.ts'

/** A conversation that goes on, the hands it has, and how full its memory is, from 0 to 1. */
export type Held = {
  session: string
  /** Up to where in the store it is known which walls it has seen: all of them were the same. */
  seen: number
  /**
   * The entry that says it was opened, once it is written; null where it could not be. Where another came after that one,
   * another worker has gone on with the session, and this one knows only half of it.
   */
  opened: Promise<string | null>
  /** The model that it was opened with. */
  model: string | null
  conversation: Conversation
  hands: Hands
  fullness: number
}

type Kept = Held & { busy: boolean; since: number }

type Options = {
  clock: () => number
  /** After which time an idle one is let go, and how many there may be at once. */
  idleMs: number
  most: number
  /** Takes hands away. */
  take: (hands: Hands) => void
  /** How often it is looked which of them are idle. */
  lookMs?: number
}

type Begun = Exclude<Opened, { ok: true }> | { ok: true; held: Held }
type Wanted = Omit<Opening, 'hands'> & {
  runner: Runner
  give: () => Hands
  seen: number
  /** Ends the wait for a place, where there is none. */
  signal: AbortSignal
}

export type Conversations = ReturnType<typeof createConversations>

const LOOK_MS = 5000
const NOT_WRITTEN: Promise<string | null> = Promise.resolve(null)
const GIVEN_UP: Failure = { kind: 'crashed', message: 'it was given up', retryMs: null }

/** A program that cannot even be tried, because a disk is full, for one, has failed like any other. */
const failedToOpen = ({ message }: Error): Extract<Opened, { ok: false }> => ({
  ok: false,
  failure: { kind: 'crashed', message, retryMs: null },
})

/**
 * The conversations that this worker has open, one for a session. One that is idle is let go, and is resumed when it is
 * needed; where there are too many, the one that has been idle for longest.
 */
export const createConversations = ({ clock, idleMs, most, take, lookMs = LOOK_MS }: Options) => {
  const kept = new Map<string, Kept>()
  let waiting: (() => void)[] = []
  let opening = 0

  const wake = (): void => {
    const all = waiting
    waiting = []
    for (const done of all) done()
  }

  const letGo = async (one: Kept): Promise<void> => {
    if (kept.get(one.session) === one) kept.delete(one.session)
    wake()
    take(one.hands)
    // One that cannot be closed any more has ended already.
    await one.conversation.close().catch(() => {})
  }

  const idle = (): Kept[] => [...kept.values()].filter(({ busy }) => !busy).sort((a, b) => a.since - b.since)

  /**
   * Takes a place for one more, of one that is idle where there is none; waits while all of them are at work, as more at
   * once would only slow each other down. Answers whether there is one. It is taken in the moment in which it is seen.
   */
  const takePlace = async (signal: AbortSignal): Promise<boolean> => {
    while (!isFree() && !signal.aborted) await new Promise<void>((done) => waiting.push(done))
    if (signal.aborted) return false
    const [silent] = kept.size + opening < most ? [] : idle()
    opening++
    if (silent) await letGo(silent)
    return true
  }

  const isFree = (): boolean => kept.size + opening < most || idle().length > 0

  const placeFor = async (signal: AbortSignal): Promise<boolean> => {
    signal.addEventListener('abort', wake)
    try {
      return await takePlace(signal)
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  const timer = setInterval(() => {
    for (const one of idle()) if (clock() - one.since >= idleMs || !one.conversation.isOpen()) void letGo(one)
  }, lookMs).unref()

  return {
    /** The conversation of a session, taken up: it is nobody else's, and not let go, until it is laid down. */
    takeUp: (session: string): Held | null => {
      const one = kept.get(session)
      if (!one?.conversation.isOpen()) return null
      one.busy = true
      return one
    },
    /** One that another took the place of is let go already. */
    layDown: ({ session, conversation }: Held): void => {
      const one = kept.get(session)
      if (one?.conversation !== conversation) return
      one.busy = false
      one.since = clock()
      wake()
    },
    /** Begins one for a session, or goes on with it; what the session had before is let go. */
    open: async ({ runner, give, seen, signal, ...wanted }: Wanted): Promise<Begun> => {
      const before = kept.get(wanted.session)
      if (before) await letGo(before)
      if (!(await placeFor(signal))) return { ok: false, failure: GIVEN_UP }
      const hands = give()
      const opened = await runner.open({ ...wanted, hands }).catch(failedToOpen)
      opening--
      if (!opened.ok) {
        take(hands)
        wake()
        return opened
      }
      const { conversation } = opened
      const { session, model } = wanted
      const known = { session, model, seen, opened: NOT_WRITTEN, fullness: 0 }
      const held = { ...known, conversation, hands, busy: true, since: clock() }
      kept.set(session, held)
      return { ok: true, held }
    },
    count: (): number => kept.size,
    close: async (): Promise<void> => {
      clearInterval(timer)
      await Promise.all([...kept.values()].map(letGo))
    },
  }
}
