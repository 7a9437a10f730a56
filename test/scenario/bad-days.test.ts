import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { sqliteSchema } from '../../src/evidence/engine/sqlite-schema.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { scratch } from '../support/folder.ts'
import { bellhop, pidsOf, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'

/** How `up` ends when something is wrong: the sentence, the code, and that nothing is left of it. */
const failedStart = async (args: string[], env: Record<string, string> = {}) => {
  const { exitCode, stderr } = await bellhop(['up', ...args], { env })
  const data = args[args.indexOf('--data') + 1] ?? ''
  const left = await Promise.all(['gateway', 'worker', 'redis-server'].map((part) => pidsOf(data, part)))
  return { exitCode, stderr, left: left.flat() }
}

test('a port that is taken is said, with the way out', async () => {
  using workspace = testWorkspace()
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => other.on('listening', listening))
  const { port } = other.address() as AddressInfo
  const data = join(workspace.path, 'data')
  expect(await failedStart(['--workspace', workspace.path, '--data', data, '--port', String(port)])).toEqual({
    exitCode: 1,
    stderr: `bellhop: port ${port} on 127.0.0.1 is taken\n  choose another with --port N, or --port 0 for any free one`,
    left: [],
  })
  other.close()
})

test('a Redis that cannot be reached is said, with the way out', async () => {
  using workspace = testWorkspace()
  const data = join(workspace.path, 'data')
  const ended = await failedStart(['--workspace', workspace.path, '--data', data], { REDIS_URL: 'redis://127.0.0.1:1' })
  expect(ended).toEqual({
    exitCode: 1,
    stderr: expect.stringMatching(
      /^bellhop: Redis does not answer at the REDIS_URL given: .*\n {2}start it, correct REDIS_URL, or leave it unset$/,
    ),
    left: [],
  })
})

test('a Redis killed under it ends the instance, and the next start goes on', async () => {
  using workspace = testWorkspace()
  const first = await startUp({ workspace: workspace.path })
  const { message } = must(await first.client.say({ room: 'lobby', text: '@claude read README.md' }))
  const [redis] = await first.pidsOf('redis-server')
  process.kill(redis ?? 0, 'SIGKILL')
  expect(await first.ended).toBe(1)
  expect(first.output()).toContain(
    'Redis ended under us (SIGKILL)\n  nothing that was accepted is lost: start `bellhop up` again',
  )
  expect(
    (await Promise.all(['gateway', 'worker', 'redis-server'].map((part) => pidsOf(first.data, part)))).flat(),
  ).toEqual([])

  await using second = await startUp({ workspace: workspace.path })
  const thread = must(await second.client.ask('replies', { entry: message }))
  expect(thread.entries.length).toBe(1)
})

test('two instances on one folder: the second is told about the first', async () => {
  using workspace = testWorkspace()
  await using first = await startUp({ workspace: workspace.path })
  expect(await failedStart(['--workspace', workspace.path, '--data', first.data, '--port', '0'])).toEqual({
    exitCode: 1,
    stderr: `bellhop: another Bellhop runs on ${first.data} (process ${first.pid}, at ${first.url})\n  talk to it with \`bellhop say\`, end it, or start this one with another --data DIR`,
    left: expect.any(Array),
  })
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
})

test('a data folder that cannot be written to is said, with the way out', async () => {
  using workspace = testWorkspace()
  const data = join(workspace.write('a-file', ''), 'data')
  expect(await failedStart(['--workspace', workspace.path, '--data', data])).toEqual({
    exitCode: 1,
    stderr: `bellhop: cannot write to the data folder ${data}: ENOTDIR\n  choose another with --data DIR, or make it writable`,
    left: [],
  })
})

test('a data folder of a newer version is left as it is', async () => {
  using workspace = testWorkspace()
  const data = join(workspace.path, 'data')
  const store = new Sqlite(join(workspace.write('data/.gitignore', '*\n'), '../evidence.db'))
  store.pragma('user_version = 99')
  store.close()
  expect(await failedStart(['--workspace', workspace.path, '--data', data])).toEqual({
    exitCode: 1,
    stderr: `bellhop: ${data}/evidence.db was written by a newer Bellhop (store version 99, this one knows ${sqliteSchema.length})\n  update Bellhop, or use another folder with --data`,
    left: [],
  })
})

test('whoever took the port of an instance that was killed is not mistaken for it, and gets no token', async () => {
  using workspace = testWorkspace()
  const heard: string[] = []
  const stranger = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.end('hello')
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => stranger.on('listening', listening))
  const data = join(workspace.path, 'data')
  const { port } = stranger.address() as AddressInfo
  workspace.write('data/up.json', JSON.stringify({ pid: 1, url: `http://127.0.0.1:${port}` }))
  workspace.write('data/lock.db', '')
  const said = await bellhop(['say', 'hello', '--data', data])
  expect([said.exitCode, said.stderr, heard]).toEqual([
    1,
    `bellhop: no Bellhop runs on ${data}\n  start one with \`bellhop up\`, or name its folder with --data DIR`,
    [],
  ])
  stranger.close()
})

test('a disk that is full is said, takes nothing down, and is no trouble any more once there is room', async (context) => {
  using workspace = testWorkspace()
  using disk = scratch()
  const mounted = await execa('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk.path], { reject: false })
  if (mounted.exitCode !== 0) return context.skip('a small disk takes the right to mount one')
  try {
    await using instance = await startUp({ workspace: workspace.path, data: join(disk.path, 'data') })
    const say = () => instance.client.say({ room: 'lobby', text: '/whoami' })
    const filler = join(disk.path, 'filler')
    await execa('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'], { reject: false })
    const full = await eventually('the disk to be full', async () => {
      const answer = await say()
      return answer.ok ? null : answer.refusal
    })
    expect(full).toEqual(refusal('store-full', 'the disk of the evidence store is full; nothing was written'))
    for (let i = 0; i < 20; i++) expect((await say()).ok).toBe(false)
    expect((await fetch(`${instance.url}/healthz`)).status).toBe(200)
    rmSync(filler)
    await eventually('room for more', async () => (await say()).ok)
    await eventually('it to be ready', async () => (await fetch(`${instance.url}/readyz`)).ok)
    expect((await bellhop(['verify', '--all', '--data', instance.data])).exitCode).toBe(0)
    expect(await instance.stop()).toBe(0)
  } finally {
    await execa('umount', [disk.path])
  }
})

test('it listens where it is told to, and answers to that name', async () => {
  using workspace = testWorkspace()
  await using instance = await startUp({ workspace: workspace.path, args: ['--host', '127.0.0.2'] })
  expect(new URL(instance.url).hostname).toBe('127.0.0.2')
  expect((await fetch(`${instance.url}/readyz`)).status).toBe(200)
})

test('a typo in the config is said with its file and line', async () => {
  using workspace = testWorkspace()
  const config = workspace.write('bellhop.yaml', 'http:\n  port: 0\nsweepms: 5\n')
  const data = join(workspace.path, 'data')
  expect(await failedStart(['--workspace', workspace.path, '--data', data, '--config', config])).toEqual({
    exitCode: 1,
    stderr: `bellhop: ${config}:3: sweepms: Unrecognized key: "sweepms"\n  correct the file and start again`,
    left: [],
  })
})

test('a workspace that is not there, an unknown option and an unknown command are errors', async () => {
  using workspace = testWorkspace()
  const missing = join(workspace.path, 'nowhere')
  const data = join(workspace.path, 'data')
  expect(await failedStart(['--workspace', missing, '--data', data])).toEqual({
    exitCode: 1,
    stderr: `bellhop: there is no folder ${missing} to work on\n  name one with --workspace DIR`,
    left: [],
  })
  expect((await failedStart(['--data', data, '--colour'])).stderr).toContain("unknown option '--colour'")
  const unknown = await bellhop(['upp'])
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    1,
    expect.stringContaining("unknown command 'upp'\n(Did you mean up?)"),
  ])
  const nobody = await bellhop(['say', 'hello', '--data', data])
  expect([nobody.exitCode, nobody.stderr]).toEqual([
    1,
    `bellhop: no Bellhop runs on ${data}\n  start one with \`bellhop up\`, or name its folder with --data DIR`,
  ])
})
