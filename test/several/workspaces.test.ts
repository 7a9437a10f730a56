import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLane } from '../../src/queue/lane.ts'
import { connect } from '../../src/redis/redis.ts'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { startSeveral } from '../support/several.ts'
import { must } from '../support/store.ts'

const faces = ['cli', 'api']
const rooms = [
  { id: 'lobby', faces, mode: 'execute', listener: 'claude-1' },
  { id: 'site', faces, mode: 'execute', listener: 'claude-1', workspace: 'website' },
]

test('work is done on the files of its room, by workers that have them; what needs files that are elsewhere is refused', async () => {
  using site = scratch()
  site.write('cup.md', 'END\n')
  await using it = await startSeveral({ config: { rooms }, files: { 'cup.md': 'END\n' } })
  const [gateway, main] = await Promise.all([it.start('gateway'), it.start('worker')])
  const client = it.clientOf(gateway)
  await eventually('the agents to be ready', async () =>
    must(await client.ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  const change = (room: string) =>
    client.say({ id: `to-${room}`, room, text: '@codex replace "END" with "tea" in cup.md' })
  must(await change('lobby'))
  must(await change('site'))
  await eventually('the one that can be done', async () => it.store.get('to-lobby.codex-1.ended'))
  // Nobody has the other: it is said so, and it waits.
  const { turns } = must(await client.ask('status', {}))
  expect(turns.map(({ turn, state, detail }) => [turn, state, detail])).toEqual([
    ['to-site.codex-1', 'parked', 'no worker has the workspace website'],
  ])

  // A wake from the days when the room had no workspace of its own is passed on: the files here are others.
  const redis = connect(it.redis?.address ?? '', () => {})
  const prefix = `bellhop-${it.secrets.instance}`
  const [old, right] = ['turns', 'turns@website'].map((name) => createLane({ redis, prefix, name }))
  try {
    const { session = '' } = (await it.store.get('to-site.codex-1')) ?? {}
    await old?.wake(session)
    await eventually('it to be passed on', async () => (await old?.depth()) === 0 && (await right?.depth()) === 1)
    expect(await it.store.get('to-site.codex-1.started')).toBe(null)
  } finally {
    await Promise.all([old?.close(), right?.close()])
    redis.disconnect()
  }

  const second = await it.start('worker', { args: ['--workspace', `website=${site.path}`] })
  await eventually('the other one', async () => it.store.get('to-site.codex-1.ended'))
  expect([readFileSync(join(it.workspace, 'cup.md'), 'utf8'), readFileSync(join(site.path, 'cup.md'), 'utf8')]).toEqual(
    ['tea\n', 'tea\n'],
  )
  expect(await client.ask('diff', { turn: 'to-site.codex-1' })).toMatchObject({
    ok: false,
    refusal: {
      code: 'workspace-elsewhere',
      message: 'the files of site are the workspace website, and this process has main',
    },
  })
  expect(must(await client.ask('diff', { turn: 'to-lobby.codex-1' })).files.map(({ path }) => path)).toEqual(['cup.md'])
  for (const worker of [main, second]) worker.kill('SIGTERM')
  expect(await Promise.all([main.ended, second.ended])).toEqual([0, 0])
})

test('a worker that takes steps alone speaks for nobody, and the turns of another are made of its steps', async () => {
  await using it = await startSeveral()
  const [gateway, steps] = await Promise.all([it.start('gateway'), it.start('worker', { args: ['--queues', 'steps'] })])
  const client = it.clientOf(gateway)
  expect(must(await client.ask('who')).agents.map(({ id, readiness }) => [id, readiness])).toEqual([
    ['claude-1', 'absent'],
    ['codex-1', 'absent'],
  ])
  await it.start('worker', { args: ['--queues', 'turns'] })
  await eventually('the agents to be ready', async () =>
    must(await client.ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  must(await client.say({ id: 'one', room: 'lobby', text: '@claude read README.md' }))
  const ended = await eventually('the turn to end', () => it.store.get('one.claude-1.ended'))
  expect(ended.body?.event === 'turn-ended' && [ended.body.outcome, ended.body.answer.includes('It pours.')]).toEqual([
    'done',
    true,
  ])
  steps.kill('SIGTERM')
  expect(await steps.ended).toBe(0)
})

test('a worker that takes steps alone has no workspace for the turns of it: they are parked, and that is said', async () => {
  using site = scratch()
  await using it = await startSeveral({ config: { rooms } })
  const steps = ['--queues', 'steps', '--workspace', `website=${site.path}`]
  const [gateway] = await Promise.all([it.start('gateway'), it.start('worker'), it.start('worker', { args: steps })])
  const client = it.clientOf(gateway)
  await eventually('the agents to be ready', async () =>
    must(await client.ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  must(await client.say({ id: 'one', room: 'site', text: '@claude read README.md' }))
  const { turns } = must(await client.ask('status', {}))
  expect(turns.map(({ turn, state, detail }) => [turn, state, detail])).toEqual([
    ['one.claude-1', 'parked', 'no worker has the workspace website'],
  ])
})

test('a queue that there is not is told, with those that there are', async () => {
  const { exitCode, stderr } = await bellhop(['worker', '--queues', 'turns,tea'])
  expect([exitCode, stderr.split('\n')[0]]).toEqual([
    1,
    "error: option '--queues <names>' argument 'turns,tea' is invalid. expected some of turns, steps, with commas between them.",
  ])
})
