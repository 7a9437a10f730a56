import { setTimeout } from 'node:timers/promises'
import type { Client } from '../../src/client/client.ts'
import { watchDisk } from './load-disk.ts'
import { agents, files, type House, openLoadHouse, people, rooms } from './load-house.ts'
import { meets, type Span, type Spread, slopeOf, spreadOf } from './load-numbers.ts'
import { coresNow, cpuOf, sharesOf, useOf } from './load-processes.ts'
import { type Work, workSince } from './load-work.ts'

type Sample = { second: number; memory: number; handles: number }

/**
 * What the cores were at, as parts of the whole time: those that had nothing to do, and those that the machine's host kept to
 * itself, altogether and at the worst.
 */
type Cores = { idle: number; stolen: number; worst: number }

/** How many messages took long; how many of these while no core was free, while the disk took long for a flush, and neither. */
type Slow = { count: number; crowded: number; flushed: number; neither: number }

export type MixSeen = {
  seconds: number
  work: Work
  accept: Spread
  looks: Spread
  heard: number
  errors: string[]
  cpuMs: { message: number; step: number; share: number }
  samples: Sample[]
  cores: Cores
  /** How long the disk took to flush a page of nobody else's. */
  flush: Spread
  slow: Slow
  /** How memory and handles grow in an hour, by least squares over the second half. */
  grows: { memory: number; handles: number }
  /** The least memory that was held in each quarter: what is garbage comes and goes, and what is not is left then. */
  least: number[]
}

/** Lines a second: about what two hundred people say who are all at work. */
const PACE = 25
const FOLLOWERS = 40
const SAMPLE_MS = 2000
const LOOK_MS = 250
/** What a person would notice. */
const SLOW_MS = 100
/** With less than that of the cores free, whoever has something to do waits. */
const CROWDED = 0.1

/**
 * A sustained mix: people talk, give agents work that reads and edits, approve what waits for them, and look at how things
 * stand, while others follow the rooms.
 */
export const mixBench = async (seconds: number, workers: number): Promise<MixSeen> => {
  await using house = await openLoadHouse(workers)
  const client = house.it.clientOf(house.gateway)
  const errors: string[] = []
  const over = new AbortController()
  const noted = async <T>(task: Promise<{ ok: true; value: T } | { ok: false; refusal: { message: string } }>) => {
    const answer = await task.catch((error: Error) => ({ ok: false as const, refusal: { message: error.message } }))
    if (!answer.ok) errors.push(answer.refusal.message)
    return answer.ok ? answer.value : null
  }
  await noted(client.say({ room: CAREFUL, text: '/profile careful' }))
  let heard = 0
  const following = Array.from({ length: FOLLOWERS }, (_, i) =>
    client.follow(rooms[i % rooms.length] ?? '', 0, () => void heard++, over.signal).catch(() => {}),
  )
  const [accept, looks]: [number[], number[]] = [[], []]
  const timed = async (into: number[], task: () => Promise<unknown>): Promise<void> => {
    const began = performance.now()
    await task()
    into.push(performance.now() - began)
  }
  const slow: Span[] = []
  const say = async (i: number): Promise<void> => {
    const from = elapsed()
    await timed(accept, () => noted(client.say(lineOf(i))))
    if (elapsed() - from > SLOW_MS / 1000) slow.push({ from, to: elapsed() })
  }
  const from = await house.it.store.head()
  const samples: Sample[] = []
  const looked = [{ second: 0, cores: await coresNow() }]
  const [cpuBefore, began] = [await cpuOf(house.pids), performance.now()]
  const elapsed = () => (performance.now() - began) / 1000
  const watched = watchDisk()
  const beside = [
    again(over.signal, SAMPLE_MS, async () => void samples.push({ second: elapsed(), ...(await held(house)) })),
    again(over.signal, LOOK_MS, async () => void looked.push({ second: elapsed(), cores: await coresNow() })),
    again(over.signal, 500, () => approveAll(client, noted)),
    again(over.signal, 250, () => timed(looks, () => look(client, looks.length, noted))),
  ]
  const saying: Promise<void>[] = []
  for (let i = 0; elapsed() < seconds; i++) {
    saying.push(say(i))
    await setTimeout(Math.max(0, began + ((i + 1) * 1000) / PACE - performance.now()))
  }
  await Promise.all(saying)
  const took = elapsed()
  const cpu = (await cpuOf(house.pids)) - cpuBefore
  const disk = await watched.end()
  await settled(house)
  over.abort()
  await Promise.all([...beside, ...following])
  const work = await workSince(house.it, from)
  const spans = spansOf(looked)
  const half = samples.filter(({ second }) => second > took / 2)
  const hourly = (of: (sample: Sample) => number) => slopeOf(half.map((one) => [one.second, of(one)])) * 3600
  return {
    seconds: took,
    work,
    accept: spreadOf(accept),
    looks: spreadOf(looks),
    heard,
    errors: [...errors, ...work.failed],
    cpuMs: { message: (cpu * 1000) / work.messages, step: (cpu * 1000) / work.steps, share: cpu / took },
    samples,
    cores: coresIn(looked, spans),
    flush: disk.flush,
    slow: slowBy(slow, (span) => spans.some((one) => one.idle < CROWDED && meets(one, span)), disk.isSlowIn),
    grows: { memory: hourly(({ memory }) => memory), handles: hourly(({ handles }) => handles) },
    least: [0, 1, 2, 3].map((quarter) =>
      samples
        .filter(({ second }) => Math.floor((4 * second) / took) === quarter)
        .reduce((least, { memory }) => Math.min(least, memory), Number.POSITIVE_INFINITY),
    ),
  }
}

type Look = { second: number; cores: Awaited<ReturnType<typeof coresNow>> }
type Shares = Span & ReturnType<typeof sharesOf>

/** What the cores were at between each look and the next. */
const spansOf = (looks: readonly Look[]): Shares[] =>
  looks.slice(1).flatMap((look, i) => {
    const before = looks[i]
    return before ? [{ from: before.second, to: look.second, ...sharesOf(before.cores, look.cores) }] : []
  })

const coresIn = (looks: readonly Look[], spans: readonly Shares[]): Cores => {
  const [first, last] = [looks[0], looks.at(-1)]
  if (!first || !last) return { idle: 0, stolen: 0, worst: 0 }
  return { ...sharesOf(first.cores, last.cores), worst: Math.max(0, ...spans.map(({ stolen }) => stolen)) }
}

type During = (span: Span) => boolean

const slowBy = (slow: readonly Span[], isCrowded: During, isFlushed: During): Slow => ({
  count: slow.length,
  crowded: slow.filter(isCrowded).length,
  flushed: slow.filter(isFlushed).length,
  neither: slow.filter((span) => !isCrowded(span) && !isFlushed(span)).length,
})

/** Where a person is asked before anything is changed. */
const CAREFUL = rooms[0] ?? ''

/** What is said: mostly talk, work that reads, now and then work that changes a file; one in a hundred waits for a person. */
const lineOf = (i: number) => {
  const [as, room, agent] = [pick(people, i * 7), pick(rooms, i * 3), pick(agents, i)]
  const kind = i % 100
  if (kind === 50) return { room: CAREFUL, as: null, text: `/edit @${pick(agents, i / 100)} ${change(CAREFUL, i)}` }
  if (kind % 33 === 1) return { room, as: null, text: `/edit @${agent} ${change(room, i)}` }
  if (kind % 5 === 0) return { room, as, text: `@${agent} read ${pick(files, i)} and ${pick(files, i + 7)}` }
  return { room, as, text: `line ${i}: has anybody seen what the retry does when a lease has lapsed?` }
}

/** Each room and hundred has a file of its own: whoever changes one holds it for a while. */
const change = (room: string, i: number): string => `create work/${room}-${i}.txt with "number ${i}"`

const pick = (from: readonly string[], i: number): string => from[Math.floor(i) % from.length] ?? ''

type Noted = <T>(
  task: Promise<{ ok: true; value: T } | { ok: false; refusal: { message: string } }>,
) => Promise<T | null>

const approveAll = async (client: Client, noted: Noted): Promise<void> => {
  const waiting = await noted(client.ask('approvals'))
  for (const { approval, room } of waiting?.approvals ?? []) {
    await noted(client.say({ room, text: `/approve ${approval}` }))
  }
}

const look = (client: Client, i: number, noted: Noted): Promise<unknown> => {
  if (i % 3 === 0) return noted(client.ask('now'))
  if (i % 3 === 1) return noted(client.ask('sessions', { limit: 50 }))
  return noted(client.ask('evidence', { room: pick(rooms, i), limit: 50 }))
}

const held = async ({ pids }: House): Promise<{ memory: number; handles: number }> => {
  const uses = await Promise.all(pids.map(useOf))
  return {
    memory: uses.reduce((sum, { own }) => sum + own, 0),
    handles: uses.reduce((sum, { handles }) => sum + handles, 0),
  }
}

const again = async (signal: AbortSignal, ms: number, task: () => Promise<void>): Promise<void> => {
  while (!signal.aborted) {
    await task()
    await setTimeout(ms, null, { signal }).catch(() => {})
  }
}

/** All that was asked for has ended: what waits for a person is approved meanwhile. */
export const settled = async ({ it }: House): Promise<void> => {
  const end = performance.now() + SETTLE_MS
  while ((await it.store.unfinished()).length > 0) {
    if (performance.now() > end) throw new Error('the work did not end')
    await setTimeout(100)
  }
}

const SETTLE_MS = 120_000
