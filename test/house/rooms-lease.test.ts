import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBridge } from '../../src/house/bridge.ts'
import { chanceOf } from '../drills/chance.ts'
import { startProxy } from '../drills/proxy.ts'
import { type Ngircd, startNgircd } from '../support/ngircd.ts'
import { eventually } from '../support/poll.ts'
import { comesTo, hears, ircNetwork, type Rooms, saidTo, startRooms } from '../support/rooms.ts'
import { must } from '../support/store.ts'

let server: Ngircd
let rooms: Rooms
beforeAll(async () => {
  server = await startNgircd({ penaltySeconds: 0 })
  rooms = await startRooms({
    networks: { home: ircNetwork(server, { '#team': 'lobby' }) },
    config: { lease: { ms: 3000, heartbeatMs: 500 } },
  })
})
afterAll(async () => {
  await rooms[Symbol.asyncDispose]()
  await server.stop()
})

/** What somebody was heard to say in the channel. */
const heard = async (): Promise<string[]> =>
  (await rooms.entries({ event: 'message' })).flatMap(({ body }) =>
    body?.event === 'message' && body.text.startsWith('heard') ? [body.text] : [],
  )

test('of two bridges one is on a network; the other takes over when that one leaves, and nothing is said or heard twice', async () => {
  await using ada = await comesTo(server, 'ada')
  const second = await startBridge(rooms.settings)
  try {
    for (const [text, before] of [
      ['one', async () => {}],
      ['two', () => rooms.stopBridge()],
    ] as const) {
      await before()
      must(await rooms.admin.say({ room: 'lobby', text: `@grace ${text}` }))
      await hears(ada, new RegExp(`@grace ${text}$`))
      ada.say('#team', `heard ${text}?`)
      await eventually(`${text} to be heard`, async () => (await heard()).includes(`heard ${text}?`))
    }
    await rooms.untilOn()
    expect(
      saidTo(ada)
        .filter((line) => line.includes('@grace'))
        .map((line) => line.replace(/^<.*> /, '')),
    ).toEqual(['@grace one', '@grace two'])
    expect(await heard()).toEqual(['heard one?', 'heard two?'])
    const joined = ada.lines.filter(({ command, nick }) => command === 'JOIN' && nick?.startsWith('bellhop'))
    expect(joined.map(({ nick }) => nick)).toEqual(['bellhop'])
  } finally {
    await second.stop()
  }
})

test('a bridge that is cut off from Redis alone leaves the network before another is on it, and comes back when it has the lease again', async () => {
  await rooms.stopBridge()
  const toRedis = await startProxy({ path: rooms.redis.address }, chanceOf())
  const cutOff = await startBridge({ ...rooms.settings, redis: `redis://127.0.0.1:${toRedis.port}` })
  await rooms.untilOn()
  await using ada = await comesTo(server, 'ada')
  const comings = (): string[] =>
    ada.lines.flatMap(({ command, nick }) =>
      nick?.startsWith('bellhop') && /^(?:JOIN|PART|QUIT)$/.test(command) ? [`${command} ${nick}`] : [],
    )
  const said = async (text: string): Promise<void> => {
    ada.say('#team', `heard ${text}?`)
    await eventually(`${text} to be heard`, async () => (await heard()).includes(`heard ${text}?`))
    must(await rooms.admin.say({ room: 'lobby', text: `@grace ${text}` }))
    await hears(ada, new RegExp(`@grace ${text}$`))
  }
  const second = await startBridge(rooms.settings)
  try {
    await said('three')
    toRedis.weather('hole')
    await eventually('the other to be there', () => comings().length === 2)
    await rooms.untilOn()
    await said('four')
    toRedis.weather('through')
    await second.stop()
    await rooms.untilOn()
    await said('five')
    // Nobody came while another was there: that one would have had another nick.
    expect(comings()).toEqual(['QUIT bellhop', 'JOIN bellhop', 'QUIT bellhop', 'JOIN bellhop'])
    expect((await heard()).slice(-3)).toEqual(['heard three?', 'heard four?', 'heard five?'])
    expect(
      saidTo(ada)
        // What was in flight when it was cut off may be said again, and says so.
        .filter((line) => line.includes('@grace') && !line.startsWith('(again?) '))
        .map((line) => line.replace(/^<.*> /, '')),
    ).toEqual(['@grace three', '@grace four', '@grace five'])
  } finally {
    await second.stop()
    await cutOff.stop()
    await toRedis.close()
  }
})
