import { afterAll, beforeAll, expect, test } from 'vitest'
import { bellhop, startUp } from '../support/instance.ts'
import { testWorkspace } from '../support/workspace.ts'

const workspace = testWorkspace()
let instance: Awaited<ReturnType<typeof startUp>>
beforeAll(async () => {
  instance = await startUp({ workspace: workspace.path })
})
afterAll(async () => {
  await instance.stop()
  workspace[Symbol.dispose]()
})

const run = async (...args: string[]) => {
  const { stdout, stderr, exitCode } = await bellhop([...args, '--data', instance.data])
  return { stdout, stderr, exitCode }
}

test('patterns are found in a shell: with how they did, and as data for a program', async () => {
  const { stdout, exitCode } = await run('patterns', 'flaky', 'test')
  expect([exitCode, stdout.split('\n')[0]]).toEqual([
    0,
    expect.stringMatching(/^corner-a-flaky-test: Find out why a test passes and fails .* \(never chosen\)$/),
  ])
  const { patterns } = JSON.parse((await run('patterns', 'flaky', 'test', '--json')).stdout)
  expect([patterns[0].id, patterns[0].home, patterns[0].record.selected]).toEqual(['corner-a-flaky-test', 'bellhop', 0])
})

test('one of them is shown whole by Tickle, who is waited for', async () => {
  const { stdout, exitCode } = await run('pattern', 'show', 'corner-a-flaky-test')
  expect([exitCode, stdout.split('\n').filter((line) => line.startsWith('## '))]).toEqual([
    0,
    ['## When to use it', '## Steps', '## How one sees that it worked', '## When to stop'],
  ])
})
