import { expect, test } from 'vitest'
import { placeOf, shownAddress } from '../../src/redis/address.ts'

const plain = { username: null, password: null, tls: false, ca: null }

test.each([
  ['/run/redis.sock', { kind: 'socket', path: '/run/redis.sock', db: 0 }],
  ['/run/redis.sock?db=3', { kind: 'socket', path: '/run/redis.sock', db: 3 }],
  ['redis://desk', { kind: 'single', hosts: [{ host: 'desk', port: 6379 }], db: 0, ...plain }],
  [
    'rediss://bell:p%40ss@[::1]:6390/2?ca=/etc/ca.pem',
    {
      kind: 'single',
      hosts: [{ host: '::1', port: 6390 }],
      db: 2,
      username: 'bell',
      password: 'p@ss',
      tls: true,
      ca: '/etc/ca.pem',
    },
  ],
  [
    'redis+sentinel://:secret@one:26380,two/mymaster?db=1&sentinelPassword=watch',
    {
      kind: 'sentinel',
      hosts: [
        { host: 'one', port: 26380 },
        { host: 'two', port: 26379 },
      ],
      name: 'mymaster',
      db: 1,
      sentinel: { username: null, password: 'watch' },
      ...plain,
      password: 'secret',
    },
  ],
  [
    'rediss+cluster://bell:secret@one,two:7000',
    {
      kind: 'cluster',
      hosts: [
        { host: 'one', port: 6379 },
        { host: 'two', port: 7000 },
      ],
      username: 'bell',
      password: 'secret',
      tls: true,
      ca: null,
    },
  ],
])('%s is understood', (address, place) => {
  expect(placeOf(address)).toEqual(place)
})

test.each([
  ['localhost:6379', 'it is none of the forms that are known'],
  ['http://desk', 'it is none of the forms that are known'],
  ['redis+swarm://desk', 'there is no redis+swarm://'],
  ['redis://', 'a host is a name or an address, with a port after a colon where it is another'],
  ['redis://desk:99999', 'a host is a name or an address, with a port after a colon where it is another'],
  ['redis://one,two', 'several hosts are for redis+sentinel:// and redis+cluster://'],
  ['redis://desk/first', 'a database is a number'],
  ['redis://:50%@desk', 'a % in it is not followed by two digits'],
  ['redis://desk?tls=true', 'it has no parameter tls there; there is ca, db'],
  ['redis://desk?ca=/etc/ca.pem', 'a CA file is for rediss:// alone'],
  ['redis+sentinel://one,two', 'the name of the master comes after the Sentinels: …/mymaster'],
  ['redis+cluster://one/0', 'a cluster has one database, and nothing comes after its hosts'],
])('%s is told to be wrong, and why', (address, why) => {
  expect(() => placeOf(address)).toThrow(`REDIS_URL is not understood: ${why}`)
})

test('what is shown of an address has nothing secret in it', () => {
  expect([
    shownAddress('redis+sentinel://bell:secret@one,two/mymaster?sentinelPassword=watch'),
    shownAddress('rediss://:a@b@desk:6379/1'),
    shownAddress('/run/redis.sock'),
  ]).toEqual(['redis+sentinel://one,two/mymaster', 'rediss://desk:6379/1', '/run/redis.sock'])
})
