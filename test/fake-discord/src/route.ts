import type { Upload } from './attachments.ts'
import { fault, integer, invalidForm, snowflake } from './form.ts'
import type { RateName } from './rate-limits.ts'
import type { World } from './state.ts'
import type { Snowflake } from './wire.ts'

/** The ids in a path, by the names that routes have for them. Those that a route does not have are empty. */
export type Ids = Record<
  'application' | 'channel' | 'command' | 'emoji' | 'guild' | 'interaction' | 'message' | 'token' | 'user',
  string
>

/** One request, as a route gets it. */
export type Call = {
  world: World
  /** Who asks: the bot. */
  me: Snowflake
  ids: Ids
  query: URLSearchParams
  body: unknown
  uploads: Upload[]
}

/** What a route answers: 200 and this, 204 where it is undefined, or a status of its own. */
type Answer = unknown

export type Route = {
  method: string
  /** With `:name` where an id stands. */
  path: string
  handle: (call: Call) => Answer
  /** The limit that holds; `other` where nothing is said. */
  rate?: RateName
  /** What shares a bucket; the method and the path where nothing is said. */
  bucket?: string
  /** The path itself says who asks, and no token is needed: the ways to answer an interaction. */
  open?: true
}

/** An answer with a status of its own. */
export class Answered {
  readonly status: number
  readonly value: unknown

  constructor(status: number, value: unknown) {
    this.status = status
    this.value = value
  }
}

/** A number in the query. */
export const numberIn = (
  query: URLSearchParams,
  name: string,
  bounds: { min: number; max: number; or: number },
): number => {
  const given = query.get(name)
  if (given === null) return bounds.or
  const bad = /^-?\d+$/.test(given)
    ? integer(bounds)(Number(given))
    : fault('NUMBER_TYPE_COERCE', `Value "${given}" is not int.`)
  if (bad) throw invalidForm({ [name]: bad })
  return Number(given)
}

export const idIn = (query: URLSearchParams, name: string): Snowflake | undefined => {
  const given = query.get(name)
  if (given === null) return undefined
  const bad = snowflake(given)
  if (bad) throw invalidForm({ [name]: bad })
  return given
}
