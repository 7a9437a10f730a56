import { z } from 'zod'
import { openApprovals } from '../evidence/approvals.ts'
import { sessionDraft } from '../evidence/drafts.ts'
import { Id } from '../shapes/message.ts'
import { authorOf } from '../shapes/person.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { type Context, defineOperation } from './operation.ts'

const ApprovalRow = z.strictObject({
  approval: z.string(),
  agent: z.string(),
  room: z.string(),
  turn: Id,
  step: Id,
  why: z.string(),
  opens: z.string(),
  until: z.iso.datetime(),
})

export const approvals = defineOperation({
  name: 'approvals',
  summary: 'what waits for a person: who asks, for what, and until when',
  example: 'approvals',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ approvals: z.array(ApprovalRow) }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async (_input, { store, now }) =>
    ok({
      approvals: (await openApprovals(store, now())).map(
        ({ approval, agent, room, turn, step, why, opens, until }) => ({
          approval,
          agent,
          room,
          turn,
          step,
          why,
          opens,
          until,
        }),
      ),
    }),
  render: ({ approvals }) =>
    approvals
      .map(
        ({ approval, agent, opens, why, until }) => `${approval}: ${agent} asks to ${opens} (${why}), until ${until}`,
      )
      .join('\n') || 'nothing waits for an approval',
})

const input = z.strictObject({
  approval: z.string().regex(/^[A-Za-z0-9]{1,16}$/, 'expected a name such as "k7f2q"'),
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
  summary: 'let a call through that waits for a person',
  example: 'approve k7f2q',
  run: (given, context) => decide(given, 'approved', context),
  render,
})

export const deny = defineOperation({
  ...common,
  name: 'deny',
  summary: 'do not let a call through that waits for a person, and say why',
  example: 'deny k7f2q not on a Friday',
  run: (given, context) => decide(given, 'denied', context),
  render,
})

/** Writes a decision down; the first one stands. */
const decide = async (
  { approval, note }: z.infer<typeof input>,
  decision: 'approved' | 'denied',
  context: Context,
): Promise<Result<z.infer<typeof output>>> => {
  const { store, person, now, wakeSteps } = context
  const named = (await openApprovals(store, now())).filter((one) => one.approval === approval.toLowerCase())
  const [open] = named
  // A yes is for one call: nobody can say for which of two it was.
  if (named.length > 1)
    return refused(refusal('approval-unknown', `${named.length} calls wait by the name of ${approval}: stop what asks`))
  if (!open) return refused(refusal('approval-unknown', `nothing by the name of ${approval} waits for an approval`))
  const { session, room, agent, step, opens } = open
  const body = { event: 'approval-decided', step, approval: open.approval, decision, role: person.role, note } as const
  const place = { session, room, agent, author: authorOf(person), inReplyTo: `${step}.approval` }
  const written = await store.append([sessionDraft({ ...place, id: `${step}.decision`, body })])
  if (!written.ok) {
    return written.refusal.code === 'id-conflict'
      ? refused(refusal('approval-closed', `${approval} was decided by somebody else just now`))
      : written
  }
  wakeSteps(session)
  return ok({ approval: open.approval, decision, agent, opens })
}
