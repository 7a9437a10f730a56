import { PassThrough } from 'node:stream'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { haveDone } from '../../docs/examples/editor.ts'
import { relay } from '../../src/commands/app-server.ts'
import { RPC_BYTES } from '../../src/shapes/rpc.ts'
import { scratch } from '../support/folder.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

const CLI = [process.execPath, '--import', 'tsx', 'src/cli.ts', 'app-server']
const INITIALIZE = '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"x"}}}\n'

/** Says these lines, and nothing more; answers what came out, line by line. */
const converse = async (address: { url: string; token: string }, input: string | Buffer) => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  stdin.end(input)
  await relay(address, stdin, stdout)
  stdout.end()
  const lines = (await stdout.toArray()).join('').split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line))
}

const own = () => ({ url: house.url, token: house.tokens.admin })

test('every line is a message, and all are answered before it ends', async () => {
  const lines = [INITIALIZE, '\n', '{"id":2,"method":"thread/list"}\n', 'nonsense\n', '{"id":3,"method":"model/list"}']
  const said = await converse(own(), lines.join(''))
  expect(said.map(({ id, error }) => [id, error?.code])).toEqual([
    [1, undefined],
    [2, undefined],
    [null, -32_700],
    [3, undefined],
  ])
})

test('a line that is too long is answered, and what comes after it is heard', async () => {
  const long = Buffer.concat([Buffer.alloc(3 * RPC_BYTES, 'x'), Buffer.from(`\n${INITIALIZE}`)])
  const said = await converse(own(), long)
  expect(said.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32_600],
    [1, undefined],
  ])
})

test('an instance that does not let us in, is not there, or goes away, is a problem with a way out', async () => {
  const problem = (address: { url: string; token: string }) =>
    converse(address, INITIALIZE).catch(({ message, fix }) => [message, fix])
  expect(await problem({ ...own(), token: 'nobody' })).toEqual([
    `${house.url} did not let us in (401)`,
    'give a token that holds with --token: `bellhop token mint` makes one',
  ])
  expect(await problem({ url: 'http://127.0.0.1:1', token: 'x' })).toEqual([
    'http://127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
    'start it with `bellhop up`, or give another --url',
  ])
})

test('as a program, where no instance runs, it says so and writes nothing else', async () => {
  using folder = scratch()
  const [program = '', ...args] = CLI
  const { stdout, stderr, exitCode } = await execa(program, [...args, '--data', folder.path], {
    reject: false,
    input: INITIALIZE,
  })
  expect([stdout, stderr, exitCode]).toEqual([
    '',
    `bellhop: no Bellhop runs on ${folder.path}\n  start one with \`bellhop up\`, or name its folder with --data DIR`,
    1,
  ])
})

test('the editor of the docs has something done, and lets a person decide', async () => {
  const command = [...CLI, '--url', house.url, '--token', house.tokens.admin]
  const shown: string[] = []
  const asked: unknown[] = []
  const request = 'use write {"path": "editor.txt", "text": "hi", "escalate": {"why": "a note"}}'
  const answer = await haveDone(
    command,
    request,
    (line) => shown.push(line),
    async ({ opens }) => {
      asked.push(opens)
      return 'accept'
    },
  )
  expect([asked, shown]).toEqual([['change editor.txt with write'], ['write: completed']])
  expect(answer).toContain('created editor.txt')
})
