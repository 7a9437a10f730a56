import type { Door } from '../../src/chat/port.ts'
import type { Post, Progress } from '../../src/shapes/post.ts'
import type { Result } from '../../src/shapes/result.ts'

/** Where a room is read from: after a post, or from the last so many on. */
export type From = number | { tail: number }

/** What is heard of a room: its posts, what is said while it is being said, and that the door let one in. */
type Ears = { post: (post: Post) => void; progress?: (progress: Progress) => void; open?: () => void }

/** Asks which rooms there are, and which threads are open. */
type Ask = {
  (name: 'rooms'): Promise<Result<{ rooms: { id: string }[] }>>
  (name: 'threads'): Promise<Result<{ threads: { id: string; agent: string; name: string }[] }>>
}

/**
 * The door as a terminal uses it: like any other, and one can also begin with the last posts of a room and hear what is
 * being written. Where it can be asked, it says which rooms and threads there are.
 */
export type TerminalDoor = Pick<Door, 'say'> & {
  follow: (room: string, from: From, ears: Ears, signal: AbortSignal) => Promise<void>
  ask?: Ask
}

/** Where one can go: the rooms, and the threads that are open, each with what there is to say of it. */
export const placesIn = async ({ ask }: TerminalDoor): Promise<{ id: string; what: string }[]> => {
  const [rooms, threads] = await Promise.all([ask?.('rooms'), ask?.('threads')])
  return [
    ...(rooms?.ok ? rooms.value.rooms : []).map(({ id }) => ({ id, what: 'a room' })),
    ...(threads?.ok ? threads.value.threads : []).map(({ id, agent, name }) => ({
      id,
      what: `with ${agent}${name === '' ? '' : `, ${name}`}`,
    })),
  ]
}
