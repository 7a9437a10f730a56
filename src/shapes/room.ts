import { z } from 'zod'
import { RoomBulletins } from './bulletin.ts'

/**
 * Where a line can come in. Each face fills in who is speaking; it is never taken from the line. An agent comes in by its
 * token, which names the room; no room has to be opened to it otherwise.
 */
export const Face = z.enum(['web', 'terminal', 'cli', 'api', 'agent', 'irc', 'discord'])
export type Face = z.infer<typeof Face>

/**
 * What the people of a room can set for it · listener: the agent that hears lines addressed to nobody, or `nobody` · show:
 * how much of the work is told where it cannot be shown in one place · bulletins: whether it is told how things stand, `on` or `off`
 */
export const RoomSetting = z.enum(['listener', 'show', 'bulletins'])
export type RoomSetting = z.infer<typeof RoomSetting>

/** How much a room is told: answers alone; also that work is taken and what is said on the way; also every step. */
export const Show = z.enum(['quiet', 'normal', 'all'])
export type Show = z.infer<typeof Show>

/** How much a room may do: discuss < diagnose < execute. */
export const RoomMode = z.enum(['discuss', 'diagnose', 'execute'])
export type RoomMode = z.infer<typeof RoomMode>

export const Name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected a lower-case name such as "claude-1"')

/** The faces that are networks: whoever speaks there is who the network says, or nobody in particular. */
export const NETWORK_FACES: ReadonlySet<Face> = new Set<Face>(['irc', 'discord'])

/** How much a room may do that only this face leads to, where nothing else is said: at home, everything. */
const faceModes: Record<Face, RoomMode> = {
  web: 'execute',
  terminal: 'execute',
  cli: 'execute',
  api: 'execute',
  agent: 'execute',
  irc: 'diagnose',
  discord: 'diagnose',
}

/** What a room may do by itself: no more than the least trusted of its faces. */
const modeOf = (faces: readonly Face[]): RoomMode =>
  RoomMode.options.find((mode) => faces.some((face) => faceModes[face] === mode)) ?? 'discuss'

/** The workspace of rooms that name none, and of processes that are given none by name. */
export const MAIN = 'main'

export const Room = z
  .strictObject({
    id: Name,
    faces: z.array(Face).min(1),
    mode: RoomMode.optional(),
    /** The set of files that work of this room is done on, by the name that workers are started with. */
    workspace: Name.optional(),
    /** The agent that hears lines addressed to nobody; null keeps the room mention-only. */
    listener: Name.nullable(),
    /** Whether the room is mention-only on networks, whoever listens at home; it is, unless this says no. */
    gated: z.boolean().optional(),
    /** The people who may approve here, by name, where not everybody who is an approver may. Admins always may. */
    approvers: z.array(z.string().min(1).max(64)).min(1).optional(),
    /** When the room is told how things stand, where that is not as everywhere. */
    bulletins: RoomBulletins.optional(),
  })
  .transform(({ mode, ...room }) => ({ ...room, mode: mode ?? modeOf(room.faces) }))
export type Room = z.infer<typeof Room>

/** A room as it is entered. One that is archived is read, and takes no messages. */
export type Place = Room & { archived?: boolean }
