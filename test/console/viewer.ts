import type { Console } from '../../src/console/house.ts'
import { ok } from '../../src/shapes/result.ts'

/** Lets everybody in, as somebody who looks on. */
export const admitViewer: Console['admit'] = async (face, { token }) => {
  const person = { name: 'ada', role: 'viewer', face, via: null } as const
  return ok({ key: 'viewer', door: 'http', token, person, grant: null, expires: null })
}

/** What a house has that nobody hurries, and before which nothing stands. */
export const UNHURRIED: Pick<Console, 'front' | 'pace'> = {
  front: { public: null, proxies: [] },
  pace: () => 0,
}
