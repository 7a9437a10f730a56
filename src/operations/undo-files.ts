import { sessionDraft } from '../evidence/drafts.ts'
import type { SessionRecord, Store } from '../evidence/store.ts'
import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import type { Author, Body } from '../shapes/evidence.ts'
import { type RefusalCode, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { FileChange } from '../shapes/turn.ts'
import type { Workspace } from '../workspace/paths.ts'
import type { Shadow } from '../workspace/shadow.ts'
import { type Looked, lookAt, planRestore, putBack } from '../workspace/shadow-restore.ts'
import { changesOf, type History, historyOf, type StepChange } from './undo-history.ts'

/** Who holds a path, and until when. */
export type Holder = { path: string; session: string; agent: string; until: string }

type Options = {
  store: Store
  shadow: Pick<Shadow, 'tree' | 'changes' | 'content' | 'lacks' | 'counted' | 'diff'>
  workspace: Workspace
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
  const { store, shadow } = options
  let last: Promise<unknown> = Promise.resolve()
  return {
    history: async (session: string): Promise<History> => {
      const history = await historyOf(store, session)
      const steps = await Promise.all(
        history.steps.map(async (step) =>
          step.trees ? { ...step, files: await shadow.changes(step.trees.before, step.trees.after) } : step,
        ),
      )
      return { ...history, steps }
    },
    /** What some steps came to: each file once, and as a text. */
    show: async (steps: readonly StepChange[]): Promise<{ files: FileChange[]; diff: string }> => {
      const plan = planRestore(steps.map(({ files }) => files))
      return { files: await shadow.counted(plan), diff: await shadow.diff(plan) }
    },
    /** One at a time: of two who want the same, the second finds it done. */
    restore: (order: Order): Promise<Result<Restoration>> => {
      const next = last.then(() => restore(options, order))
      last = next.catch(() => {})
      return next
    },
  }
}

const restore = async (options: Options, order: Order): Promise<Result<Restoration>> => {
  const { store, workspace, shadow } = options
  const { session, steps, what, dry, force } = order
  const history = await historyOf(store, session.id)
  if (steps.some(({ step }) => history.undone.has(step))) return no('nothing-to-undo', `${what} was put back before`)
  const busy = await store.nextTurn(session.id)
  if (busy) return no('session-busy', `${session.agent} has work: turn ${busy.id} is ${busy.status}`)

  const looked = await lookAt(workspace, shadow, planRestore(changesOf(history, steps)))
  const held = await heldIn(options, session, looked)
  if (held) return held
  const contested = looked.filter(({ stands }) => stands === 'conflict' || stands === 'lost')
  if (contested.length > 0 && !force) {
    return no('undo-conflict', `nothing was put back, because of ${listed(contested.map(reasonOf))}`)
  }
  const files = looked.filter(({ stands }) => stands === 'ready' || stands === 'conflict')
  return dry ? ok(await foreseen(options, looked)) : carryOut(options, order, looked, files)
}

const no = (code: RefusalCode, message: string): Result<never> => refused(refusal(code, message))

const heldIn = async (
  { holders }: Options,
  { id }: SessionRecord,
  looked: readonly Looked[],
): Promise<Result<never> | null> => {
  const wanted = new Set(looked.filter(({ stands }) => stands !== 'back').map(({ path }) => path))
  const holder = (await holders()).find(({ path, session }) => session !== id && wanted.has(path))
  if (!holder) return null
  return no('path-held', `${shown(holder.path)} is held by ${holder.agent} until ${holder.until}`)
}

/** What it would come to. */
const foreseen = async ({ shadow }: Options, looked: readonly Looked[]): Promise<Restoration> => ({
  files: await shadow.counted(backwards(looked.filter(({ stands }) => stands === 'ready' || stands === 'conflict'))),
  forced: looked.filter(({ stands }) => stands === 'conflict').map(reasonOf),
  failed: looked.filter(({ stands }) => stands === 'lost').map(reasonOf),
})

const backwards = (files: readonly Looked[]) =>
  files.map(({ path, now, before }) => ({ path, before: now, after: before }))

/** Intent before the first file is touched, outcome after the last. */
const carryOut = async (
  { store, workspace, shadow, release }: Options,
  order: Order,
  looked: readonly Looked[],
  files: readonly Looked[],
): Promise<Result<Restoration>> => {
  const forced = looked.filter(({ stands }) => stands === 'conflict').map(reasonOf)
  // What nobody kept yet and is about to be replaced is kept first.
  if (forced.length > 0) await shadow.tree()
  const steps = order.steps.map(({ step }) => step)
  const intent = order.newId()
  const counted = await shadow.counted(backwards(files))
  const begun = await store.append([
    draftOf(order, intent, order.about, { event: 'restoring', what: order.what, steps, files: counted }),
  ])
  if (!begun.ok) return begun

  const { done, failed } = await putBack(workspace, shadow, files)
  const lost = looked.filter(({ stands }) => stands === 'lost')
  const failures = [...lost, ...failed].map(reasonOf)
  const kept = new Set(done.map(({ path }) => path))
  const restored: Extract<Body, { event: 'restored' }> = {
    event: 'restored',
    what: order.what,
    steps,
    files: counted.filter(({ path }) => kept.has(path)),
    failed: failures.length === 0 ? null : listed(failures),
  }
  // What is as it was before is free again.
  await Promise.allSettled(restored.files.map(({ path }) => release(order.session.id, path)))
  const ended = await store.append([draftOf(order, order.newId(), intent, restored)])
  return ended.ok ? ok({ files: restored.files, forced, failed: failures }) : ended
}

const draftOf = ({ session, author }: Order, id: string, inReplyTo: string, body: Body) =>
  sessionDraft({ id, session: session.id, room: session.room, agent: session.agent, author, body, inReplyTo })

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
