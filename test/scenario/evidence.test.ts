import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { converse } from '../../src/client/converse.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { postgresMissing } from '../support/postgres.ts'
import { sharedPostgres } from '../support/shared-postgres.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'

const CLI = join(import.meta.dirname, '../../dist/src/cli.js')

const engines = [
  { name: 'SQLite', env: async (): Promise<Record<string, string>> => ({}), skip: false },
  {
    name: 'PostgreSQL',
    env: async (): Promise<Record<string, string>> => ({ BELLHOP_EVIDENCE: await sharedPostgres().database() }),
    skip: postgresMissing !== null,
  },
]

/** What a command prints with --json. */
const asked = async (args: string[], env: Record<string, string>) => {
  const { stdout, stderr, exitCode } = await bellhop([...args, '--json'], { env })
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

/** The whole way from the command line is gone once, and on each engine where there is time for it. */
const LONG = Boolean(process.env['BELLHOP_LONG'])

describe.each(engines)('the evidence of an instance on $name', ({ name, env: environment, skip }) => {
  test.skipIf(skip || (name !== 'SQLite' && !LONG))(
    'is found, followed, proved, moved and restored from the command line',
    async () => {
      using workspace = testWorkspace()
      using elsewhere = testWorkspace()
      const env = await environment()
      await using instance = await startUp({ workspace: workspace.path, env })
      const at = ['--data', instance.data]
      const ask = (...args: string[]) => asked([...args, ...at], env)

      // Somebody follows before anything is asked.
      const tail = execa(
        process.execPath,
        [CLI, 'evidence', 'tail', '-f', '-n', '10', '--tool', 'read', '--json', ...at],
        {
          env: { PATH: process.env['PATH'] ?? '', ...env },
          extendEnv: false,
          reject: false,
        },
      )
      let followed = ''
      tail.stdout.on('data', (text) => {
        followed += text
      })
      must(
        await converse(
          instance.client,
          { id: 'first', room: 'lobby', text: '@claude read README.md' },
          AbortSignal.timeout(60_000),
        ),
      )
      const steps = (await ask('evidence', '--tool', 'read', '--order', 'oldest')).entries as Entry[]
      expect(steps.map(({ id, body }) => [id, body.event])).toEqual([
        ['first.claude-1.0.intent', 'step-intended'],
        ['first.claude-1.0.outcome', 'step-ended'],
      ])
      await eventually('the follower to see both', () => followed.trim().split('\n').length === 2)
      expect(
        followed
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(steps)
      tail.kill('SIGINT')
      expect((await tail).exitCode).toBe(0)

      expect(await ask('evidence', 'count', '--path', 'README.md')).toEqual({ count: 2 })
      expect((await ask('evidence', 'facets', 'tool')).values).toEqual([{ value: 'read', count: 2 }])
      expect((await ask('evidence', 'tree', 'first')).status).toBe('closed')
      expect((await ask('evidence', 'show', 'first')).entry.body).toEqual({
        event: 'message',
        text: '@claude read README.md',
      })
      const unknown = await bellhop(['evidence', '--tool', 'read', '--since', 'tomorrow', ...at], { env })
      expect([unknown.exitCode, unknown.stderr.split('\n')[0]?.includes('expected a time such as')]).toEqual([1, true])

      // While it runs: a backup, an export, and a verdict on everything.
      const { root, position } = await ask('evidence', 'backup', join(workspace.path, 'backup.db'))
      expect((await ask('evidence', 'export', join(workspace.path, 'all.jsonl'))).entries).toBeGreaterThanOrEqual(
        position,
      )
      expect((await ask('verify', '--all')).ok).toBe(true)
      expect((await ask('verify', '--all', '--head', `${position}:${root}`)).ok).toBe(true)
      const forged = await bellhop(['verify', '--all', '--head', `${position}:${'a'.repeat(64)}`, ...at], { env })
      expect([forged.exitCode, forged.stdout.includes('rewritten: what was written up to')]).toEqual([1, true])

      const busy = await bellhop(['evidence', 'restore', join(workspace.path, 'backup.db'), ...at], { env: {} })
      expect([busy.exitCode, busy.stderr.includes('runs on')]).toEqual([1, true])
      expect(await instance.stop()).toBe(0)

      // Into another folder, as somebody would on another machine.
      const there = ['--data', join(elsewhere.path, '.bellhop')]
      const restored = await asked(['evidence', 'restore', join(workspace.path, 'backup.db'), ...there], {})
      expect(restored).toEqual({ ok: true, entries: position, position, root, aside: null })
      expect((await asked(['evidence', 'head', ...there], {})).head).toBe(`${position}:${root}`)
      expect((await asked(['verify', '--all', ...there], {})).ok).toBe(true)
      const third = ['--data', join(elsewhere.path, 'third')]
      const imported = await asked(['evidence', 'import', join(workspace.path, 'all.jsonl'), ...third], {})
      expect([imported.ok, imported.added]).toEqual([true, imported.entries])
      expect(await asked(['evidence', 'import', join(workspace.path, 'all.jsonl'), ...third], {})).toEqual({
        ...imported,
        added: 0,
      })

      // And the instance goes on from what was restored.
      await using second = await startUp({ workspace: elsewhere.path })
      const again = must(await second.client.say({ id: 'first', room: 'lobby', text: '@claude read README.md' }))
      expect(again.assignments.map(({ turn }) => turn)).toEqual(['first.claude-1'])
      expect((await asked(['verify', '--all', ...there], {})).ok).toBe(true)
    },
    120_000,
  )

  test.skipIf(skip)(
    'is live over HTTP: from a place on, without a gap, and strict',
    async () => {
      using workspace = testWorkspace()
      await using instance = await startUp({ workspace: workspace.path, env: await environment() })
      const headers = { authorization: `Bearer ${instance.secrets.admin}` }
      const bad = await fetch(new URL('/api/tail?colour=red', instance.url), { headers })
      expect([bad.status, ((await bad.json()) as { code: string }).code]).toEqual([400, 'query-invalid'])

      for (const id of ['a', 'b', 'c']) must(await instance.client.say({ id, room: 'lobby', text: `/whoami` }))
      const read = async (query: string, count: number, lastSeen: Record<string, string> = {}) => {
        const gone = new AbortController()
        const from = new URL(`/api/tail?event=message&${query}`, instance.url)
        const stream = await fetch(from, { headers: { ...headers, ...lastSeen }, signal: gone.signal })
        let text = ''
        const decoder = new TextDecoder()
        for await (const chunk of stream.body ?? []) {
          text += decoder.decode(chunk as Uint8Array, { stream: true })
          if (text.split('event: entry').length > count) break
        }
        gone.abort()
        const lines = text.split('\n').filter((line) => line.startsWith('data: '))
        return lines.map((line) => JSON.parse(line.slice(6)) as Entry)
      }
      const all = await read('cursor=0', 3)
      expect(all.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
      expect((await read('cursor=0', 2, { 'last-event-id': `${all[0]?.position}` })).map(({ id }) => id)).toEqual([
        'b',
        'c',
      ])
      // Without a place, from now on: it is talked until the follower has heard something.
      let heard: Entry[] = []
      const hearing = read('', 1).then((entries) => {
        heard = entries
      })
      await eventually('the follower to hear something', async () => {
        must(await instance.client.say({ room: 'lobby', text: '/whoami' }))
        return heard.length > 0
      })
      await hearing
      expect(heard[0]?.position).toBeGreaterThan(all.at(-1)?.position ?? 0)
    },
    120_000,
  )
})

test.skipIf(postgresMissing !== null)(
  'the evidence on a server belongs to one instance: another one is told how to join it',
  async () => {
    using workspace = testWorkspace()
    using elsewhere = testWorkspace()
    const env = { BELLHOP_EVIDENCE: await sharedPostgres().database() }
    await using instance = await startUp({ workspace: workspace.path, env })
    const other = ['up', '--port', '0', '--workspace', elsewhere.path, '--data', join(elsewhere.path, '.bellhop')]
    const second = await bellhop(other, { env })
    expect([second.exitCode, second.stderr.split('\n').slice(0, 2)]).toEqual([
      1,
      [
        'bellhop: the evidence on this server belongs to another Bellhop',
        '  to work for it, name its secrets with BELLHOP_SECRETS_FILE and set the same REDIS_URL; else name another database or schema',
      ],
    ])
    // Whoever asks the store itself without saying where it is must not be shown an old file.
    const lost = await bellhop(['verify', '--all', '--data', instance.data])
    expect([lost.exitCode, lost.stderr]).toEqual([
      1,
      `bellhop: the evidence of ${instance.data} is on a PostgreSQL server\n  set BELLHOP_EVIDENCE as it is set for the instance`,
    ])
  },
)

test('an address that is no PostgreSQL server is said so, without its password', async () => {
  using workspace = testWorkspace()
  const at = ['--data', join(workspace.path, '.bellhop')]
  const wrong = await bellhop(['evidence', ...at], { env: { BELLHOP_EVIDENCE: 'mysql://root:hunter2@host/x' } })
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    1,
    'bellhop: BELLHOP_EVIDENCE is no address of a PostgreSQL server\n' +
      '  give it in the form postgres://user:password@host:5432/database, or leave it unset: the data folder has it then',
  ])
  const away = await bellhop(['evidence', ...at], {
    env: { BELLHOP_EVIDENCE: 'postgres://root:hunter2@127.0.0.1:1/x' },
  })
  expect([away.exitCode, away.stderr]).toEqual([
    1,
    'bellhop: cannot open the evidence store postgres://root:…@127.0.0.1:1/x: connect ECONNREFUSED 127.0.0.1:1\n' +
      '  check BELLHOP_EVIDENCE, that the server runs, and that the user may create tables there',
  ])
  expect(existsSync(join(workspace.path, '.bellhop'))).toBe(false)
})
