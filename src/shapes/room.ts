import { z } from 'zod'

/** Where a line can come in. Each face fills in who is speaking; it is never taken from the line. */
export const Face = z.enum(['web', 'terminal', 'cli', 'api'])
export type Face = z.infer<typeof Face>

/** How much a room may do: discuss < diagnose < execute. */
export const RoomMode = z.enum(['discuss', 'diagnose', 'execute'])
export type RoomMode = z.infer<typeof RoomMode>

export const Name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected a lower-case name such as "claude-1"')

export const Room = z.strictObject({
  id: Name,
  faces: z.array(Face).min(1),
  mode: RoomMode,
  /** The agent that hears lines addressed to nobody; null keeps the room mention-only. */
  listener: Name.nullable(),
})
export type Room = z.infer<typeof Room>
