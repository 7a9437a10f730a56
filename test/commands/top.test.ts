import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overview, summary, type View } from '../../src/commands/overview.ts'
import { scratch } from '../support/folder.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { testWorkspace } from '../support/workspace.ts'

const CLI = new URL('../../dist/src/cli.js', import.meta.url).pathname

const AT = Date.parse('2026-11-17T12:00:00.000Z')
const at = (seconds: number): string => new Date(AT - seconds * 1000).toISOString()

const view: View = {
  at: at(0),
  through: 9,
  ready: false,
  reasons: ['claude-1 is lapsed'],
  processes: [
    {
      process: 'worker-hall-7',
      part: 'worker',
      host: 'hall',
      pid: 7,
      version: '0.1.0',
      since: at(7200),
      ready: true,
      reasons: [],
      places: [{ lane: 'turns', used: 1, of: 64 }],
      complaints: [{ at: at(60), message: 'redis is not \u001b[31mthere' }],
    },
  ],
  queue: [{ lane: 'turns', depth: 3, oldest: 45 }],
  parts: [{ name: 'redis', state: 'up', detail: '' }],
  agents: [],
  rooms: [],
  approvals: [],
  budgets: [
    { agent: 'codex-1', room: 'lobby', of: 'day', unit: 'tokens', used: 950_000, limit: 1_000_000 },
    { agent: 'codex-1', room: 'lobby', of: 'turn', unit: 'usd', used: 0.1, limit: 5 },
  ],
  refused: [],
  turns: ['b', 'a'].map((agent, i) => ({
    turn: `m${i}.${agent}`,
    session: `s-${i}`,
    room: 'lobby',
    agent,
    peripheral: 'explore',
    by: 'ada',
    request: 'look \u001b]0;title\u0007at\nthis 表 and more',
    state: 'running' as const,
    detail: '',
    ahead: 0,
    steps: { taken: i, failed: 0, refused: 0 },
    approval: null,
    accepted: at(30 - i),
    started: at(20),
    ended: null,
  })),
}

describe('the overview', () => {
  test('has what an operator looks for, in plain text', () => {
    expect(overview(view, { look: { width: 100, colour: false }, sort: 'age', at: AT })).toEqual([
      'not ready (claude-1 is lapsed) · redis up · 2026-11-17 12:00:00',
      '',
      'PROCESS  HOST  PID  VERSION  UP  PLACES      STATE',
      'worker   hall  7    0.1.0    2h  turns 1/64  ready',
      '',
      'LANE   DEPTH  OLDEST',
      'turns  3      45s',
      '',
      'TURN     AGENT  ROOM   AGE  STEPS  REQUEST',
      'running  b      lobby  30s  0      look at this 表 and more',
      'running  a      lobby  29s  1      look at this 表 and more',
      '',
      'BUDGET   ROOM   OF   USED',
      'codex-1  lobby  day  950k of 1000k tokens',
      '',
      'COMPLAINT  AGO  WHAT',
      'worker     60s  redis is not there',
    ])
  })

  test('is sorted as one likes, no wider than the terminal, and one line where there is none', () => {
    const rows = overview(view, { look: { width: 30, colour: false }, sort: 'agent', at: AT })
    expect(rows.filter((row) => row.startsWith('running')).map((row) => row.slice(9, 10))).toEqual(['a', 'b'])
    expect(rows.slice(1).filter((row) => [...row].length > 30)).toEqual([])
    expect(summary(view)).toBe(
      `${at(0)} · not ready: claude-1 is lapsed · 1 process · 0 of 0 agents ready · 2 turns running, 0 waiting · turns 3 (oldest 45s) · 0 approvals to decide`,
    )
  })
})

describe('of an instance that runs', () => {
  const workspace = testWorkspace()
  let instance: Awaited<ReturnType<typeof startUp>>
  beforeAll(async () => {
    instance = await startUp({ workspace: workspace.path })
  })
  afterAll(async () => {
    await instance.stop()
    workspace[Symbol.dispose]()
  })

  const seen = async (...args: string[]) => bellhop([...args, '--data', instance.data])

  test('status shows processes, lanes and agents, for people and as JSON', async () => {
    await eventually('both processes to have said how they are', async () => {
      const { processes } = JSON.parse((await seen('status', '--json')).stdout) as View
      return processes.length === 2 && processes.every(({ ready }) => ready)
    })
    const { stdout } = await seen('status')
    expect(stdout.split('\n').map((row) => row.split(/ {2,}/)[0])).toEqual([
      expect.stringMatching(/^ready · redis up · evidence up · queue up/),
      '',
      'PROCESS',
      'gateway',
      'worker',
      '',
      'LANE',
      'turns',
      'steps',
      '',
      'AGENT',
      'claude-1',
      'codex-1',
      'tickle-1',
    ])
    const { processes, turns, queue } = JSON.parse((await seen('status', '--json')).stdout) as View
    expect([processes.map(({ part }) => part), turns, queue]).toEqual([
      ['gateway', 'worker'],
      [],
      [
        { lane: 'turns', depth: 0, oldest: 0 },
        { lane: 'steps', depth: 0, oldest: 0 },
      ],
    ])
  })

  test('top over a pipe is a line, or JSON, each time', async () => {
    expect((await seen('top', '--once')).stdout).toMatch(
      /^\S+Z · ready · 2 processes · 3 of 3 agents ready · 0 turns running/,
    )
    expect((JSON.parse((await seen('top', '--once', '--json')).stdout) as View).ready).toBe(true)
    const stream = execa(process.execPath, [CLI, 'top', '--json', '--interval', '0.1', '--data', instance.data], {
      reject: false,
    })
    const lines: string[] = []
    for await (const line of stream) {
      lines.push(line)
      if (lines.length === 3) stream.kill()
    }
    await stream
    expect(lines.slice(0, 3).map((line) => (JSON.parse(line) as View).processes.length)).toEqual([2, 2, 2])
    expect((await seen('top', '--interval', 'soon')).stderr).toBe(
      'bellhop: --interval soon is no number of seconds\n  give a number from 0.1 to 3600',
    )
  })

  test('top in a terminal fills the screen, obeys its keys, follows its size, and leaves it as it was', async () => {
    const socket = `${instance.data}/tmux`
    const tmux = async (...args: string[]): Promise<string> =>
      (await execa('tmux', ['-S', socket, '-f', '/dev/null', ...args])).stdout
    const screen = () => tmux('capture-pane', '-p', '-t', 'it')
    await tmux('new-session', '-d', '-s', 'it', '-x', '100', '-y', '30', 'sh')
    try {
      await tmux(
        'send-keys',
        '-t',
        'it',
        `clear; echo before; '${process.execPath}' '${CLI}' top --data '${instance.data}'`,
        'Enter',
      )
      const first = await eventually('the screen', async () => {
        const text = await screen()
        return text.includes('sorted by age') && text.includes('gateway') && text
      })
      expect(first.split('\n')[0]).toMatch(/^ready · redis up/)
      expect(first.includes('before')).toBe(false)
      await tmux('send-keys', '-t', 'it', 's')
      await eventually('it to be sorted', async () => (await screen()).includes('sorted by agent'))
      await tmux('send-keys', '-t', 'it', 'p')
      await eventually('it to pause', async () => (await screen()).includes('paused · sorted'))
      await tmux('send-keys', '-t', 'it', 'p')
      await tmux('resize-window', '-t', 'it', '-x', '40', '-y', '8')
      const small = await eventually('a small screen', async () => {
        const text = await screen()
        return text.includes('more rows') && !text.includes('paused ·') && text
      })
      expect(small.split('\n').every((row) => row.length <= 40)).toBe(true)
      await tmux('send-keys', '-t', 'it', 'q')
      await eventually('the screen as it was', async () => {
        const text = await screen()
        return text.includes('before') && !text.includes('PROCESS')
      })
    } finally {
      await tmux('kill-server')
    }
  })
})

test('top shows itself in a terminal that says it is nothing wide, and leaves an instance that does not answer', async () => {
  using folder = scratch()
  await using silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const env = { BELLHOP_URL: `http://127.0.0.1:${port}`, BELLHOP_TOKEN: 'a-token-of-nobody' }
  const tmux = async (...args: string[]): Promise<string> =>
    (await execa('tmux', ['-S', join(folder.path, 'tmux'), '-f', '/dev/null', ...args], { env })).stdout
  const screen = () => tmux('capture-pane', '-p', '-t', 'it')
  await tmux('new-session', '-d', '-s', 'it', '-x', '100', '-y', '30', 'sh')
  try {
    const command = `stty cols 0 rows 0; '${process.execPath}' '${CLI}' top --data '${folder.path}'; echo 'it is' over`
    await tmux('send-keys', '-t', 'it', command, 'Enter')
    await Promise.all([
      once(silent, 'request'),
      eventually('the screen', async () => /looking….*q quits/s.test(await screen())),
    ])
    await tmux('send-keys', '-t', 'it', 'q')
    await eventually('it to end', async () => (await screen()).includes('it is over'))
  } finally {
    await tmux('kill-server')
    silent.closeAllConnections()
  }
})

test('where nothing runs, status says what was left undone', async () => {
  using workspace = testWorkspace()
  const instance = await startUp({ workspace: workspace.path })
  await instance.stop()
  const args = ['status', '--data', instance.data]
  expect((await bellhop(args)).stdout).toBe('nothing runs here\nnothing is being worked on')
  expect(JSON.parse((await bellhop([...args, '--json'])).stdout)).toEqual({ turns: [] })
})
