import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { Client, type Transport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveMcpStdio } from '../../src/mcp/stdio.ts'
import { eventually } from '../support/poll.ts'
import { must, said } from '../support/store.ts'
import { ERAS, type Era } from './clients.ts'
import { startMcpHouse, type TestMcp } from './house.ts'

let house: TestMcp
beforeAll(async () => {
  house = await startMcpHouse({ limits: { hopMs: 100, roundMs: 20, holdMs: 60_000 } })
})
afterAll(() => house[Symbol.asyncDispose]())

/** The client's end of a pipe: lines of JSON, one a message. */
const lineTransport = (from: PassThrough, to: PassThrough): Transport => {
  let rest = ''
  const transport: Transport = {
    start: async () => {
      from.on('data', (chunk: Buffer) => {
        const lines = `${rest}${chunk}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) transport.onmessage?.(JSON.parse(line))
      })
    },
    send: async (message) => void to.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      to.end()
      transport.onclose?.()
    },
  }
  return transport
}

const speak = async (token: string, era: Era) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = await serveMcpStdio(house.house, await house.principal(token), { input, output })
  const client = new Client(
    { name: 'a-test', version: '1' },
    era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  )
  const told: string[] = []
  client.setNotificationHandler('notifications/tools/list_changed', () => void told.push('tools'))
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
  await client.connect(lineTransport(output, input))
  return { client, served, told }
}

test.each(ERAS)(
  'over a pipe it is the same as at the door: the list, the wording, the hop, and what is watched (%s)',
  async (era) => {
    const name = `piped-${era}`
    const { client, served, told } = await speak(await house.agent({ agent: name }), era)
    const { specs } = house.house
    const uri = 'evidence://subject/room/lobby'
    if (era === 'modern') await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] })
    else await client.subscribeResource({ uri })
    const names = async () => (await client.listTools()).tools.map((tool) => tool.name)
    expect(await names()).toEqual(specs.get('explore')?.tools)
    await expect(client.callTool({ name: 'write', arguments: {} })).rejects.toThrow('write is not a tool of explore')
    expect(await client.callTool({ name: 'read', arguments: { path: 'README.md' } })).toMatchObject({
      structuredContent: { kind: 'ok' },
    })
    must(await house.store.append([said(`line-${era}`, 'hello')]))
    await eventually('the resource to be told', () => told.includes(uri))
    await client.callTool({ name: 'hop', arguments: { to: 'edit' } })
    await eventually('the change to be told', () => told.includes('tools'))
    expect(await names()).toEqual(specs.get('edit')?.tools)
    // Whoever hangs up does not come back: the seat is given up.
    const session = (await house.store.openSession('lobby', name))?.id ?? ''
    expect(await house.way.leases.isHeld(session)).toBe(true)
    await client.close()
    await served.closed
    await served.close()
  },
)

test('a token that is taken back ends the pipe', async () => {
  const token = await house.agent({ agent: 'expelled' })
  const { served } = await speak(token, 'legacy')
  await house.revoke(token)
  await served.closed
})

test('what is given up by hanging up is written down before the program ends', async () => {
  const name = 'hung-up'
  const { client, served } = await speak(await house.agent({ agent: name }), 'legacy')
  await client.callTool({ name: 'read', arguments: { path: 'README.md' } })
  rmSync(house.ripgrep.started, { force: true })
  writeFileSync(house.ripgrep.hold, '')
  const call = client.callTool({ name: 'grep', arguments: { pattern: 'TODO' } }).catch(() => 'gone')
  await eventually('the search to run', () => existsSync(house.ripgrep.started))
  await client.close()
  await call
  await served.closed
  await served.close()
  const session = (await house.store.openSession('lobby', name))?.id ?? ''
  const events = (await house.store.chain(session)).map(({ body }) => body.event)
  expect(events).toContain('stop-asked')
  rmSync(house.ripgrep.hold, { force: true })
})
