import type { ChatPort } from '../../src/chat/port.ts'

/** Where one can go: the rooms, and the threads that are open, each with what there is to say of it. */
export const placesIn = async ({ ask }: ChatPort): Promise<{ id: string; what: string }[]> => {
  const [rooms, threads] = await Promise.all([ask({ name: 'rooms' }), ask({ name: 'threads' })])
  return [
    ...(rooms.ok ? (rooms.value as Rooms).rooms : []).map(({ id }) => ({ id, what: 'a room' })),
    ...(threads.ok ? (threads.value as Threads).threads : []).map(({ id, agent, name }) => ({
      id,
      what: `with ${agent}${name === '' ? '' : `, ${name}`}`,
    })),
  ]
}

/** What the rows of the table answer, as far as it is shown here. */
type Rooms = { rooms: { id: string }[] }
type Threads = { threads: { id: string; agent: string; name: string }[] }
