import { z } from 'zod'
import { roomDraft } from '../evidence/drafts.ts'
import { listenerOf } from '../evidence/room-settings.ts'
import { Presence } from '../shapes/agent.ts'
import { authorOf, mayAct } from '../shapes/person.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { Name, RoomMode } from '../shapes/room.ts'
import { defineOperation } from './operation.ts'

export const who = defineOperation({
  name: 'who',
  also: ['agents'],
  summary: 'the agents that are here, and which have proved to be ready',
  example: 'who',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ agents: z.array(Presence) }),
  role: 'viewer',
  open: true,
  reads: true,
  offline: false,
  run: async (_input, { who }) => ok({ agents: await who() }),
  render: ({ agents }) =>
    agents
      .map(({ id, readiness, peripherals, reason, activity }) => {
        const more = reason ?? activity
        return [`${id}: ${readiness}${more ? ` (${more})` : ''}`, ...peripherals].join(', ')
      })
      .join('\n') || 'nobody is here yet',
})

const RoomRow = z.strictObject({ id: Name, mode: RoomMode, listener: Name.nullable() })

export const rooms = defineOperation({
  name: 'rooms',
  summary: 'the rooms, their mode, and who listens there',
  example: 'rooms',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ rooms: z.array(RoomRow) }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async (_input, { rooms, roomMode, store, person }) => {
    const rows = rooms.map(async (room) => {
      const { id } = room
      return { id, mode: await roomMode(id), listener: await listenerOf(store, room, person.face) }
    })
    return ok({ rooms: await Promise.all(rows) })
  },
  render: ({ rooms }) =>
    rooms.map(({ id, mode, listener }) => `${id}: ${mode}, ${listener ?? 'nobody'} listens`).join('\n'),
})

/** From where one can go to where, and the role it takes. What is not here cannot be done. */
const transitions: Record<RoomMode, Partial<Record<RoomMode, 'operator' | 'approver'>>> = {
  discuss: { diagnose: 'operator' },
  diagnose: { discuss: 'operator', execute: 'approver' },
  execute: { discuss: 'operator', diagnose: 'operator' },
}

export const mode = defineOperation({
  name: 'mode',
  summary: 'show the mode of the room, or change it: discuss, diagnose or execute',
  example: 'mode diagnose',
  positional: ['to'],
  input: z.strictObject({ to: RoomMode.optional() }),
  output: z.strictObject({ room: Name, mode: RoomMode }),
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ to }, { person, room, roomMode, store, newId }) => {
    if (room === null) return refused(refusal('room-unknown', 'a mode belongs to a room: ask in one'))
    const from = await roomMode(room)
    if (!to || to === from) return ok({ room, mode: from })
    const needed = transitions[from][to]
    if (!needed)
      return refused(refusal('transition-invalid', `${from} cannot become ${to} at once: go through diagnose`))
    if (!mayAct(person.role, needed)) {
      return refused(refusal('role-too-low', `${from} to ${to} needs the role ${needed}; you are ${person.role}`))
    }
    const changed = await store.append([
      roomDraft({ id: newId(), room, author: authorOf(person), body: { event: 'mode-changed', from, to } }),
    ])
    return changed.ok ? ok({ room, mode: to }) : changed
  },
  render: ({ room, mode }) => `${room} is in ${mode}`,
})
