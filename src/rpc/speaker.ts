import type { Message, Receipt } from '../shapes/message.ts'
import type { Principal } from '../shapes/principal.ts'
import type { Result } from '../shapes/result.ts'
import type { Room } from '../shapes/room.ts'
import type { RpcHouse } from './house.ts'

export type Speaker = ReturnType<typeof createSpeaker>

/** Says in rooms what a client wants, as the person whose token it has: each time authenticated anew, by the pipeline. */
export const createSpeaker = ({ say, newId }: Pick<RpcHouse, 'say' | 'newId'>, principal: Principal) => {
  const message = (room: string, text: string, id: string): Message => ({
    id,
    face: principal.person.face,
    room,
    text,
    credential: { token: principal.token, as: null },
  })
  return {
    /** A line of chat. */
    say: (room: string, text: string, id: string = newId()): Promise<Result<Receipt>> => say(message(room, text, id)),
    /** A command; the line only shows it. */
    command: (room: string, name: string, input: Record<string, unknown>): Promise<Result<Receipt>> =>
      say({ ...message(room, shown(name, input), newId()), command: { name, input } }),
    /** Where things are said that have no room of their own: the first that is open to the person's face. */
    home: (rooms: readonly Room[]): string =>
      (rooms.find(({ faces }) => faces.includes(principal.person.face)) ?? rooms[0])?.id ?? '',
  }
}

const shown = (name: string, input: Record<string, unknown>): string =>
  [`/${name}`, ...Object.entries(input).map(([key, value]) => `${key}=${JSON.stringify(value)}`)].join(' ')
