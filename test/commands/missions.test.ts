import { afterAll, beforeAll, expect, test } from 'vitest'
import { bellhop, startUp } from '../support/instance.ts'
import { testWorkspace } from '../support/workspace.ts'

const workspace = testWorkspace()
let instance: Awaited<ReturnType<typeof startUp>>
beforeAll(async () => {
  workspace.write('missions/M-boil.md', '# M-boil: Boil faster\n\nStatus: ready\n')
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

test('what is asked of mission control in a shell waits for what Tickle answers, and prints it', async () => {
  expect(await run('mc', 'missions')).toEqual({ stdout: '[ready] (1): M-boil', stderr: '', exitCode: 0 })
  expect(await run('todo', 'add', 'fill', 'the kettle')).toEqual({
    stdout: 'Added: fill the kettle (#1)',
    stderr: '',
    exitCode: 0,
  })
})

test('for a program it is one JSON value: the receipt, and the answer', async () => {
  const { stdout, exitCode } = await run('mc', 'next', '--json')
  const { ok, complete, receipt, replies } = JSON.parse(stdout)
  expect([exitCode, ok, complete, receipt.assignments, replies.map(({ text }: { text: string }) => text)]).toEqual([
    0,
    true,
    true,
    [
      {
        turn: `${receipt.message}.tickle-1`,
        session: expect.stringMatching(/^s-/),
        agent: 'tickle-1',
        peripheral: 'mission-control',
      },
    ],
    ['Next:\n  1. M-boil [ready]'],
  ])
})

test('a word that there is not is refused with those that there are, before anything is asked', async () => {
  expect(await run('mission', 'forget', 'M-boil')).toEqual({
    stdout: '',
    stderr:
      'bellhop: action: expected show, focus, clear or new [command-invalid]\n  `bellhop mission --help` says how it is used',
    exitCode: 1,
  })
})
