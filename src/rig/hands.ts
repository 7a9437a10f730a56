import { createMcpDoor } from '../mcp/door.ts'
import type { Hands } from '../runners/runner.ts'
import type { PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import type { AgentGrant } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { listen } from './loopback.ts'

const TOKEN = 'a-token-for-the-rig'
const PLACE = { agent: 'rig', room: 'rig', session: 's-rig', turn: 'rig.rig' }

/** Hands behind one wall that does not change, by the door that all hands go through. Nothing is done: it is remembered. */
export const startHands = async (
  spec: PeripheralSpec,
): Promise<Hands & { calls: ToolCall[]; close: () => Promise<void> }> => {
  const calls: ToolCall[] = []
  const nothing = refused(refusal('agents-only', 'there is nothing here but tools'))
  const grant: AgentGrant = {
    kind: 'agent',
    ...{ agent: PLACE.agent, type: 'rig', room: PLACE.room, session: PLACE.session },
    ...{ peripheral: spec.id, peripherals: [spec.id], role: 'viewer' as const },
  }
  const person = { name: PLACE.agent, role: 'viewer', face: 'agent', via: null, agent: true } as const
  const principal = { key: 'rig', door: 'rig', token: TOKEN, person, grant, expires: null }
  let made = 0
  const door = createMcpDoor({
    version: '0',
    admit: async ({ headers }) =>
      headers.authorization === `Bearer ${TOKEN}` ? ok(principal) : refused(refusal('unauthenticated', 'no token')),
    stillValid: async () => true,
    seats: {
      at: async () => ok({ ...PLACE, spec, active: true }),
      act: async (_principal, call) => {
        calls.push(call)
        return ok({ step: 'rig.rig.1', report: { kind: 'ok', output: 'done', paths: [], cut: null } })
      },
    },
    feed: { listen: async () => () => {} },
    store: NO_STORE,
    progress: () => () => {},
    hold: async () => {},
    release: async () => {},
    specs: new Map([[spec.id, spec]]),
    describe: async (tool) => ({ help: tool, schema: { type: 'object' } }),
    rooms: [],
    operations: [],
    contextFor: () => {
      throw new Error('nobody asks anything here')
    },
    say: async () => nothing,
    refuseSparingly: async () => {},
    newId: () => `rig-${++made}`,
    log: () => {},
    toolsOnly: true,
  })
  const server = await listen((request, response) => void door.answer(request, response))
  return {
    url: `${server.url}/mcp`,
    token: TOKEN,
    calls,
    close: async () => {
      await door.close()
      await server.close()
    },
  }
}

/** There is nothing to be looked up behind this door. */
const NO_STORE = {
  get: async () => null,
  query: async () => ok({ entries: [], next: null }),
  replyTree: async () => null,
  replyChain: async () => [],
  session: async () => null,
  sessions: async () => [],
} as never
