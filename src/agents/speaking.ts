import { setTimeout as pause } from 'node:timers/promises'
import { steerAt } from '../evidence/steers.ts'
import { steadyClock } from '../lib/clock.ts'
import { oneLine } from '../lib/plain.ts'
import type { Finish, Landing, Said } from '../runners/runner.ts'
import type { Usage } from '../shapes/usage.ts'
import type { Attended, Options, Resident } from './attend.ts'
import type { Held } from './conversations.ts'
import { createReckoning } from './reckoning.ts'
import type { Heard } from './think.ts'
import type { Writing } from './writing.ts'

/** What ended an answer that was being given, where it was us: somebody wants it, nothing came, or nothing is left to spend. */
export type Cut = 'stopped' | 'hung' | { over: string }

export type Spoken = { finish: Finish; cut: Cut | null }

type Given = {
  work: Attended
  resident: Resident
  writing: Writing
  heard: Heard
  /** Who asked for the turn. */
  person: string
  ends: AbortSignal
}

type Stop = (why: Cut) => void

type Used = Extract<Said, { kind: 'usage' }>

/** What a turn uses, while it does. */
type Account = {
  said: (text: string) => void
  heard: (text: string) => void
  told: (said: Used) => void
  close: () => Promise<void>
}

/** Says something to the program of an agent and hears what comes of it; whoever wants it to stop is obeyed. */
export const createSpeaking = (options: Options, { work, resident, writing, heard, person, ends }: Given) => {
  const { store, live, tell, spending } = options
  const { turn } = work

  const speak = async (held: Held, text: string, model: string | null): Promise<Spoken> => {
    const { conversation } = held
    const over = new AbortController()
    let cut: Cut | null = null
    const stop: Stop = (why) => {
      cut ??= why
      // Who is gone has stopped.
      conversation.interrupt().catch(() => {})
    }
    const account = accountOf(model, stop)
    const ear = listenTo(held, account)
    const stopped = (): void => stop('stopped')
    if (ends.aborted) return { finish: { kind: 'interrupted' }, cut: 'stopped' }
    ends.addEventListener('abort', stopped)
    const watches = [steering(held, over.signal), patience(held, ear.quietFor, stop, over.signal)]
    try {
      account.said(text)
      const finish = await conversation.speak(text, { model, heard: ear.heard })
      await account.close()
      return { finish, cut }
    } finally {
      ends.removeEventListener('abort', stopped)
      over.abort()
      await Promise.all(watches)
    }
  }

  /** What it says, as it says it. */
  const listenTo = (held: Held, account: Account) => {
    let at = steadyClock()
    let busy = 0
    let message: string | undefined
    const heards: { [K in Said['kind']]: (said: Extract<Said, { kind: K }>) => void } = {
      delta: ({ text, of }) => {
        // Another one is being written: the one before was given up in the middle.
        if (of !== message) writing.giveUp()
        message = of
        account.heard(text)
        options.progress(writing.delta(text))
      },
      message: ({ text }) => writing.message(text),
      tool: ({ state }) => {
        busy += state === 'begun' ? 1 : -1
        writing.onTheWay()
      },
      usage: (said) => {
        held.fullness = fullnessOf(said) ?? held.fullness
        account.told(said)
      },
      alive: () => {},
    }
    return {
      heard: (said: Said): void => {
        at = steadyClock()
        heards[said.kind](said as never)
      },
      /** For how long nothing was heard, where something should be: a tool may take as long as it takes. */
      quietFor: (): number => (busy > 0 ? 0 : steadyClock() - at),
    }
  }

  const fullnessOf = ({ usage, model, window }: Used): number | null => {
    const fits = window ?? spending.window(model)
    const { input, cached, written, output } = counted(usage)
    return fits === null ? null : (input + cached + written + output) / fits
  }

  /** Writes down what is used, as it is told or reckoned; and stops where nothing is left to use. */
  const accountOf = (asked: string | null, stop: Stop): Account => {
    const reckoning = createReckoning()
    let by = asked
    const write = async (usage: Usage | null, reckoned: boolean): Promise<void> => {
      if (usage === null) return
      const cost = spending.cost(by, usage)
      await writing.usage({ model: by, usage, usd: cost, person, ...(reckoned ? { reckoned } : {}) })
      const sentence = await spending.over(turn)
      if (sentence !== null) stop({ over: sentence })
    }
    /** Where the store is away the turn finds that out by itself: what it writes next is not written either. */
    const note = (usage: Usage | null, reckoned: boolean): void => void write(usage, reckoned).catch(() => {})
    return {
      said: reckoning.said,
      heard: (text) => note(reckoning.heard(text), true),
      told: ({ usage, model }) => {
        by = model === null ? by : oneLine(model, NAME_LENGTH)
        note(reckoning.told(counted(usage)), false)
      },
      close: () => write(reckoning.rest(), true),
    }
  }

  /** Hands on what people add while it works, in their order; what comes too late for that is said afterwards. */
  const steering = async ({ conversation }: Held, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const n = heard.steers
      const id = `${turn.id}.steer-${n}`
      const added = await live.until(() => steerAt(store, turn.id, n), signal, id).catch(() => null)
      if (added === null) return
      const landing = await conversation.steer(tell.steer(work, added)).catch(() => null)
      if (landing === null) return
      heard.steers = n + 1
      writing.note('steer', LANDINGS[landing])
    }
  }

  /** Says when it takes long, and gives it up when nothing comes any more. */
  const patience = async (
    { conversation }: Held,
    quietFor: () => number,
    stop: Stop,
    signal: AbortSignal,
  ): Promise<void> => {
    const { quietMs, deadlineMs } = resident
    while (await waited(Math.max(10, Math.min(quietMs / 4, LOOK_MS)), signal)) {
      if (quietFor() >= quietMs) return stop('hung')
      if (!writing.isLate(deadlineMs)) continue
      writing.note('slow', `has been at it for ${inWords(deadlineMs)}; /stop ends it`)
      await conversation.steer(tell.late).catch(() => null)
    }
  }

  return speak
}

const LOOK_MS = 5000
const NAME_LENGTH = 100
/** More than any model has ever been sent at once: what a provider says beyond that is no count. */
const MOST_TOKENS = 1_000_000_000

/** What a provider says that was used, as a count: it can say anything. */
const counted = (usage: Usage): Usage => {
  const count = (n: number): number => (Number.isFinite(n) ? Math.min(Math.max(0, Math.trunc(n)), MOST_TOKENS) : 0)
  const { input, cached, written, output, reasoning } = usage
  return {
    input: count(input),
    cached: count(cached),
    written: count(written),
    output: count(output),
    reasoning: count(reasoning),
  }
}

const LANDINGS: Record<Landing, string> = {
  now: 'hears it at once',
  'after-step': 'hears it after the step that runs',
  'after-answer': 'hears it after the answer it is writing',
}

/** Waits; answers whether nobody ended the wait. */
export const waited = async (ms: number, signal: AbortSignal): Promise<boolean> => {
  await pause(ms, null, { signal, ref: false }).catch(() => {})
  return !signal.aborted
}

export const inWords = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`
}
