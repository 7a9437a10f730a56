import type { PatternRecord } from '../shapes/pattern.ts'
import type { Happening } from './history.ts'

/** One time that a pattern was chosen, and what came of it; null where nobody has said. */
export type Use = {
  pattern: string
  room: string
  agent: string
  session: string
  at: string
  chosen: Happening
  end: { happened: Happening; outcome: 'worked' | 'failed'; left: boolean; why: string } | null
}

/**
 * Every time that a pattern was chosen, in order. An outcome counts for the choice that was open in its session, and one
 * without such a choice counts for nothing, whoever has written it.
 */
export const usesIn = (history: readonly Happening[]): Use[] => {
  const uses: Use[] = []
  const open = new Map<string, Use>()
  const close = (key: string, end: NonNullable<Use['end']>): void => {
    const use = open.get(key)
    if (use) use.end = end
    open.delete(key)
  }
  for (const happened of history) {
    const { body, room, agent, session, at } = happened
    if (body.event === 'pattern-selected') {
      const use: Use = { pattern: body.pattern, room, agent, session, at, chosen: happened, end: null }
      uses.push(use)
      open.set(keyOf(session, body.pattern), use)
    } else if (body.event === 'pattern-outcome') {
      const { outcome, why } = body
      close(keyOf(session, body.pattern), { happened, outcome, left: false, why })
    } else if (body.event === 'pattern-pivoted') {
      close(keyOf(session, body.from), { happened, outcome: 'failed', left: true, why: body.why })
    }
  }
  return uses
}

const keyOf = (session: string, pattern: string): string => `${session} ${pattern}`

export const NEVER: PatternRecord = {
  selected: 0,
  worked: 0,
  failed: 0,
  left: 0,
  open: 0,
  last: null,
  where: [],
  elsewhere: 0,
}

/** What the evidence has of a pattern. Which rooms are named is for whoever looks; all of them count. */
export const recordOf = (uses: readonly Use[], pattern: string, mayLook: (room: string) => boolean): PatternRecord => {
  const own = uses.filter((use) => use.pattern === pattern)
  if (own.length === 0) return NEVER
  const rooms = [...new Set(own.map(({ room }) => room))].sort()
  const named = rooms.filter(mayLook)
  return {
    ...timesIn(own),
    left: own.filter(({ end }) => end?.left).length,
    open: own.filter(({ end }) => end === null).length,
    last:
      own
        .map(({ at }) => at)
        .sort()
        .at(-1) ?? null,
    where: named.map((room) => ({ room, ...timesIn(own.filter((use) => use.room === room)) })),
    elsewhere: rooms.length - named.length,
  }
}

const timesIn = (uses: readonly Use[]) => ({
  selected: uses.length,
  worked: uses.filter(({ end }) => end?.outcome === 'worked').length,
  failed: uses.filter(({ end }) => end?.outcome === 'failed').length,
})
