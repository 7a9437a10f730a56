import { nearest } from '../lib/nearest.ts'
import { oneLine } from '../lib/plain.ts'
import type { Portfolio } from '../shapes/mission.ts'
import { refusal } from '../shapes/refusal.ts'
import { type Result, refused } from '../shapes/result.ts'

/** How many names are told to somebody who missed them all. */
const SOME = 5

/** That there is no such mission, with the nearest names. */
export const unknown = (name: string, { missions }: Pick<Portfolio, 'missions'>): Result<never> => {
  const ids = missions.map(({ id }) => id)
  const plain = (id: string): string => id.toLowerCase().replace(/^m-/, '')
  const near = ids.filter((id) => nearest(plain(name), [plain(id)]) !== null || plain(id).includes(plain(name)))
  const hint = near.length > 0 ? `; did you mean ${near.slice(0, SOME).join(', ')}?` : listed(ids)
  return refused(refusal('mission-unknown', `there is no mission ${oneLine(name, 80)}${hint}`))
}

const listed = (ids: readonly string[]): string =>
  ids.length === 0 ? '; there is none yet' : `; there is ${ids.slice(0, SOME).join(', ')}`
