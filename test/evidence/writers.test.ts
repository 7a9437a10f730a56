import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, describe, expect, test } from 'vitest'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { idsOf } from '../support/store.ts'
import { verdictsOf } from './file.ts'
import type { Arguments } from './writer.ts'

const KILLS = process.env['BELLHOP_LONG'] ? 100 : 3
const AT_ONCE = 3
const ENDLESS = 1_000_000

const started: { kill: (signal: 'SIGKILL') => boolean }[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** Starts a process that writes, ready to go: node itself and not a wrapper, so that a kill hits the one that writes. */
const startWriter = async (path: string, name: string, calls: number) => {
  const script = join(import.meta.dirname, 'writer.ts')
  const args: Arguments = [path, name, `${calls}`]
  const child = execa(process.execPath, ['--import', 'tsx', script, ...args], { reject: false })
  started.push(child)
  let said = ''
  child.stdout.on('data', (text) => {
    said += text
  })
  /** Whole lines only: what was cut off by a kill was not acknowledged. */
  const lines = (): string[] => said.split('\n').slice(0, -1)
  await eventually(`${name} to be ready`, () => lines().includes('ready') || child.exitCode !== null)
  return {
    go: () => child.stdin.write('go\n'),
    acknowledged: (): string[] => lines().slice(1),
    kill: () => child.kill('SIGKILL'),
    ended: async () => {
      const { exitCode, signal, stderr } = await child
      return { exitCode, signal, stderr }
    },
  }
}

const inStore = async <T>(path: string, look: (store: Store) => Promise<T>): Promise<T> => {
  const store = openStore({ path, clock: systemClock })
  try {
    return await look(store)
  } finally {
    await store.close()
  }
}

/** The ids of the calls that are in the store; fails where only one of a call's two entries is. */
const callsIn = (ids: string[]): string[] => {
  const calls = ids.filter((id) => !id.endsWith('.receipt'))
  expect(ids.filter((id) => id.endsWith('.receipt')).sort()).toEqual(calls.map((id) => `${id}.receipt`).sort())
  return calls
}

const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${name}-${i}`)

describe('several processes', () => {
  test('that open a new store and write one session at once keep one unbroken chain, and lose nothing', async () => {
    using folder = scratch()
    const path = join(folder.path, 'evidence.db')
    const names = ['ann', 'ben', 'cat']
    const writers = await Promise.all(names.map((name) => startWriter(path, name, 25)))
    for (const { go } of writers) go()
    const ends = await Promise.all(writers.map(({ ended }) => ended()))
    expect(ends).toEqual(names.map(() => ({ exitCode: 0, signal: undefined, stderr: '' })))

    const everything = names.flatMap((name) => numbered(name, 25)).sort()
    expect(writers.flatMap(({ acknowledged }) => acknowledged()).sort()).toEqual(everything)
    await inStore(path, async (store) => {
      const chain = await store.chain('room-lobby')
      expect(callsIn(idsOf(chain)).sort()).toEqual(everything)
      expect(await verdictsOf(store)).toEqual([
        {
          session: 'room-lobby',
          ok: true,
          entries: 150,
          steps: 0,
          dropped: 0,
          head: chain.at(-1)?.hash,
          violations: [],
        },
      ])
    })
  }, 60_000)
})

describe('processes killed in the middle of their writes', () => {
  test(`have lost nothing that was acknowledged, ${KILLS} of them, and harmed nobody beside them`, async () => {
    using folder = scratch()
    const path = join(folder.path, 'evidence.db')
    const acknowledged: string[] = []
    for (let killed = 0; killed < KILLS; killed += AT_ONCE) {
      const names = numbered('victim', KILLS).slice(killed, killed + AT_ONCE)
      const [bystander, ...victims] = await Promise.all([
        startWriter(path, `bystander${killed}`, 20),
        ...names.map((name) => startWriter(path, name, ENDLESS)),
      ])
      for (const { go } of [bystander, ...victims]) go()
      await Promise.all(
        victims.map(async (victim, i) => {
          await eventually('writes to be acknowledged', () => victim.acknowledged().length > ((killed + i) * 7) % 23)
          victim.kill()
          expect(await victim.ended()).toEqual({ exitCode: undefined, signal: 'SIGKILL', stderr: '' })
        }),
      )
      expect(await bystander.ended()).toEqual({ exitCode: 0, signal: undefined, stderr: '' })
      expect(bystander.acknowledged().length).toBe(20)
      acknowledged.push(...[bystander, ...victims].flatMap((writer) => writer.acknowledged()))
    }
    await inStore(path, async (store) => {
      const chain = await store.chain('room-lobby')
      const kept = new Set(callsIn(idsOf(chain)))
      expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
      const whole = { session: 'room-lobby', ok: true, entries: chain.length, steps: 0, dropped: 0, violations: [] }
      expect(await verdictsOf(store)).toEqual([{ ...whole, head: chain.at(-1)?.hash }])
    })
  }, 600_000)
})
