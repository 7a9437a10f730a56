import type { Live } from '../evidence/live.ts'
import { type Steer, steersFrom } from '../evidence/steers.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import type { Finish, Hands, Runner } from '../runners/runner.ts'
import type { RunnerName } from '../shapes/agent.ts'
import type { Author } from '../shapes/evidence.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import type { Progress } from '../shapes/post.ts'
import type { Failure } from '../shapes/runner.ts'
import type { Usage } from '../shapes/usage.ts'
import type { Conversations, Held } from './conversations.ts'
import { createOpening, type Why } from './opening.ts'
import { LONGEST_MS, policies, tellFailure, waitFor } from './policy.ts'
import { type Cut, createSpeaking, inWords, type Spoken, waited } from './speaking.ts'
import type { Heard } from './think.ts'
import type { Conclusion, Write } from './turn.ts'
import { clipped, createWriting, type Writing } from './writing.ts'

/** A turn that the program of an agent works on. */
export type Attended = { turn: TurnRecord; spec: PeripheralSpec; author: Author }

/** A text for the program, and the entries it was made from. */
export type Told = { text: string; from: string[] }

/** An agent of the house that is a program: how it is run, and how patient one is with it. */
export type Resident = {
  runner: Runner
  name: Exclude<RunnerName, 'rehearsal'>
  conversations: Conversations
  /** How a person signs it in, or puts its key right, in a line. */
  signIn: string
  /** Whether its program goes on to show its model tools that are gone, for as long as it runs. */
  clings: boolean
  deadlineMs: number
  quietMs: number
  /** Which models it works with: in this room, at this moment. */
  models: (turn: TurnRecord) => Promise<{ model: string | null; fallback: string | null }>
  /** Gives its program hands for a session. */
  give: (turn: TurnRecord) => Hands
}

export type Options = {
  store: Store
  live: Pick<Live, 'until'>
  progress: (progress: Progress) => void
  /** Resolves when the program has listed the tools that it has now. */
  upToDate: (hands: Hands) => Promise<void>
  /** Whether a session goes on from another one, of which its program knows nothing. */
  isForked: (turn: TurnRecord) => Promise<boolean>
  tell: {
    instructions: (work: Attended) => Promise<string>
    briefing: (work: Attended) => Promise<Told>
    recap: (work: Attended, why: Why) => Promise<Told>
    steer: (work: Attended, steer: Steer) => string
    goOn: (why: string) => string
    /** That a turn takes long. */
    late: string
  }
  spending: {
    /** What that cost; null where the price is not known. */
    cost: (model: string | null, usage: Usage) => number | null
    /** How many tokens fit into one request; null where that is not known. */
    window: (model: string | null) => number | null
    /** Which budget is used up, in a sentence; null where none is. */
    over: (turn: TurnRecord) => Promise<string | null>
  }
  /** The first wait before something is tried again. */
  retryMs: number
  /** Whether a step of a turn waits for a person; and whether one is under way. */
  isWaiting: (turn: TurnRecord) => Promise<boolean>
  isBusy: (turn: TurnRecord) => Promise<boolean>
  /** Told when an agent cannot work until somebody has put something right. */
  trouble: (agent: string, failure: Failure) => void
}

type Given = { work: Attended; resident: Resident; heard: Heard; write: Write; signal: AbortSignal }

/**
 * Has turns done by the program of an agent: tells it what it needs to know, shows what it says, keeps count of what it
 * uses, and deals with each way in which it can fail. There is one owner of a turn's life, and it is here. Null where the
 * signal ended it, or somebody else has the session.
 */
export const createAttending = (options: Options) => {
  const { store, spending } = options
  return async ({ work, resident, heard, write, signal }: Given): Promise<Conclusion | null> => {
    const { turn, author } = work
    const spent = await spending.over(turn)
    if (spent !== null) return { outcome: 'failed', answer: `${unnamed(spent, turn)}: nothing was begun` }
    const lost = new AbortController()
    const ends = AbortSignal.any([signal, lost.signal])
    const writing = await createWriting({ store, turn, author, write, failed: () => lost.abort() })
    const person = (await store.get(turn.id))?.author.id ?? ''
    const opening = createOpening(options, { work, resident, writing, ends })
    const given = { work, resident, heard, writing, person, ends, find: opening.find }
    try {
      const conclusion = await createLife(options, given, await resident.models(turn))()
      await writing.settled()
      return ends.aborted ? null : conclusion
    } finally {
      opening.layDown()
    }
  }
}

type Living = Omit<Given, 'write' | 'signal'> & {
  writing: Writing
  person: string
  ends: AbortSignal
  find: ReturnType<typeof createOpening>['find']
}
type Models = { model: string | null; fallback: string | null }

/** What is to be said next; or how the turn ends; or nothing more, because somebody ended it. */
type Next = { text: string } | Conclusion | null

const createLife = (options: Options, given: Living, models: Models) => {
  const { store, tell } = options
  const { work, resident, heard, writing, ends, find } = given
  const { turn } = work
  const speak = createSpeaking(options, given)
  let { model } = models
  let held: Held | null = null
  /** How often it failed since it last answered. */
  let tries = 0

  const live = async (): Promise<Conclusion | null> => {
    let next = await begin()
    while (next && 'text' in next) next = await after(await say(next.text), next.text)
    return next
  }

  const say = async (text: string): Promise<Spoken> =>
    held ? speak(held, text, model) : { finish: { kind: 'failed', failure: CLOSED }, cut: null }

  /** What is said first: what it should know, and what is asked. */
  const begin = async (): Promise<Next> => {
    const again = writing.wasBegun()
    if (again) await takeUpAgain()
    const opened = await open(null)
    if (!opened || 'outcome' in opened) return opened
    const recap = again || !REMEMBERS.has(opened.why) ? await tell.recap(work, opened.why) : null
    const briefing = await tell.briefing(work)
    const text = [...(recap ? [recap.text] : []), briefing.text].join('\n\n')
    writing.briefed({ text, from: [...new Set([...(recap?.from ?? []), ...briefing.from])] })
    return { text }
  }

  /** What waited for a person when a process ended still does: it goes on when that is decided, and is told how. */
  const takeUpAgain = async (): Promise<void> => {
    const decided = async (): Promise<true | null> => ((await options.isWaiting(turn)) ? null : true)
    const done = async (): Promise<true | null> => ((await options.isBusy(turn)) ? null : true)
    await options.live.until(decided, ends).catch(() => null)
    // A step that is under way is waited for, as long as it may take; one that nobody knows of any more is not.
    const late = AbortSignal.timeout(work.spec.limits.seconds * 1000 + GRACE_MS)
    await options.live.until(done, AbortSignal.any([ends, late])).catch(() => null)
    writing.note('resumed', 'goes on after a restart')
  }

  /** A conversation to speak in; where there is none, it is tried again as often as that makes sense. */
  const open = async (because: Why | null): Promise<{ why: Why } | Conclusion | null> => {
    const found = await find(because, model)
    held = found.ok ? found.held : null
    if (found.ok) return { why: found.why }
    if (ends.aborted) return null
    return (await bear(found.failure)) ?? open(because)
  }

  /** What follows from how an answer ended. */
  const after = async ({ finish, cut }: Spoken, said: string): Promise<Next> => {
    await writing.settled()
    if (ends.aborted || cut === 'stopped') return null
    // What was answered was answered, also where nothing more is left to use.
    if (finish.kind === 'answered') return answered(finish.text)
    return isSpent(cut) ? spent(cut.over) : mend(failureOf(finish, cut, resident.quietMs), said)
  }

  const spent = (over: string): Conclusion =>
    ending('failed', `${unnamed(over, turn)}: the turn was ended. Ask for less, or have the budget raised`)

  const ending = (outcome: Conclusion['outcome'], answer: string): Conclusion => ({
    outcome,
    answer: clipped(answer),
    said: writing.last(),
  })

  /** What people added too late to be heard before is said now. */
  const answered = async (text: string): Promise<Next> => {
    tries = 0
    const added = await steersFrom(store, turn.id, heard.steers)
    // A page that comes when it has answered was answered by that.
    const late = added.filter(({ page }) => !page)
    heard.steers += added.length
    if (late.length === 0) return ending('done', text || NOTHING)
    writing.onTheWay()
    return { text: late.map((line) => tell.steer(work, line)).join('\n\n') }
  }

  /** Tries again, as the policy of the failure says. */
  const mend = async (failure: Failure, said: string): Promise<Next> => {
    writing.giveUp()
    const conclusion = await bear(failure)
    if (conclusion || ends.aborted) return conclusion
    const { anew } = policies[failure.kind]
    const goesOn = !anew && held?.conversation.isOpen()
    return goesOn ? { text: tell.goOn(failure.message) } : reopen(anew ? 'compacted' : null, failure, said)
  }

  /** What was said last is said again where nobody remembers it. */
  const reopen = async (because: Why | null, failure: Failure, said: string): Promise<Next> => {
    const opened = await open(because)
    if (!opened || 'outcome' in opened) return opened
    if (opened.why === 'resumed') return { text: tell.goOn(failure.message) }
    return { text: `${(await tell.recap(work, opened.why)).text}\n\n${said}` }
  }

  /** Waits for as long as a failure asks for; or answers how the turn ends, where nothing more is tried. */
  const bear = async (failure: Failure): Promise<Conclusion | null> => {
    const { says, tries: most, unready, fallback } = policies[failure.kind]
    if (unready) options.trouble(turn.agent, failure)
    tries++
    if (tries <= most && (failure.retryMs ?? 0) <= LONGEST_MS) {
      const wait = waitFor(failure, tries, options.retryMs)
      writing.note('retry', `${says} (${failure.message}): tries again in ${inWords(wait)}, ${tries} of ${most}`)
      await waited(wait, ends)
      return null
    }
    if (!fallback || models.fallback === null || model === models.fallback)
      return ending('failed', tellFailure(failure, resident.signIn))
    model = models.fallback
    tries = 0
    writing.note('fallback', `${says} (${failure.message}): goes on with ${model}`)
    return null
  }

  return live
}

/** A sentence about an agent, as it says it itself: its name stands before all that it says. */
const unnamed = (sentence: string, { agent }: TurnRecord): string => sentence.replace(`${agent} `, '')

const isSpent = (cut: Cut | null): cut is { over: string } => typeof cut === 'object' && cut !== null

const failureOf = (finish: Finish, cut: Cut | null, quietMs: number): Failure => {
  if (cut === 'hung') return { kind: 'hung', message: `nothing for ${inWords(quietMs)}`, retryMs: null }
  return finish.kind === 'failed' ? finish.failure : CLOSED
}

/** A conversation that goes on knows what was said in it; and one that is the first has nothing to know. */
const REMEMBERS: ReadonlySet<Why> = new Set<Why>(['resumed', 'new'])

const GRACE_MS = 60_000
const NOTHING = '(it has no answer)'
const CLOSED: Failure = { kind: 'crashed', message: 'the conversation ended', retryMs: null }
