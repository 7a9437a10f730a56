import type { IncomingMessage } from 'node:http'
import type { Message } from '../shapes/message.ts'
import type { Principal } from '../shapes/principal.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Face } from '../shapes/room.ts'
import { authenticate, type MintedOwner, type TokenOwner } from '../social/authenticate.ts'

type Tokens = {
  owners: readonly TokenOwner[]
  minted: (token: string) => Promise<MintedOwner | null>
}

type Claimed = { door: string; face: Face; credential: Message['credential'] }

/** Who stands at a door, by the token they come with. An agent's token has a face of its own, whatever is claimed. */
export const principalOf = async (
  { door, face, credential }: Claimed,
  { owners, minted }: Tokens,
): Promise<Result<Principal>> => {
  const made = await minted(credential.token)
  const through = made?.grant ? 'agent' : face
  const person = authenticate({ face: through, credential }, made ? [...owners, made] : owners)
  if (!person.ok) return person
  const { token } = credential
  const key = made?.key ?? person.value.role
  return ok({ key, door, token, person: person.value, grant: made?.grant ?? null, expires: made?.expires ?? null })
}

/** The token a request brings along; an empty one where it brings none. */
export const bearerOf = (header: string | undefined): string => /^Bearer (\S+)$/i.exec(header ?? '')?.[1] ?? ''

type Doorkeeper = Tokens & { hosts: readonly string[] }

/** Lets a request in, or says why not: for the doors that are not the page's. */
export const admit = async (
  { headers }: Pick<IncomingMessage, 'headers'>,
  door: string,
  { hosts, ...tokens }: Doorkeeper,
): Promise<Result<Principal>> => {
  const objection = objectionTo(headers, hosts)
  if (objection) return refused(objection)
  const credential = { token: bearerOf(headers.authorization), as: null }
  return principalOf({ door, face: 'api', credential }, tokens)
}

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a host is a name that this machine has for itself. */
export const isLocal = (host: string): boolean => LOCAL.has(nameOf(host))

/** The host name of `name:port`, without the port. */
const nameOf = (host: string): string => host.replace(/:\d+$/, '').toLowerCase()

/**
 * Answers only to our own names, and only to our own pages: a name that was rebound to this address, or a page of
 * somebody else's that the browser is looking at, gets nothing.
 */
export const objectionTo = (
  { host = '', origin }: { host?: string | undefined; origin?: string | undefined },
  hosts: readonly string[],
): Refusal | null => {
  const name = nameOf(host)
  if (!isLocal(host) && !hosts.some((ours) => ours.toLowerCase() === name))
    return refusal('host-refused', `this instance does not answer to the name ${host}`)
  if (origin === undefined || sameHost(origin, host)) return null
  return refusal('origin-refused', `a page of ${origin} may not call this instance`)
}

const sameHost = (origin: string, host: string): boolean => {
  try {
    return new URL(origin).host === host.toLowerCase()
  } catch {
    return false
  }
}
