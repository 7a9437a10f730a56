import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { WebSocket } from 'ws'
import { openStore } from '../../src/evidence/store.ts'
import { hashOfToken, mintToken, newToken } from '../../src/evidence/tokens.ts'
import { folderAt } from '../../src/house/folder.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { ServerFrame } from '../../src/shapes/wire.ts'
import { scratch } from '../support/folder.ts'
import { agentGrant } from '../support/grant.ts'
import { startUp } from '../support/instance.ts'
import { ADA, must } from '../support/store.ts'
import { measure, type Row } from './report.ts'

const AGENTS = 1000
/** How many of them connect at once, and how many are given work. */
const AT_ONCE = 20
const AT_WORK = 50

/** One machine is both ends here: a lease that would do for a program of its own would lapse while this one is busy. */
const CONFIG = `
lease: { ms: 30000, heartbeatMs: 5000 }
rooms: [{ id: lobby, faces: [web, terminal, cli, api], mode: execute, listener: null }]
`

type Invoke = Extract<ServerFrame, { type: 'invoke' }>
type Connected = Awaited<ReturnType<typeof connect>>

/** A thousand agents at one gateway: how long it takes them to come, what they weigh, and what they wait. */
export const manyAgents = async (): Promise<string> => {
  using workspace = scratch()
  workspace.write('README.md', '# teapot\n')
  using data = scratch()
  using settings = scratch()
  const config = settings.write('bench.yaml', CONFIG)
  const tokens = await tokensIn(data.path)
  await using instance = await startUp({ workspace: workspace.path, data: data.path, args: ['--config', config] })
  const [gateway = 0] = await instance.pidsOf('gateway')
  const url = `${instance.url.replace(/^http/, 'ws')}/agents`

  const before = await megabytesOf(gateway)
  const agents: Connected[] = []
  const came = await measure('connect', AGENTS, AT_ONCE, async (i) => {
    agents.push(await connect(url, tokens[i] ?? ''))
  })
  const connected = await megabytesOf(gateway)
  const ping = await measure('ping', AGENTS, 1, (i) => at(agents, i).ask({ type: 'ping' }))
  const work = await measure('work', AT_WORK, 1, async (i) => {
    const agent = at(agents, i)
    const invoked = agent.invoked()
    must(await instance.client.say({ room: 'lobby', text: `@${agent.name} read it` }))
    await done(agent, await invoked)
  })
  const afterwards = await megabytesOf(gateway)
  await Promise.all(agents.map((agent) => agent.close()))

  const each = ((connected - before) * 1024) / AGENTS
  return [
    `${AGENTS} agents at one gateway (printed, no target)`,
    `  connecting         ${(AGENTS / came.perSecond).toFixed(1)} s, ${came.perSecond.toFixed(0)} a second; ${spread(came)}`,
    `  memory             ${before.toFixed(0)} MB before, ${connected.toFixed(0)} MB with all, ${afterwards.toFixed(0)} MB afterwards`,
    `  for each agent     ${each.toFixed(0)} KB`,
    `  ping, at rest      ${spread(ping)}`,
    `  say, invoke, read, result  ${spread(work)} (${AT_WORK} of them, one after the other)`,
    '',
  ].join('\n')
}

const spread = ({ p50, p99 }: Row): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`

const at = (agents: readonly Connected[], i: number): Connected => {
  const agent = agents[i]
  if (!agent) throw new Error(`there is no agent ${i}`)
  return agent
}

/** The tokens of all of them, written before anybody opens the store. */
const tokensIn = async (data: string): Promise<string[]> => {
  const store = await openStore({ url: folderAt(data).store, clock: systemClock })
  const tokens = Array.from({ length: AGENTS }, newToken)
  const made = tokens.map((token, i) => {
    const grant = agentGrant({ agent: `agent-${i}`, peripherals: ['explore'] })
    return mintToken(store, { hash: hashOfToken(token), grant, label: 'a bench', expires: null }, ADA)
  })
  for (const one of await Promise.all(made)) must(one)
  await store.close()
  return tokens
}

const megabytesOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

/** A program that is an agent, as small as can be: a thousand of them are in this process. */
const connect = async (url: string, token: string) => {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } })
  const waiting = new Map<string, (frame: ServerFrame) => void>()
  let asked = 0
  let work: (invoke: Invoke) => void = () => {}
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as ServerFrame
    if (frame.type === 'invoke') return work(frame)
    const re = 're' in frame ? (frame.re ?? '') : ''
    waiting.get(re)?.(frame)
    waiting.delete(re)
  })
  await once(socket, 'open')

  const ask = async <T extends ServerFrame['type']>(frame: { type: string } & Record<string, unknown>, answer?: T) => {
    const id = `f${++asked}`
    const answered = new Promise<ServerFrame>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, ...frame }))
    const told = await answered
    if (told.type === 'error' || (answer && told.type !== answer))
      throw new Error(`${frame.type} was answered ${JSON.stringify(told)}`)
    return told as Extract<ServerFrame, { type: T }>
  }

  const { nonce } = await ask({ type: 'hello', protocol: '1.1' }, 'challenge')
  const answer = createHmac('sha256', token).update(nonce).digest('hex')
  const { agent: name } = await ask({ type: 'ready', answer }, 'welcome')
  return {
    name,
    ask,
    invoked: () =>
      new Promise<Invoke>((resolve) => {
        work = resolve
      }),
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

const done = async ({ ask, name }: Connected, { invoke_id }: Invoke): Promise<void> => {
  await ask({ type: 'tool_action', tool: 'read', args: { path: 'README.md' } }, 'tool_result')
  await ask({ type: 'invoke_result', invoke_id, result: name }, 'invoke_ended')
}
