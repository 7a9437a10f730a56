import type { Door } from '../doors/door.ts'
import { steadyClock } from '../lib/clock.ts'
import { receive, type Social } from '../social/pipeline.ts'
import { createAgentsDoor } from '../wire/door.ts'
import type { Limits } from '../wire/house.ts'
import { announce } from './announce.ts'
import { describeTool } from './describe-tool.ts'
import type { Doorway } from './doors.ts'
import type { Parts } from './parts.ts'

type Opened = Door & Required<Pick<Door, 'open'>> & { connections: () => number }

/** The door for programs that are agents, on the parts of this process. */
export const agentsDoor = (parts: Parts, social: Social, way: Doorway, limits: Partial<Limits> = {}): Opened => {
  const { registry, holder, secrets, store, specs, config, log } = parts
  const { admit, seats, leases, feed, refuseSparingly } = way
  const door = createAgentsDoor({
    admit,
    seats,
    registry,
    holder,
    secret: secrets.agents,
    store,
    feed,
    specs,
    describe: (tool) => describeTool(tool, store),
    receive: (message) => receive(message, social),
    refuseSparingly,
    hold: leases.hold,
    announce: (presence) => announce(presence, parts),
    lease: config.lease,
    limits,
    // Who was heard when is measured: a clock that jumps must not make anybody silent.
    clock: steadyClock,
    log: log.warn,
  })
  return { path: '/agents', ...door }
}
