import { z } from 'zod'
import type { Door } from '../doors/door.ts'
import { houseDraft } from '../evidence/drafts.ts'
import { acceptedOf } from '../evidence/pins.ts'
import type { Presence } from '../shapes/agent.ts'
import { type AnyTool, isOwnTool } from '../shapes/peripheral.ts'
import { receive, type Social } from '../social/pipeline.ts'
import { refuse } from '../social/refuse.ts'
import { helpOf, tools } from '../tools/table.ts'
import { createAgentsDoor } from '../wire/door.ts'
import type { Limits } from '../wire/house.ts'
import type { Doorway } from './doors.ts'
import type { Parts } from './parts.ts'

type Opened = Door & Required<Pick<Door, 'open'>> & { connections: () => number }

/** The door for programs that are agents, on the parts of this process. */
export const agentsDoor = (parts: Parts, social: Social, way: Doorway, limits: Partial<Limits> = {}): Opened => {
  const { registry, holder, secrets, store, specs, config, clock, log } = parts
  const { admit, seats, leases, feed } = way
  const door = createAgentsDoor({
    admit,
    seats,
    registry,
    holder,
    secret: secrets.agents,
    store,
    feed,
    specs,
    describe: (tool) => describe(tool, store),
    receive: (message) => receive(message, social),
    refuse: (stage, refusal) => refuse(social, stage, refusal),
    hold: leases.hold,
    announce: (presence) => announce(presence, parts),
    lease: config.lease,
    limits,
    clock,
    log: log.warn,
  })
  return { path: '/agents', ...door }
}

/** What a tool is for, and what it takes. Of a tool of another server, that server says it, once that was accepted. */
const describe = async (tool: AnyTool, store: Parts['store']) => {
  if (!isOwnTool(tool)) {
    const accepted = await acceptedOf(store, tool)
    return accepted && { help: accepted.description, schema: accepted.inputSchema }
  }
  const { $schema: _dialect, ...schema } = z.toJSONSchema(tools[tool].args, { io: 'input', unrepresentable: 'any' })
  return { help: helpOf(tool), schema }
}

const announce = async (agent: Presence, { store, newId, config, log }: Parts): Promise<void> => {
  const rooms = config.rooms.map(({ id }) => id)
  const told = await store.append([houseDraft(newId(), { event: 'presence', agent }, rooms)])
  if (!told.ok) log.warn('a presence could not be written down', { agent: agent.id, ...told.refusal })
}
