import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Entry, EventName } from '../../src/shapes/evidence.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'

const LONG = process.env['BELLHOP_LONG'] === '1'
const SENDERS = 20
const EACH = LONG ? 500 : 15
const AGENTS = ['claude', 'codex', 'tickle']
const WIDE =
  'queues: { perSession: 20000, perRoom: 20000, total: 20000 }\nlimits: { room: { burst: 20000, perMinute: 20000 } }\n'

test(
  `${SENDERS * EACH} messages from ${SENDERS} senders: every receipt accounted for, every turn ended once, in order`,
  async () => {
    using workspace = testWorkspace()
    // So much waits at once in the long run that it would be refused.
    const config = join(workspace.path, 'flood.yaml')
    writeFileSync(config, WIDE)
    await using instance = await startUp({ workspace: workspace.path, args: ['--config', config] })
    const sender = async (name: string) => {
      const receipts = []
      for (let i = 0; i < EACH; i++) {
        const agent = AGENTS[i % AGENTS.length]
        const line = { id: `${name}-${i}`, room: 'lobby', text: `@${agent} read README.md`, as: name }
        receipts.push(must(await instance.client.say(line)))
        // Every tenth line is sent again, as a network would that did not hear the answer: it is the same message.
        if (i % 10 === 0) expect(must(await instance.client.say(line))).toEqual(receipts.at(-1))
      }
      return receipts
    }
    const receipts = (await Promise.all(Array.from({ length: SENDERS }, (_, i) => sender(`sender${i}`)))).flat()
    const turns = receipts.flatMap(({ assignments }) => assignments)
    expect(new Set(receipts.map(({ message }) => message)).size).toBe(SENDERS * EACH)
    expect(turns.length).toBe(SENDERS * EACH)

    await eventually(
      'the line to be empty',
      async () => must(await instance.client.ask('status')).turns.length === 0,
      1_200_000,
    )
    for (const session of new Set(turns.map((turn) => turn.session))) {
      const [accepted, ended] = [await all(instance, session, 'accepted'), await all(instance, session, 'turn-ended')]
      expect(accepted.map(({ id }) => id).sort()).toEqual(
        turns
          .filter((turn) => turn.session === session)
          .map(({ turn }) => turn)
          .sort(),
      )
      expect(ended.map(({ id }) => id)).toEqual(accepted.map(({ id }) => `${id}.ended`))
    }
    expect((await bellhop(['verify', '--all', '--data', instance.data])).exitCode).toBe(0)
  },
  LONG ? 1_800_000 : 120_000,
)

const all = async (
  { client }: Awaited<ReturnType<typeof startUp>>,
  session: string,
  event: EventName,
): Promise<Entry[]> => {
  const found: Entry[] = []
  for (;;) {
    const cursor = String(found.at(-1)?.position ?? 0)
    const page = must(await client.ask('evidence', { session, event, order: 'oldest', limit: 1000, cursor }))
    if (page.entries.length === 0) return found
    found.push(...page.entries)
  }
}
