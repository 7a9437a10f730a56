import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
