import type { Fence } from '../evidence/append.ts'
import type { Store } from '../evidence/store.ts'
import type { Clock } from '../lib/clock.ts'
import type { Entry, EventName } from '../shapes/evidence.ts'
import type { Result } from '../shapes/result.ts'
import type { Cycle, Cycled } from './cycle.ts'
import { openPages } from './pages.ts'

type Options = {
  store: Store
  cycle: Cycle
  self: string
  clock: Clock
  /** Whether it is for this process to do; said again and again, it is kept. */
  keep: () => Promise<boolean>
}

/** Where it stands: what was looked at, when it has to look again by itself, and the turns whose answer it waits for. */
type Standing = { cycle: string; seen: number; due: number | null; paged: ReadonlySet<string> }

/** What may have something to do with how work goes on. What agents do in between is looked at when it is due. */
const WAKES: ReadonlySet<EventName> = new Set([
  'turn-started',
  'turn-ended',
  'presence',
  'queue-paused',
  'approval-asked',
  'approval-decided',
  'work-added',
  'work-judged',
  'work-returned',
  'work-ended',
])

/**
 * When Tickle looks: where something happened that it goes by, or where something is due; and nowhere else, so that nothing is
 * done while nothing happens. One process does it at a time, by a lease; the fence sees to it that no other writes.
 */
export const createRounds = ({ store, cycle, self, clock, keep }: Options) => {
  let fence: Fence | null = null
  let at: Standing | null = null

  const run = async (): Promise<Result<Cycled>> => {
    fence ??= await store.claim(SCOPE)
    const cycled = await cycle.run(fence)
    if (cycled.ok) at = standingOf(cycled.value)
    // Whoever has it now has looked, or will: where this process is to do it again, it begins from the evidence.
    else letGo()
    return cycled
  }

  const letGo = (): void => {
    fence = null
    at = null
  }

  const isWanted = async (): Promise<boolean> => {
    at ??= await standing(store, null)
    if (at === null || isDue(at)) return true
    const head = await store.head()
    if (head <= at.seen) return false
    // Another process may have looked, or paged somebody: the evidence says what is due by now.
    const latest = (await standing(store, at)) ?? at
    at = { ...latest, seen: Math.max(at.seen, latest.seen) }
    if (isDue(at) || (await happened(at))) return true
    at = { ...at, seen: head }
    return false
  }

  const isDue = ({ due }: Standing): boolean => due !== null && due <= clock()

  /** Whether anything happened since that it goes by; what it did itself is not. */
  const happened = async ({ seen, paged }: Standing): Promise<boolean> => {
    let cursor = seen
    for (;;) {
      const page = await store.query({ order: 'oldest', cursor, limit: PAGE, ephemeral: 'with' })
      if (!page.ok) throw new Error(page.refusal.message)
      if (page.value.entries.some((entry) => wakes(entry, paged, self))) return true
      if (page.value.next === null) return false
      cursor = page.value.next
    }
  }

  return {
    /** Looks where there is reason to; answers what came of it, and null where there was none, or it is another's to do. */
    tick: async (): Promise<Result<Cycled> | null> => {
      if (!(await keep())) {
        letGo()
        return null
      }
      return (await isWanted()) ? run() : null
    },
    /** Looks at once, whoever does it otherwise. */
    now: run,
    /** Pages somebody by hand. */
    page: async (agent: string, why: string): Promise<Result<string>> => {
      fence ??= await store.claim(SCOPE)
      const paged = await cycle.page(fence, agent, why)
      if (!paged.ok && paged.refusal.code === 'fenced') letGo()
      if (!paged.ok) return paged
      // When nobody answers, that is looked at: so it has to be due.
      const looked = await run()
      return looked.ok ? paged : looked
    },
    scan: cycle.look,
  }
}

const SCOPE = 'tickle'
const PAGE = 500

const standingOf = ({ id: cycle, through: seen, due, paged }: Cycled): Standing => ({
  cycle,
  seen,
  due,
  paged: new Set(paged),
})

/** Where the last look left it, whoever it was; null where there was none, or it was let go. */
const standing = async (store: Store, known: Standing | null): Promise<Standing | null> => {
  const last = await store.query({ event: 'tickle-cycled', ephemeral: 'with', limit: 1 })
  const { id, body } = (last.ok ? last.value.entries[0] : null) ?? {}
  if (id === undefined || body?.event !== 'tickle-cycled') return null
  if (id === known?.cycle) return known
  const due = body.due === null ? null : Date.parse(body.due)
  return { cycle: id, seen: body.through, due, paged: new Set((await openPages(store)).map(({ turn }) => turn)) }
}

const wakes = ({ body, author }: Entry, paged: ReadonlySet<string>, self: string): boolean => {
  if (body === null || author.id === self || author.via === self) return false
  return WAKES.has(body.event) || ('turn' in body && body.turn !== null && paged.has(body.turn))
}
