import type { Next } from 'hono'
import { getCookie } from 'hono/cookie'
import { bearerOf } from '../doors/admit.ts'
import type { Operation } from '../operations/operation.ts'
import { mayAct } from '../shapes/person.ts'
import type { Principal } from '../shapes/principal.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { Face } from '../shapes/room.ts'
import type { Console, Context, Credential } from './house.ts'

/** Answers with a refusal, and writes it down where a message was refused. */
export type TurnAway = (c: Context, stage: string, refused: Refusal) => Promise<Response>

/** Lets in whoever brings a token that is known: nothing behind it has to ask again who it is. */
export const admission =
  (house: Pick<Console, 'admit' | 'cookie'>, turnAway: TurnAway) =>
  async (c: Context, next: Next): Promise<Response | undefined> => {
    const { face, credential } = claimOf(c, house.cookie)
    const admitted = await house.admit(face, credential)
    if (!admitted.ok) return turnAway(c, 'authenticate', admitted.refusal)
    const principal = admitted.value
    c.set('principal', principal)
    c.set('face', principal.person.face)
    c.set('credential', credential)
    await next()
    return undefined
  }

const ClaimedFace = Face.exclude(['web', 'agent', 'irc', 'discord'])

/** Identity comes from the token, and the face from how it came: a cookie is a browser's. */
const claimOf = (c: Context, cookie: string): { face: Face; credential: Credential } => {
  const bearer = bearerOf(c.req.header('authorization'))
  if (bearer !== '') {
    const claimed = ClaimedFace.safeParse(c.req.header('bellhop-face'))
    return { face: claimed.data ?? 'api', credential: { token: bearer, as: null } }
  }
  const linked = c.req.path === '/' ? c.req.query('token') : undefined
  return { face: 'web', credential: { token: linked || getCookie(c, cookie) || '', as: null } }
}

/** Turns an agent away from what is for people: its token is for its own work. */
export const peopleOnly =
  (turnAway: TurnAway) =>
  async (c: Context, next: Next): Promise<Response | undefined> => {
    const { grant, person } = c.get('principal')
    if (grant) return turnAway(c, 'authenticate', beyond(person.name, `${c.req.method} ${c.req.path}`))
    await next()
    return undefined
  }

/** Turns away who may not ask for an operation, before anything of it is read. */
export const usersOf =
  (row: Operation, turnAway: TurnAway) =>
  async (c: Context, next: Next): Promise<Response | undefined> => {
    const objection = objectionToUse(c.get('principal'), row)
    if (objection) return turnAway(c, 'authenticate', objection)
    await next()
    return undefined
  }

const beyond = (name: string, what: string): Refusal =>
  refusal('grant-exceeded', `${what} is for people; the token of ${name} is for the work of an agent`)

/** Why somebody may not ask for an operation; null where they may. */
const objectionToUse = ({ person, grant }: Principal, row: Operation): Refusal | null => {
  if (row.agents && !grant) return refusal('agents-only', `${row.name} is for agents; ${person.name} is a person`)
  if (!row.agents && grant) return beyond(person.name, row.name)
  if (mayAct(person.role, row.role)) return null
  return refusal('role-too-low', `${row.name} needs the role ${row.role}; you are ${person.role}`)
}
