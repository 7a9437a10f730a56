import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RPC_VERSION } from '../../src/shapes/rpc.ts'
import { OWNER, startTestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { connectRpc } from './client.ts'
import { SCENES, type Scene } from './scenes.ts'
import { createNames, isTimely, type Line } from './transcript.ts'

/** Plays a scene to a house of its own, and writes down all that was said. */
const record = async ({ role, lines }: Scene): Promise<Line[]> => {
  await using house = await startTestHouse()
  using client = await connectRpc(house.url, house.tokens[role])
  const names = createNames({ [OWNER]: '<person>', [house.settings.version]: '<version>' })
  const recorded: Line[] = []
  let read = 0
  /** Writes down what came, up to the message that is waited for. */
  const upTo = async (what: string, isIt: (message: (typeof client.heard)[number]) => boolean) => {
    for (;;) {
      const message = await eventually(what, () => client.heard[read])
      read++
      if (isTimely(message)) recorded.push({ server: names.hide(message) })
      if (isIt(message)) return
    }
  }
  for (const line of lines) {
    if ('until' in line) {
      await upTo(line.until, ({ method }) => method === line.until)
      continue
    }
    recorded.push({ client: line.say })
    const said = names.show(line.say) as { id?: number; method?: string }
    client.tell(said)
    if (said.id !== undefined && said.method !== undefined)
      await upTo(`an answer to ${said.method}`, ({ id, method }) => id === said.id && method === undefined)
  }
  return recorded
}

const folder = join(import.meta.dirname, 'recordings', String(RPC_VERSION))
mkdirSync(folder, { recursive: true })
for (const scene of SCENES) {
  const lines = await record(scene)
  writeFileSync(join(folder, `${scene.name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  console.log(`${scene.name}: ${lines.length} lines`)
}
process.exit()
