import { existsSync, readdirSync, readFileSync, renameSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { createRedactor } from '../../src/evidence/redact.ts'
import { openLog } from '../../src/lib/log.ts'
import { openLogFile } from '../../src/lib/log-file.ts'
import { builtModule } from '../support/built.ts'
import { scratch } from '../support/folder.ts'

const redact = createRedactor(['instance-secret-1'])

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

test('lines are JSON with a constant message and fields, from their level on, and nothing is said after the end', () => {
  const out = new PassThrough()
  const log = openLog({ to: out, part: 'worker', level: 'info', verbose: null, redact })
  log.debug('too much', {})
  log.info('a turn ended', { turn: 'm1.claude-1' })
  log.error('it broke')
  log.close()
  log.info('late')
  expect(linesOf(String(out.read()))).toEqual([
    { level: 30, time: expect.any(Number), part: 'worker', pid: process.pid, turn: 'm1.claude-1', msg: 'a turn ended' },
    { level: 50, time: expect.any(Number), part: 'worker', pid: process.pid, msg: 'it broke' },
  ])
  expect(log.complaints()).toEqual([{ at: expect.any(String), message: 'it broke' }])
})

test('secrets are taken out of messages and fields, however deep, and by the names they stand under', () => {
  const out = new PassThrough()
  const log = openLog({ to: out, part: 'gateway', level: 'debug', verbose: null, redact })
  log.warn('failed with instance-secret-1', {
    token: 'a',
    nested: { list: [{ Authorization: 'Bearer x', 'api-key': 'k', db_password: 'p', fine: 'instance-secret-1 here' }] },
    error: 'connect to postgres://ada:hunter2secret@host failed',
    tokens: 12,
  })
  const [line] = linesOf(String(out.read()))
  expect(line).toEqual({
    level: 40,
    time: expect.any(Number),
    part: 'gateway',
    pid: process.pid,
    msg: expect.not.stringContaining('instance-secret-1'),
    token: '[redacted]',
    nested: {
      list: [
        {
          Authorization: '[redacted]',
          'api-key': '[redacted]',
          db_password: '[redacted]',
          fine: expect.not.stringContaining('instance-secret-1'),
        },
      ],
    },
    error: expect.not.stringContaining('hunter2secret'),
    tokens: 12,
  })
})

test('a file that is full is renamed, as many full ones are kept as were asked for, and no line is cut in two', () => {
  using folder = scratch()
  const file = join(folder.path, 'log', 'worker.log')
  const log = openLogFile({ file, megabytes: 0.001, files: 2 })
  for (let i = 0; i < 100; i++) log.write(`${JSON.stringify({ i, fill: 'x'.repeat(80) })}\n`)
  log.close()
  const names = readdirSync(join(folder.path, 'log')).sort()
  expect(names).toEqual(['worker.log', 'worker.log.1', 'worker.log.2'])
  const kept = ['.2', '.1', ''].flatMap((end) =>
    linesOf(readFileSync(`${file}${end}`, 'utf8')).map(({ i }) => i as number),
  )
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => 100 - kept.length + n))
  expect([statSync(file).size <= 1000, statSync(file).mode & 0o777]).toEqual([true, 0o600])
})

test('two processes may share a file: one that was renamed under us is left, and not renamed again', () => {
  using folder = scratch()
  const file = join(folder.path, 'worker.log')
  const ours = openLogFile({ file, megabytes: 0.0001, files: 3 })
  ours.write(`${'a'.repeat(90)}\n`)
  renameSync(file, `${file}.1`)
  folder.write('worker.log', 'theirs\n')
  ours.write(`${'b'.repeat(90)}\n`)
  ours.close()
  expect([existsSync(`${file}.2`), readFileSync(file, 'utf8')]).toEqual([false, `theirs\n${'b'.repeat(90)}\n`])
})

test('one that was quiet while others renamed the file writes where they do, and knows how long they made it', () => {
  using folder = scratch()
  const file = join(folder.path, 'worker.log')
  const [quiet, busy] = [1, 2].map(() => openLogFile({ file, megabytes: 0.0001, files: 2 }))
  quiet?.write('begun\n')
  for (const name of 'abcd') busy?.write(`${name.repeat(90)}\n`)
  quiet?.write('still here\n')
  quiet?.close()
  busy?.close()
  expect(['', '.1', '.2'].map((end) => readFileSync(`${file}${end}`, 'utf8'))).toEqual([
    'still here\n',
    `${'d'.repeat(90)}\n`,
    `${'c'.repeat(90)}\n`,
  ])
})

test('processes that find a file full at once rename it once: every line is kept, and none is renamed before it is full', async () => {
  using folder = scratch()
  const file = join(folder.path, 'worker.log')
  const [lines, most] = [400, 5000]
  const program = `
    const { openLogFile } = await import(process.argv[1])
    const log = openLogFile({ file: process.argv[2], megabytes: ${most / 1_000_000}, files: 50 })
    for (let i = 0; i < ${lines}; i++) log.write(process.argv[3] + String(i).padStart(98, '.') + '\\n')`
  const names = ['a', 'b', 'c']
  const options = ['--input-type=module', '--eval', program]
  await Promise.all(names.map((name) => execa(process.execPath, [...options, builtModule('lib/log-file'), file, name])))
  const kept = readdirSync(folder.path)
  const found = kept.flatMap((name) => readFileSync(join(folder.path, name), 'utf8').trim().split('\n'))
  const written = names.flatMap((name) => Array.from({ length: lines }, (_, i) => name + String(i).padStart(98, '.')))
  expect(found.sort()).toEqual(written.sort())
  const early = kept.filter((name) => name !== 'worker.log' && statSync(join(folder.path, name)).size <= most - 100)
  expect(early).toEqual([])
})

test('the mark of a process that was killed while it renamed holds nobody up for long', () => {
  using folder = scratch()
  const mark = folder.write('worker.log.turning', '')
  const file = join(folder.path, 'worker.log')
  const log = openLogFile({ file, megabytes: 0.0001, files: 2 })
  const full = `${'a'.repeat(90)}\n`
  log.write(full)
  log.write(full)
  expect([readFileSync(file, 'utf8'), existsSync(mark)]).toEqual([full + full, true])
  utimesSync(mark, 1, 1)
  for (let i = 0; i < 2; i++) log.write(full)
  log.close()
  expect(readdirSync(folder.path).map((name) => [name, readFileSync(join(folder.path, name), 'utf8')])).toEqual([
    ['worker.log', full],
    ['worker.log.1', full.repeat(3)],
  ])
})
