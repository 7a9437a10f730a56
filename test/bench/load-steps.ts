import { join } from 'node:path'
import type { Mind } from '../../src/agents/mind.ts'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { drainLane } from '../../src/queue/lane.ts'
import type { Draft } from '../../src/shapes/evidence.ts'
import { openWorkshop } from '../peripherals/workshop.ts'
import { wall } from '../support/explore.ts'
import { startTestRedis } from '../support/redis.ts'
import { ADA, said } from '../support/store.ts'
import { replay } from './bare-inserts.ts'
import { bareQueue } from './load-parts.ts'
import { commandsOf, coresNow, sharesOf } from './load-processes.ts'

/** Steps a second; bare inserts of the same rows, two a step; bare jobs of BullMQ; what a step takes; what the host took. */
export type StepsSeen = {
  steps: number
  perSecond: number
  bare: number
  queue: number
  cpuMs: number
  redis: number
  stolen: number
}

const SESSIONS = 30
const AT_ONCE = 30

/** Turns of many agents at once, each a stay with many reads: how many durable steps a second one process takes. */
export const stepsBench = async (each: number): Promise<StepsSeen> => {
  await using server = await startTestRedis()
  const limits = { ...wall().limits, stepsPerTurn: 1_000_000, stepsPerSession: 1_000_000, outputBytesPerTurn: 1e9 }
  await using it = await openWorkshop(server, { spec: wall({ limits }) })
  for (let i = 0; i < 10; i++) it.write(`f${i}.txt`, `${`line of file ${i}, with a few words in it\n`.repeat(4)}`)
  const sessions = Array.from({ length: SESSIONS }, (_, i) => `s-${i}`)
  await it.record(said('m1', 'to work'), ...sessions.flatMap((session) => opened(session)))
  it.runSteps(AT_ONCE)
  const over = new Map<string, () => void>()
  const ends = sessions.map((session) => new Promise<void>((resolve) => over.set(session, resolve)))
  const turns = it.turnsOf(reader(each))
  const never = new AbortController().signal
  const lane = drainLane(
    { redis: it.redis, prefix: it.prefix, name: 'turns' },
    64,
    async (session) => {
      await turns.drain(session, { closing: never, abandon: never })
      if (await it.store.get(`${session}.t.ended`)) over.get(session)?.()
    },
    (_session, error) => console.error(error),
  )
  await lane.ready()
  const commands = () => commandsOf(server.address)
  const [before, cores, cpu, began] = [await commands(), await coresNow(), process.cpuUsage(), performance.now()]
  await Promise.all(sessions.map((session) => it.lanes.turns.wake(session)))
  await Promise.all(ends)
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const { stolen } = sharesOf(cores, await coresNow())
  const redis = (await commands()) - before
  await lane.close()
  const steps = SESSIONS * each
  const bare = replay(join(it.folder.path, 'evidence.db'), join(it.folder.path, 'bare.db'), 256)
  const perSecond = steps / seconds
  return {
    steps,
    perSecond,
    bare: bare / 2,
    queue: await bareQueue(steps, AT_ONCE),
    cpuMs: (user + system) / 1000 / steps,
    redis: redis / steps,
    stolen,
  }
}

const reader = (each: number): Mind =>
  function* read() {
    for (let i = 0; i < each; i++) yield [{ tool: 'read', args: { path: `f${i % 10}.txt` } }]
    return 'read'
  }

const opened = (session: string): Draft[] => {
  const at = { session, room: `room-${session}`, agent: 'claude-1', author: ADA }
  const body = { agent: 'claude-1', room: at.room }
  return [
    sessionDraft({ ...at, id: `${session}.opened`, body: { event: 'session-opened', ...body }, inReplyTo: 'm1' }),
    sessionDraft({
      ...at,
      id: `${session}.t`,
      body: { event: 'accepted', ...body, peripheral: 'explore', request: 'read', role: 'operator' },
      inReplyTo: 'm1',
    }),
  ]
}
