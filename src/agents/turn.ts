import { roleOf } from '../evidence/asked.ts'
import { sessionDraft } from '../evidence/drafts.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import { started } from '../peripherals/drafts.ts'
import type { Entered } from '../peripherals/entering.ts'
import type { Author, Body, Draft, Entry } from '../shapes/evidence.ts'
import type { PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import type { Role } from '../shapes/person.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { TurnOutcome } from '../shapes/turn.ts'

/** How a turn ends: what came of it, and the answer to whoever asked. */
export type Conclusion = {
  outcome: TurnOutcome
  answer: string
  /** The name by which the answer was shown while it was being written. */
  said?: string | undefined
}

/** A turn, the wall it begins behind, and who signs for the work. */
export type Beginning = { turn: TurnRecord; spec: PeripheralSpec; author: Author }

/** Writes what a turn's owner writes; answers whether it is still the owner. */
export type Write = (drafts: Draft[]) => Promise<boolean>

export type Enter = (spec: PeripheralSpec, session: string, asker: { role: Role; mode: RoomMode }) => Promise<Entered>

/** What beginning came to: the wall is up, the turn is over before it began, or it is another's. */
export type Begun = { kind: 'begun' } | { kind: 'over'; conclusion: Conclusion } | { kind: 'fenced' }

type Options = { store: Store; enter: Enter; roomMode: (room: string) => Promise<RoomMode> }

/** Begins turns: puts the wall up, unless it stands already. It is the same for a mind of the house and for one elsewhere. */
export const createBegin = ({ store, enter, roomMode }: Options) => {
  /** Who asked, as the message came in, and the mode the room is in now. */
  const askerOf = async ({ id, room }: TurnRecord) => ({
    role: roleOf(await store.get(id)),
    mode: await roomMode(room),
  })

  return async ({ turn, spec, author }: Beginning, write: Write): Promise<Begun> => {
    const { id, session, room, agent } = turn
    const begins = turnDrafts(turn, author).started()
    const instead = async (conclusion: Conclusion): Promise<Begun> =>
      (await write([begins])) ? { kind: 'over', conclusion } : { kind: 'fenced' }
    if (await store.get(`${id}.peripheral`)) return { kind: 'begun' }
    const stop = await store.get(`${id}.stop`)
    if (stop) return instead(stoppedBy(stop))
    const entered = await enter(spec, session, await askerOf(turn))
    if (!entered.ok) {
      return instead({ outcome: 'failed', answer: `${entered.refusal.message} [${entered.refusal.code}]` })
    }
    const start = { id: `${id}.peripheral`, turn: id, entry: entered.entry, inReplyTo: `${id}.started` }
    const place = { id: session, room, agent, peripheral: spec.id }
    const wall = started(place, author, spec, { ...start, context: {}, hop: null })
    return (await write([begins, wall])) ? { kind: 'begun' } : { kind: 'fenced' }
  }
}

/** How a turn ends that somebody stopped. */
export const stoppedBy = ({ author, body }: Entry): Conclusion => {
  const why = body?.event === 'stop-asked' && body.why !== '' ? `: ${body.why}` : ''
  return { outcome: 'cancelled', answer: `stopped by ${author.id}${why}` }
}

/** The entries of a turn's life, signed by its agent. */
export const turnDrafts = ({ id: turn, session, room, agent, peripheral }: TurnRecord, author: Author) => {
  const tags = [`peripheral/${peripheral}`]
  const draft = (part: string, body: Body, inReplyTo: string) =>
    sessionDraft({ id: `${turn}.${part}`, session, room, agent, author, body, inReplyTo, tags })
  return {
    started: () => draft('started', { event: 'turn-started', turn }, turn),
    interrupted: ([step, call]: [string, ToolCall]) => {
      const outcome = { kind: 'interrupted', message: 'its turn was ended without it' } as const
      const part = `${step.slice(turn.length + 1)}.outcome`
      return draft(part, { event: 'step-ended', turn, step, tool: call.tool, outcome }, `${step}.intent`)
    },
    ended: ({ outcome, answer, said }: Conclusion) =>
      draft('ended', { event: 'turn-ended', turn, outcome, answer, ...(said === undefined ? {} : { said }) }, turn),
  }
}
