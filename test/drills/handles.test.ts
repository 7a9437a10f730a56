import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { chanceOf, LONG, times } from './chance.ts'
import { drillHouse, type Fault } from './drill.ts'
import { LEASE_MS, startHouse } from './house.ts'
import { nothingWrong } from './reckoning.ts'

/** As many as a process often may have; and how many come. */
const HANDLES = 1024
const CONNECTIONS = 1200

/** Many who come to a door, and say nothing. */
const crowd: Fault = async (house) => {
  const { hostname, port } = new URL(house.urls[0] ?? '')
  const sockets: Socket[] = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    return socket
  })
  await setTimeout(LEASE_MS)
  expect(house.members.map((member) => member.endedBy())).toEqual(house.members.map(() => null))
  for (const socket of sockets) socket.destroy()
}

test(
  'a gateway without a file handle left for those who come says so, recovers, and loses nothing',
  async () => {
    const chance = chanceOf()
    await using house = await startHouse({
      chance,
      through: (part) => (part === 'gateway' ? ['prlimit', `--nofile=${HANDLES}:${HANDLES}`] : []),
    })
    const faults = Array.from({ length: times(2, 20) }, () => crowd)
    const { reckoning } = await drillHouse(house, { drill: 'out of file handles', chance, faults, patienceMs: 1000 })
    expect(reckoning).toEqual(nothingWrong(reckoning))
    const log = readFileSync(join(house.data, 'log/gateway.log'), 'utf8').trim().split('\n')
    const warned = log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)
    expect(warned.map(({ msg, most }) => ({ msg, most }))).toEqual([
      { msg: 'connections were turned away: there are too many', most: HANDLES - 128 },
    ])
  },
  LONG ? 1_800_000 : 180_000,
)
