import type { IncomingMessage } from 'node:http'
import { admit, principalOf } from '../doors/admit.ts'
import type { Door } from '../doors/door.ts'
import { steadyClock } from '../lib/clock.ts'
import { pacing, tooFast } from '../lib/pacing.ts'
import { createMcpDoor } from '../mcp/door.ts'
import type { Extend } from '../mcp/house.ts'
import type { Config } from '../shapes/config.ts'
import type { Principal } from '../shapes/principal.ts'
import type { RefusalCode } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Social } from '../social/pipeline.ts'
import { agentsDoor } from './agents-door.ts'
import { mcpHouse } from './mcp.ts'
import type { Parts } from './parts.ts'
import { openRpc } from './rpc.ts'
import type { Seated } from './seats.ts'

/** The names this instance answers to: besides this machine's own, those of the config, and the one that links have. */
export const hostsOf = ({ hosts, host, public: address }: Config['http']): string[] => [
  ...hosts,
  host,
  ...(address === null ? [] : [new URL(address).hostname]),
]

/** What every door stands on: who is let in, the seats of agents, and what is being written. */
export const doorway = (parts: Parts, social: Social, seated: Seated) => {
  const { config, feed } = parts
  const hosts = hostsOf(config.http)
  const { owners, minted } = social
  const { requestsAtOnce: burst, requestsPerSecond: perSecond } = config.doors
  /** How fast one token may ask: by all doors together. */
  const pace = pacing({ burst, perSecond }, steadyClock)
  const counted = (stage: string, code: RefusalCode): void => social.refused?.(stage, code)

  /** What agents do is a step, and has limits of its own. */
  const inTime = (principal: Principal): Result<Principal> => {
    const wait = principal.grant === null ? pace(principal.key) : 0
    return wait === 0 ? ok(principal) : refused(tooFast(wait))
  }
  return {
    ...seated,
    feed,
    pace,
    refuseSparingly: social.sparingly.refuse,
    refused: counted,
    /** Ends what is read and written for all of them. */
    close: async (): Promise<void> => {
      await social.sparingly.close()
    },
    admit: async (request: Pick<IncomingMessage, 'headers'>, door: string): Promise<Result<Principal>> => {
      const admitted = await admit(request, door, { hosts, owners, minted })
      const passed = admitted.ok ? inTime(admitted.value) : admitted
      // Who brings no token has not tried one: it may come with the first frame.
      if (!passed.ok && request.headers.authorization !== undefined) counted('authenticate', passed.refusal.code)
      return passed
    },
    /** Whether somebody who was let in and stayed may ask once more: what comes on an open connection is a request each. */
    onceMore: (principal: Principal): Result<Principal> => {
      const passed = inTime(principal)
      if (!passed.ok) counted('authenticate', passed.refusal.code)
      return passed
    },
    /** Lets somebody in by the token alone, at a door that has seen to Host and Origin itself. */
    admitToken: (token: string, door: string): Promise<Result<Principal>> =>
      principalOf({ door, face: 'api', credential: { token, as: null } }, social),
    /** Whether whoever was let in would be let in again. */
    stillValid: async ({ token, door }: Principal): Promise<boolean> =>
      (await principalOf({ door, face: 'api', credential: { token, as: null } }, social)).ok,
  }
}

export type Doorway = ReturnType<typeof doorway>

/** Every door of the gateway beside the page's. */
export const openDoors = (parts: Parts, social: Social, way: Doorway, extend: Extend | null): Door[] => [
  { path: '/mcp', ...createMcpDoor({ ...mcpHouse(parts, social, way), ...(extend ? { extend } : {}) }) },
  agentsDoor(parts, social, way),
  openRpc(parts, social, way),
]
