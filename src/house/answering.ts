import { setTimeout } from 'node:timers/promises'
import { answeredId, type Bell, bellIn, replyTo } from '../evidence/bells.ts'
import { BELLHOP, sessionDraft } from '../evidence/drafts.ts'
import { type Park, parkIn } from '../evidence/parks.ts'
import { oneLine } from '../lib/plain.ts'
import { BELL_TEXT, type Told } from '../shapes/bell.ts'
import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import { isPassing } from '../shapes/refusal.ts'
import type { Social } from '../social/pipeline.ts'
import { type Rung, ringAs } from './bells.ts'
import type { Parts } from './parts.ts'

/** How many entries are read at a time, and how far two looks lie apart at least. */
const PAGE = 200
const APART_MS = 50
const REST_MS = 1000

/** How somebody was told; null where that cannot be said yet. */
type Telling = { told: Told; why: string } | null

/**
 * Sees to it that whoever rang is told what came of it, once. What is open follows from the evidence, from its beginning on
 * and page by page: whatever a worker that died has left is found by the next one. Everything has an id of its own, so that
 * it does no harm where several workers see to the same bell.
 */
export const answerBells = async (parts: Parts, social: Social, signal: AbortSignal): Promise<void> => {
  const { store, live, log } = parts
  const bells = createReader(parts, 'bell-rung', bellIn)
  const parks = createReader(parts, 'parked', parkIn)

  const look = async (): Promise<void> => {
    await bells.read(async ({ bell }) => (await store.get(answeredId(bell))) === null)
    await parks.read(async ({ step }) => (await store.get(`${step}.outcome`)) === null)
    for (const bell of bells.open) if (await answer(bell, parts, social)) bells.open.delete(bell)
    for (const park of parks.open) if (await wakeFor(park, parts)) parks.open.delete(park)
  }

  while (!signal.aborted) {
    // Armed before the look: what is written during it is heard.
    const heard = live.next(signal)
    await look().catch(async (error: Error) => {
      log.warn('bells could not be answered', { error: error.stack ?? error.message })
      await setTimeout(REST_MS, null, { signal }).catch(() => {})
    })
    await heard
    await setTimeout(APART_MS, null, { signal }).catch(() => {})
  }
}

/** Reads the entries of an event as they come, and keeps in mind those that are not settled. */
const createReader = <T>({ store }: Parts, event: EventName, from: (entry: Entry) => T | null) => {
  const open = new Set<T>()
  let cursor = 0
  return {
    open,
    /** One page at a time: what is left is read at the next look. */
    read: async (isOpen: (one: T) => Promise<boolean>): Promise<void> => {
      // Every worker looks whenever anything is written, and most of that is neither: to know that takes one small question.
      if ((await store.lastOf(event)) <= cursor) return
      const found = await store.query({ event, order: 'oldest', cursor, limit: PAGE })
      if (!found.ok) throw new Error(found.refusal.message)
      const { entries, next, through } = found.value
      for (const entry of entries) {
        const one = from(entry)
        if (one !== null && (await isOpen(one))) open.add(one)
      }
      cursor = Math.max(cursor, entries.at(-1)?.position ?? 0, next ?? through)
    },
  }
}

/** Wakes a step when all that it waits for has ended; answers whether there is nothing more to look for. */
const wakeFor = async ({ step, turn, jobs, session }: Park, { store, steps }: Parts): Promise<boolean> => {
  if ((await store.get(`${step}.outcome`)) ?? (await store.get(`${turn}.ended`))) return true
  for (const job of jobs) if (!(await store.get(`${job}.ended`))) return false
  await steps.wake(session)
  return true
}

/** Answers a bell whose job has ended, and writes down how; answers whether that is done. */
const answer = async (bell: Bell, parts: Parts, social: Social): Promise<boolean> => {
  const { store, log } = parts
  if (await store.get(answeredId(bell.bell))) return true
  const end = await store.get(`${bell.job}.ended`)
  if (end?.body?.event !== 'turn-ended') return false
  const telling = await tell(bell, end.body, parts, social)
  if (telling === null) return false
  const { bell: id, job, session, room, to: agent } = bell
  const body = { event: 'bell-answered', bell: id, job, outcome: end.body.outcome, ...telling } as const
  const draft = { id: answeredId(id), session, room, agent, author: BELLHOP, body, inReplyTo: id }
  const written = await store.append([sessionDraft(draft)])
  // Another worker may have been faster: then it is written down, too.
  if (!written.ok && !(await store.get(answeredId(id)))) log.warn('an answer could not be noted', written.refusal)
  return (await store.get(answeredId(id))) !== null
}

type End = BodyOf<'turn-ended'>

const tell = async (bell: Bell, end: End, parts: Parts, social: Social): Promise<Telling> => {
  if (bell.act === 'answer') return { told: 'kept', why: '' }
  if (!bell.byAgent) return { told: 'room', why: '' }
  const asked = await parts.store.get(bell.job)
  const by = asked?.body?.event === 'accepted' ? (asked.body.by ?? '') : ''
  const asker = await askerOf(by, parts)
  if (asker === null) return { told: 'kept', why: `${bell.from} is not known to have been at work` }
  // What it is rung meanwhile would wait behind its turn anyway; by then it is known whether that has waited for this.
  if (asker.ended === null) return null
  if (asker.ended.outcome === 'cancelled')
    return { told: 'kept', why: `the turn that ${bell.from} rang in was stopped` }
  const resumed = await wasResumed(bell, asker.session, parts)
  if (resumed !== false) return resumed && { told: 'resumed', why: '' }
  const reply = await replyTo(parts.store, bell)
  if (reply) return { told: 'rung', why: `by ${reply.bell}` }
  if (!asker.open) return { told: 'kept', why: `the session of ${bell.from} is closed` }
  return ringBack(backOf(bell, end, asker), parts, social)
}

type Asker = {
  session: string
  open: boolean
  peripheral: string
  role: 'viewer' | 'operator' | 'approver' | 'admin'
  within: readonly string[]
  ended: End | null
}

/** The turn that somebody rang in, by the step that rang. */
const askerOf = async (step: string, { store, specs, agents }: Parts): Promise<Asker | null> => {
  const id = step.split('.').slice(0, 2).join('.')
  const [turn, accepted, ended] = await Promise.all([store.turn(id), store.get(id), store.get(`${id}.ended`)])
  if (!turn || accepted?.body?.event !== 'accepted') return null
  const own = (await agents()).find((agent) => agent.id === turn.agent)?.peripherals ?? [...specs.keys()]
  const { role = 'operator', within = own } = accepted.body
  return {
    session: turn.session,
    open: (await store.session(turn.session))?.open === true,
    peripheral: turn.peripheral,
    role,
    within: within.filter((peripheral) => own.includes(peripheral)),
    ended: ended?.body?.event === 'turn-ended' ? ended.body : null,
  }
}

/** Whether a step of the asker has waited for the job and heard what came of it; null where one still waits. */
const wasResumed = async ({ job }: Bell, session: string, { store }: Parts): Promise<boolean | null> => {
  const found = await store.query({ session, event: 'parked', limit: PAGE })
  if (!found.ok) throw new Error(found.refusal.message)
  let undecided = false
  for (const park of found.value.entries.flatMap((entry) => parkIn(entry) ?? [])) {
    if (!park.jobs.includes(job)) continue
    const [intent, outcome, end, over] = await Promise.all([
      store.get(`${park.step}.intent`),
      store.get(`${park.step}.outcome`),
      store.get(`${job}.ended`),
      store.get(`${park.turn}.ended`),
    ])
    const heard = outcome?.body?.event === 'step-ended' && outcome.body.outcome.kind === 'ok'
    if (heard && intent && end && end.position < intent.position) return true
    undecided ||= outcome === null && over === null
  }
  return undecided ? null : false
}

/** What came of a bell, as it is rung back: in the name of who did it, and as far as the turn goes that asked. */
const backOf = (bell: Bell, { outcome, answer: said }: End, { role, within, peripheral }: Asker): Rung => {
  const words = said.trim() === '' ? '(no words)' : said
  const text = [...(outcome === 'done' ? words : `${outcome}: ${words}`)].slice(0, BELL_TEXT / 2).join('')
  const who = { named: answeredId(bell.bell), by: bell.job, from: bell.to, to: bell.from, room: bell.room }
  return { ...who, role, within, peripheral, way: 'bell', act: 'answer', ref: bell.bell, text }
}

const ringBack = async (back: Rung, parts: Parts, social: Social): Promise<Telling> => {
  const rung = await ringAs(back, parts, social)
  if (rung.ok) return { told: 'rung', why: '' }
  if (isPassing(rung.refusal)) return null
  const { message, code } = rung.refusal
  return { told: 'kept', why: oneLine(`${message} [${code}]`, WHY) }
}

const WHY = 300
