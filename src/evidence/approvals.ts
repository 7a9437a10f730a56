import type { BodyOf } from '../shapes/evidence.ts'
import type { Store } from './store.ts'

/** A question that waits for a person, and where it was asked. */
export type OpenApproval = Omit<BodyOf<'approval-asked'>, 'event'> & { session: string; room: string; agent: string }

/** As many questions as are looked at: those asked last. */
const LATEST = 200

/** The approvals that nobody has decided, whose time is not up and whose turn goes on; the oldest first. */
export const openApprovals = async (store: Store, now: number): Promise<OpenApproval[]> => {
  const asked = await store.query({ event: 'approval-asked', limit: LATEST })
  const open: OpenApproval[] = []
  for (const { id, body, session } of asked.ok ? asked.value.entries : []) {
    if (body?.event !== 'approval-asked' || Date.parse(body.until) <= now) continue
    const turn = await store.turn(body.turn)
    if (turn?.status !== 'running' || (await store.get(id.replace(/\.approval$/, '.decision')))) continue
    const { event: _, ...question } = body
    open.push({ ...question, session, room: turn.room, agent: turn.agent })
  }
  return open.reverse()
}
