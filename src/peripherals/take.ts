import type { SessionRecord } from '../evidence/store.ts'
import { seldom } from '../lib/seldom.ts'
import type { Draft } from '../shapes/evidence.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { mayAct } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { ALIKE, type Asks, type Decision, gate, type Passed, type Standing } from '../tools/gate.ts'
import { approvalName, readDecision } from './approvals.ts'
import { benchFor, phaseOf } from './bench.ts'
import { stepDrafts } from './drafts.ts'
import { fruitOf } from './fruit.ts'
import { judgeHop } from './hops.ts'
import { callKey, type Ledger } from './ledger.ts'
import type { CallRequest } from './request.ts'
import type { Write } from './steps.ts'
import type { Workshop } from './workshop.ts'

/** What became of a request: it has its answer, a person is asked, it runs, or another worker has the session. */
export type Taken =
  | { kind: 'answered' }
  | { kind: 'waits' }
  | { kind: 'fenced' }
  /** Resolves once its outcome was written, or could not be. */
  | { kind: 'runs'; done: Promise<boolean> }

export type Take = ReturnType<typeof createTaking>

/** How long a step may run before somebody looks whether a person has stopped its turn, and how often then. */
const WATCH_MS = 250

/** Takes one step: the gate, then the intent, then the tool, then the outcome. */
export const createTaking = (workshop: Workshop) => {
  const { store, ledgers, specs, clock } = workshop

  return async (request: CallRequest, session: SessionRecord, write: Write): Promise<Taken> => {
    const ledger = await ledgers.of(session.id)
    if (ledger.open.has(request.step)) return answer(write, [stepDrafts(request, session).ended(INTERRUPTED)])

    const spec = specs.get(session.peripheral ?? '') ?? null
    const at = { request, session, ledger, spec, decision: NONE }
    const standing = await standingOf(workshop, at)
    const verdict = await gate(request.call, standing)
    if (!verdict.ok) return answer(write, refusedDrafts(verdict.refusal, standing, at))
    return verdict.value.kind === 'passed' ? begin(verdict.value, at, write) : ask(verdict.value, standing, at, write)
  }

  /** Only where a person must be asked is it looked up whether one was, and the call judged again with the answer. */
  async function ask(question: Asks, standing: Standing, at: At, write: Write): Promise<Taken> {
    const { request, session } = at
    const entry = stepDrafts(request, session)
    const { asked, overdue, decision } = await readDecision(store, request, clock())
    if (asked === null) {
      const until = new Date(clock() + workshop.approvalMs).toISOString()
      const written = await write([entry.asks(question, approvalName(request.step), until)])
      return { kind: written ? 'waits' : 'fenced' }
    }
    if (decision.kind !== 'none') return decided({ ...standing, decision }, { ...at, decision }, write)
    if (!overdue) return { kind: 'waits' }
    return answer(write, [entry.lapsed(asked), entry.refused(refusal('approval-denied', 'nobody answered in time'))])
  }

  async function decided(standing: Standing, at: At, write: Write): Promise<Taken> {
    const verdict = await gate(at.request.call, standing)
    if (!verdict.ok) return answer(write, refusedDrafts(verdict.refusal, standing, at))
    return verdict.value.kind === 'passed' ? begin(verdict.value, at, write) : { kind: 'waits' }
  }

  async function begin(passed: Passed, at: At, write: Write): Promise<Taken> {
    const { request, session, ledger, decision } = at
    const entry = stepDrafts(request, session)
    const approval = decision.kind === 'approved' ? decision.entry : null
    const kept = await snapshotFor(passed, at)
    if (!kept.ok) return answer(write, [entry.refused(kept.refusal)])
    const first = kept.tree === null ? [] : [entry.snapshot(kept.tree)]
    // A person may stop the turn at this very moment: what was stopped is not begun.
    const stop = `${request.turn}.stop`
    if (!(await write([...first, entry.intended(passed, approval)], stop))) {
      return (await store.get(stop)) ? answer(write, [entry.refused(STOPPED)]) : { kind: 'fenced' }
    }
    const alike = ledger.turn?.failures.get(callKey(request.call)) ?? 0
    return { kind: 'runs', done: finish(passed, at, alike, write) }
  }

  async function finish(passed: Passed, at: At, alike: number, write: Write): Promise<boolean> {
    const { request, session } = at
    const stop = new AbortController()
    const over = new AbortController()
    const { given, also } = benchFor({
      workshop,
      request,
      session,
      ledger: at.ledger,
      spec: passed.spec,
      signal: stop.signal,
    })
    watchForStop(workshop, request.turn, stop, over.signal)
    const outcome = hinted(await proved(await attempt(() => passed.run(given))), alike)
    over.abort()
    const written = await write([...also.before, stepDrafts(request, session).ended(outcome), ...also.after])
    const [left] = also.after
    if (written && left) await wasLeft(workshop, session.id, left)
    return written
  }

  /** What the workspace was when a test had run: only that is known to pass. */
  async function proved(outcome: StepOutcome): Promise<StepOutcome> {
    if (outcome.kind === 'interrupted' || outcome.run?.for !== 'test') return outcome
    const tree = await workshop.shadow.tree().catch(() => undefined)
    return tree === undefined ? outcome : { ...outcome, run: { ...outcome.run, tree } }
  }

  /** Before the first change of a turn, the workspace is kept as it is: what cannot be undone is not done. */
  async function snapshotFor({ writes, command, spec }: Passed, { ledger }: At): Promise<Snapshot> {
    const mode = command && (command.sandbox ?? spec.sandbox)
    const changes = writes.length > 0 || (mode !== null && mode !== 'read-only')
    if (!changes || ledger.turn?.snapshot) return { ok: true, tree: null }
    try {
      return { ok: true, tree: await workshop.shadow.tree() }
    } catch (error) {
      const why = `the workspace could not be kept as it is, so nothing is changed: ${(error as Error).message}`
      return { ok: false, refusal: refusal('gate-failed', why) }
    }
  }
}

/** A peripheral was left: what it kept running ends, and the chain is read backwards. */
export const wasLeft = async (workshop: Workshop, session: string, { id, body }: Draft): Promise<void> => {
  await workshop.sandbox.endTerminals(session)
  const changed = body.event === 'peripheral-stopped' ? body.fruit.changed : []
  await workshop.verify(session, id, changed ?? [])
}

const NONE: Decision = { kind: 'none' }
const STOPPED = refusal('turn-stopped', 'a person has stopped this turn')

type Snapshot = { ok: true; tree: string | null } | { ok: false; refusal: Refusal }

type At = {
  request: CallRequest
  session: SessionRecord
  ledger: Ledger
  spec: PeripheralSpec | null
  decision: Decision
}

const INTERRUPTED: StepOutcome = {
  kind: 'interrupted',
  message: 'no outcome was written, as when a worker dies; it was not run again',
}

const standingOf = async (workshop: Workshop, { request, session, ledger, spec, decision }: At): Promise<Standing> => {
  const { turn, steps } = ledger
  const { workspace, spills, sandbox, holds, clock } = workshop
  return {
    spec,
    phase: spec ? phaseOf(ledger, spec) : null,
    mode: await workshop.roomMode(session.room),
    role: turn?.role ?? 'operator',
    stopped: turn?.stopped ?? false,
    spent: {
      steps: turn?.steps ?? 0,
      sessionSteps: steps,
      seconds: turn ? (clock() - turn.started) / 1000 : 0,
      output: turn?.output ?? 0,
    },
    alike: turn?.failures.get(callKey(request.call)) ?? 0,
    workspace,
    spilled: (path) => spills.find(session.id, path),
    sandboxless: sandbox.missing,
    hold: (names) => holds.take(session.id, session.agent, names),
    hopless: (to) => hopless(workshop, { session, ledger, spec }, to),
    decision,
  }
}

/** Why a hop cannot be: what its exit needs, what the destination needs of the room and of who asked, or stale tests. */
const hopless = async (
  { specs, roomMode, shadow }: Workshop,
  { session, ledger, spec }: Pick<At, 'session' | 'ledger' | 'spec'>,
  to: string,
): Promise<string | null> => {
  if (!ledger.stay || !spec) return 'no peripheral is active'
  const fruit = fruitOf(ledger.stay)
  const verdict = judgeHop(spec, to, fruit, specs)
  if (!verdict.ok) return verdict.why
  const destination = specs.get(to)
  const mode = await roomMode(session.room)
  if (!destination?.modes.includes(mode))
    return `the room is in ${mode}; ${to} needs ${destination?.modes.join(' or ')}`
  const low = roleObjection(destination, ledger)
  if (low !== null) return low
  const stale = verdict.when === 'pass' && fruit.tests?.tree !== (await shadow.tree())
  return stale ? 'the workspace is not what it was when the tests passed: run them again' : null
}

const roleObjection = ({ id, role }: PeripheralSpec, { turn }: Ledger): string | null => {
  const asked = turn?.role ?? 'operator'
  return mayAct(asked, role) ? null : `${id} needs the role ${role}; who asked is ${asked}`
}

/** Watches, once a step takes long, whether a person stops its turn. */
const watchForStop = ({ store, live }: Workshop, turn: string, stop: AbortController, over: AbortSignal): void => {
  const timer = setTimeout(() => {
    live
      .until(
        seldom(WATCH_MS, () => store.get(`${turn}.stop`)),
        over,
      )
      .then((asked) => {
        if (asked) stop.abort()
      })
      // Without the store nothing can be stopped, and nothing is written down either: the step ends by itself.
      .catch(() => {})
  }, WATCH_MS)
  over.addEventListener('abort', () => clearTimeout(timer))
}

/** Runs a tool; what it throws is an outcome like any other. */
const attempt = async (run: () => Promise<StepOutcome>): Promise<StepOutcome> => {
  try {
    return await run()
  } catch (error) {
    return { kind: 'failed', message: (error as Error).message }
  }
}

/** An agent that fails in the same way for the third time is told so. */
const hinted = (outcome: StepOutcome, alike: number): StepOutcome =>
  outcome.kind === 'failed' && alike + 1 >= ALIKE
    ? { ...outcome, hint: `this very call has now failed ${alike + 1} times: it will not be let through again` }
    : outcome

const answer = async (write: Write, drafts: Draft[]): Promise<Taken> => ({
  kind: (await write(drafts)) ? 'answered' : 'fenced',
})

/** A refusal; and where it is because of a loop, the question to a person, once. */
const refusedDrafts = (why: Refusal, { alike }: Standing, { request, session }: At): Draft[] => {
  const entry = stepDrafts(request, session)
  if (why.code !== 'looping' || alike !== ALIKE) return [entry.refused(why)]
  const text = `${session.agent} tried ${request.call.tool} ${ALIKE} times in the same way, and it failed each time. What should it do instead?`
  return [entry.refused(why), entry.question(text)]
}
