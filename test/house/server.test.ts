import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openServer } from '../../src/house/server.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse({ worker: false })
})
afterAll(() => house[Symbol.asyncDispose]())

test.each([
  ['/nothing', 404],
  ['/agents', 401],
  ['/rpc', 401],
])('who is turned away at %s and does not hang up is hung up on', async (path, status) => {
  const { hostname, port, host } = new URL(house.url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const seen = { said: '', closed: false }
  socket.on('data', (data) => {
    seen.said += data
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    seen.closed = true
  })
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`
  socket.write(
    [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Authorization: Bearer no', ...upgrade, key, '', ''].join('\r\n'),
  )
  await eventually('an answer', () => seen.said !== '')
  await eventually('the end of the connection', () => {
    if (!seen.closed) socket.write('still here')
    return seen.closed
  })
  expect(seen.said.split(' ')[1]).toBe(String(status))
})

test('many who come while the process is busy are let wait, and not left to try again', async () => {
  const server = await openServer({
    answer: (_request, response) => response.end(),
    doors: [],
    host: '127.0.0.1',
    port: 0,
    log: () => {},
  })
  const port = Number(new URL(server.url).port)
  const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
  const sockets = Array.from({ length: COMING }, () => connect(port, '127.0.0.1'))
  try {
    // They have knocked, and nobody is let in before the next round of the loop; the system may take a moment to line them up.
    await Promise.resolve().then(() => new Promise(process.nextTick))
    const all = Math.min(COMING, most + 1)
    const end = performance.now() + 10_000
    while (waitingAt(port) < all && performance.now() < end)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    expect(waitingAt(port)).toBe(all)
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.close(0)
  }
})

const COMING = 1000

/** How many connections the system holds for whoever listens at a port. */
const waitingAt = (port: number): number => {
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  const at = port.toString(16).toUpperCase().padStart(4, '0')
  const listening = rows.find(([, local = '', , state]) => local.endsWith(`:${at}`) && state === '0A')
  return Number.parseInt(listening?.[4]?.split(':')[1] ?? '', 16)
}
