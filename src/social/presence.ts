import type { Message } from '../shapes/message.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Face, Place } from '../shapes/room.ts'

/** A message whose room is known and open to the face it came through. */
export type Present = Message & { place: Place }

/** Stage 1. Is the room known, is the face one of its own, and is this instance taking messages at all? */
export const presence = (message: Message, rooms: readonly Place[], draining: boolean): Result<Present> => {
  if (draining) return refused(refusal('draining', 'this instance is going down and takes no more messages'))
  const place = enter(message.room, message.face, rooms)
  if (!place.ok) return place
  if (place.value.archived)
    return refused(refusal('thread-archived', `${message.room} is archived, and takes no more messages`))
  return ok({ ...message, place: place.value })
}

/** The room, where there is one that is open to the face: for those who say something, and for those who read along. */
export const enter = (id: string, face: Face, rooms: readonly Place[]): Result<Place> => {
  const place = rooms.find((room) => room.id === id)
  if (!place) {
    return refused(
      refusal('room-unknown', `there is no room ${id}; there is ${rooms.map((room) => room.id).join(', ')}`),
    )
  }
  // An agent's token names its room: that is for the next stage to judge.
  if (face === 'agent' || place.faces.includes(face)) return ok(place)
  return refused(refusal('face-unknown', `${id} is not open to ${face}; it is open to ${place.faces.join(', ')}`))
}
