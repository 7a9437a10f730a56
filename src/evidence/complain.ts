import type { Entry } from '../shapes/evidence.ts'
import type { Verdict } from '../shapes/verdict.ts'

/** Says what is wrong with an entry where the first argument holds. */
export type Complain = (wrong: boolean, entry: Pick<Entry, 'id'>, rule: string, what: string) => void

/** What is wrong with the entry that is being looked at: the rule it breaks, and how. */
export type Finding = { rule: string; what: string }

/** The most violations that are listed: where more is wrong, all of it is. */
const LISTED = 200

export const createComplaints = () => {
  const listed: Verdict['violations'] = []
  let unlisted = 0
  const complain: Complain = (wrong, { id }, rule, what) => {
    if (!wrong) return
    if (listed.length < LISTED) listed.push({ entry: id, rule, what })
    else unlisted++
  }
  return { listed, complain, unlisted: () => unlisted }
}
