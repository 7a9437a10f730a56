import type { Message } from '../shapes/message.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Room } from '../shapes/room.ts'

/** A message whose room is known and open to the face it came through. */
export type Present = Message & { place: Room }

/** Stage 1. Is the room known, is the face one of its own, and is this instance taking messages at all? */
export const presence = (message: Message, rooms: readonly Room[], draining: boolean): Result<Present> => {
  if (draining) return refused(refusal('draining', 'this instance is going down and takes no more messages'))
  const place = rooms.find((room) => room.id === message.room)
  if (!place) {
    return refused(
      refusal('room-unknown', `there is no room ${message.room}; there is ${rooms.map(({ id }) => id).join(', ')}`),
    )
  }
  if (!place.faces.includes(message.face)) {
    return refused(
      refusal('face-unknown', `${place.id} is not open to ${message.face}; it is open to ${place.faces.join(', ')}`),
    )
  }
  return ok({ ...message, place })
}
