import type { Store } from '../evidence/store.ts'
import type { Clock } from '../lib/clock.ts'
import type { PatternRecord, Patterns, Proposal } from '../shapes/pattern.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { Standpoint } from '../tools/control.ts'
import type { Library } from '../tools/library.ts'
import { choosing } from './choosing.ts'
import { deciding } from './deciding.ts'
import { foundAmong, type Known, lookAt, offered, proposedBy, told } from './known.ts'
import { listText, patternLine, patternText, recordText, usesText } from './lines.ts'
import { patternNamed } from './named.ts'
import { recordOf, type Use } from './record.ts'
import type { Sight } from './scan.ts'

type Options = {
  store: Store
  clock: Clock
  folders: readonly string[]
  /** Where the patterns are that come with Bellhop. */
  ours: string
  unusedDays: number
  roomMode: (room: string) => Promise<RoomMode>
}

type Seen = Pick<Sight, 'workspace' | 'shows'>

/** The library: what patterns say, what the evidence shows of them, and what follows from both. */
export const createLibrary = (options: Options) => {
  const { store, clock, folders, ours, unusedDays } = options
  const look = (seen: Seen): Promise<Known> => lookAt(store, { ...seen, folders, ours })
  const proposed = (known: Known): Promise<Proposal[]> => proposedBy(store, known, { now: clock(), unusedDays })

  return {
    /** The patterns for somebody who asks, with their records as far as they may look. */
    seen: async (seen: Seen, query: string | null, mayLook: (room: string) => Promise<boolean>): Promise<Patterns> => {
      const known = await look(seen)
      const open = new Set<string>()
      for (const room of new Set(known.uses.map((use) => use.room))) if (await mayLook(room)) open.add(room)
      const found =
        query === null ? known.patterns : foundAmong(known, known.patterns, query).map(({ pattern }) => pattern)
      return {
        patterns: found.map(({ id, description, home, path }) => {
          const record = recordOf(known.uses, id, (room) => open.has(room))
          return { id, description, home, path, retired: known.retired.has(id), record }
        }),
        proposals: await proposed(known),
        complaints: known.complaints,
      }
    },

    /** A line each of the few patterns that fit a request best: not of those that share a word with it by chance. */
    hints: async (seen: Seen, room: string, request: string): Promise<{ line: string; from: string[] }[]> => {
      const known = await look(seen)
      return foundAmong(known, offered(known), request)
        .filter(({ matched }) => matched >= HINT_WORDS)
        .slice(0, HINTS)
        .map(({ pattern }) => ({
          line: patternLine(
            pattern,
            recordOf(known.uses, pattern.id, (one) => one === room),
          ),
          from: known.uses.filter((use) => use.pattern === pattern.id && use.room === room).map(lastOf),
        }))
    },

    /** The library as it is seen from one step. What others said of patterns is told of its room; of all, how they did. */
    at: (at: Standpoint): Library => {
      const { room } = at
      const known = (): Promise<Known> => look(at)
      const record = ({ uses }: Known, pattern: string): PatternRecord => recordOf(uses, pattern, (one) => one === room)
      return {
        folder: folders[0] ?? 'patterns',
        search: async (query, most) => {
          const all = await known()
          const found =
            query === null ? offered(all) : foundAmong(all, offered(all), query).map(({ pattern }) => pattern)
          const shown = found.slice(0, most)
          const lines = shown.map((pattern) => patternLine(pattern, record(all, pattern.id)))
          return told(listText(lines, found.length, query === null ? all.complaints : []), shown)
        },
        read: async (name) => {
          const all = await known()
          const pattern = patternNamed(all.patterns, name)
          if (!pattern.ok) return pattern
          const { id } = pattern.value
          return told(patternText(pattern.value, record(all, id), all.retired.has(id)), [pattern.value])
        },
        record: async (name) => {
          const all = await known()
          if (name === null) return told(recordsText(all, (id) => record(all, id)))
          const pattern = patternNamed(all.patterns, name)
          if (!pattern.ok) return pattern
          const { id } = pattern.value
          const here = all.uses.filter((use) => use.pattern === id && use.room === room)
          return told([`${id}: ${recordText(record(all, id))}`, ...usesText(here)].join('\n'))
        },
        ...choosing({ store, at, known }),
        ...deciding({ store, at, known, proposed }),
        closed: async () => {
          const mode = await options.roomMode(room)
          return mode === 'execute' ? null : `the room is in ${mode}: files are changed in execute, say /mode execute`
        },
      }
    },
  }
}

/** How many patterns an agent is told of before it asks, and how many words of the request each has. */
const HINTS = 4
const HINT_WORDS = 2

const lastOf = ({ chosen, end }: Use): string => end?.happened.id ?? chosen.id

const recordsText = ({ patterns, uses }: Known, record: (id: string) => PatternRecord): string => {
  const used = patterns.filter(({ id }) => uses.some((use) => use.pattern === id))
  return used.map(({ id }) => `${id}: ${recordText(record(id))}`).join('\n') || 'no pattern was ever chosen'
}
