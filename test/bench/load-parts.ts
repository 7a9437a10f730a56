import { setTimeout } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { startUp } from '../support/instance.ts'
import { startTestRedis } from '../support/redis.ts'
import type { Several } from '../support/several.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'
import { watchDisk } from './load-disk.ts'
import { agents, files, openLoadHouse, rooms } from './load-house.ts'
import { settled } from './load-mix.ts'
import { type Spread, spreadOf } from './load-numbers.ts'
import { commandsOf, coresNow, cpuOf, redisVersion, sharesOf, useOf } from './load-processes.ts'
import { openSpeaker } from './load-speaker.ts'
import { workSince } from './load-work.ts'

export type AcceptSeen = {
  asked: number
  perSecond: number
  accept: Spread
  cpuMs: number
  errors: number
  stolen: number
  /** How long the disk took meanwhile to flush a page of nobody else's. */
  flush: Spread
}

/** How long a process has had such lines before it is measured: until then its code is being compiled on the same cores. */
const SETTLES_IN = 5

/** Lines at a fixed pace, whether or not those before were taken: how long it takes until each has its receipt. */
export const acceptBench = async (pace: number, seconds: number): Promise<AcceptSeen> => {
  await using house = await openLoadHouse(1)
  using speaker = openSpeaker(house.gateway.url, house.it.secrets.admin)
  const took: number[] = []
  let errors = 0
  const say = async (i: number): Promise<void> => {
    const began = performance.now()
    const said = await speaker.say({ room: rooms[i % rooms.length] ?? '', text: `line ${i}` })
    // What was refused was not accepted, however soon that was said.
    if (said) took.push(performance.now() - began)
    else errors++
  }
  const run = async (from: number, count: number): Promise<void> => {
    const began = performance.now()
    const saying: Promise<void>[] = []
    for (let i = 0; i < count; i++) {
      saying.push(say(from + i))
      const wait = began + ((i + 1) * 1000) / pace - performance.now()
      if (wait > 1) await setTimeout(wait)
    }
    await Promise.all(saying)
  }
  await run(0, pace * SETTLES_IN)
  took.length = 0
  errors = 0
  const [cores, cpu, disk, began] = [await coresNow(), await cpuOf(house.pids), watchDisk(), performance.now()]
  await run(pace * SETTLES_IN, pace * seconds)
  const elapsed = (performance.now() - began) / 1000
  const used = (await cpuOf(house.pids)) - cpu
  return {
    asked: pace,
    perSecond: took.length / elapsed,
    accept: spreadOf(took),
    cpuMs: (used * 1000) / took.length,
    errors,
    stolen: sharesOf(cores, await coresNow()).stolen,
    flush: (await disk.end()).flush,
  }
}

export type ScaleSeen = { workers: number; turns: number; steps: number; cpuMs: number; failed: number }

/** Every agent always has work: what so many workers get done. */
export const scaleBench = async (workers: number, seconds: number): Promise<ScaleSeen> => {
  await using house = await openLoadHouse(workers)
  const client = house.it.clientOf(house.gateway)
  let over = false
  const keepBusy = async (agent: string, n: number): Promise<void> => {
    for (let i = 0; !over; i++) {
      const text = `@${agent} read ${[0, 1, 2, 3, 4].map((k) => files[(i + k) % files.length]).join(', ')}`
      const { assignments } = must(await client.say({ room: rooms[n] ?? '', text }))
      const turn = assignments[0]?.turn
      if (turn === undefined) throw new Error(`nobody has ${text}`)
      await client.items({ turn }, () => {}, new AbortController().signal)
    }
  }
  const busy = agents.map((agent, n) => keepBusy(agent, n))
  // A process that has done little runs code that is still being compiled, on the same cores: so do four for longer than one.
  const warm = performance.now() + 6 * seconds * 1000
  const turnsDone = async () => must(await house.it.store.count({ event: 'turn-ended' }))
  while ((await turnsDone()) < workers * TURNS_FIRST && performance.now() < warm) await setTimeout(100)
  const [from, cpu, began] = [await house.it.store.head(), await cpuOf(house.pids), performance.now()]
  await setTimeout(seconds * 1000)
  const elapsed = (performance.now() - began) / 1000
  const used = (await cpuOf(house.pids)) - cpu
  const { turns, steps, failed } = await workSince(house.it, from)
  over = true
  await Promise.all(busy)
  await settled(house)
  return {
    workers,
    turns: turns / elapsed,
    steps: steps / elapsed,
    cpuMs: (used * 1000) / steps,
    failed: failed.length,
  }
}

/** So many turns each worker has done, as a rule, before those that are counted. */
const TURNS_FIRST = 300
const WARM_MS = 3000

export type RecoverySeen = { seconds: Spread }

/** Of two workers the one at work is killed in the midst of a turn: how long until the other one has ended it. */
export const recoveryBench = async (times: number): Promise<RecoverySeen> => {
  await using house = await openLoadHouse(2)
  const client = house.it.clientOf(house.gateway)
  const { store } = house.it
  const workers = [...house.workers]
  const took: number[] = []
  for (let i = 0; took.length < times && i < times * 4; i++) {
    const parts = Array.from({ length: 6 }, (_, k) => `read ${files[k]} and ${files[k + 1]}`)
    const line = { room: rooms[i % rooms.length] ?? '', text: `@${agents[i % agents.length]} ${parts.join(', then ')}` }
    const { turn = '', session = '' } = must(await client.say(line)).assignments[0] ?? {}
    while (!(await store.has(`${turn}.0.intent`))) await setTimeout(1)
    const claims = await claimsOf(store, session)
    const [began, killed] = [performance.now(), workers[i % 2]]
    killed?.kill('SIGKILL')
    while (!(await store.has(`${turn}.ended`))) await setTimeout(5)
    // Where nobody took it over, it was the other one that was at work.
    if ((await claimsOf(store, session)) > claims) took.push((performance.now() - began) / 1000)
    workers[i % 2] = await house.it.start('worker')
  }
  return { seconds: spreadOf(took) }
}

const claimsOf = async ({ engine }: Several['store'], session: string): Promise<number> => {
  const row = await engine.db.selectFrom('fence').select('token').where('scope', '=', `${session}/turns`).execute()
  return row[0]?.token ?? 0
}

export type IdleSeen = {
  processes: { name: string; own: number; shared: number; handles: number; cpuShare: number }[]
  commands: number
  redis: string
}

/** A whole instance that nobody uses: what it holds, and what it does all the same. */
export const idleBench = async (seconds: number): Promise<IdleSeen> => {
  using workspace = testWorkspace()
  await using instance = await startUp({ workspace: workspace.path })
  const [gateway = 0] = await instance.pidsOf('gateway')
  const [worker = 0] = await instance.pidsOf('worker')
  const named = { up: instance.pid, gateway, worker }
  const socket = `${instance.data}/redis.sock`
  await setTimeout(WARM_MS)
  const uses = async () =>
    Promise.all(Object.entries(named).map(async ([name, pid]) => ({ name, ...(await useOf(pid)) })))
  const [before, commands] = [await uses(), await commandsOf(socket)]
  await setTimeout(seconds * 1000)
  const done = (await commandsOf(socket)) - commands
  return {
    processes: (await uses()).map(({ cpu, ...use }, i) => ({
      ...use,
      cpuShare: (cpu - (before[i]?.cpu ?? cpu)) / seconds,
    })),
    commands: done / seconds,
    redis: await redisVersion(socket),
  }
}

/** Bare jobs of BullMQ, one after the other in each of so many places: what a queue by itself takes. */
export const bareQueue = async (jobs: number, atOnce: number): Promise<number> => {
  await using server = await startTestRedis()
  const connections = [0, 1].map(() => new Redis(server.address, { maxRetriesPerRequest: null }))
  const [adds, takes] = connections
  if (!adds || !takes) throw new Error('there is no connection')
  const queue = new Queue('bare', { connection: adds })
  let done = 0
  let finished = () => {}
  const all = new Promise<void>((resolve) => {
    finished = resolve
  })
  const worker = new Worker(
    'bare',
    async () => {
      if (++done === jobs) finished()
      else if (done + atOnce <= jobs) await queue.add('job', {}, { removeOnComplete: true })
    },
    { connection: takes, concurrency: atOnce },
  )
  await worker.waitUntilReady()
  const began = performance.now()
  for (let i = 0; i < atOnce; i++) await queue.add('job', {}, { removeOnComplete: true })
  await all
  const perSecond = jobs / ((performance.now() - began) / 1000)
  await worker.close()
  await queue.close()
  for (const connection of connections) connection.disconnect()
  return perSecond
}
