import { afterEach, expect, test } from 'vitest'
import { createDiscord } from '../../../adapters/discord/index.ts'
import { startFakeDiscord } from '../../fake-discord/src/index.ts'
import { eventually } from '../../support/poll.ts'
import { createHouse } from './house.ts'
import { configOf, launch, openStage, type Stage, type StageOptions, start } from './stage.ts'

const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const open = async (options: StageOptions = {}): Promise<Stage> => {
  const stage = await openStage(options)
  opened.push(stage)
  return stage
}

const heardIn = ({ house }: Pick<Stage, 'house'>) => house.heard.map(({ text }) => text)

test('a token that Discord does not take is reported with a way out, and not tried again', async () => {
  const discord = await startFakeDiscord()
  const guild = discord.guild()
  const house = createHouse({ channels: { [guild.channelId]: 'lobby' } })
  const adapter = createDiscord({ config: configOf(discord, house), token: 'wrong', port: house.port })
  const over = new AbortController()
  const running = adapter.run(over.signal)
  opened.push({ close: async () => discord.close() })
  const refused = await eventually('the report', () => house.states.find(({ state }) => state === 'refused'))
  expect(refused.detail).toContain('Reset Token')
  const sent = await adapter.outlet.send(
    { channel: guild.channelId, room: 'lobby', watched: false, show: 'normal' },
    adapter.outlet.card?.of(VIEW),
    { key: 'x', again: false },
  )
  expect(sent.kind).toBe('later')
  expect([discord.gateway.identified, discord.invalidRequests]).toEqual([0, 3])
  over.abort()
  await running
})

const VIEW = {
  turn: 'm1.claude-1',
  session: 's1',
  room: 'lobby',
  agent: 'claude-1',
  peripheral: null,
  by: 'ada',
  request: 'x',
  state: 'running',
  detail: '',
  ahead: 0,
  steps: { taken: 0, failed: 0, refused: 0 },
  approval: null,
  accepted: '2026-03-01T12:00:00.000Z',
  started: null,
  ended: null,
} as const

test('an intent that is not allowed is reported with where to allow it, and not tried again', async () => {
  const discord = await startFakeDiscord({ intents: { messageContent: false } })
  const guild = discord.guild()
  const house = createHouse({ channels: { [guild.channelId]: 'lobby' } })
  const { stop } = launch(discord, house)
  opened.push({ close: async () => discord.close() })
  const refused = await eventually('the report', () => house.states.find(({ state }) => state === 'refused'))
  expect(refused.detail).toContain('switch Message Content Intent on')
  expect([discord.gateway.identified, discord.gateway.connections]).toEqual([0, 0])
  await stop()
})

test('a token that is taken away while it is connected is reported, too', async () => {
  const { discord, house } = await open()
  discord.resetToken()
  const refused = await eventually('the report', () => house.states.find(({ state }) => state === 'refused'))
  expect([refused.detail.includes('Reset Token'), discord.gateway.identified]).toEqual([true, 1])
})

test('without the intent, commands and lines that mention the bot are heard, and that is said once', async () => {
  const stage = await open({ discord: { intents: { messageContent: false } }, config: { content: false } })
  const { ada, channel, discord, house } = stage
  ada.says(channel, 'nobody hears this')
  ada.says(channel, `<@${discord.botId}> @claude-1 do x`)
  const used = ada.slash(channel, 'who')
  await eventually('both to be heard', () => house.heard.length === 2)
  expect(heardIn(stage)).toEqual(['@claude-1 do x', '/who'])
  expect(used.id).toBeTruthy()
  expect(house.logs.filter((log) => log.includes('intent')).length).toBe(1)
})

test('a connection that is lost is resumed, and nothing is heard twice', async () => {
  const stage = await open()
  const { ada, channel, discord, house } = stage
  ada.says(channel, 'one')
  await eventually('the first line', () => house.heard.length === 1)
  discord.gateway.dropAll()
  ada.says(channel, 'two')
  await eventually('the second line', () => heardIn(stage).includes('two'))
  ada.says(channel, 'three')
  await eventually('the third line', () => heardIn(stage).includes('three'))
  expect(house.attempts.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
  expect([discord.gateway.identified, discord.gateway.resumed]).toEqual([1, 1])
  expect(house.states.map(({ state }) => state)).toEqual(['connecting', 'connected', 'lost', 'connected'])
})

test('where it cannot be resumed, what was said meanwhile is looked up, in order and once', async () => {
  const stage = await open()
  const { ada, channel, discord, house } = stage
  ada.says(channel, 'line 0')
  await eventually('the first line', () => house.heard.length === 1)
  discord.gateway.refuse()
  discord.gateway.forget()
  discord.gateway.dropAll()
  for (let i = 1; i <= 150; i++) ada.says(channel, `line ${i}`)
  discord.gateway.admit()
  await eventually('a new session', () => discord.gateway.identified >= 2)
  ada.says(channel, 'line 151')
  await eventually('the last line', () => heardIn(stage).includes('line 151'))
  expect(house.attempts.map(({ text }) => text)).toEqual(Array.from({ length: 152 }, (_, i) => `line ${i}`))
})

test('what cannot be looked up at once is looked up again, and what is said meanwhile waits for it', async () => {
  const stage = await open()
  const { ada, channel, discord, house } = stage
  ada.says(channel, 'line 0')
  await eventually('the first line', () => house.heard.length === 1)
  discord.gateway.refuse()
  discord.gateway.forget()
  discord.gateway.dropAll()
  for (const i of [1, 2]) ada.says(channel, `line ${i}`)
  discord.fail({ method: 'GET', route: '/channels/:channel/messages' }, { status: 500, times: 2 })
  discord.gateway.admit()
  await eventually('a new session', () => discord.gateway.identified >= 2)
  ada.says(channel, 'line 3')
  await eventually('the last line', () => heardIn(stage).includes('line 3'))
  expect(house.attempts.map(({ text }) => text)).toEqual(['line 0', 'line 1', 'line 2', 'line 3'])
})

test('the first lines of a channel and of a thread are heard also where they are said while nobody listens', async () => {
  const stage = await open()
  const { ada, channel, discord, guild, house } = stage
  const quiet = guild.channel('quiet').id
  house.bind(quiet, 'attic')
  house.answerWith(({ command }) => (command?.name === 'new' ? { answer: 't-01new  2026-03-01 12:00' } : {}))
  const used = ada.slash(channel, 'new', { name: 'a thread' })
  await eventually('the thread', () => used.state === 'answered')
  const thread = house.port.channels().find(({ room }) => room === 't-01new')?.channel ?? ''
  expect(house.memory.get(`seen/${thread}`)).toBe(String(BigInt(used.id) - 1n))
  const rooms = { [channel]: 'lobby', [quiet]: 'attic', [thread]: 't-01new' }
  await stage.stop()
  // It is there once, and finds nothing in the quiet channel.
  const once = createHouse({ channels: rooms, memory: house.memory })
  const first = await start(discord, once)
  await eventually('that both are remembered', () => [quiet, thread].every((one) => house.memory.has(`seen/${one}`)))
  await first.stop()
  const said = [ada.says(quiet, 'the first here'), ada.says(thread, 'the first there')]
  const again = createHouse({ channels: rooms, memory: house.memory })
  const { stop } = await start(discord, again)
  await eventually('both lines', () => again.heard.length === 2)
  expect(new Set(again.heard.map(({ id, room, text }) => `${id} ${room} ${text}`))).toEqual(
    new Set([`discord~${said[0]?.id} attic the first here`, `discord~${said[1]?.id} t-01new the first there`]),
  )
  await stop()
})

test('after a restart it goes on where it was; of very much the newest is heard, and the rest is counted', async () => {
  const stage = await open()
  const { ada, channel, discord, house } = stage
  ada.says(channel, 'before')
  await eventually('the first line', () => house.heard.length === 1)
  await eventually('that it is remembered', () => house.memory.get(`seen/${channel}`))
  await stage.stop()
  for (let i = 1; i <= 520; i++) ada.says(channel, `line ${i}`)
  const again = createHouse({ channels: { [channel]: 'lobby' }, memory: house.memory })
  const { stop } = await start(discord, again)
  await eventually('the lines', () => again.heard.length >= 500)
  expect(again.heard.map(({ text }) => text)).toEqual(Array.from({ length: 500 }, (_, i) => `line ${i + 21}`))
  expect(again.heard[0]?.sender).toEqual({
    network: 'discord',
    account: ada.id,
    visit: null,
    nick: 'ada',
    bot: false,
    groups: [],
  })
  const dropped = again.drops.filter(({ code }) => code === 'request-too-large')
  expect(dropped.map(({ message }) => message)).toEqual([
    `20 lines that were said in ${channel} while the bot was away are too many to be heard`,
  ])
  await stop()
})

test('a channel that the bot is not in is told of, with the way to invite it', async () => {
  const discord = await startFakeDiscord()
  discord.guild()
  const house = createHouse({ channels: { '123456789012345678': 'lobby' } })
  const { stop } = launch(discord, house)
  opened.push({ close: async () => discord.close() })
  const told = await eventually('the report', () => house.states.find(({ detail }) => detail.includes('does not see')))
  expect(told.detail).toContain(`client_id=${discord.applicationId}&permissions=`)
  await stop()
})
