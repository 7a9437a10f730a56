import type { Licence } from '../shapes/undertaking.ts'
import type { Undertaking } from './undertaking.ts'

/** After how many approaches that failed on one item nobody goes on without a licence. */
const TRIES = 3

/** Why nobody may go on with a claim without a licence; null where they may. An obligation is blocked instead. */
export const licenceless = ({ domain, failed, licence }: Undertaking, item: string, now: number): string | null => {
  const times = failed.filter((one) => one.item === item).length
  if (domain !== 'proof' || times < TRIES) return null
  if (licence?.item !== item)
    return `${times} approaches have failed on ${item}: to go on takes a licence, ask for one with proof-licence`
  return Date.parse(licence.until) > now
    ? null
    : `the licence for ${item} has run out: ask for another, with another lever`
}

/** Why no licence is given; null where one is. */
export const unlicensable = (
  undertaking: Undertaking,
  { item, lever }: Pick<Licence, 'item' | 'lever'>,
  now: number,
): string | null => {
  const { items, licence, levers, cycle } = undertaking
  if (cycle) return `cycle ${cycle.n} is under way: end it first`
  if (!items.has(item)) return `there is no ${item} in the ledger`
  if (licence && Date.parse(licence.until) > now)
    return `there is a licence already, for ${licence.item} until ${licence.until}`
  const same = levers.some((one) => one.item === item && one.lever.trim() === lever.trim())
  return same ? `a licence for ${item} was given with this lever before: say what is new` : null
}
