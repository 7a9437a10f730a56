import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { startSeveral } from '../support/several.ts'
import { must } from '../support/store.ts'
import { slowRipgrep } from '../support/workspace.ts'

const TIMES = process.env['BELLHOP_LONG'] === '1' ? 20 : 1

test('a session whose worker was killed is taken up by another one, and no step of it is run twice', async () => {
  using programs = scratch()
  const rg = slowRipgrep(programs)
  await using it = await startSeveral({ env: { PATH: rg.path } })
  const gateway = await it.start('gateway')
  const client = it.clientOf(gateway)
  let first = await it.start('worker')
  const took: number[] = []
  for (let i = 0; i < TIMES; i++) {
    const second = await it.start('worker')
    await eventually('the agents to be ready', async () =>
      must(await client.ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
    )
    writeFileSync(rg.hold, '')
    rmSync(rg.started, { force: true })
    const before = (await it.entries({ event: 'step-ended' })).length
    // While the second stands still, the first has the turn and its step.
    second.kill('SIGSTOP')
    const id = `find-${i}`
    must(await client.say({ id, room: 'lobby', text: '@claude find pours' }))
    await eventually('the step to run', () => existsSync(rg.started))
    second.kill('SIGCONT')
    first.kill('SIGKILL')
    const killed = Date.now()
    await eventually('the session to go on', async () => (await it.entries({ event: 'step-ended' })).length > before)
    took.push(Date.now() - killed)
    rmSync(rg.hold)
    await eventually('the turn to end', () => it.store.get(`${id}.claude-1.ended`))
    const steps = (await it.entries({ event: 'step-ended' })).slice(before)
    expect(steps[0]?.body).toMatchObject({ outcome: { kind: 'interrupted' } })
    expect(readFileSync(rg.started, 'utf8').trim().split('\n').length).toBe(steps.length)
    first = second
  }
  console.log(`sessions went on ${took.sort((a, b) => a - b).join(', ')} ms after their worker was killed`)
  expect((await bellhop(['verify', '--all', '--data', it.data])).exitCode).toBe(0)
})
