import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { createFront, type Front } from '../../src/console/front.ts'
import type { Env } from '../../src/console/house.ts'

/** What is made of a request that comes from an address with some headers. */
const seen = async (front: Partial<Front>, remoteAddress: string, headers: Record<string, string> = {}) => {
  const { addressOf, isSecure } = createFront({ public: null, proxies: [], ...front })
  const app = new Hono<Env>().get('/', (c) => c.json([addressOf(c), isSecure(c)]))
  const answer = await app.request('/', { headers }, { incoming: { socket: { remoteAddress } } })
  return answer.json()
}

const PUBLIC = { public: 'https://bellhop.example.org' }
const SAYS = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }

type Row = [string, Partial<Front>, [string, Record<string, string>], [string, boolean]]

test.each<Row>([
  ['nobody expects a proxy', {}, ['127.0.0.1', SAYS], ['127.0.0.1', false]],
  ['one on this machine', PUBLIC, ['127.0.0.1', SAYS], ['203.0.113.9', true]],
  ['one on this machine, by IPv6', PUBLIC, ['::1', SAYS], ['203.0.113.9', true]],
  ['one on this machine, by both', PUBLIC, ['::ffff:127.0.0.1', SAYS], ['203.0.113.9', true]],
  ['somebody who is no proxy', PUBLIC, ['203.0.113.1', SAYS], ['203.0.113.1', false]],
  ['one that the config names', { ...PUBLIC, proxies: ['10.0.0.2'] }, ['10.0.0.2', SAYS], ['203.0.113.9', true]],
  ['one beside it', { ...PUBLIC, proxies: ['10.0.0.2'] }, ['10.0.0.3', SAYS], ['10.0.0.3', false]],
  ['one of a network', { ...PUBLIC, proxies: ['fd00::/8'] }, ['fd12::1', SAYS], ['203.0.113.9', true]],
  ['one that was named and no public address', { proxies: ['10.0.0.2'] }, ['10.0.0.2', SAYS], ['10.0.0.2', false]],
  ['one that speaks no TLS', PUBLIC, ['127.0.0.1', { ...SAYS, 'x-forwarded-proto': 'http' }], ['203.0.113.9', false]],
  [
    'one that was told something before: what it saw itself is last',
    PUBLIC,
    ['127.0.0.1', { 'x-forwarded-for': '192.0.2.66, 203.0.113.9' }],
    ['203.0.113.9', false],
  ],
  ['one that says nonsense', PUBLIC, ['127.0.0.1', { 'x-forwarded-for': 'unknown' }], ['127.0.0.1', false]],
  ['one that says only the name', PUBLIC, ['127.0.0.1', { host: 'bellhop.example.org' }], ['127.0.0.1', true]],
  ['a browser on this machine', PUBLIC, ['127.0.0.1', { host: 'localhost:7070' }], ['127.0.0.1', false]],
])('%s', async (_who, front, [from, headers], came) => {
  expect(await seen(front, from, headers)).toEqual(came)
})

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::1', '2001:db8:1:2'],
  ['2001:0DB8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
])('whoever has %s has all of %s', async (address, network) => {
  expect(await seen({}, address)).toEqual([network, false])
})
