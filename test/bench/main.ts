import { Argument, Command, InvalidArgumentError } from 'commander'
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

const number = (text: string): number => {
  if (Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('expected a number above 0.')
}
const numbers = (text: string): number[] => text.split(',').map(number)

const program = new Command('npm run bench --').description('Speed, as ratios against a bare baseline in the same run.')
program
  .command('parts', { isDefault: true })
  .description('all but the load, or the parts that are named; `parts` itself need not be said')
  .addArgument(new Argument('[names...]').choices(Object.keys(parts)))
  .action(async (names: string[]) => {
    for (const [name, run] of Object.entries(parts)) if (names.length === 0 || names.includes(name)) await run()
  })
program
  .command('load')
  .description('the load of a team: steps, messages, workers, recovery, history, and a mix of all for minutes')
  .option('--minutes <n>', 'how long the mix goes on', number, 10)
  .option('--quick', 'a little of everything, in two minutes', false)
  .option('--workers <n,…>', 'how many worker processes are compared', numbers, [1, 2, 4])
  .option('--sessions <n,…>', 'how many sessions of history are compared, up to a million', numbers, null)
  .option('--out <file>', 'where the document goes, with its plots beside it')
  .option('--json <file>', 'where the figures go')
  .action(loadBench)
await program.parseAsync()
