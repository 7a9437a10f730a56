import type { Entry } from '../shapes/evidence.ts'
import type { FileState, StepOutcome } from '../shapes/turn.ts'
import { undertakingChain } from './drafts.ts'
import type { Engine } from './engine/engine.ts'
import { atPositions, byId, pagesOf } from './read.ts'
import { isSound } from './verify.ts'
import type { Came, Deed, Deeds } from './wall/deeds.ts'

type Source = { engine: Engine }

/** An undertaking's cycle, as far as one must know it to look up what was done in it. */
type Course = { began: number; sessions: Set<string>; holder: string | null }

/**
 * What chains say of each other where work goes on from session to session: the steps that an undertaking names, read from
 * the sessions; and the phases that sessions have entered, read from the undertakings.
 */
export const createUndertaken = ({ engine: { db } }: Source) => {
  const deeds = new Map<string, Deed>()
  const stays = new Map<string, { session: string; over: number | null }>()
  const left = new Map<string, ReadonlyMap<string, FileState | null> | null>()
  const courses = new Map<string, Course>()
  const takenBy = new Map<string, string>()
  const phases = new Map<string, { through: number; list: { position: number; phase: string }[] }>()

  const learnDeed = async (step: string): Promise<void> => {
    const known = deeds.get(step)
    if (known?.ended) return
    const intent = await byId(db, `${step}.intent`)
    if (intent && isSound(intent) && (intent.body === null || intent.body.event === 'step-intended'))
      deeds.set(step, deedOf(intent, await byId(db, `${step}.outcome`), await stayAt(intent)))
  }

  /** The stay that a session was in when it wrote something. */
  const stayAt = async ({ session, position }: Entry): Promise<string | null> => {
    const row = await db
      .selectFrom('entry')
      .select('id')
      .where('session', '=', session)
      .where('event', '=', 'peripheral-started')
      .where('position', '<', position)
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row?.id ?? null
  }

  /** Where the stays are over that have had it: they may have stood when it was last looked. */
  const learnStays = async (): Promise<void> => {
    for (const [stay, { session, over }] of stays) {
      if (over !== null) continue
      const start = await byId(db, stay)
      const stop = start && (await firstAfter(session, start.position))
      if (stop) stays.set(stay, { session, over: stop })
    }
  }

  const firstAfter = async (session: string, position: number): Promise<number | null> => {
    const row = await db
      .selectFrom('entry')
      .select('position')
      .where('session', '=', session)
      .where('event', '=', 'peripheral-stopped')
      .where('position', '>', position)
      .orderBy('position')
      .limit(1)
      .executeTakeFirst()
    return row?.position ?? null
  }

  /** What the sessions of a cycle had left each file as, up to an entry. */
  const learnLeft = async ({ id, position }: Entry, { began, sessions }: Course): Promise<void> => {
    const ends: Entry[] = []
    for (const session of sessions) {
      const rows = await db
        .selectFrom('entry')
        .select('position')
        .where('session', '=', session)
        .where('event', '=', 'step-ended')
        .where('position', '>', began)
        .where('position', '<', position)
        .orderBy('position')
        .execute()
      for (const wanted = rows.map((row) => row.position); wanted.length > 0; ) {
        const page = await atPositions(db, wanted)
        ends.push(...page)
        wanted.splice(0, Math.max(1, page.length))
      }
    }
    ends.sort((a, b) => a.position - b.position)
    left.set(id, ends.every(({ body }) => body !== null) ? leftBy(ends) : null)
  }

  const learnPhases = async (undertaking: string, position: number): Promise<void> => {
    const known = phases.get(undertaking) ?? { through: 0, list: [] }
    phases.set(undertaking, known)
    if ((known.list.at(-1)?.position ?? 0) >= position) return
    for await (const page of pagesOf(db, undertakingChain(undertaking), known.through)) {
      known.through = page.at(-1)?.seq ?? known.through
      known.list.push(...page.flatMap(phasesBy))
    }
  }

  const course = (session: string): Course => {
    const known = courses.get(session) ?? { began: 0, sessions: new Set<string>(), holder: null }
    courses.set(session, known)
    return known
  }

  const taken = async (at: Course, { session, stay }: { session: unknown; stay: unknown }): Promise<void> => {
    at.holder = String(session)
    at.sessions.add(at.holder)
    stays.set(String(stay), { session: at.holder, over: null })
    await learnStays()
  }

  /** The steps that a move from one phase to another names, and what had become of files by then. */
  const moved = async (at: Course, entry: Entry, outputs: unknown): Promise<void> => {
    const { observed = [], validation = [], artifacts = [] } = Object(outputs) as Record<string, unknown>
    for (const step of [observed, validation].flat()) await learnDeed(String(step))
    if ([validation, artifacts].flat().length > 0) await learnLeft(entry, at)
  }

  const follow = async (entry: Entry): Promise<void> => {
    const { body, session, position } = entry
    const at = course(session)
    if (body.event === 'undertaking-taken') await taken(at, body)
    if (body.event === 'cycle-begun') {
      at.began = position
      at.sessions = new Set(at.holder === null ? [] : [at.holder])
    }
    if (body.event === 'cycle-moved') await moved(at, entry, body.outputs)
  }

  /** Reads what an entry names in other chains. What was tampered with may hold anything. */
  const learn = async (entry: Entry): Promise<void> => {
    const { body, session, position } = entry
    if ('undertaking' in body) {
      await learnDeed(String(body.step))
      await follow(entry)
    }
    const outcome = body.event === 'step-ended' ? (Object(body.outcome) as StepOutcome) : null
    if (outcome?.kind !== 'ok') return
    if (outcome.undertaking !== undefined) takenBy.set(session, String(outcome.undertaking))
    const of = takenBy.get(session)
    if (outcome.phase !== undefined && of !== undefined) await learnPhases(of, position)
  }

  return {
    learn,
    deeds: {
      of: (step) => deeds.get(step) ?? null,
      over: (stay) => stays.get(stay)?.over ?? null,
      left: (entry) => left.get(entry) ?? null,
    } satisfies Deeds,
    /** The phase that an undertaking was in at a place of the store; null where it was not there. */
    phaseAt: (undertaking: string, position: number): string | null =>
      phases.get(undertaking)?.list.findLast((one) => one.position < position)?.phase ?? null,
  }
}

const deedOf = (intent: Entry, outcome: Entry | null, stay: string | null): Deed => {
  const { session, author, position, at, body } = intent
  const call = body?.event === 'step-intended' ? { turn: body.turn, ...body.call } : null
  const ended = outcome && outcome.session === session && isSound(outcome) ? outcome : null
  return {
    session,
    agent: author.id,
    stay,
    began: position,
    at,
    call,
    ended: ended?.position ?? null,
    outcome: cameOf(ended),
  }
}

const BADLY: Came = { ok: false, ran: false, argv: [], files: [] }

const cameOf = (ended: Entry | null): Came | null => {
  if (!ended?.body) return null
  const outcome = ended.body.event === 'step-ended' ? ended.body.outcome : null
  if (!outcome || outcome.kind === 'interrupted') return BADLY
  const { run, files = [] } = outcome
  const ok = outcome.kind === 'ok'
  const proves = run?.for === 'test' || run?.for === 'check'
  const empty = run?.report && run.report.passed + run.report.failed === 0
  const ran = proves && !empty && run.exit === 0 && run.ended === 'exit'
  return { ok, ran, argv: run?.argv ?? [], files: files.map(({ path, after }) => ({ path, after })) }
}

const leftBy = (ends: readonly Entry[]): Map<string, FileState | null> => {
  const now = new Map<string, FileState | null>()
  for (const { body } of ends) {
    if (body.event !== 'step-ended' || body.outcome.kind === 'interrupted') continue
    for (const { path, after } of body.outcome.files ?? []) now.set(path, after)
  }
  return now
}

/** The phase that an entry of an undertaking leads to, and where; nothing where it leads to none. */
const phasesBy = ({ body, position }: Entry): { position: number; phase: string }[] => {
  switch (body?.event) {
    case 'undertaking-opened':
    case 'cycle-ended':
      return [{ position, phase: 'setup' }]
    case 'cycle-begun':
      return [{ position, phase: 'observe' }]
    case 'cycle-moved':
      return [{ position, phase: String(body.to) }]
    default:
      return []
  }
}
