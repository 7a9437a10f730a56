import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { sqliteSchema } from '../../src/evidence/engine/sqlite-schema.ts'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { scratch } from '../support/folder.ts'
import { must } from '../support/store.ts'
import { replay } from './bare-inserts.ts'
import { createRows } from './evidence-rows.ts'
import { measure, type Row } from './report.ts'

const SMALL = 10_000
const LARGE = Number(process.env['BELLHOP_BENCH_ENTRIES'] ?? 1_000_000)

/** Speed and size of the evidence store on SQLite. Targets are printed beside what was seen, never asserted. */
export const evidenceBench = async (): Promise<void> => {
  await appends()
  await writers()
  const small = await filled(SMALL)
  const large = await filled(LARGE)
  await opening(large)
  await queries(small, large)
  await exporting(large)
}

/** A store with so many entries, made once and kept in the user's cache: to make a million takes minutes. */
const filled = async (entries: number): Promise<string> => {
  const folder = join(process.env['BELLHOP_CACHE'] ?? join(homedir(), '.cache'), 'bellhop')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `bench-evidence-${sqliteSchema.length}-${entries}.db`)
  if (existsSync(path)) return path
  console.log(`making a store of ${entries} entries (once)`)
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}.part${end}`, { force: true })
  const store = await openStore({ url: `${path}.part`, clock: Date.now })
  const rows = createRows()
  const began = performance.now()
  for (let done = 0; done < entries; done += BATCH) {
    must(await store.append(rows.next(Math.min(BATCH, entries - done))))
    if ((done / BATCH) % 100 === 99) console.log(`  ${done + BATCH} entries, ${perSecond(done, began)}/s`)
  }
  await store.close()
  renameSync(`${path}.part`, path)
  return path
}

const BATCH = 1000

const perSecond = (count: number, began: number): number => Math.round(count / ((performance.now() - began) / 1000))

/** The same rows, batch by batch, through the store and through the bare engine into the same tables. */
const appends = async (): Promise<void> => {
  console.log('Durable appends from one process (target: 0.7 of the bare engine, same rows, same batches)')
  for (const [batch, count] of [
    [1, 2000],
    [16, 8000],
    [256, 30_720],
  ] as const) {
    using folder = scratch()
    const path = join(folder.path, 'ours.db')
    const store = await openStore({ url: path, clock: Date.now })
    const rows = createRows()
    const calls = Array.from({ length: count / batch }, () => rows.next(batch))
    const began = performance.now()
    for (const drafts of calls) must(await store.append(drafts))
    const ours = perSecond(count, began)
    await store.close()
    const bare = replay(path, join(folder.path, 'bare.db'), batch)
    console.log(
      `  batches of ${String(batch).padStart(3)}: ${ours}/s, bare ${bare}/s, ratio ${(ours / bare).toFixed(2)}`,
    )
  }
  console.log('')
}

/** Eight processes at once: what they were told is kept must be there. */
const writers = async (): Promise<void> => {
  using folder = scratch()
  const path = join(folder.path, 'evidence.db')
  await (await openStore({ url: path, clock: Date.now })).close()
  const script = join(import.meta.dirname, 'evidence-writer.ts')
  const began = performance.now()
  const said = await Promise.all(
    Array.from({ length: 8 }, (_, i) => execa(process.execPath, ['--import', 'tsx', script, path, `w${i}`, '500'])),
  )
  const acknowledged = said.reduce((sum, { stdout }) => sum + Number(stdout), 0)
  const store = await openStore({ url: path, clock: Date.now })
  const kept = await store.head()
  await store.close()
  console.log(
    `Eight writers: ${acknowledged} acknowledged, ${kept} kept, ${acknowledged - kept} lost (target 0), ${perSecond(kept, began)}/s with their start\n`,
  )
}

const opening = async (path: string): Promise<void> => {
  const began = performance.now()
  const store = await openStore({ url: path, clock: Date.now })
  must(await store.query({ limit: 1 }))
  const took = performance.now() - began
  await store.close()
  const size = (statSync(path).size / LARGE / 1024).toFixed(2)
  console.log(
    `Opening ${LARGE} entries and a first query: ${took.toFixed(0)} ms (target < 1000); ${size} KB an entry\n`,
  )
}

type Ask = { name: string; target: number; ask: (store: Store, i: number, entries: number) => Promise<unknown> }

const page =
  (filters: (i: number, entries: number) => Record<string, unknown>) => async (store: Store, i: number, n: number) =>
    must(await store.query(filters(i * 7919, n)))

const asks: Ask[] = [
  { name: 'by session, last 50', target: 5, ask: page((i, n) => ({ session: `s-${i % Math.floor(n / 200)}` })) },
  {
    name: 'by tag and type, newest 50',
    target: 5,
    ask: page((i) => ({ room: `room-${i % 5}`, type: 'coordination' })),
  },
  {
    name: 'by tool, outcome and author',
    target: 5,
    ask: page((i) => ({ tool: 'grep', outcome: 'failed', author: ['claude-1', 'codex-1'][i % 2] })),
  },
  { name: 'by path touched', target: 5, ask: page((i) => ({ path: `src/part${i % 40}/file${i % 50}.ts`, limit: 5 })) },
  { name: 'by folder touched', target: 5, ask: page((i) => ({ path: `src/part${i % 40}` })) },
  {
    name: 'reply chain of depth 100',
    target: 5,
    ask: async (store, i, n) => store.replyChain(`e${((i * 7919) % Math.floor(n / 200)) * 200 + 100}`),
  },
  { name: 'full text, a rare word', target: 50, ask: page((i) => ({ text: `word${i % 50_000}`, limit: 1 })) },
  { name: 'full text, two common words', target: 50, ask: page(() => ({ text: 'retry lease' })) },
  {
    name: 'full text and a tool, oldest first',
    target: 50,
    ask: page(() => ({ text: 'queue', tool: 'glob', order: 'oldest' })),
  },
  { name: 'first page of everything', target: 20, ask: page(() => ({})) },
  {
    name: 'first page of what is not there together',
    target: 20,
    ask: page(() => ({ room: 'room-1', claim: 'observation', tool: 'read' })),
  },
  {
    name: 'between two times',
    target: 20,
    ask: page(() => ({ since: '2020-01-01', before: '0s', tool: 'read' })),
  },
  {
    name: 'count of a tool',
    target: 20,
    ask: async (store) => must(await store.count({ tool: 'read', ephemeral: 'with' })),
  },
]

const queries = async (small: string, large: string): Promise<void> => {
  const [few, many] = [
    await openStore({ url: small, clock: Date.now }),
    await openStore({ url: large, clock: Date.now }),
  ]
  console.log(`Queries at ${SMALL} and at ${LARGE} entries (flat: within 3x)`)
  for (const { name, target, ask } of asks) {
    const run = async (store: Store, entries: number): Promise<Row> => {
      // The same once before: what is measured is the store, not how fast a disk is read for the first time.
      await measure(name, 300, 1, (i) => ask(store, i, entries))
      return measure(name, 300, 1, (i) => ask(store, i, entries))
    }
    const [a, b] = [await run(few, SMALL), await run(many, LARGE)]
    const at = ({ p50, p99 }: Row) => `${p50.toFixed(2)} / ${p99.toFixed(2)}`.padStart(14)
    console.log(
      `  ${name.padEnd(42)} ${at(a)} ${at(b)} ms p50 / p99, target p99 < ${target}, ratio ${(b.p50 / a.p50).toFixed(1)}`,
    )
  }
  await few.close()
  await many.close()
  console.log('')
}

const exporting = async (path: string): Promise<void> => {
  const script = join(import.meta.dirname, 'evidence-export.ts')
  const { stdout } = await execa(process.execPath, ['--import', 'tsx', script, path])
  console.log(`${stdout}\n`)
}
