import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkDiscord } from '../../../adapters/discord/index.ts'
import { configOf, openStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const check = (part: Parameters<typeof configOf>[2] = {}, token = stage.discord.token) =>
  checkDiscord({ config: configOf(stage.discord, stage.house, part), token })

test('a bot that has all it needs is found to have it', async () => {
  const { channel, guild, discord } = stage
  discord.allow(channel, 'PIN_MESSAGES')
  const findings = await check()
  expect(findings.map(({ name, state, fix }) => [name, state, fix])).toEqual([
    ['token', 'ok', null],
    ['message content', 'ok', null],
    [`channel ${channel}`, 'ok', null],
    [`commands in ${guild.id}`, 'ok', null],
  ])
})

test('a right that it can do without is optional, and said what for', async () => {
  const { discord, channel } = stage
  discord.deny(channel, 'PIN_MESSAGES')
  const finding = (await check()).find(({ name }) => name === `channel ${channel}`)
  expect(finding).toEqual({
    name: `channel ${channel}`,
    state: 'optional',
    detail:
      '#team: the bot may do there what it needs to; it lacks Pin Messages (to pin the board that says how things stand)',
    fix: "in Discord, open the settings of #team, then Permissions, and give the bot's role: Pin Messages",
  })
})

test('a token that is wrong is the one thing that is said', async () => {
  const [finding, ...more] = await check({}, 'wrong')
  expect([finding?.name, finding?.state, finding?.fix?.includes('Reset Token'), more]).toEqual([
    'token',
    'missing',
    true,
    [],
  ])
})

test('rights that are missing in a channel are named, and where to give them', async () => {
  const { discord, channel } = stage
  discord.deny(channel, 'ATTACH_FILES')
  discord.deny(channel, 'CREATE_PUBLIC_THREADS')
  const finding = (await check()).find(({ name }) => name === `channel ${channel}`)
  expect(finding).toEqual({
    name: `channel ${channel}`,
    state: 'missing',
    detail: '#team: the bot lacks Attach Files (to hand over long answers), Create Public Threads (to begin threads)',
    fix: "in Discord, open the settings of #team, then Permissions, and give the bot's role: Attach Files, Create Public Threads",
  })
  discord.allow(channel, 'ATTACH_FILES')
  discord.allow(channel, 'CREATE_PUBLIC_THREADS')
})

test('a channel that is not seen comes with the address that invites the bot', async () => {
  const channels = { '123456789012345678': 'lobby' }
  const finding = (await check({ channels })).find(({ name }) => name === 'channel 123456789012345678')
  expect(finding?.state).toBe('missing')
  const permissions = [10n, 11n, 14n, 15n, 16n, 35n, 38n, 51n].reduce((bits, bit) => bits | (1n << bit), 0n)
  expect(finding?.fix).toContain(
    `https://discord.com/oauth2/authorize?client_id=${stage.discord.applicationId}&permissions=${permissions}&scope=bot+applications.commands`,
  )
})

test('the message-content intent is missed where the config counts on it, and optional where it does not', async () => {
  stage.discord.setIntents({ messageContent: false })
  const content = async (part: { content: boolean }) =>
    (await check(part)).find(({ name }) => name === 'message content')?.state
  expect([await content({ content: true }), await content({ content: false })]).toEqual(['missing', 'optional'])
  stage.discord.setIntents({ messageContent: true })
})

test('a Discord that is not there is said not to be there', async () => {
  const findings = await check({ api: 'http://127.0.0.1:9/api' })
  expect(findings.map(({ name, state }) => [name, state])).toEqual([['Discord', 'missing']])
})
