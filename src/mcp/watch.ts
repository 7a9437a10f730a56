import { boundsOf, isWithin } from '../agents/sight.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { Guest } from './guest.ts'
import type { McpHouse, McpLimits } from './house.ts'
import type { Link } from './link.ts'
import type { Target } from './target.ts'

type Seen = Pick<Entry, 'session' | 'tags'>

/**
 * Tells clients of the resources they watch. What happens to one in a short while is told once; and whether it may be
 * told is asked in the moment it is told, since a wall may have gone up in between.
 */
export const createWatch = (house: Pick<McpHouse, 'store' | 'seats' | 'log'>, { gatherMs }: McpLimits) => {
  const gathered = new WeakMap<Link, Map<string, Map<string, Seen>>>()
  /** The reply tree an entry belongs to, by its first entry: asked for only where somebody watches one. */
  const roots = new Map<string, Promise<string | null>>()

  const rootOf = (id: string): Promise<string | null> => {
    const known = roots.get(id)
    if (known !== undefined) return known
    const found = house.store.replyChain(id).then(([first]) => {
      // What is not there yet may come.
      if (!first) roots.delete(id)
      return first?.id ?? null
    })
    roots.set(id, found)
    if (roots.size > ROOTS) roots.delete(roots.keys().next().value ?? '')
    return found
  }

  const isAbout = async (target: Target, entry: Entry): Promise<boolean> => {
    if (target.kind === 'session') return entry.session === target.id
    if (target.kind === 'entry') return entry.id === target.id
    if (target.kind === 'subject')
      return entry.subject.id === target.id && (target.type === null || entry.subject.type === target.type)
    if (target.kind === 'peripheral') return false
    const [root, watched] = await Promise.all([rootOf(entry.id), rootOf(target.id)])
    return root !== null && root === watched
  }

  const tell = async (guest: Guest, link: Link, uri: string): Promise<void> => {
    const seen = gathered.get(link)?.get(uri)
    gathered.get(link)?.delete(uri)
    const bounds = await boundsOf(guest.principal, house.seats)
    const visible = [...(seen?.values() ?? [])].some((entry) => isWithin(bounds, entry))
    if (visible && link.watches(uri) && !guest.ended()) link.notices.resourceUpdated(uri)
  }

  const gather = (guest: Guest, link: Link, uri: string, { session, tags }: Seen): void => {
    const uris = gathered.get(link) ?? new Map<string, Map<string, Seen>>()
    gathered.set(link, uris)
    const seen = uris.get(uri) ?? new Map<string, Seen>()
    seen.set(`${session} ${tags.join(' ')}`, { session, tags })
    if (uris.has(uri)) return
    uris.set(uri, seen)
    const failed = (error: Error) => house.log('an update could not be told', { error: error.message })
    setTimeout(() => void tell(guest, link, uri).catch(failed), gatherMs).unref()
  }

  return async (guest: Guest, entry: Entry): Promise<void> => {
    for (const link of guest.links)
      for (const [uri, { target }] of link.watching()) if (await isAbout(target, entry)) gather(guest, link, uri, entry)
  }
}

/** How many are remembered. */
const ROOTS = 1000
