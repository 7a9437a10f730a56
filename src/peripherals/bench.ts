import type { Page } from '../evidence/find.ts'
import type { SessionRecord } from '../evidence/store.ts'
import type { Draft } from '../shapes/evidence.ts'
import type { Fruit } from '../shapes/fruit.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import type { Outputs } from '../shapes/undertaking.ts'
import type { Standpoint } from '../tools/control.ts'
import type { Given } from '../tools/gate.ts'
import type { Ringing } from '../tools/tool.ts'
import type { Place } from '../workspace/place.ts'
import { reachOf } from '../workspace/scope.ts'
import { started, stepDrafts, stopped } from './drafts.ts'
import { fruitOf } from './fruit.ts'
import { contextFor, judgeHop } from './hops.ts'
import type { Ledger } from './ledger.ts'
import { joined } from './parking.ts'
import type { CallRequest } from './request.ts'
import type { Workshop } from './workshop.ts'

type Options = {
  workshop: Workshop
  request: CallRequest
  session: SessionRecord
  ledger: Ledger
  spec: PeripheralSpec
  place: Place
  signal: AbortSignal
  /** Why nothing of it may be begun any more; null where it may. */
  objection: () => Promise<string | null>
}

/** What a tool works with in this step; and the entries that are to be written with its outcome. */
export const benchFor = (options: Options): { given: Given; also: { before: Draft[]; after: Draft[] } } => {
  const { workshop, request, session, ledger, spec, place, signal, objection } = options
  const also = { before: [] as Draft[], after: [] as Draft[] }
  const { id, room } = session
  const progress = (text: string) => workshop.progress({ room, session: id, step: request.step, text })
  const standpoint: Standpoint = {
    room,
    session: id,
    agent: session.agent,
    turn: request.turn,
    step: request.step,
    author: request.author,
    workspace: place.workspace,
    shows: reachOf(spec.scope).mayRead,
    keep: (draft) => void also.before.push(draft),
  }
  const stay = { started: ledger.stay?.started ?? '', undertaking: ledger.stay?.undertaking ?? null }
  // What few tools need is made when it is asked for.
  const given: Given = {
    step: request.step,
    session: session.id,
    path: workshop.path,
    signal,
    seen: (name) => ledger.seen.get(name) ?? null,
    keep: place.shadow.keep,
    tree: place.shadow.tree,
    changes: place.shadow.changes,
    spill: (text) => workshop.spills.write(session.id, request.step, text),
    progress,
    execute: (command) =>
      workshop.sandbox.execute(command, { spec, place, signal, objection, said: command.quiet ? () => {} : progress }),
    get terminals() {
      return workshop.sandbox.terminals(session.id, { spec, place, objection })
    },
    ask: (filters) => askEvidence(options, filters),
    reflect: async (words) => {
      const review = { facts: await factsOf(options), ...words }
      also.before.push(stepDrafts(request, session).reviewed(review))
      return done(`the session was reviewed: ${JSON.stringify(review.facts)}`)
    },
    get control() {
      return workshop.control(standpoint)
    },
    get library() {
      return workshop.library(standpoint)
    },
    advance: async (outputs) => advance(options, outputs),
    get desk() {
      return workshop.desk({ ...standpoint, stay, spec })
    },
    hop: async ({ to }) => hop(options, to, also.after),
    ring: (words) => ring(options, words),
    joined: () => joined(workshop, request),
    tickle: workshop.tickle,
    get world() {
      const { turn, step, author } = request
      return workshop.world({ room, agent: session.agent, turn, step, author })
    },
  }
  return { given, also }
}

const done = (output: string): StepOutcome => ({ kind: 'ok', output, paths: [], cut: null })
const failed = (message: string): StepOutcome => ({ kind: 'failed', message })

/** Rings for another agent; the pipeline says why not, where it does not let it. */
const ring = async ({ workshop, request, session }: Options, words: Ringing): Promise<StepOutcome> => {
  const rung = await workshop.bells.ring(words, { request, session })
  if (rung.ok) return done(`${rung.value.to} has it: the job is ${rung.value.job}`)
  const { code, message, remedy } = rung.refusal
  return failed(`${message} [${code}]; ${remedy}`)
}

/** Goes over to the next phase, once what this one owes was said. */
const advance = ({ ledger, spec }: Options, outputs: Outputs): StepOutcome => {
  const at = spec.phases.findIndex(({ id }) => id === phaseOf(ledger, spec))
  const [here, next] = [spec.phases[at], spec.phases[at + 1]]
  if (!here || !next) return failed(`${here?.id ?? spec.id} is the last phase of ${spec.id}`)
  const owed = here.outputs.filter((name) => [outputs[name] ?? ''].flat().join('').trim() === '')
  if (owed.length > 0) return failed(`to leave ${here.id}, say ${owed.join(', ')}`)
  const tools = next.tools.join(', ')
  return { kind: 'ok', output: `${spec.id} is in ${next.id}: ${tools}`, paths: [], cut: null, phase: next.id }
}

/** The phase a stay is in: its first one, until it advanced. */
export const phaseOf = ({ stay }: Ledger, { phases }: PeripheralSpec): string | null =>
  stay?.phase ?? phases[0]?.id ?? null

/**
 * Leaves for another peripheral: one stop, one start that answers it, written with the outcome of the step. The wall that
 * goes up is that of the profile which holds by now.
 */
const hop = async (
  { workshop, request, session, ledger, spec }: Options,
  to: string,
  after: Draft[],
): Promise<StepOutcome> => {
  const { stay } = ledger
  const specs = workshop.walls.for(await workshop.profileOf(session.room))
  const destination = specs.get(to)
  const fruit = stay && fruitOf(stay)
  const verdict = fruit && judgeHop(spec, to, fruit, specs)
  if (!fruit || !destination || !verdict?.ok) return failed(verdict?.ok === false ? verdict.why : `there is no ${to}`)
  const { turn, step, author } = request
  const context = contextFor(destination, fruit, stay.context)
  const [stop, start] = [`${step}.stopped`, `${step}.peripheral`]
  after.push(
    stopped(
      session,
      author,
      { id: stop, turn, peripheral: spec.id, fruit, inReplyTo: `${step}.outcome` },
      { to, when: verdict.when },
    ),
    started(session, author, destination, {
      id: start,
      turn,
      entry: `from-${spec.id}`,
      inReplyTo: stop,
      context,
      hop: step,
    }),
  )
  const carried = Object.keys(context).length > 0 ? ` with ${JSON.stringify(context)}` : ''
  return done(`in ${to}${carried}; the tools here are ${destination.tools.join(', ')}`)
}

/** What the session's own evidence says it did: the part of a review that nobody can dress up. */
const factsOf = async ({ workshop: { store }, session }: Options) => {
  const number = async (filters: Record<string, string>): Promise<number> => {
    const counted = await store.count({ session: session.id, ...filters })
    return counted.ok ? counted.value : 0
  }
  const fruits: Fruit[] = []
  for await (const page of store.pages(session.id)) {
    fruits.push(...page.flatMap(({ body }) => (body?.event === 'peripheral-stopped' ? [body.fruit] : [])))
  }
  const changed = new Set(fruits.flatMap((fruit) => (fruit.changed ?? []).map(({ path }) => path)))
  return {
    turns: await number({ event: 'turn-started' }),
    steps: await number({ event: 'step-intended' }),
    refused: await number({ event: 'step-refused' }),
    failed: await number({ event: 'step-ended', outcome: 'failed' }),
    changed: [...changed].sort().slice(0, FACT_FILES),
    tests: fruits.flatMap(({ tests }) => tests?.result ?? []).at(-1) ?? 'none',
  }
}

const FACT_FILES = 100

/** What the scope adds to a question: an agent sees its own session, its room, or everything, as its wall says. */
const askEvidence = async (
  { workshop, session, spec }: Options,
  filters: Record<string, unknown>,
): Promise<Result<{ text: string; count: number }>> => {
  const bounds = { none: null, session: { session: session.id }, room: { room: session.room }, all: {} }
  const bound = bounds[spec.scope.evidence]
  if (!bound) return refused(refusal('out-of-scope', `${spec.id} may not ask for evidence`))
  const found = await workshop.store.query({ ...filters, ...bound })
  return found.ok ? ok({ text: textOf(found.value), count: found.value.entries.length }) : found
}

const textOf = ({ entries }: Page): string =>
  entries
    .map(({ seq, at, author, body, id }) => `${seq} ${at} ${author.id} ${JSON.stringify(body ?? 'let go')} (${id})`)
    .join('\n')
