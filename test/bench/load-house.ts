import { type Process, type Several, startSeveral } from '../support/several.ts'

const ROOMS = 50
const PEOPLE = 200
const AGENTS = 30

const names = (what: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${what}-${i + 1}`)

export const rooms = names('room', ROOMS)
export const agents = names('agent', AGENTS)
export const people = names('person', PEOPLE)
export const files = names('file', 20).map((name) => `${name}.txt`)

const PLENTY = { burst: 1_000_000, perMinute: 1_000_000 }

const CONFIG = {
  rooms: rooms.map((id) => ({ id, faces: ['web', 'cli', 'api'], mode: 'execute', listener: null })),
  agents: agents.map((id) => ({ id, type: 'claude', runner: 'rehearsal', peripheral: 'explore' })),
  worker: { turns: 64, steps: 32 },
  loops: { hops: 1000, named: 30 },
  // One client speaks for all the people of this.
  limits: { person: PLENTY, room: PLENTY, token: PLENTY },
  queues: { perSession: 100_000, perRoom: 100_000, total: 1_000_000 },
  doors: { requestsAtOnce: 100_000, requestsPerSecond: 100_000 },
}

export type House = {
  it: Several
  gateway: Process
  workers: Process[]
  /** Of everything that belongs to it, but for Redis. */
  pids: number[]
} & AsyncDisposable

/** An instance for a load, as several processes: rehearsals alone, and every limit of the doors out of the way. */
export const openLoadHouse = async (workers: number): Promise<House> => {
  const text = 'a line with a few words in it, as there are in most files\n'.repeat(6)
  const it = await startSeveral({ config: CONFIG, files: Object.fromEntries(files.map((name) => [name, text])) })
  const [gateway, ...others] = await Promise.all([
    it.start('gateway'),
    ...Array.from({ length: workers }, () => it.start('worker')),
  ])
  if (!gateway) throw new Error('there is no gateway')
  return {
    it,
    gateway,
    workers: others,
    pids: [gateway, ...others].map(({ pid }) => pid),
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  }
}
