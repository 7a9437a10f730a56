import type { BodyOf, Entry } from '../../shapes/evidence.ts'
import { mayAct } from '../../shapes/person.ts'
import type { Finding } from '../complain.ts'
import { hashOf } from '../hash.ts'
import { type Intent, isEscalated, runsProgram } from './intent.ts'
import type { Rule, Wall } from './wall.ts'

type Asked = { step: string; call: string; until: string; decided: boolean }
type Decided = { step: string; call: string; approved: boolean; used: boolean }

/** Follows who asked for what, who said yes, and what was done with it: a yes is for one call, once. */
export const createApprovals = () => {
  const asked = new Map<string, Asked>()
  const decided = new Map<string, Decided>()

  return {
    asked: ({ id }: Entry, { step, call, until }: BodyOf<'approval-asked'>): void => {
      asked.set(id, { step, call: hashOf(call), until, decided: false })
    },
    decided: (entry: Entry, body: BodyOf<'approval-decided'>): Finding[] => {
      const question = asked.get(entry.inReplyTo ?? '')
      if (question?.step !== body.step) return [{ rule: 'approval', what: 'decides what was not asked' }]
      const approved = body.decision === 'approved'
      const again = question.decided
      question.decided = true
      decided.set(entry.id, { step: question.step, call: question.call, approved, used: false })
      if (again) return [{ rule: 'approval', what: 'decides what was decided before' }]
      return approved ? wrongYes(entry, body, question) : []
    },
    used: (intent: Intent, needs: string | null): Finding[] => {
      const { approval, step, call } = intent
      if (approval === undefined) {
        return needs === null ? [] : [{ rule: 'approval', what: `was not approved: ${needs}` }]
      }
      const decision = decided.get(approval)
      const wrong = wrongUse(decision, step, hashOf(call))
      if (decision) decision.used = true
      return wrong === null ? [] : [{ rule: 'approval', what: wrong }]
    },
  }
}

/** A yes counts when it is given by somebody who may, and in time. */
const wrongYes = ({ at }: Entry, { role }: BodyOf<'approval-decided'>, { until }: Asked): Finding[] => {
  if (role === null || !mayAct(role, 'approver')) {
    return [{ rule: 'approval', what: `is by the role ${role}, who may not approve` }]
  }
  return Date.parse(at) <= Date.parse(until) ? [] : [{ rule: 'approval', what: `came after ${until}` }]
}

const wrongUse = (decision: Decided | undefined, step: string, call: string): string | null => {
  if (!decision) return 'names an approval that nobody gave'
  if (!decision.approved) return 'was not approved: a person said no'
  if (decision.step !== step || decision.call !== call) return 'names the approval of another call'
  return decision.used ? 'uses an approval a second time' : null
}

/** Why a person must have approved a step; null where nobody needs to. `rules` are those its command has the form of. */
export const whyApproved = (intent: Intent, { id, approval }: Wall, rules: readonly Rule[]): string | null => {
  const { call, writes = [] } = intent
  if (isEscalated(intent)) return `it asked for more than ${id} opens`
  if (approval?.tools.includes(call.tool)) return `${id} asks before each ${call.tool}`
  if (rules.length > 0 && rules.every(({ approve }) => approve)) return `${id} asks before such a command`
  const changing = runsProgram(intent) || writes.length > 0
  return approval?.policy === 'always' && changing ? `${id} asks before anything is changed or run` : null
}
