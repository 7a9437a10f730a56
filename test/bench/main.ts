import { manyAgents } from './agents.ts'
import { mcpCalls } from './doors.ts'
import { evidenceBench } from './evidence.ts'
import { messageToReply } from './message-to-reply.ts'
import { programsBench } from './programs.ts'
import { table } from './report.ts'
import { roomsBench } from './rooms.ts'
import { undoBench } from './undo.ts'
import { gateOverhead, readStep } from './wall.ts'

/** Speed, as ratios against a bare baseline in the same run: absolute figures say more of the machine than of the code. */
const cases = [readStep, undoBench, messageToReply, roomsBench]

console.log(await gateOverhead())

for (const run of cases) console.log(table(await run()))
for (const bench of await mcpCalls()) console.log(table(bench))
console.log(await manyAgents())
await programsBench()
await evidenceBench()
