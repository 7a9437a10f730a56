import { createHash } from 'node:crypto'
import type { Author, BodyOf, Draft, Entry } from '../shapes/evidence.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Place, Room } from '../shapes/room.ts'
import { roomDraft } from './drafts.ts'
import type { Store } from './store.ts'

/** A conversation that lasts: a room of its own, with one agent that listens. */
export type ThreadRecord = Omit<BodyOf<'thread-started'>, 'event' | 'thread'> & {
  id: string
  archived: boolean
  by: string
  at: string
  /** Where it was begun in the store: the cursor of lists. */
  position: number
}

type Reader = Pick<Store, 'get' | 'query'>

/**
 * The id of the thread that a message begins: the same message begins the same thread. Ids that sort by time are taken
 * as they are; of others, a hash.
 */
export const threadIdFor = (message: string): string =>
  `t-${/^[0-9a-z]{26}$/.test(message) ? message : createHash('sha256').update(message).digest('hex').slice(0, 26)}`

const startOf = (thread: string): string => `${thread}.thread`

/** The thread by that id; null where there is none. */
export const threadOf = async (store: Reader, id: string): Promise<ThreadRecord | null> => {
  // Most rooms are none: only what looks like one is looked up.
  const entry = id.startsWith('t-') ? await store.get(startOf(id)) : null
  return entry && recordOf(store, entry)
}

const recordOf = async (store: Reader, { body, author, at, position }: Entry): Promise<ThreadRecord | null> => {
  if (body?.event !== 'thread-started') return null
  const { event: _, thread: id, ...started } = body
  return { id, ...started, archived: await isArchived(store, id), by: author.id, at, position }
}

/** Whether it is archived is what was said of it last. */
const isArchived = async (store: Reader, thread: string): Promise<boolean> => {
  const [last] = await archivings(store, thread, 1)
  return last?.body?.event === 'thread-archived' && last.body.archived
}

const archivings = async (store: Reader, thread: string, limit: number): Promise<Entry[]> => {
  const found = await store.query({ event: 'thread-archived', subject: `room/${thread}`, limit })
  if (!found.ok) throw new Error(found.refusal.message)
  return found.value.entries
}

type Wanted = { archived: boolean; limit: number; cursor: number | null }
type Listed = { threads: ThreadRecord[]; next: number | null }

/** Threads, the newest first: those that are archived, or those that are not. */
export const listThreads = async (store: Reader, { archived, limit, cursor }: Wanted): Promise<Listed> => {
  const threads: ThreadRecord[] = []
  for await (const record of recordsFrom(store, cursor, limit)) {
    if (record.archived !== archived) continue
    if (threads.length === limit) return { threads, next: threads.at(-1)?.position ?? null }
    threads.push(record)
  }
  return { threads, next: null }
}

async function* recordsFrom(store: Reader, cursor: number | null, limit: number): AsyncGenerator<ThreadRecord> {
  let next = cursor
  do {
    const from: { cursor?: number } = next === null ? {} : { cursor: next }
    const page = await store.query({ event: 'thread-started', limit: limit + 1, ...from })
    if (!page.ok) throw new Error(page.refusal.message)
    for (const entry of page.value.entries) {
      const record = await recordOf(store, entry)
      if (record) yield record
    }
    next = page.value.next
  } while (next !== null)
}

/** A thread as a room: what it may do follows from the room that it was begun in, and never is more. */
export const roomOfThread = ({ id, room, mode, agent, archived }: ThreadRecord, rooms: readonly Room[]): Place => {
  const parent = rooms.find((one) => one.id === room) ?? rooms[0]
  return { id, faces: parent?.faces ?? [], mode, listener: agent, ...(archived ? { archived } : {}) }
}

type Beginning = Omit<BodyOf<'thread-started'>, 'event'>

/** The first entry of a thread. One that goes on from another is a fork of the turn that it goes on from. */
export const startDraft = (beginning: Beginning, author: Author): Draft => {
  const { thread, from } = beginning
  const body = { event: 'thread-started', ...beginning } as const
  const forkOf = from && (from.turn ?? startOf(from.thread))
  return { ...roomDraft({ id: startOf(thread), room: thread, author, body }), forkOf }
}

/** Says that a thread takes no more messages, or that it does again; what it is already, is not said twice. */
export const archiveThread = async (
  store: Store,
  thread: string,
  archived: boolean,
  author: Author,
): Promise<Result<ThreadRecord>> => {
  const known = await threadOf(store, thread)
  if (!known) return refused(refusal('thread-unknown', `there is no thread ${thread}`))
  if (known.archived === archived) return ok(known)
  const counted = await store.count({ event: 'thread-archived', subject: `room/${thread}` })
  if (!counted.ok) return counted
  const body = { event: 'thread-archived', thread, archived } as const
  const said = await store.append([
    roomDraft({
      id: `${thread}.archived-${counted.value}`,
      room: thread,
      author,
      body,
      inReplyTo: startOf(thread),
    }),
  ])
  if (said.ok) return ok({ ...known, archived })
  // Somebody else may have said something at the same moment: then it is looked at again.
  return said.refusal.code === 'id-conflict' ? archiveThread(store, thread, archived, author) : said
}
