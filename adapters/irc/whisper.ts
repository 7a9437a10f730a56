import type { Session } from './connection.ts'
import { layOut } from './layout.ts'

const MOST_LINES = 20
const EVERY_MS = 10_000
const MOST_REMEMBERED = 1000

/** Says something to one person alone, by NOTICE: nothing answers those. */
export const whisper = (session: Session, nick: string, text: string): void => {
  const limit = session.own.limit('NOTICE', nick)
  const { lines } = layOut(text, { head: '', limit, most: MOST_LINES })
  for (const line of lines) void session.link.put(`NOTICE ${nick} :${line.text}`)
}

/** The same for what nobody is told too often, however much they say. */
export const createHints = () => {
  const told = new Map<string, number>()
  return (session: Session, nick: string, text: string): void => {
    const key = session.link.fold(nick)
    const now = performance.now()
    if (now - (told.get(key) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
    if (told.size >= MOST_REMEMBERED) told.clear()
    told.set(key, now)
    whisper(session, nick, text)
  }
}
