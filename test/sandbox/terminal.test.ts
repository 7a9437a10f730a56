import { once } from 'node:events'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { startTerminal, type Terminal } from '../../src/sandbox/terminal.ts'
import { createTerminals } from '../../src/sandbox/terminals.ts'
import { eventually } from '../support/poll.ts'
import { createPlace, type Place, sh } from './place.ts'
import { processesWith } from './running.ts'

const start = async (...of: Parameters<typeof startTerminal>): Promise<Terminal> => {
  const terminal = await startTerminal(...of)
  if (typeof terminal === 'string') throw new Error(terminal)
  return terminal
}

/** Reads until a text has come. */
const readUntil = async (terminal: Terminal, text: string): Promise<string> => {
  let said = ''
  await eventually(text, async () => {
    await terminal.wait(100)
    said += terminal.read()
    return said.includes(text)
  })
  return said
}

const echo = (place: Place, change: Parameters<Place['job']>[1] = {}) =>
  place.job(
    sh('echo ready; while read -r line; do echo "got $line"; done; echo over >&2; exit 4', place.secret),
    change,
  )

test('a program is written to and answers, until it is stopped', async () => {
  using place = createPlace()
  const terminal = await start(echo(place))
  expect(await readUntil(terminal, 'ready\n')).toBe('ready\n')
  expect([terminal.write('one\ntwo\n'), await readUntil(terminal, 'two\n'), terminal.ending()]).toEqual([
    true,
    'got one\ngot two\n',
    null,
  ])
  await terminal.stop()
  expect([terminal.ending(), terminal.write('three\n'), terminal.read(), processesWith(place.secret)]).toEqual([
    { ended: 'cancelled', exit: null },
    false,
    '',
    [],
  ])
})

test('a program that ends by itself says how, and nothing is waited for any more', async () => {
  using place = createPlace()
  const terminal = await start(place.job(sh('echo out; echo err >&2; exit 4')))
  const said = await readUntil(terminal, 'err\n')
  await eventually('its end', () => terminal.ending())
  await terminal.wait(60_000)
  expect([said.split('\n').sort(), terminal.ending()]).toEqual([['', 'err', 'out'], { ended: 'exit', exit: 4 }])
})

test('only the newest of what it says is kept, and how much was lost is said', async () => {
  using place = createPlace()
  const limits = { ...place.job([]).limits, outputBytes: 20 }
  const terminal = await start(place.job(sh('for i in 1 2 3 4 5 6 7 8 9; do echo "line $i of it"; done'), { limits }))
  await eventually('its end', () => terminal.ending())
  expect(terminal.read()).toBe('[97 characters before this were dropped]\n of it\nline 9 of it\n')
})

test('one that nobody reads from does not grow, and one that does not read is not fed', async () => {
  using place = createPlace()
  const terminal = await start(place.job(sh('exec sleep 1000')))
  const words = 'x'.repeat(100_000)
  let taken = 0
  while (terminal.write(words)) taken++
  await terminal.stop()
  expect(taken).toBeLessThan(20)
})

test('its limits end it', async () => {
  using place = createPlace()
  const limits = { ...place.job([]).limits, seconds: 1 }
  const terminal = await start(echo(place, { limits }))
  expect(await eventually('its end', () => terminal.ending())).toEqual({ ended: 'time', exit: null })
})

test('it leaves no repository at the root either', async () => {
  using place = createPlace()
  const terminal = await start(place.job(sh('mkdir .git; sleep 1000')))
  expect(await eventually('its end', () => terminal.ending())).toEqual({ ended: 'signal', exit: null })
  expect([terminal.read(), readdirSync(place.root).includes('.git')]).toEqual([
    expect.stringMatching(/^The program changed \.git at the root/),
    false,
  ])
})

test('one that cannot be started says why', async () => {
  using place = createPlace()
  expect(await startTerminal(place.job(['no-such-program']))).toMatch(/^there is no program no-such-program/)
})

test('terminals have names, which are those of their session', async () => {
  using place = createPlace()
  const terminals = createTerminals()
  const [one, other] = [terminals.of('s1'), terminals.of('s2')]
  const started = await Promise.all([one.start('repl', echo(place)), other.start('repl', echo(place))])
  const again = await one.start('repl', echo(place))
  const unknown = [await one.read('server', 0), await one.write('server', 'x'), await one.stop('server')]
  expect({ started, again, unknown, names: terminals.of('s1').names() }).toEqual({
    started: [{ ok: true }, { ok: true }],
    again: { ok: false, why: 'repl is running: stop it first' },
    unknown: [null, false, false],
    names: ['repl'],
  })
  await one.write('repl', 'hello\n')
  await eventually('the answer', async () => (await one.read('repl', 1000))?.output.includes('got hello'))
  expect([await one.stop('repl'), one.names(), other.names()]).toEqual([true, [], ['repl']])
  await terminals.endAll()
  expect([other.names(), processesWith(place.secret)]).toEqual([[], []])
})

test('a name is free again when its program has ended, and can be read until then', async () => {
  using place = createPlace()
  const terminals = createTerminals()
  const mine = terminals.of('s')
  await mine.start('once', place.job(sh('echo done')))
  await eventually('its end', async () => (await mine.read('once', 100))?.ended)
  expect(await mine.read('once', 0)).toEqual({ output: '', ended: 'exit', exit: 0 })
  expect(await mine.start('once', place.job(sh('echo again')))).toEqual({ ok: true })
  await terminals.endAll('s')
})

test('two that are started under one name at once are not both started, and there is an end to their number', async () => {
  using place = createPlace()
  const terminals = createTerminals()
  const mine = terminals.of('s')
  const both = await Promise.all([mine.start('a', echo(place)), mine.start('a', echo(place))])
  expect(both.map(({ ok }) => ok).sort()).toEqual([false, true])
  for (const name of 'bcdefgh') await mine.start(name, echo(place))
  expect(await mine.start('i', echo(place))).toEqual({ ok: false, why: '8 terminals are open: stop one first' })
  await terminals.endAll('s')
  expect([mine.names(), processesWith(place.secret)]).toEqual([[], []])
})

test('one whose start fails leaves no name', async () => {
  using place = createPlace()
  const mine = createTerminals().of('s')
  const answer = await mine.start('x', place.job(['no-such-program']))
  expect([answer.ok, mine.names()]).toEqual([false, []])
})

test('they end with the process that started them, however that ends', async () => {
  using place = createPlace()
  const script = `
    import { startTerminal } from '${realpathSync('src/sandbox/terminal.ts')}'
    const terminal = await startTerminal({ ...JSON.parse(process.argv[1]), signal: new AbortController().signal })
    await terminal.wait(30_000)
    console.log(terminal.read())`
  const job = JSON.stringify(
    place.job(sh('setsid sleep 1000 & (nohup sleep 1000 &) ; echo ready; sleep 1000', place.secret)),
  )
  const worker = execa(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, job], {
    reject: false,
  })
  await once(worker.stdout, 'data')
  expect(processesWith(place.secret).length).toBeGreaterThan(1)
  worker.kill('SIGKILL')
  await worker
  await eventually('all of it to be gone', () => processesWith(place.secret).length === 0)
})

test('what was being started when that process was killed never begins', async () => {
  using place = createPlace()
  // It is killed when it is about to open the gate; and in the end, should there be none.
  const script = `
    import { Socket } from 'node:net'
    import { startTerminal } from '${realpathSync('src/sandbox/terminal.ts')}'
    const die = () => process.kill(process.pid, 'SIGKILL')
    const { end } = Socket.prototype
    Socket.prototype.end = function (said, ...rest) {
      return said === '\\n' ? die() : end.call(this, said, ...rest)
    }
    const terminal = await startTerminal({ ...JSON.parse(process.argv[1]), signal: new AbortController().signal })
    await terminal.wait(30_000)
    die()`
  const job = JSON.stringify(place.job(sh('echo began | tee began; sleep 1000', place.secret)))
  const words = ['--import', 'tsx', '--input-type=module', '-e', script, job]
  const { signal } = await execa(process.execPath, words, { reject: false })
  await eventually('all of it to be gone', () => processesWith(place.secret).length === 0)
  expect([signal, existsSync(join(place.root, 'began'))]).toEqual(['SIGKILL', false])
})
