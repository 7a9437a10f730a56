import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDiscord } from '../../../adapters/discord/index.ts'
import { bodyOf, configOf, openStage, type Stage, spotOf } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const send = (content: string, key = content, again = false) =>
  stage.outlet.send(stage.spot, bodyOf({ content }), { key, again })
const shown = (content: string) => stage.discord.messages(stage.channel).filter((one) => one.content.includes(content))
const POST = { method: 'POST', route: '/channels/:channel/messages' }

test('what was carried out and not answered is said once, however often it is tried', async () => {
  const { discord } = stage
  discord.fail(POST, { drop: 'after' })
  const first = await send('dropped')
  expect(first.kind).toBe('unsure')
  expect((await send('dropped', 'dropped', true)).kind).toBe('sent')
  expect(shown('dropped').map(({ content }) => content)).toEqual(['dropped'])
})

test('the nonce keeps it from being said twice also where nobody looked', async () => {
  const one = await send('nonce', 'same')
  expect(await send('nonce', 'same')).toEqual(one)
  expect(shown('nonce').length).toBe(1)
})

test('after the nonce is forgotten, it is looked for, and where that is not possible it says that it may be again', async () => {
  const { discord, channel } = stage
  discord.fail(POST, { status: 503, carriedOut: true, times: 2 })
  expect((await send('forgotten')).kind).toBe('unsure')
  discord.pass(3_600_000)
  expect((await send('forgotten', 'forgotten', true)).kind).toBe('sent')
  expect(shown('forgotten').map(({ content }) => content)).toEqual(['forgotten'])

  expect((await send('never said', 'never said', true)).kind).toBe('sent')
  expect(shown('never said').map(({ content }) => content)).toEqual(['never said'])

  discord.deny(channel, 'READ_MESSAGE_HISTORY')
  expect((await send('who knows', 'who knows', true)).kind).toBe('sent')
  expect(shown('who knows').map(({ content }) => content)).toEqual(['(again?) who knows'])
  discord.allow(channel, 'READ_MESSAGE_HISTORY')
})

test('what was said before a start is found again also before the gateway has told who the bot is', async () => {
  const { discord, house, spot } = stage
  expect((await send('from before')).kind).toBe('sent')
  discord.pass(3_600_000)
  const config = configOf(discord, house)
  const { outlet } = createDiscord({ config, token: discord.token, port: house.port })
  const again = (content: string) => outlet.send(spot, bodyOf({ content }), { key: content, again: true })
  expect(await again('from before')).toEqual({ kind: 'sent', ref: shown('from before')[0]?.id })
  discord.fail({ method: 'GET', route: '/users/@me' }, { status: 500, times: 2 })
  expect((await again('from whom?')).kind).toBe('sent')
  expect([...shown('from before'), ...shown('from whom?')].map(({ content }) => content)).toEqual([
    'from before',
    '(again?) from whom?',
  ])
})

test('where the bot may not read what was said before, it answers without replying to it', async () => {
  const { ada, channel, discord, outlet, spot } = stage
  const line = ada.says(channel, 'a question')
  discord.deny(channel, 'READ_MESSAGE_HISTORY')
  const body = bodyOf({ content: 'an answer', reply: line.id })
  expect((await outlet.send(spot, body, { key: 'no history', again: false })).kind).toBe('sent')
  discord.allow(channel, 'READ_MESSAGE_HISTORY')
  expect(shown('an answer').map(({ content, type }) => ({ content, type }))).toEqual([
    { content: 'an answer', type: 0 },
  ])
})

test('a card that may have been shown is found by what stands below it, and brought up to date', async () => {
  const { discord, outlet, spot, channel } = stage
  const card = (description: string) => bodyOf({ embed: { description, footer: { text: 'lobby · m1.claude-1' } } })
  discord.fail(POST, { drop: 'after' })
  expect((await outlet.send(spot, card('queued'), { key: 'card', again: false })).kind).toBe('unsure')
  discord.pass(3_600_000)
  expect((await outlet.send(spot, card('running'), { key: 'card', again: true })).kind).toBe('sent')
  const cards = discord.messages(channel).filter(({ embeds }) => embeds[0]?.footer?.text === 'lobby · m1.claude-1')
  expect(cards.map(({ embeds }) => embeds[0]?.description)).toEqual(['running'])
})

test('what cannot be reached is later, and what may have been carried out is unsure', async () => {
  const { discord, outlet, spot } = stage
  discord.fail(POST, { status: 502, times: 2 })
  expect((await send('server error')).kind).toBe('unsure')
  discord.fail(POST, { drop: 'before' })
  expect((await send('dropped before')).kind).toBe('unsure')
  const sent = await outlet.send(spot, bodyOf({ content: 'x'.repeat(2001) }), { key: 'long', again: false })
  expect(sent.kind).toBe('never')
})

test('a rate limit is waited for, and nothing is lost by it', async () => {
  const { discord } = stage
  discord.fail(POST, { retryAfter: 0.2 })
  expect((await send('limited')).kind).toBe('sent')
  expect(shown('limited').length).toBe(1)
})

test('a right that was taken is waited for, told once, and told to be back', async () => {
  const { discord, channel, house } = stage
  const before = house.states.length
  discord.deny(channel, 'SEND_MESSAGES')
  const [one, two] = [await send('forbidden'), await send('forbidden')]
  expect([one.kind, two.kind]).toEqual(['later', 'later'])
  expect(one.kind === 'later' && (one.afterMs ?? 0) >= 60_000).toBe(true)
  discord.allow(channel, 'SEND_MESSAGES')
  expect((await send('forbidden')).kind).toBe('sent')
  expect(house.states.slice(before)).toEqual([
    {
      state: 'connected',
      detail: `may not write in the channel ${channel} (Missing Permissions): \`bellhop doctor\` says which right is missing`,
    },
    { state: 'connected', detail: `may write in the channel ${channel} again` },
  ])
  const nowhere = await stage.outlet.send(spotOf('123456789012345678'), bodyOf({ content: 'x' }), {
    key: 'n',
    again: false,
  })
  expect(nowhere.kind).toBe('later')
})

test('a change of what was deleted says that it is gone', async () => {
  const { outlet, spot, discord } = stage
  const edited = await outlet.edit?.(spot, '123456789012345678', bodyOf({ content: 'x' }))
  expect(edited?.kind).toBe('gone')
  expect(discord.invalidRequests).toBeLessThan(20)
})

test('a thread that was put away takes messages and changes again, unless it is locked', async () => {
  const { discord, ada, channel, outlet } = stage
  const thread = ada.opensThread(channel, 'a thread').id
  const spot = spotOf(thread)
  const say = (content: string) => outlet.send(spot, bodyOf({ content }), { key: content, again: false })
  const sent = await say('before')
  const ref = sent.kind === 'sent' ? (sent.ref ?? '') : ''
  discord.archive(thread)
  expect((await outlet.edit?.(spot, ref, bodyOf({ content: 'changed' })))?.kind).toBe('sent')
  expect(discord.message(ref)?.content).toBe('changed')
  discord.archive(thread)
  expect((await say('after')).kind).toBe('sent')
  expect(discord.channel(thread)?.thread_metadata?.archived).toBe(false)
  discord.archive(thread)
  discord.lock(thread)
  expect((await say('locked')).kind).toBe('later')
})

test('an answer that was given in its place is not said again; one that nobody remembers is', async () => {
  const { house, outlet, spot } = stage
  house.memory.set('answered/discord~77', '1')
  const body = (receipt: string) => bodyOf({ content: `receipt of ${receipt}`, receipt })
  expect(await outlet.send(spot, body('discord~77'), { key: 'r77', again: false })).toEqual({ kind: 'sent', ref: null })
  expect((await outlet.send(spot, body('discord~78'), { key: 'r78', again: false })).kind).toBe('sent')
  expect(shown('receipt of').map(({ content }) => content)).toEqual(['receipt of discord~78'])
})
