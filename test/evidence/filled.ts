import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { compact } from '../../src/evidence/keep.ts'
import { prepareEntry } from '../../src/evidence/prepare.ts'
import type { Store } from '../../src/evidence/store.ts'
import { exportInto } from '../../src/evidence/transfer/export.ts'
import { importFrom } from '../../src/evidence/transfer/import.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import type { Draft, Entry } from '../../src/shapes/evidence.ts'
import { must, said, type TestStore, testStore } from '../support/store.ts'
import { DAY_MS, firstVersion, policyOf } from './every-kind.ts'
import { verdictsOf, write } from './file.ts'
import { history } from './history.ts'

/** Fills a store with all that can be in one: every event, bodies in blobs, bodies that were let go, first versions. */
export const fill = async ({ store, clock }: TestStore): Promise<void> => {
  const old = firstVersion(lines('old', 3), '2025-12-31T23:59:59.000Z')
  must(await store.adopt(old.map((entry) => prepareEntry(entry, null))))
  clock.now += DAY_MS
  const long = 'a large body '.repeat(3000)
  await write([[said('l1', long)], ...history(), [said('l2', long)]], store, clock)
  clock.now += 10 * DAY_MS
  await write([[said('l3', long), { ...said('e1', 'soon forgotten'), ephemeral: true }]], store, clock)
  let ids = 0
  const verify = (session: string) => verifyChain(store, session)
  const newId = () => `c${ids++}`
  const policy = policyOf({ bodyDays: 5 })
  const { bodies } = must(await compact({ store, policy, now: clock.now, newId, verify, dry: false }))
  expect(bodies).toBeGreaterThan(5)
}

/** Drafts of so many messages. */
export const lines = (name: string, count: number): Draft[] =>
  Array.from({ length: count }, (_, i) => said(`${name}-${i}`, `line ${i}`))

export const everything = async (store: Store): Promise<Entry[]> => {
  const entries: Entry[] = []
  for await (const page of store.pages(null)) entries.push(...page)
  return entries
}

/** What a store says in answer to whatever may be asked: it does not show which engine it is kept in. */
export const answersOf = async (store: Store) => ({
  entries: await everything(store),
  tip: await store.tip(),
  dropped: await store.engine.db.selectFrom('dropped').selectAll().orderBy('position').execute(),
  verdicts: await verdictsOf(store),
  sessions: await store.sessions(100),
  turns: await store.unfinishedTurns(),
  rooms: [await store.roomMode('lobby'), await store.roomMode('den')],
  tags: must(await store.facets('tool', {})),
  found: must(await store.query({ text: 'large body', limit: 100 })).entries.map(({ id }) => id),
  byPath: must(await store.query({ path: 'README.md', limit: 100 })).entries.map(({ id }) => id),
})

export const exported = async (store: Store, after: number | null = null): Promise<string> => {
  const stream = new PassThrough()
  const all = text(stream)
  await exportInto(store, stream, { after })
  stream.end()
  return all
}

export const imported = (store: Store, file: string | Buffer, dryRun = false) =>
  importFrom(store, Readable.from([Buffer.from(file)]), { dryRun })

/** The lines of a file, and a file of lines. */
export const linesOf = (file: string): string[] => file.split('\n').slice(0, -1)
export const fileOf = (lines: string[]): string => lines.map((line) => `${line}\n`).join('')

/** A filled store, and its export: made once for all who only read them. */
export const sample = (() => {
  let made: Promise<{ file: string; answers: Awaited<ReturnType<typeof answersOf>> }> | null = null
  const make = async () => {
    await using house = await testStore()
    await fill(house)
    return { file: await exported(house.store), answers: await answersOf(house.store) }
  }
  return () => {
    made ??= make()
    return made
  }
})()
