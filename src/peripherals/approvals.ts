import type { Store } from '../evidence/store.ts'
import { shortName } from '../lib/short-name.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { Decision } from '../tools/gate.ts'
import type { CallRequest } from './request.ts'

/** The short name of an approval, made from its step. */
export const approvalName = shortName

type Asked = { asked: string | null; overdue: boolean; decision: Decision }

/**
 * What became of the question about a step: nothing yet, or what was said; `overdue` where nobody answered in time. An
 * answer is for the call that was asked about: a turn that is taken up again may come with another one.
 */
export const readDecision = async (
  store: Pick<Store, 'get' | 'hashBody'>,
  { step, call }: Pick<CallRequest, 'step' | 'call'>,
  now: number,
): Promise<Asked> => {
  const question = await store.get(`${step}.approval`)
  const asked = question?.body
  if (asked?.event !== 'approval-asked') return { asked: null, overdue: false, decision: { kind: 'none' } }
  const about = { asked: asked.approval, overdue: Date.parse(asked.until) <= now }
  if (store.hashBody({ ...asked, call }) !== question?.bodyHash) {
    return { ...about, decision: { kind: 'denied', why: 'a person was asked about another call than this' } }
  }
  return { ...about, decision: decisionIn(await store.get(`${step}.decision`), asked.until) }
}

const decisionIn = (entry: Entry | null, until: string): Decision => {
  if (entry?.body?.event !== 'approval-decided') return { kind: 'none' }
  const { decision, note } = entry.body
  if (entry.at > until) return { kind: 'denied', why: `the answer came after ${until}` }
  if (decision === 'approved') return { kind: 'approved', entry: entry.id }
  const why = decision === 'denied' ? `${entry.author.id} said no${note === '' ? '' : `: ${note}`}` : note
  return { kind: 'denied', why }
}
