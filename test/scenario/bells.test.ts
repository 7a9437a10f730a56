import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { slowRipgrep, testWorkspace } from '../support/workspace.ts'

test('a worker that is killed while one agent works and another waits for it: the one goes on once, with what there is', async () => {
  using workspace = testWorkspace()
  using programs = scratch()
  const rg = slowRipgrep(programs)
  await using instance = await startUp({ workspace: workspace.path, env: { PATH: rg.path } })
  const { client } = instance
  writeFileSync(rg.hold, '')
  const whistle = `use whistle ${JSON.stringify({ to: 'codex-1', text: 'find LIMIT', seconds: 120 })}`
  const bell = `use bell ${JSON.stringify({ to: 'codex-1', text: 'read README.md', act: 'query' })}`
  const turns: string[] = []
  for (const text of [`@claude ${whistle}`, `@claude ${bell}`]) {
    turns.push(must(await client.say({ room: 'lobby', text })).assignments[0]?.turn ?? '')
  }
  await eventually('the step of the other to run', () => existsSync(rg.started))
  const [worker] = await instance.pidsOf('worker')
  process.kill(worker ?? 0, 'SIGKILL')
  await eventually('the worker to be back', async () => {
    const [again] = await instance.pidsOf('worker')
    return again !== undefined && again !== worker
  })
  rmSync(rg.hold)

  const entries = async (event: 'bell-rung' | 'bell-answered' | 'parked' | 'step-ended') =>
    must(await client.ask('evidence', { event, order: 'oldest', limit: 200 })).entries
  await eventually('all bells to be answered', async () => {
    const open = must(await client.ask('status')).turns.length
    const [rung, answered] = [await entries('bell-rung'), await entries('bell-answered')]
    return open === 0 && rung.length === 3 && answered.length === 3
  })
  expect((await entries('bell-rung')).map(({ body }) => body.event === 'bell-rung' && [body.from, body.act])).toEqual([
    ['claude-1', 'request'],
    ['claude-1', 'query'],
    ['codex-1', 'answer'],
  ])
  expect(
    (await entries('bell-answered')).map(({ body }) => body.event === 'bell-answered' && body.told).sort(),
  ).toEqual(['kept', 'resumed', 'rung'])
  expect(await entries('parked')).toHaveLength(1)
  expect((await entries('step-ended')).filter(({ id }) => id === `${turns[0]}.0.outcome`)).toHaveLength(1)
  expect((await bellhop(['verify', '--all', '--data', instance.data])).exitCode).toBe(0)
})
