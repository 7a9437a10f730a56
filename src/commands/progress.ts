import { type Clock, systemClock } from '../lib/clock.ts'

type Screen = { isTTY?: boolean; write: (text: string) => unknown }

/** How often a line is worth reading. */
const EVERY_MS = 100

const ERASE = '\r\u001b[K'

/** One line that says how many entries are exported, or verified, so far: written over and over where somebody watches. */
export const createProgress = (
  done: string,
  screen: Screen = process.stderr,
  clock: Clock = systemClock,
): { show: (entries: number, of: number | null) => void; end: () => void } => {
  let began = clock()
  let shown = 0
  let last = 0

  const show = (entries: number, of: number | null): void => {
    const now = clock()
    // What counts from the beginning again is the next part of the work.
    if (entries < last) began = now
    last = entries
    if (!screen.isTTY || now - shown < EVERY_MS) return
    shown = now
    const rate = Math.round((entries * 1000) / Math.max(now - began, 1))
    const share = of ? ` (${Math.floor((entries * 100) / of)} %)` : ''
    screen.write(`${ERASE}${done} ${grouped(entries)} entries${share}, ${grouped(rate)} a second`)
  }
  const end = (): void => {
    if (shown > 0) screen.write(ERASE)
  }
  return { show, end }
}

const grouped = (n: number): string => n.toLocaleString('en')
