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
  { store, uploads, newId, workspaces }: Pick<Parts, 'store' | 'uploads' | 'newId' | 'workspaces'>,
  roomsFor: (room: string) => Promise<readonly Place[]>,
  drained: AbortSignal,
): Pick<Console, 'mayBring' | 'bring' | 'brought'> => ({
  mayBring: async (room, person) => {
    if (drained.aborted) return refusal('draining', 'this instance is going down and takes no more files')
    const place = enter(room, person.face, await roomsFor(room))
    if (!place.ok) return place.refusal
    return objectionTo(person, place.value) ?? workspaces.elsewhere(room)
  },
  bring: async ({ room, person, name, content }) => {
    if (content.length === 0) return refused(refusal('request-invalid', `${name} is empty`))
    const kept = await uploads.write(room, name, content)
    if (!kept.ok) return kept
    const brought = { path: kept.value.path, bytes: content.length, hash: sha256(content) }
    const body = { event: 'file-brought', name, ...brought } as const
    const written = await store.append([roomDraft({ id: newId(), room, author: authorOf(person), body })])
    if (written.ok) return ok(brought)
    // What nobody wrote down is nothing that an agent should read.
    await kept.value.undo()
    return written
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
