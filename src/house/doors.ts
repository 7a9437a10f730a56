import type { IncomingMessage } from 'node:http'
import { admit, principalOf } from '../doors/admit.ts'
import type { Door } from '../doors/door.ts'
import { createFeed } from '../evidence/feed.ts'
import { createMcpDoor } from '../mcp/door.ts'
import type { Extend } from '../mcp/house.ts'
import type { Config } from '../shapes/config.ts'
import type { Principal } from '../shapes/principal.ts'
import type { Result } from '../shapes/result.ts'
import type { Social } from '../social/pipeline.ts'
import { refuse } from '../social/refuse.ts'
import { createSparingly } from '../social/sparingly.ts'
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
  const { config, store, live, log } = parts
  const hosts = hostsOf(config.http)
  const { owners, minted } = social
  const feed = createFeed({
    store,
    live,
    failed: (error) => log.warn('the feed could not be read', { error: error.message }),
  })
  const sparingly = createSparingly({
    write: (stage, refusal) => refuse(social, stage, refusal),
    failed: (error) => log.warn('refusals could not be written down', { error: error.message }),
  })
  return {
    ...seated,
    feed,
    refuseSparingly: sparingly.refuse,
    /** Ends what is read and written for all of them. */
    close: async (): Promise<void> => {
      feed.close()
      await sparingly.close()
    },
    admit: (request: Pick<IncomingMessage, 'headers'>, door: string): Promise<Result<Principal>> =>
      admit(request, door, { hosts, owners, minted }),
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
