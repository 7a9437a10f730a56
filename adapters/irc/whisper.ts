import type { Session } from './connection.ts'
import { layOut } from './layout.ts'

const MOST_LINES = 20
const EVERY_MS = 10_000
const MOST_REMEMBERED = 1000

/** How many lines may wait, for one person and for all. */
const MOST_WAITING = { one: MOST_LINES + 1, all: 100 }

/** What is said to one person alone, by NOTICE: nothing answers those. `lost`: what they ask for is more than can be said. */
export const createWhispers = (lost: (nick: string) => void) => {
  const told = new Map<string, number>()
  const waiting = new Map<string, number>()
  let all = 0
  const count = (key: string, by: number) => {
    const left = (waiting.get(key) ?? 0) + by
    all += by
    if (left === 0) waiting.delete(key)
    else waiting.set(key, left)
  }

  const whisper = (session: Session, nick: string, text: string): void => {
    const key = session.link.fold(nick)
    const limit = session.own.limit('NOTICE', nick)
    const { lines } = layOut(text, { head: '', limit, most: MOST_LINES })
    const own = waiting.get(key) ?? 0
    if (all + lines.length > MOST_WAITING.all || own + lines.length > MOST_WAITING.one) {
      lost(nick)
      return
    }
    for (const line of lines) {
      count(key, 1)
      void session.link.putAside(`NOTICE ${nick} :${line.text}`).then(() => count(key, -1))
    }
  }
  return {
    whisper,
    /** The same for what nobody is told too often, however much they say. */
    hint: (session: Session, nick: string, text: string): void => {
      const key = session.link.fold(nick)
      const now = performance.now()
      if (now - (told.get(key) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
      if (told.size >= MOST_REMEMBERED) told.clear()
      told.set(key, now)
      whisper(session, nick, text)
    },
  }
}
