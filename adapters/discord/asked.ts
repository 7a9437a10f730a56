import type { NetworkPort } from '../../src/chat/port.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Sender } from '../../src/shapes/network.ts'
import type { Lanes } from './lanes.ts'
import type { Places } from './places.ts'
import { type Heard, type Me, readMessage, senderOf } from './reading.ts'
import type { Speak } from './speak.ts'

type Line = { id: string; room: string; sender: Sender }
type Turn = { turn: string; agent: string; peripheral: string }
type Kept = { room: string; sender: Sender; turns: Turn[] }

export type AskedOptions = { port: NetworkPort; me: () => Me | null; places: Places; lanes: Lanes; speak: Speak }
export type Asked = ReturnType<typeof createAsked>

/**
 * What lines have asked for, so that a line that is changed or taken back while its turn waits changes the turn or takes it
 * out of the line. Of one that has begun, nothing is changed: for that there is `/steer`.
 */
export const createAsked = ({ port, me, places, lanes, speak }: AskedOptions) => {
  const keyOf = (message: string): string => `turns/${port.network}~${message}`
  const recall = async (message: string): Promise<Kept | null> => {
    const kept = await port.memory.get(keyOf(message)).catch(() => null)
    return kept === null ? null : (JSON.parse(kept) as Kept)
  }
  const waitingOf = async ({ room, sender, turns }: Kept): Promise<Turn[]> => {
    const looked = await port.ask({ name: 'queue', room, sender }).catch(() => null)
    const rows = looked?.ok ? ((looked.value as { turns?: { turn: string; state: string }[] }).turns ?? []) : []
    const waiting = new Set(rows.filter(({ state }) => state === 'accepted').map(({ turn }) => turn))
    return turns.filter(({ turn }) => waiting.has(turn))
  }

  const change = async (message: Heard): Promise<void> => {
    const self = me()
    const kept = await recall(message.id)
    if (!self || !kept) return
    const request = requestIn(readMessage(message, self, places).text, await port.agents().catch(() => []))
    if (request === '') return
    const sender = message.member ? senderOf(port.network, message.author, message.member.roles) : kept.sender
    const edited = Date.parse(message.edited_timestamp ?? '').toString(36)
    for (const [i, { turn }] of (await waitingOf(kept)).entries()) {
      const input = { turn, text: request }
      const id = `${port.network}~${message.id}-e${edited}-${i}`
      await speak({ id, room: kept.room, text: `/amend ${turn} ${request}`, sender, command: { name: 'amend', input } })
    }
  }

  const takeBack = async (message: string): Promise<void> => {
    const kept = await recall(message)
    if (!kept) return
    for (const [i, { turn }] of (await waitingOf(kept)).entries()) {
      const input = { turn, why: 'the line was deleted' }
      const { room, sender } = kept
      const id = `${port.network}~${message}-d-${i}`
      // Discord does not say who deleted it: whoever it was, it is the line's author who does not ask any more.
      await speak({ id, room, text: `/unqueue ${turn} ${input.why}`, sender, command: { name: 'unqueue', input } })
    }
  }

  return {
    note: async ({ id, room, sender }: Line, { assignments }: Receipt): Promise<void> => {
      if (assignments.length === 0) return
      const turns = assignments.map(({ turn, agent, peripheral }) => ({ turn, agent, peripheral }))
      const kept: Kept = { room, sender, turns }
      await port.memory.set(`turns/${id}`, JSON.stringify(kept)).catch(() => null)
    },
    /** Only what a person changed has a time: that Discord added a picture of an address is no change. */
    changed: (message: Heard): void => {
      const own = message.author?.id === me()?.id
      if (message.edited_timestamp && !own) void lanes.take(message.channel_id, () => change(message))
    },
    deleted: (channel: string, message: string): void => void lanes.take(channel, () => takeBack(message)),
  }
}

/** What a line asks for, without whom it asks and by which command: that cannot be changed any more. */
const requestIn = (text: string, agents: readonly { id: string; type: string }[]): string => {
  const names = new Set(agents.flatMap(({ id, type }) => [id, type]))
  let rest = text.replace(/^[/!][a-z][a-z0-9-]*\s+/i, '')
  for (;;) {
    const [whole, at, colon] = /^(?:@([\w-]+)[,:]?|([\w-]+)[,:])\s*/.exec(rest) ?? []
    if (whole === undefined || !names.has((at ?? colon ?? '').toLowerCase())) return rest.trim()
    rest = rest.slice(whole.length)
  }
}
