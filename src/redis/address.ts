import { Problem } from '../lib/problem.ts'

/**
 * Where Redis is: `redis://…` or, with TLS, `rediss://…`; `redis+sentinel://…` and `redis+cluster://…`, with several hosts; or
 * the path of a unix socket.
 */
export type RedisAddress = string

type Host = { host: string; port: number }

type Login = { username: string | null; password: string | null }
type Secured = { tls: boolean; ca: string | null }

export type RedisPlace =
  | { kind: 'socket'; path: string; db: number }
  | ({ kind: 'single'; hosts: [Host]; db: number } & Login & Secured)
  | ({ kind: 'sentinel'; hosts: Host[]; name: string; db: number; sentinel: Login } & Login & Secured)
  | ({ kind: 'cluster'; hosts: Host[] } & Login & Secured)

type Kind = Exclude<RedisPlace['kind'], 'socket'>

const PORTS: Record<Kind, number> = { single: 6379, sentinel: 26379, cluster: 6379 }

const KNOWN: Record<Kind, readonly string[]> = {
  single: ['ca', 'db'],
  sentinel: ['ca', 'db', 'sentinelUsername', 'sentinelPassword'],
  cluster: ['ca'],
}

const FORMS = [
  'redis://[user:password@]host[:6379][/db], and rediss:// with TLS',
  'redis+sentinel://[user:password@]host[:26379],host…/name-of-the-master[?db=0&sentinelPassword=…]',
  'redis+cluster://[user:password@]host[:6379],host…',
  'or the path of a unix socket; what is not a letter or a digit in a password is written as %40',
].join('\n  ')

const PARTS =
  /^(?<scheme>rediss?)(?:\+(?<way>\w+))?:\/\/(?<authority>[^/?#]*)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/

/** What an address says, or a problem that says what is wrong with it and nothing of what is secret in it. */
export const placeOf = (address: RedisAddress): RedisPlace => {
  if (address.startsWith('/')) return socketAt(address)
  const found = PARTS.exec(address)?.groups
  if (!found) throw wrong('it is none of the forms that are known')
  const { scheme, way, authority = '', path = '', query = '' } = found
  const kind = kindOf(way)
  const at = authority.lastIndexOf('@')
  const hosts = authority
    .slice(at + 1)
    .split(',')
    .map((host) => hostIn(host, PORTS[kind]))
  const given = paramsOf(query, KNOWN[kind])
  const common = { ...loginIn(authority.slice(0, Math.max(at, 0))), ...securedBy(scheme === 'rediss', given) }
  if (kind === 'cluster') return clusterIn(hosts, path, common)
  if (kind === 'sentinel') return sentinelIn(hosts, path, given, common)
  return singleIn(hosts, path || given.get('db'), common)
}

/** An address as it may be shown: without user, password and parameters. */
export const shownAddress = (address: RedisAddress): string =>
  address.replace(/\/\/[^/?#]*@/, '//').replace(/\?.*$/s, '')

const kindOf = (way: string | undefined): Kind => {
  if (way === undefined) return 'single'
  if (way === 'sentinel' || way === 'cluster') return way
  throw wrong(`there is no redis+${way}://`)
}

const socketAt = (address: string): RedisPlace => {
  const [path = '', query = ''] = address.split('?')
  return { kind: 'socket', path, db: dbIn(paramsOf(query, ['db']).get('db')) }
}

const securedBy = (tls: boolean, given: ReadonlyMap<string, string>): Secured => {
  const ca = given.get('ca') ?? null
  if (ca !== null && !tls) throw wrong('a CA file is for rediss:// alone')
  return { tls, ca }
}

const singleIn = ([host, ...more]: Host[], db: string | undefined, common: Login & Secured): RedisPlace => {
  if (!host || more.length > 0) throw wrong('several hosts are for redis+sentinel:// and redis+cluster://')
  return { kind: 'single', hosts: [host], db: dbIn(db), ...common }
}

const clusterIn = (hosts: Host[], path: string, common: Login & Secured): RedisPlace => {
  if (path !== '') throw wrong('a cluster has one database, and nothing comes after its hosts')
  return { kind: 'cluster', hosts, ...common }
}

const sentinelIn = (
  hosts: Host[],
  name: string,
  given: ReadonlyMap<string, string>,
  common: Login & Secured,
): RedisPlace => {
  if (!/^[^/\s]+$/.test(name)) throw wrong('the name of the master comes after the Sentinels: …/mymaster')
  const sentinel = { username: given.get('sentinelUsername') ?? null, password: given.get('sentinelPassword') ?? null }
  return { kind: 'sentinel', hosts, name: decoded(name), db: dbIn(given.get('db')), sentinel, ...common }
}

const loginIn = (text: string): Login => {
  if (text === '') return { username: null, password: null }
  const colon = text.indexOf(':')
  const [username, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  return { username: decoded(username) || null, password: decoded(password) || null }
}

const hostIn = (text: string, port: number): Host => {
  const found = /^(?:\[(?<six>[\da-fA-F:.]+)\]|(?<name>[^:[\]\s]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups
  const given = Number(found?.['port'] ?? port)
  if (!found || given > 65_535)
    throw wrong('a host is a name or an address, with a port after a colon where it is another')
  return { host: found['six'] ?? found['name'] ?? '', port: given }
}

const dbIn = (text: string | undefined): number => {
  if (text === undefined || text === '') return 0
  if (!/^\d{1,4}$/.test(text)) throw wrong('a database is a number')
  return Number(text)
}

const paramsOf = (query: string, known: readonly string[]): ReadonlyMap<string, string> => {
  const given = new Map(new URLSearchParams(query))
  const unknown = [...given.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw wrong(`it has no parameter ${unknown.slice(0, 40)} there; there is ${known.join(', ') || 'none'}`)
  return given
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrong('a % in it is not followed by two digits')
  }
}

const wrong = (why: string): Problem => new Problem(`REDIS_URL is not understood: ${why}`, FORMS)
