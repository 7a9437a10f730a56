import { z } from 'zod'
import { type OpenApproval, openApprovals } from '../evidence/approvals.ts'
import { sessionDraft } from '../evidence/drafts.ts'
import { nearest } from '../lib/nearest.ts'
import { Id } from '../shapes/message.ts'
import { authorOf, mayAct, type Role } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { type Context, defineOperation } from './operation.ts'
import { homeOf, roleAt } from './standing.ts'

const ApprovalRow = z.strictObject({
  approval: z.string(),
  agent: z.string(),
  room: z.string(),
  turn: Id,
  step: Id,
  why: z.string(),
  opens: z.string(),
  until: z.iso.datetime(),
  /** Who may decide, by name, besides admins; nobody in particular where every approver may. */
  approvers: z.array(z.string()),
})

export const approvals = defineOperation({
  name: 'approvals',
  summary: 'what waits for a person: who asks, for what, until when, and who may decide',
  example: 'approvals',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ approvals: z.array(ApprovalRow) }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async (_input, context) => {
    const open = await openApprovals(context.store, context.now())
    return ok({ approvals: await Promise.all(open.map((one) => rowOf(one, context))) })
  },
  render: ({ approvals }) =>
    approvals
      .map(({ approval, agent, opens, why, until, approvers }) => {
        const by = approvers.length > 0 ? `, for ${approvers.join(', ')} to decide` : ''
        return `${approval}: ${agent} asks to ${opens} (${why}), until ${until}${by}`
      })
      .join('\n') || 'nothing waits for an approval',
})

const rowOf = async (open: OpenApproval, context: Context): Promise<z.infer<typeof ApprovalRow>> => {
  const { approval, agent, room, turn, step, why, opens, until } = open
  return { approval, agent, room, turn, step, why, opens, until, approvers: (await approversIn(room, context)) ?? [] }
}

/** Who may decide in a room, where not every approver may; in a thread, those of the room that it was begun in. */
const approversIn = async (room: string, context: Pick<Context, 'store' | 'rooms'>): Promise<string[] | null> => {
  const home = await homeOf(room, context)
  return context.rooms.find(({ id }) => id === home)?.approvers ?? null
}

const input = z.strictObject({
  approval: z
    .string()
    .regex(/^[A-Za-z0-9]{1,16}$/, 'expected a name such as "kqzfm"')
    .optional()
    .describe('which, by its five letters; /approvals shows them'),
  note: z.string().max(500).default(''),
})
const output = z.strictObject({
  approval: z.string(),
  decision: z.enum(['approved', 'denied']),
  agent: z.string(),
  opens: z.string(),
})
const common = {
  positional: ['approval', 'note'],
  rest: 'note',
  input,
  output,
  role: 'approver',
  reads: false,
  offline: false,
} as const

const render = ({ approval, decision, agent, opens }: z.infer<typeof output>): string =>
  `${approval} is ${decision}: ${agent} ${decision === 'approved' ? 'may' : 'may not'} ${opens}`

export const approve = defineOperation({
  ...common,
  name: 'approve',
  urgent: true,
  summary: 'let a call through that waits for a person',
  example: 'approve kqzfm',
  run: (given, context) => decide(given, 'approved', context),
  render,
})

export const deny = defineOperation({
  ...common,
  name: 'deny',
  urgent: true,
  summary: 'do not let a call through that waits for a person, and say why',
  example: 'deny kqzfm not on a Friday',
  run: (given, context) => decide(given, 'denied', context),
  render,
})

/** Writes a decision down; the first one stands. */
const decide = async (
  { approval, note }: z.infer<typeof input>,
  decision: 'approved' | 'denied',
  context: Context,
): Promise<Result<z.infer<typeof output>>> => {
  const { store, person, wakeSteps } = context
  const meant = await openNamed(approval, decision, context)
  if (!meant.ok) return meant
  const { session, room, agent, step, opens, approval: name } = meant.value
  const role = await roleToDecide(meant.value, context)
  if (!role.ok) return role
  const body = { event: 'approval-decided', step, approval: name, decision, role: role.value, note } as const
  const place = { session, room, agent, author: authorOf(person), inReplyTo: `${step}.approval` }
  const written = await store.append([sessionDraft({ ...place, id: `${step}.decision`, body })])
  if (!written.ok) {
    const first = written.refusal.code === 'id-conflict' ? await closed(name, context) : null
    return first ? refused(first) : written
  }
  wakeSteps(session)
  return ok({ approval: name, decision, agent, opens })
}

/** The approval of that name. A yes is for one call: what is meant is never guessed, however near it may be. */
const openNamed = async (
  approval: string | undefined,
  decision: 'approved' | 'denied',
  context: Context,
): Promise<Result<OpenApproval>> => {
  const open = await openApprovals(context.store, context.now())
  if (approval === undefined) return refused(unnamed(open, decision, context))
  const name = approval.toLowerCase()
  const [found, another] = open.filter((one) => one.approval === name)
  if (found && !another) return ok(found)
  // Nobody can say for which of two it was.
  if (found) return refused(refusal('approval-unknown', `several calls wait by the name of ${name}: stop what asks`))
  return refused((await closed(name, context)) ?? unknown(approval, open, context))
}

const COMMANDS = { approved: 'approve', denied: 'deny' } as const

/** Says which it would be, where only one waits here; which there are, where there are several. */
const unnamed = (open: readonly OpenApproval[], decision: keyof typeof COMMANDS, { room }: Context): Refusal => {
  const here = open.filter((one) => one.room === room)
  const [only, another] = here
  const usage = `usage: /${COMMANDS[decision]} APPROVAL [note]`
  if (!only) return refusal('command-invalid', `nothing waits here for an approval; ${usage}`)
  const { approval, agent, opens } = only
  return refusal(
    'command-invalid',
    another
      ? `say which of ${here.map((one) => one.approval).join(', ')}; ${usage}`
      : `say which: /${COMMANDS[decision]} ${approval} is for ${agent}, who asks to ${opens}`,
  )
}

/** As many decisions as are looked at for one that was made already: the last ones. */
const LATEST = 100

/** That it was decided, and by whom. */
const closed = async (name: string, { store }: Context): Promise<Refusal | null> => {
  const decided = await store.query({ event: 'approval-decided', limit: LATEST })
  for (const { body, author } of decided.ok ? decided.value.entries : []) {
    if (body?.event !== 'approval-decided' || body.approval !== name) continue
    const how =
      body.decision === 'lapsed' ? 'has lapsed: nobody answered in time' : `was ${body.decision} by ${author.id}`
    return refusal('approval-closed', `${name} ${how}`)
  }
  return null
}

const unknown = (approval: string, open: readonly OpenApproval[], { room }: Context): Refusal => {
  const here = open.filter((one) => one.room === room).map((one) => one.approval)
  const meant = nearest(approval.toLowerCase(), here)
  const hint = meant === null ? '' : `; did you mean ${meant}?`
  return refusal('approval-unknown', `nothing by the name of ${approval} waits for an approval${hint}`)
}

/** Whether whoever asks may decide what waits in a room. */
export const mayDecideIn = async (room: string, context: Context): Promise<boolean> =>
  (await roleToDecide({ room }, context)).ok

/** The role in which somebody decides: that of the room where it was asked, and by name where the room names people. */
const roleToDecide = async ({ room }: Pick<OpenApproval, 'room'>, context: Context): Promise<Result<Role>> => {
  const role = await roleAt(room, context)
  if (role === null || !mayAct(role, 'approver'))
    return refused(
      refusal('role-too-low', `to decide in ${room} needs the role approver; you are ${role ?? 'a guest'}`),
    )
  const named = await approversIn(room, context)
  if (named === null || named.includes(context.person.name) || role === 'admin') return ok(role)
  return refused(refusal('role-too-low', `in ${room} it is for ${named.join(', ')} or an admin to decide`))
}
