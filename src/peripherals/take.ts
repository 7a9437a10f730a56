import { openApprovals } from '../evidence/approvals.ts'
import type { SessionRecord, Store } from '../evidence/store.ts'
import type { Draft } from '../shapes/evidence.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import type { Result } from '../shapes/result.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { ALIKE, type Asks, closedTo, type Decision, gate, type Passed, type Standing } from '../tools/gate.ts'
import { heldAs, type Place } from '../workspace/place.ts'
import { approvalName, readDecision } from './approvals.ts'
import { benchFor, phaseOf } from './bench.ts'
import { stepDrafts } from './drafts.ts'
import { fruitOf } from './fruit.ts'
import { judgeHop } from './hops.ts'
import { callBody, type Ledger, type Stay, waitedBy } from './ledger.ts'
import { createParking } from './parking.ts'
import type { CallRequest } from './request.ts'
import type { Write, Written } from './steps.ts'
import type { Workshop } from './workshop.ts'

/** What became of a request: it has its answer, a person is asked, it runs, or another worker has the session. */
export type Taken =
  | { kind: 'answered' }
  /** Parked: for other agents, and not for a person; then it is in nobody's way. */
  | { kind: 'waits'; parked?: true }
  | { kind: 'fenced' }
  /** Resolves once its outcome was written, or could not be. */
  | { kind: 'runs'; done: Promise<boolean> }

export type Take = ReturnType<typeof createTaking>

/** How long a step may run before somebody looks whether a person has stopped its turn. */
const WATCH_MS = 250

/** Takes one step: the gate, then the intent, then the tool, then the outcome. */
export const createTaking = (workshop: Workshop) => {
  const { store, ledgers, walls, clock } = workshop
  const parking = createParking(workshop)

  return async (request: CallRequest, session: SessionRecord, write: Write): Promise<Taken> => {
    const ledger = await ledgers.of(session.id)
    if (await isOver(store, request.turn, ledger)) return { kind: 'answered' }
    const { open, unwanted } = ledger
    if (open.has(request.step)) return answer(write, [stepDrafts(request, session).ended(INTERRUPTED)], null)
    if (unwanted.has(request.step)) return answer(write, [stepDrafts(request, session).refused(UNWANTED)], null)

    const spec = wallOf(session, ledger)
    const place = await workshop.placeOf(session.agent, request.turn).catch((error: Error) => error.message)
    if (typeof place === 'string')
      return answer(write, [stepDrafts(request, session).refused(refusal('gate-failed', place))], null)
    const at = { request, session, ledger, spec, place, decision: NONE }
    const standing = await standingOf(workshop, at)
    const verdict = await judge(request, standing)
    if (!verdict.ok) return answer(write, refusedDrafts(verdict.refusal, standing, at), at)
    return verdict.value.kind === 'passed' ? proceed(verdict.value, at, write) : ask(verdict.value, standing, at, write)
  }

  async function judge({ step, call }: CallRequest, standing: Standing): Promise<Result<Passed | Asks>> {
    const since = clock()
    const verdict = await gate(call, standing)
    workshop.judged?.(step, since, verdict.ok ? verdict.value.kind : verdict.refusal.code)
    return verdict
  }

  /** The wall that stands: where the config has another by now than the one that was put up, there is none. */
  function wallOf({ peripheral }: SessionRecord, { stay }: Ledger): PeripheralSpec | null {
    return (stay && walls.standing(peripheral ?? '', stay.spec)) ?? null
  }

  /** Only where a person must be asked is it looked up whether one was, and the call judged again with the answer. */
  async function ask(question: Asks, standing: Standing, at: At, write: Write): Promise<Taken> {
    const { request, session } = at
    const entry = stepDrafts(request, session)
    const { asked, overdue, decision } = await readDecision(store, request, clock())
    // Nobody is kept from a path by a question.
    await letGo(question.writes, at)
    if (asked === null) {
      const until = new Date(clock() + workshop.approvalMs).toISOString()
      const { kind } = await write([entry.asks(question, await freeName(request.step), until)])
      if (kind === 'refused') return tooMuch(at, 'a person cannot be asked about it', write)
      return { kind: kind === 'written' ? 'waits' : 'fenced' }
    }
    if (decision.kind !== 'none') return decided({ ...standing, decision }, { ...at, decision }, write)
    if (!overdue) return { kind: 'waits' }
    const late = refusal('approval-lapsed', 'nobody answered in time')
    return answer(write, [entry.lapsed(asked), entry.refused(late)], at)
  }

  /** A name for a question that no other one waits by: what a step is called is for its agent to choose. */
  async function freeName(step: string): Promise<string> {
    const used = new Set((await openApprovals(store, clock())).map(({ approval }) => approval))
    for (let n = 0; ; n++) {
      const name = approvalName(n === 0 ? step : `${step}#${n}`)
      if (!used.has(name)) return name
    }
  }

  /** Writes what a request is answered with; where that is too much to be kept, only that it was. */
  async function answer(write: Write, drafts: Draft[], at: At | null): Promise<Taken> {
    const written = await write(drafts)
    if (written.kind === 'refused' && at) return tooMuch(at, written.why, write)
    // What cannot even be refused is in the way of everything else.
    return { kind: written.kind === 'later' ? 'fenced' : 'answered' }
  }

  async function decided(standing: Standing, at: At, write: Write): Promise<Taken> {
    const verdict = await gate(at.request.call, standing)
    if (!verdict.ok) return answer(write, refusedDrafts(verdict.refusal, standing, at), at)
    return verdict.value.kind === 'passed' ? proceed(verdict.value, at, write) : { kind: 'waits' }
  }

  /** Begins, unless it waits for the turns of others first. */
  async function proceed(passed: Passed, at: At, write: Write): Promise<Taken> {
    if (passed.waits === null) return begin(passed, at, write)
    const parked = await parking.look(passed.waits, at, write)
    switch (parked.kind) {
      case 'over':
        return begin(passed, at, write)
      case 'refused':
        return answer(write, [stepDrafts(at.request, at.session).refused(parked.refusal)], at)
      case 'waits':
        return { kind: 'waits', parked: true }
      case 'fenced':
        return parked
    }
  }

  async function begin(passed: Passed, at: At, write: Write): Promise<Taken> {
    const { request, session, ledger, decision } = at
    const entry = stepDrafts(request, session)
    const approval = decision.kind === 'approved' ? decision.entry : null
    const kept = await snapshotFor(passed, at)
    if (!kept.ok) return answer(write, [entry.refused(kept.refusal)], at)
    const first = kept.tree === null ? [] : [entry.snapshot(kept.tree)]
    // A person may stop the turn at this very moment, or whoever asked give the step up: what was stopped is not begun.
    const stops = [`${request.turn}.stop`, `${request.step}.stop`]
    const ownership = ownedBy(write)
    const begun = await write([...first, entry.intended(passed, approval)], ...stops)
    if (begun.kind !== 'written') return notBegun(begun, at, write)
    const alike = failedAlike(store, request, ledger)
    return { kind: 'runs', done: finish(passed, at, { alike, ownership }, write) }
  }

  async function notBegun(written: Written, at: At, write: Write): Promise<Taken> {
    if (written.kind !== 'refused') return { kind: 'fenced' }
    const { turn, step } = at.request
    const why = (await store.get(`${turn}.stop`)) ? STOPPED : (await store.get(`${step}.stop`)) ? UNWANTED : null
    if (why === null) return tooMuch(at, written.why, write)
    return answer(write, [stepDrafts(at.request, at.session).refused(why)], at)
  }

  async function finish(passed: Passed, at: At, { alike, ownership }: Begun, write: Write): Promise<boolean> {
    const { request, session } = at
    const { objection } = ownership
    const { stay } = at.ledger
    const stop = new AbortController()
    const { given, also } = benchFor({
      workshop,
      request,
      session,
      ledger: at.ledger,
      spec: passed.spec,
      place: at.place,
      signal: stop.signal,
      objection,
    })
    const over = watchForStop(workshop, request, stop)
    const kept = ownership.watch(() => stop.abort())
    const outcome = hinted(await proved(await attempt(() => passed.run(given), objection), at.place), alike)
    over()
    kept()
    if (passed.brief) await release(passed.writes, at)
    else if (changedNothing(outcome)) await letGo(passed.writes, at)
    // What a step was to bring about holds where it ended well.
    const before = outcome.kind === 'ok' ? also.before : []
    const written = await write([...before, stepDrafts(request, session).ended(outcome), ...also.after])
    if (written.kind === 'refused') {
      // It was done, and that must be known: without what it said, where that cannot be kept.
      const bare: StepOutcome = { kind: 'failed', message: `what came of it could not be kept: ${written.why}` }
      return (await write([stepDrafts(request, session).ended(bare)])).kind === 'written'
    }
    const [left] = also.after
    if (written.kind === 'written' && left) await wasLeft(workshop, session.id, left, stay)
    return written.kind === 'written'
  }

  /** Who changes a path holds it: what this session has not changed is free again. That Redis is away does no harm. */
  async function letGo(writes: readonly string[], at: At): Promise<void> {
    const { stay } = at.ledger
    await release(
      writes.filter((path) => !stay?.changes.has(path)),
      at,
    )
  }

  async function release(paths: readonly string[], { session, place }: At): Promise<void> {
    await Promise.allSettled(paths.map((path) => workshop.holds.release(session.id, heldAs(place, path))))
  }

  /** A call that cannot be written down is not made: the refusal has its name, and not what was in it. */
  async function tooMuch({ request, session }: At, why: string, write: Write): Promise<Taken> {
    const bare = stepDrafts({ ...request, call: { tool: request.call.tool.slice(0, 64), args: {} } }, session)
    return answer(write, [bare.refused(refusal('arguments-invalid', `the call could not be kept: ${why}`))], null)
  }

  /** What the workspace was when a test had run: only that is known to pass. */
  async function proved(outcome: StepOutcome, { shadow }: Place): Promise<StepOutcome> {
    if (outcome.kind === 'interrupted' || outcome.run?.for !== 'test') return outcome
    const tree = await shadow.tree().catch(() => undefined)
    return tree === undefined ? outcome : { ...outcome, run: { ...outcome.run, tree } }
  }

  /** Before the first change of a turn, the workspace is kept as it is: what cannot be undone is not done. */
  async function snapshotFor({ writes, sandbox }: Passed, { ledger, place }: At): Promise<Snapshot> {
    const changes = writes.length > 0 || (sandbox !== null && sandbox !== 'read-only')
    if (!changes || ledger.turn?.snapshot) return { ok: true, tree: null }
    try {
      return { ok: true, tree: await place.shadow.tree() }
    } catch (error) {
      const why = `the workspace could not be kept as it is, so nothing is changed: ${(error as Error).message}`
      return { ok: false, refusal: refusal('gate-failed', why) }
    }
  }
}

/** Nobody waits for what was asked in a turn that is over, and it must not be done in another. */
export const isOver = async ({ get }: Pick<Store, 'get'>, turn: string, ledger: Ledger): Promise<boolean> =>
  ledger.turn?.id !== turn && (ledger.turn !== null || (await get(`${turn}.ended`)) !== null)

/** A peripheral was left: what it kept running ends, and the chain is read backwards. */
export const wasLeft = async (
  workshop: Workshop,
  session: string,
  { id, body }: Draft,
  stay: Stay | null,
): Promise<void> => {
  await Promise.all([workshop.sandbox.endTerminals(session), workshop.sources.end(session)])
  const changed = (body.event === 'peripheral-stopped' && body.fruit.changed) || []
  // What a step that was cut off, or a program in a terminal, may have written is not known.
  const known = changed.filter(({ path }) => !stay?.unsure.all && !stay?.unsure.paths.has(path))
  await workshop.verify(session, id, known)
}

const NONE: Decision = { kind: 'none' }
const UNWANTED = refusal('call-cancelled', 'whoever asked for it has given it up')
const STOPPED = refusal('turn-stopped', 'a person has stopped this turn')

type Objection = () => Promise<string | null>
/** What is known of a step when it begins: how often the same call has failed, and whether it is still ours to do. */
type Begun = { alike: number; ownership: Ownership }

type Snapshot = { ok: true; tree: string | null } | { ok: false; refusal: Refusal }

type At = {
  request: CallRequest
  session: SessionRecord
  ledger: Ledger
  spec: PeripheralSpec | null
  /** Where its agent works. */
  place: Place
  decision: Decision
}

const INTERRUPTED: StepOutcome = {
  kind: 'interrupted',
  message: 'no outcome was written, as when a worker dies; it was not run again',
}

const standingOf = async (workshop: Workshop, at: At): Promise<Standing> => {
  const { request, session, ledger, spec, place, decision } = at
  const { turn, steps } = ledger
  const { spills, uploads, sandbox, holds, clock } = workshop
  return {
    spec,
    phase: spec ? phaseOf(ledger, spec) : null,
    mode: await workshop.roomMode(session.room),
    role: turn?.role ?? 'operator',
    stopped: turn?.stopped ?? false,
    spent: {
      steps: turn?.steps ?? 0,
      sessionSteps: steps,
      seconds: turn ? (clock() - turn.started - waitedBy(turn, clock())) / 1000 : 0,
      output: turn?.output ?? 0,
    },
    alike: failedAlike(workshop.store, request, ledger),
    workspace: place.workspace,
    kept: (path) => spills.find(session.id, path) ?? uploads.find(session.room, path),
    sandboxless: sandbox.missing,
    hold: (names) =>
      holds.take(
        session.id,
        session.agent,
        names.map((name) => heldAs(place, name)),
      ),
    hopless: (to) => hopless(workshop, at, to),
    source: (name, wall) => workshop.sources.find(session.id, wall, name, place),
    decision,
  }
}

/** How often a call just like this one has failed; where none has failed, it need not be known what it is like. */
const failedAlike = ({ hashBody }: Pick<Store, 'hashBody'>, { call }: CallRequest, { turn }: Ledger): number =>
  turn && turn.failures.size > 0 ? (turn.failures.get(hashBody(callBody(call))) ?? 0) : 0

/**
 * Why an agent may not go somewhere, whatever its wall says: it does not inhabit it, its token does not name it, or the
 * token of the agent that gave it the work does not.
 */
const strangeTo = async (
  { inhabits }: Workshop,
  { request, session, ledger }: Hopping,
  to: string,
): Promise<string | null> => {
  const given = [request.within ?? null, ledger.turn?.within ?? null]
  const homes = [await inhabits(session.agent), ...given].filter((list) => list !== null)
  const narrow = homes.find((list) => !list.includes(to))
  return narrow ? `${session.agent} cannot inhabit ${to}; it can ${narrow.join(', ')}` : null
}

type Hopping = Pick<At, 'request' | 'session' | 'ledger' | 'spec' | 'place'>

/** Why a hop cannot be: what its exit needs, what the destination needs of the room and of who asked, or stale tests. */
const hopless = async (workshop: Workshop, at: Hopping, to: string): Promise<string | null> => {
  const { walls, profileOf, roomMode } = workshop
  const { session, ledger, spec, place } = at
  if (!ledger.stay || !spec) return 'no peripheral is active'
  const fruit = fruitOf(ledger.stay)
  const specs = walls.for(await profileOf(session.room))
  const verdict = judgeHop(spec, to, fruit, specs)
  if (!verdict.ok) return verdict.why
  const strange = await strangeTo(workshop, at, to)
  if (strange) return strange
  const destination = specs.get(to)
  const asker = { role: ledger.turn?.role ?? 'operator', mode: await roomMode(session.room) } as const
  const closed = destination && closedTo(destination, asker)
  if (closed) return closed.message
  const stale = verdict.when === 'pass' && fruit.tests?.tree !== (await place.shadow.tree())
  return stale ? 'the workspace is not what it was when the tests passed: run them again' : null
}

/** Watches, once a step takes long, whether somebody stops its turn, or does not want it any more; until it is over. */
const watchForStop = ({ store, live }: Workshop, { turn, step }: CallRequest, stop: AbortController): (() => void) => {
  let over: AbortController | null = null
  const watch = (id: string, until: AbortSignal): void => {
    live
      .until(() => store.get(id), until, id)
      .then((asked) => {
        if (asked) stop.abort()
      })
      // Without the store nothing can be stopped, and nothing is written down either: the step ends by itself.
      .catch(() => {})
  }
  const timer = setTimeout(() => {
    over = new AbortController()
    for (const id of [`${turn}.stop`, `${step}.stop`]) watch(id, over.signal)
  }, WATCH_MS)
  return () => {
    clearTimeout(timer)
    over?.abort()
  }
}

/** How long after it was last known to be ours a step may begin without another look, and how often one that runs is looked after. */
const LATE_MS = 1000

type Ownership = ReturnType<typeof ownedBy>

/**
 * Whether a step is still for this worker to do. One that was frozen between a step's intent and its beginning, or that
 * Redis was away from for longer than its job is kept for it, does not know that the session went on without it, and that
 * the step counts as interrupted. What does not begin any more, and what is ended, changes nothing behind anybody's back.
 */
const ownedBy = (write: Write) => {
  /** When it was last known to be ours: what is written proves it. */
  let known = performance.now()
  const objection: Objection = async () => {
    const asked = performance.now()
    if (asked - known < LATE_MS) return null
    if ((await write([])).kind !== 'written') return 'another worker has taken the session over'
    known = asked
    return null
  }
  /** Looks after a step that takes long, until that is over. A store that is away has given nothing to anybody. */
  const watch = (lost: () => void): (() => void) => {
    let looking = false
    const look = async (): Promise<void> => {
      if (looking) return
      looking = true
      const asked = performance.now()
      const ours = await write.isOurs().catch(() => null)
      looking = false
      if (ours === false) lost()
      if (ours === true) known = asked
    }
    const timer = setInterval(() => void look(), LATE_MS)
    return () => clearInterval(timer)
  }
  return { objection, watch }
}

/** Runs a tool, unless that comes too late; what it throws is an outcome like any other. */
const attempt = async (run: () => Promise<StepOutcome>, objection: Objection): Promise<StepOutcome> => {
  try {
    const late = await objection()
    if (late !== null) return { kind: 'failed', message: late }
    return await run()
  } catch (error) {
    return { kind: 'failed', message: (error as Error).message }
  }
}

const changedNothing = (outcome: StepOutcome): boolean => outcome.kind !== 'interrupted' && !outcome.files?.length

/** An agent that fails in the same way for the third time is told so. */
const hinted = (outcome: StepOutcome, alike: number): StepOutcome =>
  outcome.kind === 'failed' && alike + 1 >= ALIKE
    ? { ...outcome, hint: `this very call has now failed ${alike + 1} times: it will not be let through again` }
    : outcome

/** A refusal; and where it is because of a loop, the question to a person, once. */
const refusedDrafts = (why: Refusal, { alike }: Standing, { request, session }: At): Draft[] => {
  const entry = stepDrafts(request, session)
  if (why.code !== 'looping' || alike !== ALIKE) return [entry.refused(why)]
  const text = `${session.agent} tried ${request.call.tool} ${ALIKE} times in the same way, and it failed each time. What should it do instead?`
  return [entry.refused(why), entry.question(text)]
}
