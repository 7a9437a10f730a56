import type { McpHouse } from '../mcp/house.ts'
import { commands } from '../operations/table.ts'
import { receive, type Social } from '../social/pipeline.ts'
import { describeTool } from './describe-tool.ts'
import type { Doorway } from './doors.ts'
import type { Parts } from './parts.ts'
import { contextOf } from './social.ts'
import { whistling } from './whistling.ts'

/** What the MCP door needs of the house, on the parts of this process. */
export const mcpHouse = (parts: Parts, social: Social, way: Doorway): McpHouse => {
  const { config, settings, store, specs, progress, newId, log } = parts
  return {
    version: settings.version,
    admit: (request) => way.admit(request, 'mcp'),
    stillValid: way.stillValid,
    seats: way.seats,
    feed: way.feed,
    store,
    progress: progress.listen,
    hold: way.leases.hold,
    release: way.leases.release,
    specs,
    describe: (tool) => describeTool(tool, store),
    rooms: config.rooms,
    operations: commands,
    contextFor: (person) => contextOf(parts, person, null),
    say: whistling((message, heard) => receive(message, { ...social, heard }), parts, new AbortController().signal),
    refuseSparingly: way.refuseSparingly,
    newId,
    log: log.warn,
    limits: {
      sessions: config.doors.sessions,
      sessionsEach: config.doors.sessionsPerToken,
      holdMs: config.doors.clientMs,
    },
  }
}
