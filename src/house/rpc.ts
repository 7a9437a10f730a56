import { createRpcDoor, type RpcDoor } from '../rpc/door.ts'
import type { RpcHouse } from '../rpc/house.ts'
import { receive, type Social } from '../social/pipeline.ts'
import type { Doorway } from './doors.ts'
import { everybody } from './health.ts'
import type { Parts } from './parts.ts'

/** The door for editors, on the parts of this process. */
export const openRpc = (
  parts: Parts,
  social: Social,
  way: Pick<Doorway, 'admit' | 'onceMore' | 'stillValid' | 'feed' | 'refuseSparingly'>,
): RpcDoor => {
  const { store, config, settings, progress, clock, newId, log } = parts
  return createRpcDoor({
    admit: way.admit,
    onceMore: way.onceMore,
    stillValid: way.stillValid,
    refuseSparingly: way.refuseSparingly,
    feed: way.feed,
    store,
    progress: progress.listen,
    say: (message) => receive(message, social),
    models: () => modelsOf(parts),
    config,
    version: settings.version,
    now: clock,
    newId,
    log: log.warn,
  })
}

/** Every agent that is known here. One that is not of the house is run elsewhere. */
const modelsOf = async (parts: Parts): ReturnType<RpcHouse['models']> => {
  const { config, specs } = parts
  const here = await everybody(parts)
  return (await parts.agents()).map(({ id, type, peripheral, peripherals }) => ({
    id,
    model: config.agents.find((agent) => agent.id === id)?.runner ?? 'elsewhere',
    displayName: `${id} (${type})`,
    readiness: here.find((agent) => agent.id === id)?.readiness ?? 'absent',
    peripheral,
    peripherals: [...(peripherals ?? specs.keys())],
  }))
}
