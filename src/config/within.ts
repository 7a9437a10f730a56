import type { Wrong } from './yaml.ts'

/** What is named and not among what there is. */
export const beyond = (path: PropertyKey[], given: readonly string[] | undefined, has: readonly string[]): Wrong[] =>
  strays(path, given, (one) => has.includes(one)).map(({ path, one }) => ({
    path,
    what: `${one} is not among ${has.join(', ') || 'nothing'}`,
  }))

/** Hosts that are not opened, by their name or by all names below one. */
export const beyondHosts = (
  path: PropertyKey[],
  given: readonly string[] | undefined,
  has: readonly string[],
): Wrong[] =>
  strays(path, given, (host) => has.some((wide) => isBelow(host, wide))).map(({ path, one }) => ({
    path,
    what: `${one} is not among ${has.join(', ') || 'nothing'}`,
  }))

/** Plain names only: of what has a slash in it, an address takes what stands before. */
const isBelow = (host: string, wide: string): boolean =>
  host === wide || wide === '*' || (wide.startsWith('*.') && host.endsWith(wide.slice(1)) && /^[\w*.-]+$/.test(host))

/** Patterns that cannot be seen to lie within others: the same, or below a folder that is open as a whole. */
export const outside = (path: PropertyKey[], given: readonly string[] | undefined, has: readonly string[]): Wrong[] =>
  strays(path, given, (glob) => has.some((wide) => liesWithin(glob, wide))).map(({ path, one }) => ({
    path,
    what: `${one} cannot be seen to lie within ${has.join(', ') || 'nothing'}`,
  }))

const liesWithin = (glob: string, wide: string): boolean => {
  if (glob === wide || wide === '**') return true
  const folder = wide.endsWith('/**') ? wide.slice(0, -2) : null
  return folder !== null && !/[*?[\]{}!\\]/.test(folder) && glob.startsWith(folder)
}

/** Something that stands above another in an order from less to more. */
export const rank = <T extends string>(
  path: PropertyKey[],
  given: T | undefined,
  most: T,
  order: readonly T[],
): Wrong[] =>
  given !== undefined && order.indexOf(given) > order.indexOf(most)
    ? [{ path, what: `${given} lets through more than ${most}` }]
    : []

const strays = (path: PropertyKey[], given: readonly string[] | undefined, isIn: (one: string) => boolean) =>
  (given ?? []).flatMap((one, i) => (isIn(one) ? [] : [{ path: [...path, i], one }]))
