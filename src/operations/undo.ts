import { z } from 'zod'
import type { SessionRecord } from '../evidence/store.ts'
import { count } from '../lib/count.ts'
import { plain } from '../lib/plain.ts'
import { Id } from '../shapes/message.ts'
import { authorOf } from '../shapes/person.ts'
import { Flag } from '../shapes/query.ts'
import { type RefusalCode, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { FileChange } from '../shapes/turn.ts'
import { planRestore } from '../workspace/shadow-restore.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'
import { shown } from './undo-files.ts'
import { changesOf, type History, type StepChange, standing } from './undo-history.ts'

/** In the place of a turn: all of the session's. */
const ALL = 'all'

const chosen = {
  agent: Name.optional(),
  turn: Id.optional().describe('another turn, or merge, than the last that changed something; or all'),
}

const flags = {
  dry: Flag.default(false).describe('only show what would be put back'),
  force: Flag.default(false).describe('also what was changed since'),
}

export const diff = defineOperation({
  name: 'diff',
  files: true,
  summary: 'what the last turn of an agent here changed; turn=all for its whole session',
  example: 'diff codex-1',
  positional: ['agent'],
  input: z.strictObject({ ...chosen, step: Id.optional().describe('only what this step changed') }),
  output: z.strictObject({
    agent: Name,
    what: z.string(),
    files: z.array(FileChange),
    notes: z.array(z.string()),
    diff: z.string(),
  }),
  role: 'viewer',
  reads: true,
  offline: false,
  run: async (wanted, context) => {
    const choice =
      wanted.step === undefined ? await chooseTurn(wanted, context) : await chooseStep(wanted.step, context)
    if (!choice.ok) return choice
    const { session, history, what, steps } = choice.value
    const away = await context.elsewhere(session.room)
    if (away) return refused(away)
    const left = steps.filter(({ step }) => !history.undone.has(step))
    // What was put back is shown where nothing else is there to show.
    const { files, diff } = await context.undo.show(left.length > 0 ? left : steps)
    return ok({ agent: session.agent, what, files, notes: [...backNote(steps, left), ...notesOn(choice.value)], diff })
  },
  render: ({ agent, what, files, notes, diff }) =>
    [`${agent}, ${what}: ${count(files.length, 'file')}`, ...fileLines(files), ...notes, ...diffLines(diff)].join('\n'),
})

const backNote = ({ length: all }: StepChange[], { length: left }: StepChange[]): string[] => {
  if (left === all) return []
  return [left === 0 ? 'put back since' : `${all - left} of its ${all} steps put back since, and not in this`]
}

const Restored = z.strictObject({
  agent: Name,
  what: z.string(),
  dry: z.boolean(),
  files: z.array(FileChange),
  forced: z.array(z.string()),
  failed: z.array(z.string()),
  notes: z.array(z.string()),
})
type Restored = z.infer<typeof Restored>

export const undo = defineOperation({
  name: 'undo',
  files: true,
  summary: 'put back what the last turn of an agent here changed; said again, the turn before it',
  example: 'undo codex-1 dry=yes',
  positional: ['agent'],
  input: z.strictObject({ ...chosen, ...flags }),
  output: Restored,
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ dry, force, ...wanted }, context) => {
    if (context.room === null) return no('room-unknown', 'turns belong to a room: ask in one')
    const choice = await chooseTurn(wanted, context)
    return choice.ok ? restore(choice.value, { dry, force }, context) : choice
  },
  render: (output) => report(output),
  passes: ({ failed }) => failed.length === 0,
})

export const rewind = defineOperation({
  name: 'rewind',
  files: true,
  summary: 'put files back to before a step: all that it and the later steps of its session changed',
  example: 'rewind m-01hxyz.codex-1.3',
  positional: ['step'],
  input: z.strictObject({ step: Id, ...flags }),
  output: Restored,
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ step, dry, force }, context) => {
    const choice = await chooseSince(step, context)
    return choice.ok ? restore(choice.value, { dry, force }, context) : choice
  },
  render: (output) => report(output),
  passes: ({ failed }) => failed.length === 0,
})

/** Steps of one session, what they are called together, and the entry that what is done with them answers. */
type Choice = { session: SessionRecord; history: History; steps: StepChange[]; what: string; about: string }

type Wanted = { agent?: string | undefined; turn?: string | undefined }

/** The turn that is named, or the last that changed something and was not put back; with all its steps. */
const chooseTurn = async (wanted: Wanted, context: Context): Promise<Result<Choice>> => {
  const sessions = await sessionsFor(wanted, context)
  if (!sessions.ok) return sessions
  const named = wanted.turn === ALL ? undefined : wanted.turn
  const [latest] = (await Promise.all(sessions.value.map((session) => lastIn(session, named, context))))
    .flatMap((found) => found ?? [])
    .sort((a, b) => b.last.position - a.last.position)
  if (!latest) return no('nothing-to-undo', emptyHanded(wanted, sessions.value, context.room))
  const { session, history, last } = latest
  const about = last.turn
  if (wanted.turn === ALL)
    return ok({ session, history, steps: [...history.steps], what: `session ${session.id}`, about })
  const steps = history.steps.filter(({ turn }) => turn === about)
  return ok({ session, history, steps, what: `${last.merge ? 'the merge' : 'turn'} ${about}`, about })
}

/** The last step of a session that changed something: of the turn that is named, or of one that still makes a difference. */
const lastIn = async (session: SessionRecord, turn: string | undefined, { undo }: Context) => {
  const history = await undo.history(session.id)
  const last =
    turn === undefined
      ? standing(history).findLast((step) => makesDifference(history, step.turn))
      : history.steps.findLast((step) => step.turn === turn)
  return last ? { session, history, last } : null
}

const makesDifference = (history: History, turn: string): boolean =>
  planRestore(
    changesOf(
      history,
      standing(history).filter((step) => step.turn === turn),
    ),
  ).length > 0

const emptyHanded = ({ turn }: Wanted, sessions: readonly SessionRecord[], room: string | null): string => {
  if (sessions.length === 0) return `no agent has an open session in ${room}`
  const who = turn === undefined || turn === ALL ? sessions.map(({ agent }) => agent).join(', ') : `turn ${turn}`
  return `${who} changed nothing that is not put back`
}

const no = (code: RefusalCode, message: string): Result<never> => refused(refusal(code, message))

const SESSIONS = 200

/** The session of a turn, of an agent, or of everybody who has one in this room. */
const sessionsFor = async ({ agent, turn }: Wanted, context: Context): Promise<Result<SessionRecord[]>> => {
  const { room, store } = context
  // Who asks outside of any room, over HTTP, may look into all of them.
  const here = (session: SessionRecord | null): session is SessionRecord =>
    session !== null && (room === null || session.room === room)
  const place = room === null ? '' : ` in ${room}`
  if (turn !== undefined && turn !== ALL) {
    const record = await store.turn(turn)
    const session = record ? await store.session(record.session) : await mergedOf(turn, store)
    return here(session) ? ok([session]) : no('turn-unknown', `there is no turn ${turn}${place}`)
  }
  const open = (await store.sessions(SESSIONS)).filter((one) => one.open && here(one))
  if (agent === undefined) return ok(open)
  const name = agentNamed(agent, await context.who())
  const own = open.filter((session) => session.agent === name)
  return own.length > 0 ? ok(own) : no('nothing-to-undo', `${name} has no open session${place}: name the turn instead`)
}

/** The session that a merge belongs to: the last one of its agent in the room it was asked for in. */
const mergedOf = async (merge: string, store: Context['store']): Promise<SessionRecord | null> => {
  const entry = await store.get(merge)
  if (entry?.body?.event !== 'merged') return null
  const { agent } = entry.body
  const sessions = await store.sessions(SESSIONS)
  return sessions.find((one) => one.agent === agent && entry.tags.includes(`room/${one.room}`)) ?? null
}

/** One step alone, to be looked at. */
const chooseStep = async (step: string, { room, store, undo }: Context): Promise<Result<Choice>> => {
  const entry = await store.get(`${step}.outcome`)
  const session = entry?.body?.event === 'step-ended' ? await store.session(entry.session) : null
  if (!entry || !session || (room !== null && session.room !== room))
    return no('entry-unknown', `there is no step ${step} that was taken`)
  const history = await undo.history(session.id)
  const steps = history.steps.filter((one) => one.step === step)
  if (steps.length === 0) return no('nothing-to-undo', `step ${step} changed nothing`)
  return ok({ session, history, steps, what: `step ${step}`, about: entry.id })
}

/** A step, and all later ones of its session. */
const chooseSince = async (step: string, { room, store, undo }: Context): Promise<Result<Choice>> => {
  if (room === null) return no('room-unknown', 'steps belong to a room: ask in one')
  const entry = await store.get(`${step}.outcome`)
  const session = entry?.body?.event === 'step-ended' ? await store.session(entry.session) : null
  if (!entry || session?.room !== room) return no('entry-unknown', `there is no step ${step} in ${room} that was taken`)
  const history = await undo.history(session.id)
  if (history.undone.has(step)) return no('nothing-to-undo', `step ${step} was put back before, and cannot be again`)
  const steps = standing(history).filter(({ position }) => position >= entry.position)
  if (steps.length === 0) return no('nothing-to-undo', `nothing was changed since step ${step} that was not put back`)
  return ok({ session, history, steps, what: `all since step ${step}`, about: entry.id })
}

const restore = async (
  choice: Choice,
  { dry, force }: { dry: boolean; force: boolean },
  { person, undo, newId }: Context,
): Promise<Result<Restored>> => {
  const { session, history, what, about } = choice
  const steps = choice.steps.filter(({ step }) => !history.undone.has(step))
  if (steps.length === 0) return no('nothing-to-undo', `${what} was put back before`)
  const restored = await undo.restore({ session, steps, what, about, author: authorOf(person), dry, force, newId })
  return restored.ok ? ok({ agent: session.agent, what, dry, ...restored.value, notes: notesOn(choice) }) : restored
}

/** What a reader should know besides. */
const notesOn = ({ history: { interrupted, unfinished }, steps }: Choice): string[] => {
  const from = steps[0]?.position ?? 0
  return [
    ...interrupted
      .filter(({ position }) => position > from)
      .map(({ step }) => `step ${step} was interrupted: what it changed is not known, and not in this`),
    ...(unfinished === null ? [] : [`putting back ${unfinished} was cut short before`]),
  ]
}

const report = ({ agent, what, dry, files, forced, failed, notes }: Restored): string =>
  [
    `${dry ? 'would put back' : 'put back'} ${what} of ${agent}: ${count(files.length, 'file')}`,
    ...fileLines(files),
    ...forced.map((reason) => `all the same: ${reason}`),
    ...failed.map((reason) => `NOT put back: ${reason}`),
    ...notes,
  ].join('\n')

/** A room reads so many lines at most. */
const FILES = 50
const DIFF_LINES = 200
const DIFF_BYTES = 16_384

/** What became of files, a line each, up to a bound. */
export const fileLines = (files: readonly FileChange[]): string[] => [
  ...files.slice(0, FILES).map((file) => `  ${kindOf(file)} ${shown(file.path)}${linesOf(file)}`),
  ...(files.length > FILES ? [`  and ${count(files.length - FILES, 'more file')}`] : []),
]

const kindOf = ({ before, after }: FileChange): string => {
  if (before === null) return 'added'
  return after === null ? 'removed' : 'changed'
}

const linesOf = ({ added, removed }: FileChange): string =>
  added === null || removed === null ? '' : ` +${added} -${removed}`

const diffLines = (diff: string): string[] => {
  const lines = plain(diff).replace(/\n$/, '').split('\n')
  let bytes = 0
  const end = lines.findIndex((line, i) => {
    bytes += Buffer.byteLength(line) + 1
    return i >= DIFF_LINES || bytes > DIFF_BYTES
  })
  return end === -1 ? lines : [...lines.slice(0, end), `(${count(lines.length - end, 'more line')} left out)`]
}
