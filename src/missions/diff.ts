import type { Snapshot } from '../shapes/mission.ts'
import type { Difference, Differences } from '../shapes/portfolio.ts'

type Row = Snapshot['missions'][number]

/** What is different between two reviews, by mission, in the order of their names. */
export const differencesOf = (before: Snapshot, after: Snapshot): Differences => {
  const [old, now] = [byId(before), byId(after)]
  const ids = [...new Set([...old.keys(), ...now.keys()])].sort()
  return {
    rows: ids.flatMap((id) => differenceOf(id, old.get(id), now.get(id))),
    was: before.missions.length,
    is: after.missions.length,
  }
}

const byId = ({ missions }: Snapshot): Map<string, Row> => new Map(missions.map((row) => [row.id, row]))

const differenceOf = (id: string, old: Row | undefined, now: Row | undefined): Difference[] => {
  if (!old) return now ? [{ kind: 'added', id, status: now.status }] : []
  if (!now) return [{ kind: 'removed', id, status: old.status }]
  const ticked = old.boxes.done !== now.boxes.done || old.boxes.total !== now.boxes.total
  if (old.status === now.status && !ticked) return []
  const boxes = ticked ? { from: old.boxes, to: now.boxes } : null
  return [{ kind: 'changed', id, from: old.status, to: now.status, boxes }]
}
