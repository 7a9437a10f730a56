import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Queue, QueueEvents, Worker } from 'bullmq'
import { converse } from '../../src/client/converse.ts'
import { scratch } from '../support/folder.ts'
import { startUp } from '../support/instance.ts'
import { startTestRedis } from '../support/redis.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'
import { type Bench, measure, type Row } from './report.ts'

const BARE = 'one bare BullMQ job and one bare durable insert'

/** A line said over HTTP until its answer is heard: receipt, turn, step through the gate, evidence, reply. */
export const messageToReply = async (): Promise<Bench> => {
  const rows: Row[] = [await bare()]
  using workspace = testWorkspace()
  await using instance = await startUp({ workspace: workspace.path })
  const say = (agent: string) => async () => {
    const line = { room: 'lobby', text: `@${agent} read README.md` }
    must(await converse(instance.client, line, AbortSignal.timeout(60_000)))
  }
  await measure('warm up', 20, 4, say('claude'))
  rows.push(await measure('receipt alone (HTTP, five stages, durable)', 300, 1, () => receipt(instance)))
  rows.push(await measure('message in > receipt > step > evidence > reply out', 200, 1, say('claude')))
  rows.push(
    await measure('the same, 3 agents side by side', 300, 3, (i) =>
      say(['claude', 'codex', 'tickle'][i % 3] ?? 'claude')(),
    ),
  )
  return { title: 'From a message to its reply', baseline: BARE, rows }
}

const receipt = async ({ client }: Awaited<ReturnType<typeof startUp>>) =>
  must(await client.say({ room: 'lobby', text: '/whoami' }))

const bare = async (): Promise<Row> => {
  await using server = await startTestRedis()
  using folder = scratch()
  const sqlite = new Sqlite(join(folder.path, 'bare.db'))
  sqlite.pragma('journal_mode = WAL')
  sqlite.pragma('synchronous = FULL')
  sqlite.exec('create table entry (id integer primary key, json text)')
  const insert = sqlite.prepare('insert into entry (json) values (?)')
  const queue = new Queue('bare', { connection: server.redis })
  const connections = [server.redis.duplicate(), server.redis.duplicate()] as const
  const worker = new Worker('bare', async () => {}, { connection: connections[0] })
  const events = new QueueEvents('bare', { connection: connections[1] })
  await Promise.all([worker.waitUntilReady(), events.waitUntilReady()])
  const row = await measure(BARE, 300, 1, async () => {
    const job = await queue.add('job', {}, { removeOnComplete: { count: 1000 } })
    await job.waitUntilFinished(events)
    insert.run('x'.repeat(600))
  })
  await Promise.all([worker.close(), events.close(), queue.close()])
  for (const connection of connections) connection.disconnect()
  sqlite.close()
  return row
}
