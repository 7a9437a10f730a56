import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { converse } from '../../src/client/converse.ts'
import { listen } from '../../src/rig/loopback.ts'
import { startWorldServer } from '../../src/world/server.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'

const patience = () => AbortSignal.timeout(60_000)

/** A world that can be told to keep its answers to moves to itself; it hears what it is told all the same. */
const startMute = async () => {
  const world = await startWorldServer()
  const heard: string[] = []
  let mute = false
  const front = await listen((asked, response) => {
    const chunks: Buffer[] = []
    asked.on('data', (chunk: Buffer) => chunks.push(chunk))
    asked.on('end', async () => {
      const body = Buffer.concat(chunks).toString()
      const { method = 'GET', url = '' } = asked
      const post = { method, headers: { 'content-type': 'application/json' }, body }
      const answer = await fetch(`${world.url}${url}`, method === 'POST' ? post : {})
      if (url === '/step') heard.push(body)
      if (mute && url === '/step') return
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
  })
  return {
    url: front.url,
    heard,
    setMute: (on: boolean) => {
      mute = on
    },
    [Symbol.asyncDispose]: async () => {
      await front.close()
      await world.close()
    },
  }
}

test('a worker that is killed in the middle of a move leaves it made, once: the game goes on from there', async () => {
  using workspace = testWorkspace()
  await using world = await startMute()
  const config = workspace.write('world.yaml', `world: { server: "${world.url}" }\n`)
  await using instance = await startUp({ workspace: workspace.path, args: ['--config', config] })
  const ask = async (text: string): Promise<string> =>
    must(await converse(instance.client, { room: 'lobby', text }, patience()))
      .replies.map((one) => one.text)
      .join('\n')

  await ask('/world new clean-then-place 11')
  await ask('/world act go to cabinet 1')
  world.setMute(true)
  const answering = ask('/world act open cabinet 1')
  await eventually('the move to be told', () => world.heard.length === 2)
  const [worker] = await instance.pidsOf('worker')
  process.kill(worker ?? 0, 'SIGKILL')
  await eventually('the worker to be back', async () => {
    const [again] = await instance.pidsOf('worker')
    return again !== undefined && again !== worker
  })
  world.setMute(false)

  // The step has no outcome, and nobody makes the move a second time by himself.
  expect(await answering).toContain('no outcome was written')
  expect(await ask('/world act take apple 1 from cabinet 1')).toBe('You take the apple 1 from the cabinet 1.')
  const { look } = must(await instance.client.ask('worlds', { game: 'lobby-1' }))
  expect(look?.log.map(({ n, action }) => `${n} ${action}`)).toEqual([
    '1 go to cabinet 1',
    '2 open cabinet 1',
    '3 take apple 1 from cabinet 1',
  ])
  expect(look?.map?.players).toEqual([{ player: 'tickle-1', at: 'cabinet 1', holds: 'apple 1' }])
  expect((await bellhop(['verify', '--all', '--data', instance.data])).exitCode).toBe(0)
})

test('in a shell a game is played with `bellhop world`, looked at with `bellhop worlds`, and served with `bellhop world-server`', async () => {
  const cli = join(import.meta.dirname, '../../dist/src/cli.js')
  const serving = execa(process.execPath, [cli, 'world-server', '--port', '0', '--json'], {
    reject: false,
    stdin: 'ignore',
  })
  let said = ''
  serving.stdout.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const { url } = await eventually('the server to say where it is', () => said.includes('\n') && JSON.parse(said))

  using workspace = testWorkspace()
  const config = workspace.write('world.yaml', `world: { server: "${url}" }\n`)
  const instance = await startUp({ workspace: workspace.path, args: ['--config', config] })
  const run = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await bellhop([...args, '--data', instance.data])
    return [stdout || stderr, exitCode]
  }
  expect([
    (await run('world', 'new', 'clean-then-place', '11'))[1],
    await run('world', 'act', 'go', 'to', 'cabinet', '1'),
    await run('worlds'),
    await run('worlds', 'nowhere-1'),
  ]).toEqual([
    0,
    ['You go to the cabinet 1. The cabinet 1 is closed.', 0],
    ['lobby-1 playing, clean-then-place: clean an apple and put it on a sidetable; 1 move (tickle-1 1)', 0],
    [expect.stringContaining('there is no game nowhere-1'), 1],
  ])
  expect((await run('worlds', 'lobby-1'))[0]).toContain('cabinet 1 (closed): apple 1, bowl 1, egg 4')
  await instance.stop()
  serving.kill('SIGTERM')
  expect((await serving).exitCode).toBe(0)
})
