import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Finding } from '../../src/commands/deep/finding.ts'
import { checkFolder } from '../../src/commands/deep/machine.ts'
import { readHead } from '../../src/evidence/head.ts'
import { folderAt, newSecrets } from '../../src/house/folder.ts'
import { holderName } from '../../src/lib/holder.ts'
import { scratch } from '../support/folder.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { bellhop } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

let house: TestHouse
beforeAll(async () => {
  // Tickle looks now and then, and writes down that it did.
  house = await startTestHouse({ config: 'tickle: { on: false }\n' })
  await fetch(`${house.url}/api/say`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.tokens.operator}` },
    body: JSON.stringify({ room: 'lobby', text: '@claude-1 read README.md', id: 'm1', as: null }),
  })
  await eventually('the turn to end', async () => (await house.store.turn('m1.claude-1'))?.status === 'done')
  // What a turn came to is looked at once more by itself, and the head is signed: after that nobody writes.
  await eventually('the verdict', async () => must(await house.store.count({ event: 'verified' })) > 0)
  const { head } = folderAt(house.settings.data).head
  await eventually('the head', async () => readHead(head)?.position === (await house.store.tip()).position)
})
afterAll(() => house[Symbol.asyncDispose]())

const doctor = (...flags: string[]) => doctorWith({}, ...flags)

const doctorWith = async (env: Record<string, string>, ...flags: string[]) => {
  const { data, configFile, redis } = house.settings
  const args = ['doctor', '--deep', '--json', '--data', data, '--config', configFile ?? '', ...flags]
  const ran = await bellhop(args, { env: { REDIS_URL: redis ?? '', ...env } })
  const { findings } = JSON.parse(ran.stdout) as { findings: Finding[] }
  const of = (name: string) => findings.filter((finding) => finding.name === name)
  return { code: ran.exitCode, findings, of, problems: findings.filter(({ state }) => state === 'problem') }
}

/** This machine may lack room or a sandbox: that is no matter of the instance. */
const OF_THE_MACHINE = new Set(['disk', 'inodes', 'file handles', 'sandbox'])

test('an instance that is well is said to be, by every check, and nothing of it is changed', async () => {
  const before = await house.store.tip()
  const files = readdirSync(house.settings.data).sort()
  const { findings, problems } = await doctor('--all')
  expect(problems.filter(({ name }) => !OF_THE_MACHINE.has(name))).toEqual([])
  expect(new Set(findings.map(({ name }) => name))).toEqual(
    new Set([
      ...['migrations', 'evidence', 'chains', 'projections', 'clock', 'Redis', 'leases', 'disk', 'inodes'],
      ...['agent claude-1', 'agent codex-1', 'agent tickle-1', 'file handles', 'sandbox', 'permissions'],
      ...['leftovers', 'kept aside', 'backup', 'processes', 'config'],
    ]),
  )
  // What is not well says how it is mended.
  expect(findings.every(({ state, fix }) => (state === 'ok') === (fix === null))).toBe(true)
  const later = must(await house.store.query({ order: 'oldest', cursor: String(before.position), ephemeral: 'with' }))
  expect(later.entries.map(({ author, body }) => [author.id, body?.event])).toEqual([])
  expect(readdirSync(house.settings.data).sort()).toEqual(files)
})

test('where the secrets are in a file that several share, agents and leases are those of that instance', async () => {
  using folder = scratch()
  const secrets = folder.write('shared.json', JSON.stringify({ ...newSecrets(), instance: 'elsewhere' }))
  const { of } = await doctorWith({ BELLHOP_SECRETS_FILE: secrets })
  expect(of('agent claude-1').map(({ state }) => state)).toEqual(['warning'])
})

test('processes that were left behind on a folder are named, and not those of another beside it', async () => {
  using folder = scratch()
  const idle = (path: string) =>
    execa(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'redis-server', `${path}/redis.sock`], {
      reject: false,
    })
  const [left, beside] = [idle(folder.path), idle(`${folder.path}-beside`)]
  try {
    const named = () => checkFolder(folderAt(folder.path), false).filter(({ name }) => name === 'processes')
    await eventually('it to be found', () => named()[0]?.state === 'warning')
    expect(named()[0]?.detail).toBe(`no \`up\` runs on the folder, and these do: ${left.pid}`)
  } finally {
    for (const process of [left, beside]) process.kill('SIGKILL')
    await Promise.all([left, beside])
  }
})

test('what is wrong is found: permissions, projections, Redis, leases, leftovers, an old backup', async () => {
  const { data } = house.settings
  const secrets = join(data, 'secrets.json')
  chmodSync(secrets, 0o644)
  const file = new Sqlite(folderAt(data).store)
  file.exec("update session set open = 0 where agent = 'claude-1'")
  await execa('redis-cli', ['-s', house.redis.address, 'config', 'set', 'maxmemory-policy', 'allkeys-lru'])
  const part = join(data, 'evidence.db.part')
  writeFileSync(part, '')
  utimesSync(part, 0, 0)
  using backups = scratch()
  const stamp = { at: '2026-01-01T00:00:00.000Z', file: join(backups.path, 'b.tar') }
  writeFileSync(folderAt(data).backedUp, JSON.stringify(stamp))
  const cut = ['a.tar.gz.12.part', 'a.tar.gz.12.part.db', 'a.tar.gz.12.part.db.part-journal'].sort()
  for (const name of [...cut, 'film.part', 'a.tar']) utimesSync(backups.write(name, ''), 0, 0)
  backups.write('b.tar.13.part', 'of one that is being made')
  const { code, of } = await doctor()
  expect(code).toBe(1)
  expect(of('permissions')).toContainEqual({
    name: 'permissions',
    state: 'problem',
    detail: `others may read ${secrets}`,
    fix: `chmod 600 ${secrets}`,
  })
  expect(of('projections')).toEqual([
    expect.objectContaining({ state: 'problem', detail: '1 row is not what the evidence says' }),
  ])
  expect(of('Redis')).toContainEqual(
    expect.objectContaining({
      state: 'problem',
      detail: 'maxmemory-policy is allkeys-lru: jobs and leases can vanish',
    }),
  )
  const named = ['evidence.db.part', ...cut.map((name) => join(backups.path, name))]
  expect(of('leftovers')).toEqual([
    expect.objectContaining({ state: 'warning', detail: `of something that was cut off: ${named.join(', ')}` }),
  ])
  expect(of('backup')).toEqual([expect.objectContaining({ state: 'warning' })])

  const mended = await doctor('--fix')
  expect([statSync(secrets).mode & 0o777, readdirSync(data).includes('evidence.db.part')]).toEqual([0o600, false])
  expect(readdirSync(backups.path).sort()).toEqual(['a.tar', 'b.tar.13.part', 'film.part'])
  expect(mended.problems.map(({ name }) => name).filter((name) => !OF_THE_MACHINE.has(name))).toEqual([
    'projections',
    'Redis',
  ])
  file.exec("update session set open = 1 where agent = 'claude-1'")
  file.close()
})

test('evidence that was changed is a problem, found by --all; a lease of a process that is gone is a warning', async () => {
  const { data } = house.settings
  const { instance } = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as { instance: string }
  const file = new Sqlite(folderAt(data).store)
  file.exec(
    "drop trigger body_fixed; update body set json = replace(json, 'README', 'REDAME') where json like '%README%'",
  )
  file.close()
  await house.stopWorker()
  // A process that was: its number is nobody's any more.
  const child = execa('true')
  await child
  const lease = holderName('worker', 'x').replace(`/${process.pid}/`, `/${child.pid}/`)
  await house.redis.redis.set(`bellhop-${instance}:{agent:claude-1}:lease`, lease)
  const { code, of } = await doctor('--all')
  expect([code, of('evidence')[0]?.state, of('chains')[0]?.state, of('leases')[0]?.state]).toEqual([
    1,
    'problem',
    'problem',
    'warning',
  ])
})
