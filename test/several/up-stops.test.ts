import { expect, test } from 'vitest'
import { startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { testWorkspace } from '../support/workspace.ts'

test('`up` ends its workers at once: none waits for another that takes its time', async () => {
  using workspace = testWorkspace()
  const env = { BELLHOP__DRAINMS: '600000', BELLHOP__WORKER__PROCESSES: '3' }
  const it = await startUp({ workspace: workspace.path, env })
  const [first = 0, ...others] = (await it.pidsOf('worker')).sort((a, b) => a - b)
  process.kill(first, 'SIGSTOP')
  try {
    process.kill(it.pid, 'SIGTERM')
    await eventually('the others to end', async () => (await it.pidsOf('worker')).join() === String(first))
  } finally {
    process.kill(first, 'SIGCONT')
  }
  expect([await it.ended, others.length]).toEqual([0, 2])
})
