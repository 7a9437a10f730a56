import { expect, test } from 'vitest'
import { createTerminals } from '../../src/sandbox/terminals.ts'
import { run } from '../../src/tools/run.ts'
import { terminal } from '../../src/tools/terminal.ts'
import type { Bench, Terminals } from '../../src/tools/tool.ts'
import { createPlace } from '../sandbox/place.ts'
import { benchOf, call, reachOf, rule, wall } from './run-bench.ts'

type Said = Awaited<ReturnType<Terminals['read']>>

/** A bench with one terminal, `server`, that says one thing after the other; and what it was asked for. */
const withServer = (...says: NonNullable<Said>[]): { bench: Bench; asked: unknown[] } => {
  const asked: unknown[] = []
  const known = <T>(name: string, answer: T, none: T, ...what: unknown[]): Promise<T> => {
    asked.push([name, ...what])
    return Promise.resolve(name === 'server' ? answer : none)
  }
  const terminals: Terminals = {
    start: () => Promise.reject(new Error('only run starts one')),
    read: (name, waitMs) => known<Said>(name, says.shift() ?? null, null, 'read', waitMs),
    write: (name, text) => known(name, true, false, 'write', text),
    stop: (name) => known(name, true, false, 'stop'),
    names: () => ['server', 'worker'],
  }
  return { bench: benchOf(wall({ limits: { outputLines: 5 } }), { terminals }).bench, asked }
}

const fine = (output: string) => ({ kind: 'ok', output, paths: [], cut: null })

test('reading waits as long as it was told to, and shows text', async () => {
  const { bench, asked } = withServer(
    { output: '\u001b[32mready\u001b[0m\n', ended: null, exit: null },
    { output: '', ended: null, exit: null },
  )
  expect([
    await call(terminal, { do: 'read', name: 'server', wait: 1.5 }, bench),
    await call(terminal, { do: 'read', name: 'server' }, bench),
  ]).toEqual([fine('ready'), fine('[it said nothing new]')])
  expect(asked).toEqual([
    ['server', 'read', 1500],
    ['server', 'read', 0],
  ])
})

test('reading says how it ended', async () => {
  const { bench } = withServer({ output: 'bye\n', ended: 'exit', exit: 3 }, { output: '', ended: 'memory', exit: null })
  const read = () => call(terminal, { do: 'read', name: 'server' }, bench)
  expect([await read(), await read()]).toEqual([fine('bye\n[it ended with 3]'), fine('[it was ended: memory]')])
})

test('what is too much is cut, and kept as a whole', async () => {
  const { bench } = withServer({ output: 'a\n'.repeat(50), ended: null, exit: null })
  expect(await call(terminal, { do: 'read', name: 'server' }, bench)).toEqual({
    kind: 'ok',
    output: 'a\n[46 of 50 lines left out]\na\na\na',
    paths: [],
    cut: '46 of 50 lines left out; the whole: read spill:1',
    spill: 'spill:1',
  })
})

test('writing, stopping and listing', async () => {
  const { bench, asked } = withServer()
  expect([
    await call(terminal, { do: 'write', name: 'server', text: 'é\n' }, bench),
    await call(terminal, { do: 'stop', name: 'server' }, bench),
    await call(terminal, { do: 'list' }, bench),
    await call(terminal, { do: 'list' }, benchOf(wall()).bench),
  ]).toEqual([
    fine('wrote 3 bytes to server'),
    fine('stopped server'),
    fine('server\nworker'),
    fine('[there are no terminals]'),
  ])
  expect(asked).toEqual([
    ['server', 'write', 'é\n'],
    ['server', 'stop'],
  ])
})

test('a terminal that is not there is said, with those that are', async () => {
  const { bench } = withServer()
  const failed = { kind: 'failed', message: 'there is no terminal other; there are server, worker' }
  expect([
    await call(terminal, { do: 'read', name: 'other' }, bench),
    await call(terminal, { do: 'write', name: 'other', text: 'a' }, bench),
    await call(terminal, { do: 'stop', name: 'other' }, bench),
  ]).toEqual([failed, failed, failed])
})

test('a terminal that has ended takes no more lines', async () => {
  const { bench } = withServer()
  expect(await call(terminal, { do: 'write', name: 'worker', text: 'a' }, bench)).toEqual({
    kind: 'failed',
    message: 'worker has ended; read what it said last',
  })
})

test('a program in the sandbox is spoken with', async () => {
  using place = createPlace()
  const open = createTerminals()
  const session = open.of('session-1')
  const start: Terminals['start'] = (name, { argv, sandbox }) => session.start(name, place.job(argv, { mode: sandbox }))
  const spec = wall({ commands: [rule('cat')] })
  const { bench } = benchOf(spec, { terminals: { ...session, start } })
  try {
    await call(run, { argv: ['cat'], terminal: 'echo' }, bench)
    await call(terminal, { do: 'write', name: 'echo', text: 'hello\n' }, bench)
    const said = await call(terminal, { do: 'read', name: 'echo', wait: 20 }, bench)
    const stopped = await call(terminal, { do: 'stop', name: 'echo' }, bench)
    const gone = await call(terminal, { do: 'read', name: 'echo' }, bench)
    expect([said, stopped, gone]).toEqual([
      fine('hello'),
      fine('stopped echo'),
      { kind: 'failed', message: 'there is no terminal echo; there are none' },
    ])
  } finally {
    await open.endAll()
  }
})

test('it touches nothing that is not its own, and takes only what makes sense', () => {
  expect(reachOf(terminal, { do: 'list' }, wall())).toEqual({})
  const tries = [
    {},
    { do: 'start', name: 'a' },
    { do: 'read' },
    { do: 'read', name: '../a' },
    { do: 'read', name: 'a', wait: 31 },
    { do: 'read', name: 'a', wait: -1 },
    { do: 'read', name: 'a', text: 'b' },
    { do: 'write', name: 'a' },
    { do: 'write', name: 'a', text: '' },
    { do: 'write', name: 'a', text: 'b', wait: 1 },
    { do: 'stop' },
    { do: 'list', other: 1 },
  ]
  expect(tries.filter((args) => terminal.args.safeParse(args).success)).toEqual([])
})
