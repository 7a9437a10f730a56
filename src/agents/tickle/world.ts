import type { z } from 'zod'
import { WorldKind, type WorldOrder } from '../../shapes/world.ts'
import type { Plan } from '../rehearsal/plans/steps.ts'
import { type Doing, said } from './said.ts'

const USAGE = `say /world new [${WorldKind.options.join('|')}] [seed], show, or act and what is done, such as go to fridge 1`

type Orders = Readonly<Record<z.infer<typeof WorldOrder>, (rest: readonly string[]) => Plan<string> | null>>

/** What a person who says `new` wants is a new game, whatever is under way. */
const begun = (rest: readonly string[]): Plan<string> | null => {
  const kind = WorldKind.safeParse(rest[0])
  const [seed, ...more] = kind.success ? rest.slice(1) : rest
  if (more.length > 0 || (seed !== undefined && !/^\d{1,9}$/.test(seed))) return null
  return said('world-reset', {
    ...(kind.success && { kind: kind.data }),
    ...(seed !== undefined && { seed: Number(seed) }),
    again: true,
  })
}

const orders: Orders = {
  new: begun,
  show: (rest) => (rest.length === 0 ? said('world-state', {}) : null),
  act: (rest) => (rest.length === 0 ? null : said('world-act', { action: rest.join(' ') })),
}

/** The word `world`: Tickle plays for whoever says it. */
export const worldWord: Doing = function* ([order = 'show', ...rest]) {
  const name = order.toLowerCase()
  const plan = Object.hasOwn(orders, name) ? orders[name as keyof Orders](rest) : null
  return plan ? yield* plan : `I do not understand "${['world', order, ...rest].join(' ')}"; ${USAGE}`
}
