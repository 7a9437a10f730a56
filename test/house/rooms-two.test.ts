import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { type FakeDiscord, type Guild, type Person as Member, startFakeDiscord } from '../fake-discord/src/index.ts'
import { OWNER } from '../support/gateway.ts'
import type { Person } from '../support/irc-person.ts'
import { type Ngircd, startNgircd } from '../support/ngircd.ts'
import { eventually } from '../support/poll.ts'
import { comesTo, discordNetwork, exchange, hears, ircNetwork, pairs, type Rooms, saidTo, startRooms, TOKEN } from '../support/rooms.ts'
import { must } from '../support/store.ts'

let server: Ngircd
let discord: FakeDiscord
let guild: Guild
let rooms: Rooms
let ada: Person
let grace: Member
beforeAll(async () => {
  server = await startNgircd({ penaltySeconds: 0 })
  discord = await startFakeDiscord()
  guild = discord.guild({ channels: ['team', 'porch'] })
  grace = discord.user('grace')
  grace.joins(guild.id)
  rooms = await startRooms({
    networks: {
      home: ircNetwork(server, { '#team': 'lobby' }),
      cord: discordNetwork(discord, { [guild.channelId]: 'lobby' }),
    },
    config: { people: { grace: { role: 'approver', accounts: [`cord/${grace.id}`] } }, drainMs: 1000 },
    variables: { [TOKEN]: discord.token },
  })
  ada = await comesTo(server, 'ada')
  await pairs(rooms, ada)
})
afterAll(async () => {
  await rooms[Symbol.asyncDispose]()
  await discord.close()
  await server.stop()
})

const show = () => console.log(discord.messages(guild.channelId).map((m) => JSON.stringify({ by: m.author.username, c: m.content, e: m.embeds, b: m.components })).join('\n'), saidTo(ada))
const wait = (ms: number) => new Promise((r) => setTimeout(r, ms))

test('x', async () => {
  void [createClient, OWNER, eventually, exchange, hears, must, expect]
  ada.say('#team', 'hello there')
  ada.say('#team', '@claude-1 read README.md')
  await wait(2500)
  grace.says(guild.channelId, 'hi **you** @everyone')
  grace.says(guild.channelId, '@claude-1 find TODO')
  await wait(2500)
  console.log(must(await rooms.admin.command('profile', { to: 'careful' }, { room: 'lobby' })))
  ada.say('#team', '!edit @codex-1 create new.txt with "new"')
  await wait(3000)
  show()
})
