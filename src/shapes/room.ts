import { z } from 'zod'

/**
 * Where a line can come in. Each face fills in who is speaking; it is never taken from the line. An agent comes in by its
 * token, which names the room; no room has to be opened to it otherwise.
 */
export const Face = z.enum(['web', 'terminal', 'cli', 'api', 'agent'])
export type Face = z.infer<typeof Face>

/** How much a room may do: discuss < diagnose < execute. */
export const RoomMode = z.enum(['discuss', 'diagnose', 'execute'])
export type RoomMode = z.infer<typeof RoomMode>

export const Name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected a lower-case name such as "claude-1"')

/** How much a room may do that only this face leads to, where nothing else is said: at home, everything. */
const faceModes: Record<Face, RoomMode> = {
  web: 'execute',
  terminal: 'execute',
  cli: 'execute',
  api: 'execute',
  agent: 'execute',
}

/** What a room may do by itself: no more than the least trusted of its faces. */
const modeOf = (faces: readonly Face[]): RoomMode =>
  RoomMode.options.find((mode) => faces.some((face) => faceModes[face] === mode)) ?? 'discuss'

export const Room = z
  .strictObject({
    id: Name,
    faces: z.array(Face).min(1),
    mode: RoomMode.optional(),
    /** The agent that hears lines addressed to nobody; null keeps the room mention-only. */
    listener: Name.nullable(),
  })
  .transform(({ mode, ...room }) => ({ ...room, mode: mode ?? modeOf(room.faces) }))
export type Room = z.infer<typeof Room>

/** A room as it is entered. One that is archived is read, and takes no messages. */
export type Place = Room & { archived?: boolean }
