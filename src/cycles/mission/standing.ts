import type { MissionStatus } from '../../shapes/mission.ts'
import type { FileState } from '../../shapes/turn.ts'
import type { Artifact, LedgerItem } from '../../shapes/undertaking.ts'
import type { Items, Undertaking } from '../undertaking.ts'

/** How a mission stands by its obligations; and those that it is blocked by. */
export type Standing = { status: MissionStatus; by: string[] }

/**
 * Complete once everything is done or given up, and the files that show it are still there; blocked where something is and
 * nothing else can go on; deferred where all of it was given up; in progress else.
 */
export const standingOf = (items: Items, changed: readonly Changed[]): Standing => {
  const all = [...items.values()]
  const left = all.filter(({ status }) => status !== 'done' && status !== 'abandoned')
  if (all.length > 0 && left.length === 0 && changed.length === 0)
    return { status: all.some(({ status }) => status === 'done') ? 'complete' : 'deferred', by: [] }
  const blocked = left.filter(({ status }) => status === 'blocked').map(({ id }) => id)
  const stuck = blocked.length > 0 && !left.some((item) => goesOn(item, items, new Map()))
  return stuck ? { status: 'blocked', by: blocked.slice(0, NAMED) } : { status: 'in-progress', by: [] }
}

/** As many as a status line names. */
const NAMED = 10

/** Whether an obligation can be worked on, or what it needs can. */
const goesOn = ({ id, status, dependsOn }: LedgerItem, items: Items, known: Map<string, boolean>): boolean => {
  const before = known.get(id)
  if (before !== undefined) return before
  // What depends on itself in a circle does not go on.
  known.set(id, false)
  const does =
    (status === 'open' || status === 'partial') &&
    dependsOn.every((other) => {
      const one = items.get(other)
      return one !== undefined && (one.status === 'done' || goesOn(one, items, known))
    })
  known.set(id, does)
  return does
}

/** A done obligation, and a file of it that is not what any cycle left there. */
export type Changed = { item: string; path: string }

/** The files of done obligations that somebody has changed since, and no cycle has shown again. */
export const changedFiles = (
  { items, cycle }: Pick<Undertaking, 'items' | 'cycle'>,
  files: ReadonlyMap<string, FileState | null>,
): Changed[] => {
  const known = new Set([...shown(items), ...(cycle?.artifacts ?? [])].map(keyOf))
  return [...items.values()]
    .filter(({ status }) => status === 'done')
    .flatMap(({ id, artifacts }) => artifacts.map(({ path }) => ({ item: id, path })))
    .filter(({ path }) => !known.has(keyOf({ path, state: files.get(path) ?? '' })))
}

const shown = (items: Items): Artifact[] =>
  [...items.values()].filter(({ status }) => status === 'done').flatMap(({ artifacts }) => artifacts)

const keyOf = ({ path, state }: Artifact): string => `${path}\n${state}`
