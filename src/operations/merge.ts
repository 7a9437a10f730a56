import { z } from 'zod'
import { count } from '../lib/count.ts'
import { authorOf } from '../shapes/person.ts'
import { Flag } from '../shapes/query.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { FileChange } from '../shapes/turn.ts'
import type { MergeOrder, MergeReport } from '../workspace/checkout-merge.ts'
import type { CheckoutState } from '../workspace/checkouts.ts'
import { intentOf, mergeDraft } from './merge-history.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'
import { fileLines } from './undo.ts'
import { shown } from './undo-files.ts'

const Conflict = z.strictObject({ path: z.string(), why: z.string() })

const Merged = z.strictObject({
  agent: Name,
  dry: z.boolean(),
  /** The commit with what was brought over, where there was something. */
  from: z.string().nullable(),
  /** Whether it was brought over. */
  done: z.boolean(),
  files: z.array(FileChange),
  conflicts: z.array(Conflict),
  failed: z.array(Conflict),
  /** Why there was nothing to bring over. */
  note: z.string().nullable(),
})
type Merged = z.infer<typeof Merged>

export const merge = defineOperation({
  name: 'merge',
  files: true,
  summary: 'bring what an agent did in a checkout of its own into the workspace; where there is a conflict, nothing',
  example: 'merge codex-1 dry=yes',
  positional: ['agent'],
  input: z.strictObject({ agent: Name, dry: Flag.default(false).describe('only show what would be brought over') }),
  output: Merged,
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ agent: name, dry }, context) => {
    const { room } = context
    if (room === null) return refused(refusal('room-unknown', 'what is merged is told to a room: ask in one'))
    const chosen = await agentIn(name, context)
    if (!chosen.ok) return chosen
    const agent = chosen.value
    if (!context.checkouts.agents.includes(agent))
      return ok(without(agent, dry, `${agent} works in the workspace itself`))
    const closed = dry ? null : await objection(agent, room, context)
    if (closed) return refused(closed)
    return bring(agent, room, dry, context)
  },
  render: (output) => report(output),
  passes: ({ conflicts, failed, note }) => conflicts.length + failed.length === 0 && note === null,
})

const agentIn = async (name: string, { who }: Context): Promise<Result<string>> => {
  const here = await who()
  const agent = agentNamed(name, here)
  if (here.some(({ id }) => id === agent)) return ok(agent)
  return refused(refusal('agent-unknown', `there is no agent ${name}; there is ${here.map(({ id }) => id).join(', ')}`))
}

/** Why the workspace is not to be changed now. */
const objection = async (agent: string, room: string, { roomMode, store }: Context): Promise<Refusal | null> => {
  const mode = await roomMode(room)
  if (mode !== 'execute') return refusal('mode-forbids', `${room} is in ${mode}, and files are changed in execute`)
  const [busy] = await store.unfinishedTurns({ agent, limit: 1 })
  return busy ? refusal('session-busy', `${agent} has work: turn ${busy.id} is ${busy.status}`) : null
}

const without = (agent: string, dry: boolean, note: string): Merged => ({
  agent,
  dry,
  from: null,
  done: false,
  files: [],
  conflicts: [],
  failed: [],
  note,
})

/** Intent before the first file is touched, outcome after the last. */
const bring = async (agent: string, room: string, dry: boolean, context: Context): Promise<Result<Merged>> => {
  const { store, person, newId, checkouts, holds } = context
  const id = newId()
  const author = authorOf(person)
  const told = { room, agent, author }
  const held = new Map(
    (await holds.all()).map(({ path, agent: by, until }) => [path, `is held by ${by} until ${until}`]),
  )
  const wrote: { intent: Result<unknown> | null } = { intent: null }
  const begin: MergeOrder['begin'] = async (files) => {
    const body = { event: 'restoring', what: `the merge of what ${agent} did`, steps: [], files } as const
    wrote.intent = await store.append([mergeDraft({ ...told, id: intentOf(id), body: { ...body, steps: [] } })])
    return wrote.intent.ok
  }
  const came = await checkouts.merge(agent, { id, dry, holder: (path) => held.get(path) ?? null, begin })
  if (typeof came === 'string') return ok(without(agent, dry, came))
  if (wrote.intent?.ok === false) return wrote.intent
  if (dry || came.from === null) return ok(mergedOf(came, dry))
  const inReplyTo = wrote.intent === null ? {} : { inReplyTo: intentOf(id) }
  const ended = await store.append([mergeDraft({ ...told, id, ...inReplyTo, body: bodyOf(came, came.from) })])
  return ended.ok ? ok(mergedOf(came, dry)) : ended
}

const mergedOf = ({ agent, from, into, files, conflicts, failed }: MergeReport, dry: boolean): Merged => ({
  agent,
  dry,
  from,
  done: into !== null,
  files,
  conflicts,
  failed,
  note: files.length + conflicts.length === 0 && into === null ? `${agent} has nothing that is not merged` : null,
})

const bodyOf = ({ agent, into, files, conflicts, failed }: MergeReport, from: string) =>
  ({
    event: 'merged',
    agent,
    from,
    into,
    files: into === null ? [] : files.map(({ path }) => path),
    conflicts: [...conflicts, ...failed].map(({ path }) => path),
  }) as const

const report = ({ agent, dry, done, files, conflicts, failed, note }: Merged): string => {
  if (note !== null) return `nothing to merge: ${note}`
  if (conflicts.length > 0)
    return [`nothing ${dry ? 'would be' : 'was'} merged:`, ...reasons(conflicts), ...look(agent, dry)].join('\n')
  const lines = [...fileLines(files), ...reasons(failed).map((line) => `NOT merged:${line}`)]
  if (!done) return [`would merge what ${agent} did: ${count(files.length, 'file')}`, ...lines].join('\n')
  return [`merged what ${agent} did: ${count(files.length, 'file')}, and committed nothing`, ...lines].join('\n')
}

const look = (agent: string, dry: boolean): string[] =>
  dry ? [] : [`what ${agent} did is the commit refs/bellhop/${agent}: git can merge it, too`]

/** A room reads so many of them at most. */
const LISTED = 50

const reasons = (conflicts: readonly z.infer<typeof Conflict>[]): string[] => [
  ...conflicts.slice(0, LISTED).map(({ path, why }) => `  ${shown(path)} ${why}`),
  ...(conflicts.length > LISTED ? [`  and ${count(conflicts.length - LISTED, 'more file')}`] : []),
]

const CheckoutRow = z.strictObject({
  agent: Name,
  /** Null where it was not made yet, or cannot be; the note says why. */
  folder: z.string().nullable(),
  commit: z.string().nullable(),
  behind: z.int().nullable(),
  files: z.array(FileChange),
  closed: z.array(z.string()),
  note: z.string().nullable(),
})
type CheckoutRow = z.infer<typeof CheckoutRow>

export const checkouts = defineOperation({
  name: 'checkouts',
  files: true,
  summary: 'which agents work in a checkout of their own, and what they did there that is not merged',
  example: 'checkouts',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ checkouts: z.array(CheckoutRow) }),
  role: 'viewer',
  reads: true,
  offline: false,
  run: async (_input, { checkouts }) => {
    const states = await Promise.all(checkouts.agents.map(async (agent) => rowOf(agent, await checkouts.state(agent))))
    return ok({ checkouts: states })
  },
  render: ({ checkouts }) => checkouts.flatMap(linesOf).join('\n') || 'no agent works in a checkout of its own',
})

const rowOf = (agent: string, state: CheckoutState | string | null): CheckoutRow => {
  if (state === null || typeof state === 'string') {
    const note = state ?? 'it is made when it is first needed'
    return { agent, folder: null, commit: null, behind: null, files: [], closed: [], note }
  }
  const { folder, commit, behind, files, closed, apart } = state
  return { agent, folder, commit, behind, files, closed, note: apart ? APART : null }
}

const APART = 'the workspace had changes when it began that were in no commit: they are not in it'

const linesOf = ({ agent, folder, commit, behind, files, closed, note }: CheckoutRow): string[] => {
  const lag = behind === null || behind === 0 ? '' : `, ${count(behind, 'commit')} behind the workspace`
  const at =
    folder === null ? note : `at ${commit?.slice(0, 12)}${lag}, ${count(files.length, 'file')} not merged; ${folder}`
  return [
    `${agent}: ${at}`,
    ...fileLines(files),
    ...closed.map((path) => `  ${shown(path)} is closed to everybody`),
    ...(folder !== null && note !== null ? [`  ${note}`] : []),
  ]
}
