import { sessionDraft } from '../evidence/drafts.ts'
import type { SessionRecord, Store } from '../evidence/store.ts'
import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import type { Author, Body, Draft } from '../shapes/evidence.ts'
import { type RefusalCode, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { FileChange } from '../shapes/turn.ts'
import type { Workspace } from '../workspace/paths.ts'
import { heldAs, type Place } from '../workspace/place.ts'
import type { Shadow } from '../workspace/shadow.ts'
import { type Looked, lookAt, planRestore, putBack } from '../workspace/shadow-restore.ts'
import { mergeDraft, mergesOf, putBackIn } from './merge-history.ts'
import { changesOf, type History, historyOf, type StepChange } from './undo-history.ts'

/** Who holds a path, and until when. */
export type Holder = { path: string; session: string; agent: string; until: string }

type Options = {
  store: Store
  shadow: Shadow
  workspace: Workspace
  /** Where an agent works, where that is not always the workspace. */
  placeOf?: (agent: string) => Promise<Place>
  /** Every path that is held. */
  holders: () => Promise<readonly Holder[]>
  /** Ends the hold of a session on a path. */
  release: (session: string, path: string) => Promise<void>
}

/** What is to be put back: the changes of these steps, all of one session. */
type Order = {
  session: SessionRecord
  steps: readonly StepChange[]
  /** What that is, in a few words; and the entry that it is said to. */
  what: string
  about: string
  author: Author
  /** Only to see what it would come to. */
  dry: boolean
  /** Also where files are no longer what the steps left. */
  force: boolean
  newId: () => string
}

/** What was put back: each file as it was just before and is now. */
type Restoration = {
  files: FileChange[]
  /** Files that are put back all the same, and those that could not be, each with the reason. */
  forced: string[]
  failed: string[]
}

export type Undo = ReturnType<typeof createUndo>

/** What steps did to files, and the way back from it. */
export const createUndo = (options: Options) => {
  let last: Promise<unknown> = Promise.resolve()
  return {
    history: (session: string): Promise<History> => readHistory(options, session),
    /** What some steps came to: each file once, and as a text. */
    show: async (steps: readonly StepChange[]): Promise<{ files: FileChange[]; diff: string }> => {
      const shownIn = async ({ place, steps: own }: Part) => {
        const plan = planRestore(own.map(({ files }) => files))
        return { files: await place.shadow.counted(plan), diff: await place.shadow.diff(plan) }
      }
      const parts = await Promise.all(partsOf(options, steps).map(shownIn))
      return { files: parts.flatMap(({ files }) => files), diff: parts.map(({ diff }) => diff).join('') }
    },
    /** One at a time: of two who want the same, the second finds it done. */
    restore: (order: Order): Promise<Result<Restoration>> => {
      const next = last.then(() => restore(options, order))
      last = next.catch(() => {})
      return next
    },
  }
}

/** What a session did to files where its agent works; and, where that is not the workspace, what was merged from there. */
const readHistory = async (options: Options, session: string): Promise<History> => {
  const { store } = options
  const history = await historyOf(store, session)
  const record = await store.session(session)
  const place = record && options.placeOf ? await options.placeOf(record.agent) : homeOf(options)
  const steps = await Promise.all(
    history.steps.map(async (step) => ({
      ...step,
      place,
      files: step.trees ? await place.shadow.changes(step.trees.before, step.trees.after) : step.files,
    })),
  )
  if (!record || place.of === null) return { ...history, steps }
  const { room, agent } = record
  const merges = await mergesOf(store, room, agent)
  return {
    ...history,
    steps: [...steps, ...merges].sort((one, other) => one.position - other.position),
    undone: new Set([...history.undone, ...(await putBackIn(store, room, agent))]),
  }
}

const homeOf = ({ workspace, shadow }: Options): Place => ({ workspace, shadow, of: null })

/** Steps whose files are in one place: those of turns, or merges. */
type Part = { place: Place; merges: boolean; steps: readonly StepChange[] }

const partsOf = (options: Options, steps: readonly StepChange[]): Part[] => {
  const [own, merges] = [steps.filter(({ merge }) => !merge), steps.filter(({ merge }) => merge)]
  const home = homeOf(options)
  const parts = [
    { place: own[0]?.place ?? home, merges: false, steps: own },
    { place: home, merges: true, steps: merges },
  ]
  return parts.filter((part) => part.steps.length > 0)
}

/** A part of what is to be put back, and how its files stand. */
type LookedPart = Part & { looked: readonly Looked[] }

const restore = async (options: Options, order: Order): Promise<Result<Restoration>> => {
  const { session, steps, what, dry, force } = order
  const history = await readHistory(options, session.id)
  if (steps.some(({ step }) => history.undone.has(step))) return no('nothing-to-undo', `${what} was put back before`)
  const busy = await options.store.nextTurn(session.id)
  if (busy) return no('session-busy', `${session.agent} has work: turn ${busy.id} is ${busy.status}`)

  const parts: LookedPart[] = []
  for (const part of partsOf(options, steps)) {
    const { workspace, shadow } = part.place
    parts.push({ ...part, looked: await lookAt(workspace, shadow, planRestore(changesOf(history, part.steps))) })
  }
  const held = await heldIn(options, session, parts)
  if (held) return held
  const contested = parts.flatMap(({ looked }) =>
    looked.filter(({ stands }) => stands === 'conflict' || stands === 'lost'),
  )
  if (contested.length > 0 && !force) {
    return no('undo-conflict', `nothing was put back, because of ${listed(contested.map(reasonOf))}`)
  }
  return inTurn(parts, async (part) => (dry ? ok(await foreseen(part)) : carryOut(options, order, part)))
}

/** One part after the other, and what all of them come to. */
const inTurn = async (
  parts: readonly LookedPart[],
  work: (part: LookedPart) => Promise<Result<Restoration>>,
): Promise<Result<Restoration>> => {
  const all: Restoration = { files: [], forced: [], failed: [] }
  for (const part of parts) {
    const done = await work(part)
    if (!done.ok) return done
    all.files.push(...done.value.files)
    all.forced.push(...done.value.forced)
    all.failed.push(...done.value.failed)
  }
  return ok(all)
}

const no = (code: RefusalCode, message: string): Result<never> => refused(refusal(code, message))

const heldIn = async (
  { holders }: Options,
  { id }: SessionRecord,
  parts: readonly LookedPart[],
): Promise<Result<never> | null> => {
  const wanted = new Set(
    parts.flatMap(({ place, looked }) =>
      looked.filter(({ stands }) => stands !== 'back').map(({ path }) => heldAs(place, path)),
    ),
  )
  const holder = (await holders()).find(({ path, session }) => session !== id && wanted.has(path))
  if (!holder) return null
  return no('path-held', `${shown(holder.path)} is held by ${holder.agent} until ${holder.until}`)
}

/** Those that are put back. */
const movable = (looked: readonly Looked[]): Looked[] =>
  looked.filter(({ stands }) => stands === 'ready' || stands === 'conflict')

/** What it would come to. */
const foreseen = async ({ place, looked }: LookedPart): Promise<Restoration> => ({
  files: await place.shadow.counted(backwards(movable(looked))),
  forced: looked.filter(({ stands }) => stands === 'conflict').map(reasonOf),
  failed: looked.filter(({ stands }) => stands === 'lost').map(reasonOf),
})

const backwards = (files: readonly Looked[]) =>
  files.map(({ path, now, before }) => ({ path, before: now, after: before }))

/** Intent before the first file is touched, outcome after the last. */
const carryOut = async (
  { store, release }: Options,
  order: Order,
  { place, merges, steps: own, looked }: LookedPart,
): Promise<Result<Restoration>> => {
  const { workspace, shadow } = place
  const forced = looked.filter(({ stands }) => stands === 'conflict').map(reasonOf)
  // What nobody kept yet and is about to be replaced is kept first.
  if (forced.length > 0) await shadow.tree()
  const steps = own.map(({ step }) => step)
  const { what } = order
  const intent = order.newId()
  const files = movable(looked)
  const counted = await shadow.counted(backwards(files))
  const draftOf = merges ? mergeBackDraft : sessionBackDraft
  const begun = await store.append([
    draftOf(order, intent, order.about, { event: 'restoring', what, steps, files: counted }),
  ])
  if (!begun.ok) return begun

  const { done, failed } = await putBack(workspace, shadow, files)
  const lost = looked.filter(({ stands }) => stands === 'lost')
  const failures = [...lost, ...failed].map(reasonOf)
  const kept = new Set(done.map(({ path }) => path))
  const restored: Extract<Body, { event: 'restored' }> = {
    event: 'restored',
    what,
    steps,
    files: counted.filter(({ path }) => kept.has(path)),
    failed: failures.length === 0 ? null : listed(failures),
  }
  // What is as it was before is free again.
  await Promise.allSettled(restored.files.map(({ path }) => release(order.session.id, heldAs(place, path))))
  const ended = await store.append([draftOf(order, order.newId(), intent, restored)])
  return ended.ok ? ok({ files: restored.files, forced, failed: failures }) : ended
}

type Drafting = (order: Order, id: string, inReplyTo: string, body: Body) => Draft

const sessionBackDraft: Drafting = ({ session, author }, id, inReplyTo, body) =>
  sessionDraft({ id, session: session.id, room: session.room, agent: session.agent, author, body, inReplyTo })

/** What concerns the workspace is no part of a session that was in another place. */
const mergeBackDraft: Drafting = ({ session, author }, id, inReplyTo, body) =>
  mergeDraft({ id, room: session.room, agent: session.agent, author, body, inReplyTo })

const reasonOf = ({ path, why }: { path: string; why: string }): string => `${shown(path)}: ${why}`

/** A name on one line, whatever is in it. */
export const shown = (path: string): string => {
  const line = oneLine(path, NAME)
  return line === path ? path : JSON.stringify(line)
}

const NAME = 200
const LISTED = 20

const listed = (reasons: readonly string[]): string => {
  const rest = reasons.length - LISTED
  return [...reasons.slice(0, LISTED), ...(rest > 0 ? [`and ${count(rest, 'more file')}`] : [])].join('; ')
}
