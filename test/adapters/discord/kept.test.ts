import { Client, GatewayDispatchEvents, type GatewayDispatchPayload, GatewayIntentBits, REST } from 'discord.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CACHES } from '../../../adapters/discord/caches.ts'
import { createPlaces } from '../../../adapters/discord/places.ts'
import { type FakeDiscord, startFakeDiscord } from '../../fake-discord/src/index.ts'
import { eventually } from '../../support/poll.ts'
import { openStage } from './stage.ts'

let discord: FakeDiscord
beforeAll(async () => {
  discord = await startFakeDiscord()
})
afterAll(() => discord.close())

test('of those who speak discord.js keeps nobody but the bot', async () => {
  const guild = discord.guild()
  const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages
  const client = new Client({ intents, makeCache: CACHES, rest: { api: discord.api } })
  const heard: string[] = []
  client.on('messageCreate', ({ id }) => void heard.push(id))
  await client.login(discord.token)
  await eventually('that it is there', () => client.isReady() && client.guilds.cache.size > 0)
  const said = Array.from({ length: 20 }, (_, i) => discord.user(`speaker${i}`).says(guild.channelId, 'hello').id)
  await eventually('all of them', () => heard.length === said.length)
  const members = client.guilds.cache.get(guild.id)?.members.cache
  expect([client.users.cache.size, members?.size, heard]).toEqual([1, 1, said])
  await client.destroy()
})

test('a place that was not seen is looked for again once something was heard there, and one that is deleted is forgotten', async () => {
  const guild = discord.guild()
  const rest = new REST({ version: '10', api: discord.api, retries: 0 }).setToken(discord.token)
  const places = createPlaces(rest)
  const channel = guild.channelId
  const asked = () => discord.requests.filter(({ path }) => path === `/channels/${channel}`).length
  const learn = (t: string, d: object) => places.learn({ op: 0, s: 1, t, d } as unknown as GatewayDispatchPayload)
  discord.fail({ method: 'GET', route: '/channels/:channel' }, { status: 500 })
  expect(await places.find(channel)).toBe(null)
  discord.deny(channel, 'VIEW_CHANNEL')
  expect([await places.find(channel), await places.find(channel), asked()]).toEqual([null, null, 2])
  discord.allow(channel, 'VIEW_CHANNEL')
  learn(GatewayDispatchEvents.MessageCreate, { channel_id: channel })
  expect((await places.find(channel))?.guild).toBe(guild.id)
  learn(GatewayDispatchEvents.ChannelDelete, { id: channel })
  expect(places.known(channel)).toBe(null)
})

test('so many lines of a channel wait for the house, and what does not find room is dropped with the reason', async () => {
  const stage = await openStage()
  const { ada, channel, house } = stage
  let arrive = (): void => undefined
  const back = new Promise<void>((done) => {
    arrive = done
  })
  house.answerWith(async () => {
    await back
    return {}
  })
  for (let i = 0; i < 10_003; i++) ada.says(channel, `line ${i}`)
  await eventually('the drops', () => house.drops.length === 3, 60_000)
  const drop = { code: 'draining', message: 'the house cannot be reached, and 10000 lines wait', who: 'ada' }
  expect(house.drops).toEqual([drop, drop, drop])
  arrive()
  await eventually('the lines', () => house.heard.length === 10_000, 60_000)
  await stage.close()
})
