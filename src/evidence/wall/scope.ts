import { anyOf } from './glob.ts'
import { isClosed, placeOf } from './place.ts'
import type { Wall } from './wall.ts'

/** The part of the workspace that a wall opens. Each says what is wrong with a path; null where nothing is. */
export const createScope = ({ id, scope, ceiling }: Wall) => {
  const isDenied = anyOf(scope?.deny ?? [])
  const denies = (scope?.deny.length ?? 0) > 0
  const isRead = anyOf(scope?.read ?? [])
  const isWritten = anyOf(scope?.write ?? [])
  const isRaised = anyOf(ceiling?.write ?? [])

  const within = (path: string): string | null => {
    const place = placeOf(path)
    if (place === null) return 'which is not in the workspace'
    return isClosed(place) || (denies && waysTo(place).some(isDenied)) ? 'which is closed' : null
  }

  const mayRead = (path: string): boolean => {
    const place = placeOf(path) ?? ''
    return scope === null || isUnreadable(path) || (place === '.' ? scope.read.length > 0 : isRead(place))
  }

  const mayWrite = (path: string, raised: boolean): boolean => {
    const place = placeOf(path) ?? ''
    return scope === null || isUnreadable(path) || isWritten(place) || (raised && isRaised(place))
  }

  return {
    /** Whatever is done with it. */
    within,
    toRead: (path: string): string | null => within(path) ?? (mayRead(path) ? null : `which ${id} does not open`),
    toWrite: (path: string, raised: boolean): string | null =>
      within(path) ?? (mayWrite(path, raised) ? null : `which ${id} does not open for writing`),
    toSee: (path: string, raised: boolean): string | null =>
      within(path) ?? (mayRead(path) || mayWrite(path, raised) ? null : `which ${id} does not open`),
  }
}

/** A place, and every folder on the way to it: what is denied is denied with all that lies below. */
const waysTo = (place: string): string[] => {
  const parts = place.split('/')
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'))
}

/** What a secret was taken out of is no name any more that a pattern could have. */
const isUnreadable = (path: string): boolean => path.includes('[redacted:')
