import type { NetworkPort } from '../../src/chat/port.ts'
import type { Sender } from '../../src/shapes/network.ts'
import type { Refusal } from '../../src/shapes/refusal.ts'
import type { Session } from './connection.ts'
import { layOut, type Rest } from './layout.ts'
import { withSigns } from './phrase.ts'

type Kept = { room: string; post: string; house: boolean; from: number; fenced: boolean }

/** A post, and whether the house said it. */
type Said = { room: string; id: string; house: boolean }

/** The text from there on, and where it goes on where that is not all. */
type Answer = { text: string; next: number | null }

const NOTHING = 'there is nothing more to read here'

/** How much is asked for at once: enough to say how many lines are left. */
const ASKED = 16_000

/** What is left of a long text, and `!more` that goes on with it. */
export const createMore = (port: NetworkPort, lines: number) => {
  const keyOf = (channel: string) => `more/${channel}`

  const keep = (channel: string, kept: Kept | null): Promise<void> =>
    port.memory.set(keyOf(channel), JSON.stringify(kept)).catch(() => {})

  /** The line that says how much is left, and how to read it. */
  const hint = (rest: Pick<Rest, 'lines'>, isAll: boolean, post: { room: string; id: string }): string => {
    const link = port.linkTo(post)
    const count = `${isAll ? '' : 'over '}${rest.lines} more ${rest.lines === 1 ? 'line' : 'lines'}`
    return `… ${count}: !more${link === null ? '' : `, or ${link}`}`
  }

  const goOn = async (session: Session, channel: string, kept: Kept, { text, next }: Answer): Promise<void> => {
    const { room, post, house, from, fenced } = kept
    const limit = session.own.limit('PRIVMSG', channel)
    const said = house ? withSigns(text, port.commands) : text
    const laid = layOut(said, { head: '', limit, most: lines, fenced, plain: house })
    const rest = laid.rest ?? (next === null ? null : { from: next - from, fenced: false, lines: 1 })
    const then = rest === null ? null : { room, post, house, from: from + rest.from, fenced: rest.fenced }
    await keep(channel, then)
    const last = rest === null ? [] : [{ text: hint(rest, next === null, { room, id: post }), joined: false }]
    const { kind } = await session.speech.say(channel, [...laid.lines, ...last])
    // What nobody read is there to be read, unless there is something newer by now.
    if (kind !== 'said' && (await port.memory.get(keyOf(channel)).catch(() => null)) === JSON.stringify(then))
      await keep(channel, kept)
  }

  return {
    hint,
    /** Remembers where a text goes on, once its beginning was said. */
    keep: (channel: string, { room, id, house }: Said, { from, fenced }: Rest) =>
      keep(channel, { room, post: id, house, from, fenced }),
    /** Says the next lines. Answers with a refusal, or with why there are none; null where they were said. */
    say: async (session: Session, channel: string, sender: Sender): Promise<Refusal | string | null> => {
      const kept = read(await port.memory.get(keyOf(channel)).catch(() => null))
      if (kept === null) return NOTHING
      const { room, post, from } = kept
      const asked = await port.ask({ name: 'more', input: { post, from, length: ASKED }, room, sender })
      if (!asked.ok) return asked.refusal
      const { text = '', next = null } = asked.value as { text?: string; next?: number | null }
      if (text === '') return NOTHING
      await goOn(session, channel, kept, { text, next })
      return null
    },
  }
}
export type More = ReturnType<typeof createMore>

const read = (text: string | null): Kept | null => {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
