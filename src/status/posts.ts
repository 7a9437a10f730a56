import { taggedIn } from '../evidence/drafts.ts'
import type { Feed } from '../evidence/feed.ts'
import { near } from '../evidence/near.ts'
import type { Store } from '../evidence/store.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { PlaceOfPosts, Post } from '../shapes/post.ts'
import { viewOf } from './views.ts'

/** An entry as a room reads it; null where there is nothing to read. */
export const toPost = (entry: Entry, room: string): Post | null => {
  const view = viewOf(entry)
  if (!view) return null
  const { position, id, at, author, session, subject } = entry
  return {
    position,
    id,
    at,
    room,
    author,
    session: subject.type === 'session' ? session : null,
    turn: null,
    step: null,
    approval: null,
    ...view,
  }
}

/** What a room reads of an entry, by its id; null where it reads nothing of it. */
export const postOf = async (store: Pick<Store, 'get'>, id: string): Promise<Post | null> => {
  const entry = await store.get(id)
  const room = entry && taggedIn(entry.tags, 'room')
  return room ? toPost(entry, room) : null
}

/** Everything a room shows: also what is let go after a while. */
const inRoom = (room: string) => ({ room, ephemeral: 'with' })

/** The last posts of a room, oldest first. */
export const tail = async (store: Store, room: string, count: number): Promise<Post[]> => {
  const found = await store.query({ ...inRoom(room), limit: Math.min(count * 5, 1000) })
  const posts = (found.ok ? found.value.entries : []).reverse().flatMap((entry) => toPost(entry, room) ?? [])
  return posts.slice(-count)
}

/** The posts of a room next to a position, oldest first: back from it, or onward; and whether there are more that way. */
export const postsAt = async (
  store: Pick<Store, 'query'>,
  { room, order, position, count }: PlaceOfPosts,
): Promise<{ posts: Post[]; more: boolean }> => {
  const posts: Post[] = []
  let cursor: number | null = position
  while (cursor !== null && posts.length < count) {
    const found = await store.query({ ...inRoom(room), order, limit: PAGE, cursor })
    if (!found.ok) throw new Error(found.refusal.message)
    posts.push(...found.value.entries.flatMap((entry) => toPost(entry, room) ?? []))
    cursor = found.value.next
  }
  const found = posts.slice(0, count)
  return { posts: order === 'newest' ? found.reverse() : found, more: cursor !== null || posts.length > count }
}

const PAGE = 500

/** Every post of a room after a position, in order, for as long as the signal lets it: no gap, and none twice. */
export async function* follow(
  store: Store,
  feed: Pick<Feed, 'listen'>,
  { room, after }: { room: string; after: number },
  signal: AbortSignal,
): AsyncGenerator<Post> {
  for await (const entry of near(store, feed, { part: { room }, after }, signal)) {
    const post = toPost(entry, room)
    if (post) yield post
  }
}
