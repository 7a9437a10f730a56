import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderAt, openFolder } from '../../src/house/folder.ts'
import { lockFolder } from '../../src/house/lock.ts'
import { writeInstance } from '../../src/house/running.ts'
import { ExecLine } from '../../src/shapes/http.ts'
import type { ItemEvent } from '../../src/shapes/item.ts'
import type { TurnOutcome } from '../../src/shapes/turn.ts'
import { scratch } from '../support/folder.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
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

const exec = (...args: string[]) => bellhop(['exec', '--data', instance.data, ...args])
const linesOf = (stdout: string): ExecLine[] => stdout.split('\n').map((line) => ExecLine.parse(JSON.parse(line)))
const brief = (line: ExecLine): string => {
  if (line.kind === 'receipt' || line.kind === 'outcome') return line.kind
  return line.kind === 'delta' ? `delta ${line.type}` : `${line.kind} ${line.item.type}`
}
const ESCALATED = `use run ${JSON.stringify({ argv: ['cargo', 'fetch'], escalate: { why: 'it is a test' } })}`

describe('a request that is done', () => {
  test('prints the answer, and what happened meanwhile beside it; the code is 0', async () => {
    const { stdout, stderr, exitCode } = await exec('read', 'README.md')
    expect([exitCode, stdout, stderr]).toEqual([
      0,
      'rehearsal, no model: README.md, lines 1-3:\n  1 | # kettle\n  2 |\n  3 | Boils water.',
      '… read {"from":1,"lines":61,"path":"README.md"}\n  completed',
    ])
  })

  test('is one JSON value a line for a program: the receipt first, the outcome last', async () => {
    const { stdout, stderr, exitCode } = await exec('--json', '--agent', 'codex', 'read README.md')
    const lines = linesOf(stdout)
    expect([exitCode, stderr, lines.map(brief)]).toEqual([
      0,
      '',
      [
        'receipt',
        'started userMessage',
        'completed userMessage',
        'started toolStep',
        'completed toolStep',
        'started agentMessage',
        'delta agentMessage',
        'completed agentMessage',
        'outcome',
      ],
    ])
    expect(lines.at(-1)).toEqual({
      kind: 'outcome',
      outcome: 'done',
      answer: 'rehearsal, no model: README.md, lines 1-3:\n  1 | # kettle\n  2 |\n  3 | Boils water.',
      exit: 0,
    })
    const [first] = lines
    expect(first).toMatchObject({
      receipt: { room: expect.stringMatching(/^t-/), assignments: [{ agent: 'codex-1', peripheral: 'edit' }] },
    })
  })

  test('is in the room, by the agent and behind the wall that are named', async () => {
    const { stdout } = await exec(
      '--json',
      ...['--room', 'lobby', '--agent', 'claude', '--peripheral', 'test'],
      'read README.md',
    )
    expect(linesOf(stdout)[0]).toMatchObject({
      receipt: { room: 'lobby', assignments: [{ agent: 'claude-1', peripheral: 'test' }] },
    })
  })

  test.each(['attic', 'status'])('is not done behind a wall that there is not, such as %s', async (peripheral) => {
    const { stderr, exitCode } = await exec('--peripheral', peripheral, 'read README.md')
    const said = `bellhop: there is no peripheral ${peripheral}; there is `
    expect([exitCode, stderr.startsWith(said), stderr.includes('[peripheral-unknown]')]).toEqual([2, true, true])
  })

  test('is never a command, whatever it begins with', async () => {
    const { stdout, exitCode } = await exec('--json', '--room', 'lobby', '/mode discuss')
    const [first] = linesOf(stdout)
    expect([first?.kind === 'receipt' && first.receipt.assignments.length, exitCode]).toEqual([1, 0])
    expect(must(await instance.client.ask('rooms')).rooms[0]?.mode).toBe('execute')
  })

  test('that did not come off is not done, whatever the agent says of it: the code is 1', async () => {
    const { exitCode } = await exec('--agent', 'codex', 'run cargo fetch')
    expect(exitCode).toBe(1)
  })

  test('leaves no thread behind that anybody would look through', async () => {
    await exec('read README.md')
    expect(must(await instance.client.ask('threads')).threads).toEqual([])
  })
})

describe('a thread', () => {
  test('that is kept is gone on with by its id, or as the last one; where it is put away, the refusal says so', async () => {
    const kept = await exec('--keep', '--agent', 'codex', 'read README.md')
    const { threads } = must(await instance.client.ask('threads'))
    expect(threads.map(({ agent, name }) => [agent, name])).toEqual([['codex-1', 'read README.md']])
    const thread = threads[0]?.id ?? ''
    expect(kept.stderr.split('\n')[0]).toBe(`in ${thread}: go on with --thread ${thread}`)
    const [named, last] = await Promise.all([
      exec('--json', '--thread', thread, '/mode discuss'),
      exec('--json', '--resume', 'read README.md'),
    ])
    expect([named, last].map(({ stdout }) => linesOf(stdout)[0])).toEqual(
      [named, last].map(() => ({
        kind: 'receipt',
        receipt: expect.objectContaining({
          room: thread,
          assignments: [expect.objectContaining({ agent: 'codex-1' })],
        }),
      })),
    )
    const said = await bellhop(['say', '--data', instance.data, '--room', thread, 'read', 'README.md'])
    expect(said.stdout).toContain('codex-1: rehearsal, no model: README.md, lines 1-3:')

    must(await instance.client.command('archive', { thread }))
    const [archived, none, both] = await Promise.all([
      exec('--thread', thread, 'read README.md'),
      exec('--resume', 'read README.md'),
      exec('--thread', thread, '--room', 'lobby', 'read README.md'),
    ])
    expect([archived, none, both].map(({ exitCode, stderr }) => [exitCode, stderr.split('\n')[0]])).toEqual([
      [2, `bellhop: ${thread} is archived, and takes no more messages [thread-archived]`],
      [2, 'bellhop: no thread is open: begin one with --keep, or with /new [thread-unknown]'],
      [1, expect.stringContaining("'--room <room>' cannot be used with option '--thread <id>'")],
    ])
  })

  test('that is not there is said to be', async () => {
    const { stderr, exitCode } = await exec('--thread', 't-nothing', 'read README.md')
    expect([exitCode, stderr.split('\n')[0]]).toEqual([2, 'bellhop: there is no thread t-nothing [thread-unknown]'])
  })
})

describe('a request that is refused', () => {
  test('says why, and what to do; the code is 2', async () => {
    const { stdout, stderr, exitCode } = await exec('--room', 'attic', 'read README.md')
    expect([exitCode, stdout, stderr]).toEqual([
      2,
      '',
      'bellhop: there is no room attic; there is lobby [room-unknown]\nuse one of the rooms the message names, or add it under rooms in the config',
    ])
  })

  test('is an outcome for a program, too', async () => {
    const { stdout, exitCode } = await exec('--json', '--agent', 'nobody', 'read README.md')
    expect([exitCode, linesOf(stdout)]).toEqual([
      2,
      [
        {
          kind: 'outcome',
          outcome: 'refused',
          answer:
            'there is no agent nobody; there is claude-1, codex-1, tickle-1 [agent-unknown]\nsay /who for the agents that are here',
          exit: 2,
        },
      ],
    ])
  })
})

/** The only turn that waits in a room: where it is, and what it waits by. */
const waiting = async () => {
  const { approvals } = must(await instance.client.ask('approvals'))
  return approvals.find(({ agent }) => agent === 'codex-1')
}

const endOf = async (turn: string) => (await eventually('the turn to end', () => endedTurn(turn))).body

const endedTurn = async (turn: string) => {
  const shown = await instance.client.ask('show', { entry: `${turn}.ended` })
  return shown.ok ? shown.value.entry : null
}

describe('a request that needs an approval', () => {
  test('says so by name, and goes on when somebody gives it', async () => {
    const running = exec('--peripheral', 'edit', '--agent', 'codex', ESCALATED)
    const { approval, until, opens, why } = await eventually('a person to be asked', waiting)
    must(await instance.client.command('deny', { approval, note: 'not today' }))
    const { stderr, exitCode } = await running
    expect([exitCode, stderr.split('\n')]).toEqual([
      1,
      [
        '… run cargo fetch',
        `waits for an approval, until ${until}: ${opens} (${why})`,
        `  bellhop approve ${approval}, or bellhop deny ${approval}`,
        `${approval} is denied`,
        expect.stringMatching(/^ {2}declined: .*not today/),
      ],
    ])
  })

  test('does without where nobody is to be asked', async () => {
    const { stdout, exitCode } = await exec('--json', '--approve', 'never', '--peripheral', 'edit', ESCALATED)
    const decided = linesOf(stdout).flatMap((line) =>
      line.kind === 'completed' && line.item.type === 'approval' ? [[line.item.decision, line.item.note]] : [],
    )
    expect([exitCode, decided]).toEqual([1, [['denied', 'exec --approve never']]])
  })

  test('is given up when its time is over, and stopped; the code is 3', async () => {
    const { stdout, exitCode } = await exec('--json', '--timeout', '3', '--peripheral', 'edit', ESCALATED)
    const lines = linesOf(stdout)
    expect([exitCode, lines.at(-1)]).toEqual([3, { kind: 'outcome', outcome: 'timeout', answer: '', exit: 3 }])
    const [first] = lines
    const turn = first?.kind === 'receipt' ? first.receipt.assignments[0]?.turn : undefined
    expect(await endOf(turn ?? '')).toMatchObject({ event: 'turn-ended', outcome: 'cancelled' })
  })

  test('is stopped with Ctrl-C; the code is 130', async () => {
    const cli = join(import.meta.dirname, '../../dist/src/cli.js')
    const args = ['exec', '--data', instance.data, '--agent', 'codex', '--peripheral', 'edit', ESCALATED]
    const running = execa(process.execPath, [cli, ...args], { reject: false })
    const { turn } = await eventually('a person to be asked', waiting)
    running.kill('SIGINT')
    expect((await running).exitCode).toBe(130)
    expect(await endOf(turn)).toMatchObject({ event: 'turn-ended', outcome: 'cancelled' })
  })

  test('and that somebody else stops is interrupted; the code is 3', async () => {
    const running = exec('--json', '--agent', 'codex', '--peripheral', 'edit', ESCALATED)
    const { turn, room } = await eventually('a person to be asked', waiting)
    must(await instance.client.command('stop', { turn, why: 'no longer needed' }, { room }))
    const { stdout, exitCode } = await running
    expect([exitCode, linesOf(stdout).at(-1)]).toEqual([
      3,
      { kind: 'outcome', outcome: 'interrupted', answer: expect.any(String), exit: 3 },
    ])
  })
})

describe('a line that is said', () => {
  test('is told to be accepted before anything that comes of it', async () => {
    const running = bellhop(['say', '--data', instance.data, `@codex ${ESCALATED}`])
    const { approval } = await eventually('a person to be asked', waiting)
    must(await instance.client.command('deny', { approval, note: 'not today' }))
    const { stdout } = await running
    const [receipt, asks] = stdout.split('\n')
    expect([receipt, asks]).toEqual([
      expect.stringMatching(/^accepted as \w+, for codex-1$/),
      expect.stringMatching(/^codex-1 /),
    ])
  })

  test('to somebody who is no agent is for none', async () => {
    const { stdout, exitCode } = await bellhop(['say', '--data', instance.data, '@grace look at this'])
    expect([stdout, exitCode]).toEqual([expect.stringMatching(/^accepted as \w+, for no agent$/), 0])
  })
})

const turn = 'm1.codex-1'
const message = (n: number, text: string, outcome: TurnOutcome | null) =>
  ({
    id: `${turn}.said-${n}`,
    turn,
    type: 'agentMessage',
    status: 'completed',
    agent: 'codex-1',
    text,
    outcome,
  }) as const

/** An instance that answers every line with the same items: agents that fail, or talk, are hard to come by. */
const scripted = async (events: ItemEvent[]) => {
  const folder = scratch()
  const data = openFolder(folder.path)
  const lock = lockFolder(data)
  const server = createServer((request, response) => {
    const assignments = [{ turn, session: 's-1', agent: 'codex-1', peripheral: 'edit' }]
    if (request.url?.startsWith('/api/items')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of events) response.write(`event: item\ndata: ${JSON.stringify(event)}\nid: 7.0\n\n`)
    } else response.end(JSON.stringify({ message: 'm1', room: 'lobby', mode: 'action', assignments, answer: null }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  writeInstance(folderAt(folder.path), {
    pid: process.pid,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
  return {
    exec: (...args: string[]) =>
      bellhop(['exec', '--data', folder.path, '--room', 'lobby', '--agent', 'codex-1', ...args]),
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
      lock()
      folder[Symbol.dispose]()
    },
  }
}

test('a request that failed has its answer all the same; the code is 1', async () => {
  using failing = await scripted([{ kind: 'completed', item: message(1, 'no', 'failed') }])
  const { stdout, exitCode } = await failing.exec('do something')
  expect([exitCode, stdout]).toEqual([1, 'no'])
})

test('what an agent says on the way is told as it comes, and is not the answer', async () => {
  const delta = (n: number, text: string): ItemEvent => ({
    kind: 'delta',
    id: `${turn}.said-${n}`,
    turn,
    type: 'agentMessage',
    text,
  })
  const events: ItemEvent[] = [
    { kind: 'started', item: { ...message(1, '', null), status: 'inProgress' } },
    delta(1, 'I look'),
    { kind: 'completed', item: message(1, 'I look \u001b[2Jaround.', null) },
    { kind: 'started', item: { ...message(2, '', null), status: 'inProgress' } },
    delta(2, 'It is '),
    delta(2, 'there.'),
    { kind: 'completed', item: message(2, 'It is there.', 'done') },
  ]
  using talking = await scripted(events)
  const [read, programs] = await Promise.all([talking.exec('where?'), talking.exec('--json', 'where?')])
  expect([read.stdout, read.stderr, read.exitCode]).toEqual(['It is there.', 'codex-1: I look [2Jaround.', 0])
  const [receipt, ...rest] = linesOf(programs.stdout)
  expect(receipt?.kind).toBe('receipt')
  expect(rest).toEqual([...events, { kind: 'outcome', outcome: 'done', answer: 'It is there.', exit: 0 }])
})

test('a time that is none is said to be', async () => {
  const { stderr, exitCode } = await exec('--timeout', 'soon', 'read README.md')
  expect([exitCode, stderr]).toEqual([
    1,
    'bellhop: --timeout soon is no number of seconds\n  give a number above 0, up to 86400',
  ])
})

test('without an instance it says how to start one', async () => {
  using folder = scratch()
  const { stderr, exitCode } = await bellhop(['exec', '--data', folder.path, 'read README.md'])
  expect([exitCode, stderr]).toEqual([
    1,
    `bellhop: no Bellhop runs on ${folder.path}\n  start one with \`bellhop up\`, or name its folder with --data DIR`,
  ])
})
