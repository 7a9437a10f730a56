import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { openStore } from '../../src/evidence/store.ts'
import { exportTo } from '../../src/evidence/transfer/export.ts'
import { importFrom } from '../../src/evidence/transfer/import.ts'
import { folderAt, openFolder, secretsOf } from '../../src/house/folder.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { tail } from '../../src/status/posts.ts'
import { openRaw } from '../evidence/file.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { postgresMissing } from '../support/postgres.ts'
import { startTestRedis } from '../support/redis.ts'
import { sharedPostgres } from '../support/shared-postgres.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'
import { nextMinor, OWN_CLI } from './variant.ts'

const TURNS = process.env['BELLHOP_LONG'] === '1' ? 200 : 24

const AGENTS = `
agents:
  - { id: claude-1, type: claude, runner: rehearsal, peripheral: explore }
  - { id: codex-1, type: codex, runner: rehearsal, peripheral: explore }
`

/** A process of one version: a gateway or a worker. */
const start = async (cli: string, part: 'gateway' | 'worker', args: string[], env: Record<string, string>) => {
  const child = execa(process.execPath, [cli, part, ...args], { env, extendEnv: false, reject: false, all: true })
  let output = ''
  child.all.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const ended = child.then(() => Promise.reject(new Error(`the ${part} ended:\n${output}`)))
  ended.catch(() => {})
  await Promise.race([eventually(`the ${part}`, () => output.includes(`${part} ready`), 60_000), ended])
  return {
    url: /ready at (\S+)/.exec(output)?.[1] ?? '',
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await child
    },
  }
}

type Pair = { engine: string; gateway: 'old' | 'new'; worker: 'old' | 'new' }

const PAIRS: readonly Pair[] = [
  { engine: 'SQLite', gateway: 'old', worker: 'new' },
  { engine: 'SQLite', gateway: 'new', worker: 'old' },
  ...(postgresMissing ? [] : [{ engine: 'PostgreSQL', gateway: 'old', worker: 'new' } as const]),
]

describe.each(PAIRS)('a gateway of the $gateway version and a worker of the $worker one, on $engine', (pair) => {
  test('share a store and a Redis: every turn ends, and both verify all of it', async () => {
    using next = nextMinor()
    using workspace = testWorkspace()
    using home = scratch()
    await using redis = await startTestRedis()
    const data = join(home.path, 'data')
    const { admin } = secretsOf(openFolder(data))
    const evidence = pair.engine === 'PostgreSQL' ? await sharedPostgres().database() : null
    const env = environment(redis.address, evidence)
    const where = ['--data', data, '--workspace', workspace.path, '--config', home.write('c.yaml', AGENTS)]
    const cli = { old: OWN_CLI, new: next.cli }
    await inOrder(
      pair,
      (part) => start(cli[pair[part]], part, part === 'gateway' ? ['--port', '0', ...where] : where, env),
      (url) => work(url, admin),
    )
    for (const program of [OWN_CLI, next.cli]) {
      const verify = [program, 'verify', '--all', ...where]
      const { exitCode, stderr } = await execa(process.execPath, verify, { env, extendEnv: false, reject: false })
      expect([exitCode, stderr]).toEqual([0, ''])
    }
    // The old one starts again on what the new one has left.
    await using again = await start(OWN_CLI, 'gateway', ['--port', '0', ...where], env)
    expect(again.url).toMatch(/^http/)
    await readable(evidence ?? folderAt(data).store, home.path)
    expect(await kept(data, evidence)).toEqual([expect.stringMatching(/before.v\d/)])
  })
})

const environment = (redis: string, evidence: string | null): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  REDIS_URL: redis,
  ...(evidence === null ? {} : { BELLHOP_EVIDENCE: evidence }),
})

type Begun = Awaited<ReturnType<typeof start>>

/** The old one is there first, as it is when versions are rolled out. */
const inOrder = async (
  pair: Pair,
  begin: (part: 'gateway' | 'worker') => Promise<Begun>,
  act: (url: string) => Promise<void>,
): Promise<void> => {
  const parts = (['gateway', 'worker'] as const).toSorted(
    (a, b) => Number(pair[a] === 'new') - Number(pair[b] === 'new'),
  )
  await using first = await begin(parts[0] ?? 'gateway')
  await using second = await begin(parts[1] ?? 'worker')
  await act(first.url || second.url)
}

const work = async (url: string, token: string): Promise<void> => {
  const client = createClient({ url, token, face: 'cli' })
  const given = Array.from({ length: TURNS }, (_, i) =>
    client.say({ id: `m${i}`, room: 'lobby', text: `@${i % 2 ? 'claude-1' : 'codex-1'} read README.md` }),
  )
  const turns = (await Promise.all(given)).flatMap((said) => must(said).assignments)
  expect(turns.length).toBe(TURNS)
  await eventually('all to end', async () => must(await client.ask('status')).turns.length === 0, 120_000)
}

/** What the migration has kept of the store as it was. */
const kept = async (data: string, evidence: string | null): Promise<string[]> => {
  if (evidence === null) return readdirSync(data).filter((name) => name.includes('-before-'))
  await using raw = await openRaw(evidence)
  const found = await raw.rows("select nspname from pg_namespace where nspname like 'bellhop_v%'")
  return found.map((row) => String((row as { nspname: string }).nspname))
}

/** What a newer version wrote is read, posted, exported and imported as it is. */
const readable = async (url: string, folder: string): Promise<void> => {
  const store = await openStore({ url, clock: systemClock, readonly: true })
  const strange = (await store.chain('house')).filter(({ version }) => version === 3)
  expect(strange.map(({ body }) => body as object)).toContainEqual({ event: 'shade-cast', shade: 'new' })
  const started = must(await store.query({ event: 'turn-started', limit: 1000 })).entries
  expect(started.length).toBe(TURNS)
  expect((await tail(store, 'lobby', 100)).length).toBeGreaterThan(0)
  const file = join(folder, 'export.jsonl')
  await exportTo(store, file, { after: null, resume: false, progress: () => {}, signal: new AbortController().signal })
  const other = await openStore({ url: join(folder, 'other.db'), clock: systemClock })
  must(await importFrom(other, createReadStream(file), { progress: () => {} }))
  expect(await other.tip()).toEqual(await store.tip())
  await other.close()
  await store.close()
}
