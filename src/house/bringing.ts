import type { Console } from '../console/house.ts'
import { roomDraft } from '../evidence/drafts.ts'
import { sha256 } from '../evidence/hash.ts'
import { authorOf, mayAct, type Person } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import type { Place } from '../shapes/room.ts'
import { enter } from '../social/presence.ts'
import type { Parts } from './parts.ts'

/** Files that people bring to a room: kept for its agents to read, and in the evidence by who, when and what hash. */
export const bringing = (
  { store, uploads, newId }: Pick<Parts, 'store' | 'uploads' | 'newId'>,
  roomsFor: (room: string) => Promise<readonly Place[]>,
  drained: AbortSignal,
): Pick<Console, 'bring' | 'brought'> => ({
  bring: async ({ room, face, person, name, content }) => {
    if (drained.aborted) return refused(refusal('draining', 'this instance is going down and takes no more files'))
    const place = enter(room, face, await roomsFor(room))
    if (!place.ok) return place
    const objection = objectionTo(person, place.value)
    if (objection) return refused(objection)
    if (content.length === 0) return refused(refusal('request-invalid', `${name} is empty`))
    const brought = { path: await uploads.write(room, name, content), bytes: content.length, hash: sha256(content) }
    const body = { event: 'file-brought', name, ...brought } as const
    const written = await store.append([roomDraft({ id: newId(), room, author: authorOf(person), body })])
    return written.ok ? ok(brought) : written
  },
  brought: async (room, face, name) => {
    const place = enter(room, face, await roomsFor(room))
    if (!place.ok) return place
    const found = uploads.find(room, `upload:${name}`)
    return found ? ok(found.real) : refused(refusal('entry-unknown', `nobody brought ${name} to ${room}`))
  },
})

const objectionTo = ({ role }: Person, { id, archived }: Place): Refusal | null => {
  if (!mayAct(role, 'operator'))
    return refusal('role-too-low', `to bring a file needs the role operator; you are ${role}`)
  return archived ? refusal('thread-archived', `${id} is archived, and takes no more files`) : null
}
