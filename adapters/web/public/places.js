// Places: the rooms of the house, the threads that are open, and which of all of them this is.
import { texts } from './texts.js'

/** As many threads as are worth choosing from; `/threads` has the others. */
const THREADS = 30

export const createPlaces = (ask) => {
  /** What this thread was begun as: that does not change. */
  let begun = null

  /** Where one can go and where one is, with the status of an answer; `here` is null where there is no such place. */
  const look = async (wanted) => {
    const [rooms, threads] = await Promise.all([ask('/api/rooms'), ask(`/api/threads?limit=${THREADS}`)])
    const id = wanted ?? rooms.body?.rooms?.[0]?.id ?? ''
    const room = rooms.body?.rooms?.find((one) => one.id === id)
    const here = room ? { status: 200, place: { ...room, name: id, archived: false } } : await threadAt(id)
    const failed = [rooms, threads, here].find(({ status }) => status !== 200)
    return failed ?? { status: 200, rooms: rooms.body.rooms, threads: threads.body.threads, here: here.place }
  }

  const threadAt = async (id) => {
    if (!id.startsWith('t-')) return { status: 200, place: null }
    const of = encodeURIComponent(id)
    const lastOf = (event) => ask(`/api/evidence?event=${event}&subject=room%2F${of}&limit=1`)
    const [start, archived, mode] = await Promise.all([
      begun ?? ask(`/api/show?entry=${of}.thread`),
      lastOf('thread-archived'),
      lastOf('mode-changed'),
    ])
    if (start.status === 404) return { status: 200, place: null }
    const failed = [start, archived, mode].find(({ status }) => status !== 200)
    if (failed) return failed
    begun = start
    return { status: 200, place: threadOf(id, start.body.entry, bodyOf(archived), bodyOf(mode)) }
  }

  return { look }
}

/** Of what happened to a thread, what was said last. */
const bodyOf = ({ body }) => body.entries[0]?.body

const threadOf = (id, { body, at }, archiving, change) => ({
  id,
  name: nameOf({ name: body.name, at }),
  listener: body.agent,
  mode: change?.to ?? body.mode,
  archived: archiving?.archived ?? false,
  /** The room that it was begun in: what is no thread has none. */
  home: body.room,
})

/** A thread without a name is known by when it was begun. */
export const nameOf = ({ name, at }) => name || texts.places.unnamed(new Date(at).toLocaleString([], WHEN))

const WHEN = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }
