import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import Sqlite from 'better-sqlite3'
import { documentOf, type LoadSeen } from './load-document.ts'
import { historyBench } from './load-history.ts'
import { mixBench } from './load-mix.ts'
import { acceptBench, idleBench, recoveryBench, scaleBench } from './load-parts.ts'
import { stepsBench } from './load-steps.ts'

const PACE = 500
/** So many steps each agent takes before those that are counted. */
const WARM = 40

/**
 * The load of a team for a while: `npm run bench -- load [--minutes 10] [--quick] [--workers 1,2,4] [--sessions 1000,1000000]
 * [--out docs/performance.md]`. What was seen is printed as the document it makes, and kept beside it as JSON on request.
 */
export const loadBench = async (args: string[]): Promise<void> => {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '10' },
      quick: { type: 'boolean', default: false },
      workers: { type: 'string', default: '1,2,4' },
      sessions: { type: 'string' },
      out: { type: 'string' },
      json: { type: 'string' },
    },
  })
  const { quick } = values
  const seconds = quick ? 30 : Number(values.minutes) * 60
  const short = quick ? 5 : 20
  const numbers = (text: string) => text.split(',').map(Number)
  const sessions = numbers(values.sessions ?? (quick ? '1000,10000' : '1000,10000,100000,1000000'))
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
    inTurn(numbers(values.workers), (workers) => scaleBench(workers, short)),
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
  if (values.json) writeFileSync(values.json, `${JSON.stringify(seen, null, 2)}\n`)
  if (values.out === undefined) return
  const folder = join(dirname(values.out), 'images')
  mkdirSync(folder, { recursive: true })
  writeFileSync(values.out, text)
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
