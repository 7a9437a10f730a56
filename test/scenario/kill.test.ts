import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { converse } from '../../src/client/converse.ts'
import { scratch } from '../support/folder.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { slowRipgrep, testWorkspace } from '../support/workspace.ts'

const patience = () => AbortSignal.timeout(60_000)

test('a worker killed in the middle of a step leaves an interrupted step, and the session goes on', async () => {
  using workspace = testWorkspace()
  // Not in the workspace: a program there is none of the house's.
  using programs = scratch()
  const rg = slowRipgrep(programs)
  await using instance = await startUp({ workspace: workspace.path, env: { PATH: rg.path } })
  writeFileSync(rg.hold, '')
  const answering = converse(instance.client, { room: 'lobby', text: '@claude find LIMIT' }, patience())
  await eventually('the step to run', () => existsSync(rg.started))
  const [worker] = await instance.pidsOf('worker')
  process.kill(worker ?? 0, 'SIGKILL')
  await eventually('the worker to be back', async () => {
    const [again] = await instance.pidsOf('worker')
    return again !== undefined && again !== worker
  })
  rmSync(rg.hold)

  const { receipt, replies } = must(await answering)
  const turn = receipt.assignments[0]?.turn
  const steps = must(await instance.client.ask('evidence', { event: 'step-ended', order: 'oldest' }))
  expect(steps.entries[0]).toMatchObject({ id: `${turn}.0.outcome`, body: { outcome: { kind: 'interrupted' } } })
  expect(replies.map((reply) => reply.id)).toEqual([`${turn}.ended`])
  // The step that was interrupted was run once: what ran after it are steps of their own.
  expect(readFileSync(rg.started, 'utf8').trim().split('\n').length).toBe(steps.entries.length)

  const next = must(await converse(instance.client, { room: 'lobby', text: '@claude read README.md' }, patience()))
  expect(next.receipt.assignments[0]?.session).toBe(receipt.assignments[0]?.session)
  expect(next.replies[0]?.text).toContain('Boils water.')
  expect((await bellhop(['verify', '--all', '--data', instance.data])).exitCode).toBe(0)
})

test('a gateway that is killed comes back at the same address', async () => {
  using workspace = testWorkspace()
  await using instance = await startUp({ workspace: workspace.path })
  const [gateway] = await instance.pidsOf('gateway')
  process.kill(gateway ?? 0, 'SIGKILL')
  await eventually('the gateway to be back', async () => {
    const [again] = await instance.pidsOf('gateway')
    const health = again !== gateway && (await fetch(`${instance.url}/readyz`).catch(() => null))
    return health ? health.ok : false
  })
  const { replies } = must(await converse(instance.client, { room: 'lobby', text: 'read README.md' }, patience()))
  expect(replies.length).toBe(1)
})

test('what was accepted before everything was killed is answered once after the next start', async () => {
  using workspace = testWorkspace()
  // Not in the workspace: a program there is none of the house's.
  using programs = scratch()
  const rg = slowRipgrep(programs)
  const first = await startUp({ workspace: workspace.path, env: { PATH: rg.path } })
  writeFileSync(rg.hold, '')
  const lines = ['@claude find LIMIT', '@claude read README.md', '@codex find TODO']
  const receipts = []
  for (const text of lines) receipts.push(must(await first.client.say({ room: 'lobby', text })))
  const turns = receipts.flatMap(({ assignments }) => assignments.map(({ turn }) => turn))
  const pids = [
    first.pid,
    ...(await first.pidsOf('redis-server')),
    ...(await first.pidsOf('worker')),
    ...(await first.pidsOf('gateway')),
  ]
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await first.ended
  rmSync(rg.hold)
  // Redis lost is time lost, not work lost: the evidence alone brings it back.
  rmSync(`${first.data}/redis`, { recursive: true })

  await using second = await startUp({ workspace: workspace.path })
  const ended = async () => {
    const found = must(await second.client.ask('evidence', { event: 'turn-ended', order: 'oldest' }))
    return found.entries.map(({ id }) => id)
  }
  await eventually('all turns to end', async () => (await ended()).length >= turns.length)
  expect((await ended()).sort()).toEqual(turns.map((turn) => `${turn}.ended`).sort())
  expect((await bellhop(['verify', '--all', '--data', second.data])).exitCode).toBe(0)
})
