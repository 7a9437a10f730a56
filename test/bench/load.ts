import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { documentOf, type LoadSeen } from './load-document.ts'
import { historyBench } from './load-history.ts'
import { mixBench } from './load-mix.ts'
import { acceptBench, idleBench, recoveryBench, scaleBench } from './load-parts.ts'
import { stepsBench } from './load-steps.ts'

const PACE = 500
/** So many steps each agent takes before those that are counted. */
const WARM = 40

export type LoadWanted = {
  minutes: number
  quick: boolean
  workers: number[]
  /** Null for as many as are looked at where nothing is said. */
  sessions: number[] | null
  out?: string
  json?: string
}

/** The load of a team for a while. What was seen is printed as the document it makes, and kept beside it as JSON on request. */
export const loadBench = async ({ minutes, quick, workers, out, json, ...wanted }: LoadWanted): Promise<void> => {
  const seconds = quick ? 30 : minutes * 60
  const short = quick ? 5 : 20
  const sessions = wanted.sessions ?? (quick ? [1000, 10_000] : [1000, 10_000, 100_000, 1_000_000])
  const said = <T>(what: string, task: Promise<T>): Promise<T> => {
    console.log(`${what} …`)
    return task
  }
  const inTurn = async <A, B>(all: readonly A[], run: (one: A) => Promise<B>): Promise<B[]> => {
    const seen: B[] = []
    for (const one of all) seen.push(await run(one))
    return seen
  }
  const idle = await said('an instance that nobody uses', idleBench(quick ? 5 : 30))
  // What runs for the first time is slower than it is from then on.
  await said('a few steps first', stepsBench(WARM))
  const steps = await said('durable steps', stepsBench(quick ? 60 : 500))
  const accept = await said(`${PACE} messages a second`, acceptBench(PACE, short))
  const scale = await said(
    'workers',
    inTurn(workers, (count) => scaleBench(count, short)),
  )
  const recovery = await said('a worker that is killed', recoveryBench(quick ? 2 : 10))
  const history = await said('history', inTurn(sessions, historyBench))
  const mix = await said(`the mix, for ${seconds} s`, mixBench(seconds, 1))
  const seen: LoadSeen = {
    machine: machineOf(idle.redis),
    day: new Date().toISOString().slice(0, 10),
    quick,
    ...{ steps, accept, mix, scale, recovery, idle, history },
  }
  const { text, images } = documentOf(seen)
  console.log(`\n${text}`)
  for (const error of new Set(mix.errors)) console.log(`error: ${error}`)
  if (json) writeFileSync(json, `${JSON.stringify(seen, null, 2)}\n`)
  if (out === undefined) return
  const folder = join(dirname(out), 'images')
  mkdirSync(folder, { recursive: true })
  writeFileSync(out, text)
  for (const [name, image] of Object.entries(images)) writeFileSync(join(folder, name), image)
}

const machineOf = (redis: string): LoadSeen['machine'] => {
  const memory = new Sqlite(':memory:')
  const sqlite = memory.prepare('select sqlite_version()').pluck().get() as string
  memory.close()
  return {
    cores: cpus().length,
    processor: process.arch,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    redis,
    sqlite,
  }
}
