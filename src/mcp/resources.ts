import { type Resource, ResourceNotFoundError, type TextResourceContents } from '@modelcontextprotocol/server'
import { type Bounds, boundsOf, isWithin } from '../agents/sight.ts'
import type { ReplyTree } from '../evidence/reply-trees.ts'
import { type Entry, SubjectType } from '../shapes/evidence.ts'
import type { Principal } from '../shapes/principal.ts'
import type { McpHouse } from './house.ts'
import { type Target, targetOf, uris } from './target.ts'

/** How many sessions are listed, how many entries are read at once, and how many bytes of them. */
const LISTED = 50
const ENTRIES = 200
const BYTES = 512 * 1024

export type Resources = ReturnType<typeof createResources>

/** The evidence, and the walls, for whoever may see them. What may not be seen is not there. */
export const createResources = ({ store, seats, specs }: McpHouse, principal: Principal) => {
  const bounds = (): Promise<Bounds> => boundsOf(principal, seats)

  /** The sessions one may see, newest first. */
  const sessions = async () => {
    const within = await bounds()
    const latest = await store.sessions(LISTED)
    return latest.filter(({ id, room }) => isWithin(within, { session: id, tags: [`room/${room}`] }))
  }

  const page = async (within: Exclude<Bounds, null>, filters: Record<string, unknown>): Promise<Entry[]> => {
    const found = await store.query({ ...filters, ...within, ephemeral: 'with', limit: ENTRIES })
    return found.ok ? found.value.entries : []
  }

  const readers: { [K in Target['kind']]: (target: Extract<Target, { kind: K }>) => Promise<unknown> } = {
    peripheral: async ({ id }) => specs.get(id) ?? null,
    session: async ({ id }) => {
      const within = await bounds()
      if (!within || (within.session ?? id) !== id) return null
      const entries = await page(within, { session: id })
      return entries.length === 0 ? null : { session: await store.session(id), ...shownOf(entries) }
    },
    subject: async ({ type, id }) => {
      const within = await bounds()
      if (!within) return null
      const types = type === null ? SubjectType.options : [type]
      const pages = await Promise.all(types.map((one) => page(within, { subject: `${one}/${id}` })))
      const entries = pages.flat().sort((a, b) => b.position - a.position)
      return entries.length === 0 ? null : shownOf(entries)
    },
    entry: async ({ id }) => {
      const entry = await store.get(id)
      return entry && isWithin(await bounds(), entry) ? entry : null
    },
    'reply-tree': async ({ id }) => {
      const within = await bounds()
      const asked = await store.get(id)
      const tree = asked && isWithin(within, asked) ? await store.replyTree(id) : null
      if (!tree) return null
      return visibleOf(tree, (entry) => isWithin(within, entry))
    },
  }

  return {
    sessions,
    list: async (): Promise<Resource[]> => [
      ...[...specs.values()].map(({ id, purpose }) => ({
        uri: uris.peripheral(id),
        name: id,
        title: `The peripheral ${id}`,
        description: purpose,
        mimeType: 'application/json',
      })),
      ...(await sessions()).map(({ id, agent, room, open }) => ({
        uri: uris.session(id),
        name: id,
        title: `${agent} in ${room}`,
        description: `the evidence of ${open ? 'an open' : 'a closed'} session`,
        mimeType: 'application/json',
      })),
    ],
    read: async (uri: string): Promise<TextResourceContents> => {
      const target = targetOf(uri)
      const read = target && (readers[target.kind] as (target: Target) => Promise<unknown>)
      const found = target && read && (await read(target))
      if (!found) throw new ResourceNotFoundError(uri)
      return { uri, mimeType: 'application/json', text: JSON.stringify(found, null, 1) }
    },
  }
}

/** A reply tree without what may not be seen of it. */
const visibleOf = (tree: ReplyTree, isVisible: (entry: Entry) => boolean): ReplyTree => {
  const all = tree.entries.filter(({ entry }) => isVisible(entry))
  const entries = fitting(all.slice(0, ENTRIES))
  const ids = new Set(all.map(({ entry }) => entry.id))
  return {
    ...tree,
    root: ids.has(tree.root) ? tree.root : (all[0]?.entry.id ?? ''),
    entries,
    forks: fitting(tree.forks.filter(isVisible)),
    open: tree.open.filter((id) => ids.has(id)),
    cut: tree.cut || entries.length < all.length,
  }
}

/** The newest entries that fit, oldest first; and whether there are older ones. */
const shownOf = (newestFirst: Entry[]) => {
  const entries = fitting(newestFirst.slice(0, ENTRIES)).reverse()
  return { entries, older: entries.length < newestFirst.length || newestFirst.length >= ENTRIES }
}

/** As many as fit, and one at least. */
const fitting = <T>(items: T[]): T[] => {
  let bytes = 0
  const end = items.findIndex((item, i) => {
    bytes += Buffer.byteLength(JSON.stringify(item))
    return bytes > BYTES && i > 0
  })
  return end === -1 ? items : items.slice(0, end)
}
