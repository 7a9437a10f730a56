import { manyAgents } from './agents.ts'
import { consoleBench } from './console.ts'
import { mcpCalls } from './doors.ts'
import { evidenceBench } from './evidence.ts'
import { loadBench } from './load.ts'
import { messageToReply } from './message-to-reply.ts'
import { programsBench } from './programs.ts'
import { type Bench, table } from './report.ts'
import { roomsBench } from './rooms.ts'
import { undoBench } from './undo.ts'
import { gateOverhead, readStep } from './wall.ts'

const printed = (run: () => Promise<Bench>) => async () => console.log(table(await run()))

/** Speed, as ratios against a bare baseline in the same run: absolute figures say more of the machine than of the code. */
const parts: Record<string, () => Promise<void>> = {
  gate: async () => console.log(await gateOverhead()),
  wall: printed(readStep),
  undo: printed(undoBench),
  message: printed(messageToReply),
  rooms: printed(roomsBench),
  doors: async () => {
    for (const bench of await mcpCalls()) console.log(table(bench))
  },
  agents: async () => console.log(await manyAgents()),
  programs: programsBench,
  console: consoleBench,
  evidence: evidenceBench,
}

/** All of it, or the parts that are named: `npm run bench -- console`. The load of minutes is one only where it is named. */
const [first, ...rest] = process.argv.slice(2)
if (first === 'load') await loadBench(rest)
else
  for (const [name, run] of Object.entries(parts))
    if (first === undefined || [first, ...rest].includes(name)) await run()
