import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Settings } from '../../src/house/parts.ts'
import { Problem } from '../../src/lib/problem.ts'
import type { Config } from '../../src/shapes/config.ts'
import { type Child, startChild } from '../../src/up/children.ts'
import { keepAlive } from '../../src/up/keep-alive.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'

/** A child that dies when it is told to. */
const child = (): Child & { die: (how: string) => void } => {
  let die: (how: string) => void = () => {}
  const ended = new Promise<string>((resolve) => {
    die = resolve
  })
  return { name: 'worker', url: null, ended, die, stop: async () => die('exit 0') }
}

const away = new Problem('the store is away', 'wait for it')

/** A worker that was just killed, and what comes of starting it again: so many failures, and then a child. */
const killed = (failing: number) => {
  const [first, second, third] = [child(), child(), child()]
  const said: string[] = []
  const watch = new AbortController()
  let left = failing
  const kept = keepAlive(first, {
    say: (line) => void said.push(line),
    signal: watch.signal,
    again: async () => {
      left -= 1
      if (left >= 0) throw away
      return left === -1 ? second : third
    },
    pauseMs: 1,
  })
  first.die('SIGKILL')
  return { said, kept, second, watch }
}

const DIED = 'the worker died (SIGKILL): starting it again'
const FAILED = 'the worker could not be started again (the store is away): trying once more'

test('a restart that fails is tried again, and what comes up then is watched', async () => {
  const { said, kept, second, watch } = killed(2)
  await eventually('it to be tried again', () => said.length === 3)
  second.die('exit 7')
  await eventually('the other one to be missed', () => said.length === 4)
  expect(said).toEqual([DIED, FAILED, FAILED, 'the worker died (exit 7): starting it again'])
  watch.abort()
  await kept.stop()
})

test('restarts that keep failing are the problem, and it is the one that they had', async () => {
  const { said, kept } = killed(100)
  expect(await kept.broken).toBe(away)
  expect(said).toEqual([DIED, FAILED, FAILED, FAILED, FAILED])
})

test('a child that hangs while it starts is ended with everything else, however long it may take to drain', async () => {
  using root = scratch()
  const runs = join(root.path, 'runs')
  const hangs = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); require('fs').writeFileSync('${runs}', '')`
  root.write('dist/src/cli.js', hangs)
  const settings = { root: root.path, data: '/nonexistent', workspace: root.path, path: '' } as Settings
  const config = { drainMs: 600_000, agents: [], networks: {}, log: {} } as unknown as Config
  const watch = new AbortController()
  const starting = startChild('worker', settings, config, watch.signal)
  const ended = expect(starting).rejects.toThrow('the worker ended before it was ready (SIGKILL)')
  await eventually('it to hang', () => existsSync(runs))
  watch.abort()
  await ended
})
