import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadHouse } from '../../src/config/load.ts'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { hashOf } from '../../src/evidence/hash.ts'
import { createLane } from '../../src/queue/lane.ts'
import { createMailbox } from '../../src/queue/mailbox.ts'
import { connect } from '../../src/redis/redis.ts'
import type { Author, Body } from '../../src/shapes/evidence.ts'
import type { ToolCall } from '../../src/shapes/peripheral.ts'
import { eventually } from '../support/poll.ts'
import { type Several, startSeveral } from '../support/several.ts'
import { ADA, CLAUDE, must, said } from '../support/store.ts'

const SESSION = 's-1'
/** Says what it is written, for as long as it runs. */
const ECHO = "process.stdin.on('data', (text) => process.stdout.write('heard ' + text))\n"
const READS = 6

/** A turn behind the wall of edit, as an agent would have it, and the way to ask for its steps. */
const openTurn = async (it: Several) => {
  const redis = connect(it.redis?.address ?? '', () => {})
  const prefix = `bellhop-${it.secrets.instance}`
  const mailbox = createMailbox(redis, prefix, 'steps')
  const lane = createLane({ redis, prefix, name: 'steps' })
  const { specs } = loadHouse(join(import.meta.dirname, '../../config'), it.configFile)
  const wall = specs.get('edit')
  const entry = (id: string, author: Author, body: Body, inReplyTo: string) =>
    sessionDraft({ session: SESSION, room: 'lobby', agent: 'claude-1', id, author, body, inReplyTo })
  const [room, agent, peripheral] = ['lobby', 'claude-1', 'edit']
  must(
    await it.store.append([
      said('m1', 'to work'),
      entry('s-1.opened', ADA, { event: 'session-opened', agent, room }, 'm1'),
      entry('t1', ADA, { event: 'accepted', agent, room, peripheral, request: 'to work', role: 'operator' }, 'm1'),
      entry('t1.started', CLAUDE, { event: 'turn-started', turn: 't1' }, 't1'),
      entry(
        't1.peripheral',
        CLAUDE,
        {
          event: 'peripheral-started',
          turn: 't1',
          peripheral,
          tools: wall?.tools ?? [],
          spec: hashOf(wall),
          entry: 'user-request',
        },
        't1.started',
      ),
    ]),
  )
  let n = 0
  return {
    /** Asks for a step once nobody is at the session, as an agent does that thinks in between. */
    ask: async (call: ToolCall) => {
      const step = `t1.${n++}`
      await eventually('nobody to be at it', async () => (await lane.depth()) === 0)
      const author = CLAUDE
      await mailbox.put(SESSION, JSON.stringify({ kind: 'call', session: SESSION, turn: 't1', step, author, call }))
      await lane.wake(SESSION)
      const { body } = await eventually(`${step} to have an outcome`, () => it.store.get(`${step}.outcome`))
      return body?.event === 'step-ended' ? body.outcome : body
    },
    [Symbol.asyncDispose]: async () => {
      mailbox.close()
      await lane.close()
      redis.disconnect()
    },
  }
}

const terminal = (args: Record<string, unknown>): ToolCall => ({ tool: 'terminal', args: { name: 'dev', ...args } })

test('what runs in a terminal is read and written by whoever has it, however many take steps; it is with nobody once that one is gone', async () => {
  await using it = await startSeveral({ files: { 'echo.cjs': ECHO } })
  const args = ['--queues', 'steps']
  const workers = await Promise.all([it.start('worker', { args }), it.start('worker', { args })])
  await using turn = await openTurn(it)
  const started = await turn.ask({ tool: 'run', args: { argv: ['node', 'echo.cjs'], terminal: 'dev' } })
  expect(started).toMatchObject({ kind: 'ok' })
  for (let i = 0; i < READS; i++) {
    expect(await turn.ask(terminal({ do: 'write', text: `${i}\n` }))).toMatchObject({ kind: 'ok' })
    expect(await turn.ask(terminal({ do: 'read', wait: 20 }))).toMatchObject({ kind: 'ok', output: `heard ${i}` })
  }
  const redis = connect(it.redis?.address ?? '', () => {})
  const holder = await redis.get(`bellhop-${it.secrets.instance}:terminals:${SESSION}`)
  redis.disconnect()
  const [has] = workers.filter(({ pid }) => holder?.split('/')[1] === String(pid))
  has?.kill('SIGKILL')
  await has?.ended
  expect(await turn.ask(terminal({ do: 'read' }))).toMatchObject({
    kind: 'failed',
    message: 'there is no terminal dev; there are none',
  })
})
