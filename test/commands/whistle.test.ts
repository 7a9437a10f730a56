import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ExecLine } from '../../src/shapes/http.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
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

const run = (...args: string[]) => bellhop([...args, '--data', instance.data])

describe('bellhop whistle', () => {
  test('prints the answer, and the code is 0', async () => {
    const { stdout, exitCode } = await run('whistle', 'claude', 'query:', 'read', 'README.md')
    expect([exitCode, stdout]).toEqual([
      0,
      'rehearsal, no model: README.md, lines 1-3:\n  1 | # kettle\n  2 |\n  3 | Boils water.',
    ])
  })

  test('says the items as they come for a program, the receipt first and the outcome last', async () => {
    const { stdout, exitCode } = await run('whistle', 'claude', 'read README.md', '--stream')
    const lines = stdout.split('\n').map((line) => ExecLine.parse(JSON.parse(line)))
    expect([exitCode, lines[0]?.kind, lines.at(-1)]).toMatchObject([0, 'receipt', { kind: 'outcome', outcome: 'done' }])
    expect(lines.some((line) => line.kind === 'completed' && line.item.type === 'toolStep')).toBe(true)
  })

  test('is one JSON value with the job; what is refused has the code 1', async () => {
    const done = await run('whistle', 'claude', 'read README.md', '--json')
    expect(JSON.parse(done.stdout)).toMatchObject({
      job: expect.stringMatching(/\.claude-1$/),
      outcome: 'done',
      exit: 0,
    })
    const refused = await run('whistle', 'claude', 'answer: yes', '--json')
    expect([refused.exitCode, JSON.parse(refused.stdout)]).toMatchObject([1, { job: null, outcome: 'refused' }])
    expect((await run('whistle', 'nobody', 'hello')).exitCode).toBe(1)
  })

  test('has a code of its own where only the wait is over: the work goes on', async () => {
    expect((await run('pause', 'codex', 'for a moment')).exitCode).toBe(0)
    const late = await run('whistle', 'codex', 'read README.md', '--seconds', '1', '--json')
    const { job, outcome } = JSON.parse(late.stdout) as { job: string; outcome: string }
    expect([late.exitCode, outcome]).toEqual([3, 'timeout'])
    expect(late.stderr).toBe(`bellhop: the wait is over, and the work goes on: ${job}`)
    expect((await run('resume', 'codex')).stdout).toBe('codex-1 goes on')
    await eventually('the work to end', async () => {
      const found = await instance.client.ask('show', { entry: `${job}.ended` })
      return found.ok
    })
  })
})

test('bellhop bell prints the job at once, and bellhop bells what came of it', async () => {
  const rung = await run('bell', 'claude', 'suggest: read README.md')
  expect([rung.exitCode, rung.stdout]).toEqual([0, expect.stringMatching(/^claude-1 has it \(\S+\.claude-1\)$/)])
  const job = /\((\S+)\)/.exec(rung.stdout)?.[1]
  await eventually('the bell to be answered', async () =>
    (await run('bells')).stdout.includes(`done, room: suggest: read README.md (${job}.bell)`),
  )
})
