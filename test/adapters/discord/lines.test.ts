import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusal } from '../../../src/shapes/refusal.ts'
import { eventually } from '../../support/poll.ts'
import { bodyOf, openStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const texts = () => stage.house.heard.map(({ text }) => text)

/** Says something, and waits until it was heard. */
const heard = async (say: () => { id: string }) => {
  const id = `discord~${say().id}`
  return eventually(`the line ${id}`, () => stage.house.heard.find((line) => line.id === id))
}

test('a line is heard with who said it, as Discord vouches for it', async () => {
  const { guild, ada, channel } = stage
  const role = guild.role('deployers')
  guild.gives(ada, role.id)
  const line = await heard(() => ada.says(channel, '@claude-1 where is main?'))
  expect(line).toEqual({
    id: line.id,
    room: 'lobby',
    text: '@claude-1 where is main?',
    sender: { network: 'discord', account: ada.id, visit: null, nick: 'ada', bot: false, groups: [role.id] },
  })
})

test('the name of the bot at the beginning is left out, and the names of others are put in', async () => {
  const { discord, ada, grace, channel } = stage
  const me = `<@${discord.botId}>`
  const bell = '<a:bell:1234567890123456789>'
  const said = [
    [`${me} @claude do x`, '@claude do x'],
    [`${me}, do x`, 'do x'],
    [`${me} ${me} do x`, 'do x'],
    [`ask ${grace.mention} in <#${channel}> ${bell}`, 'ask @grace in #team :bell:'],
    [`what does ${me} say?`, `what does @${nameOfBot()} say?`],
    [me, '/help'],
    ['<@1> <#2> <@&3>', '<@1> <#2> <@&3>'],
  ] as const
  const read: string[] = []
  for (const [text] of said) read.push((await heard(() => ada.says(channel, text))).text)
  expect(read).toEqual(said.map(([, text]) => text))
})

const nameOfBot = () => stage.house.states.flatMap(({ detail }) => /^as (.+)$/.exec(detail)?.[1] ?? [])[0]

test('a reply that pings the bot does not count as its name', async () => {
  const { ada, channel, outlet, spot } = stage
  const sent = await outlet.send(spot, bodyOf({ content: 'said by the bot' }), { key: 'ping', again: false })
  const ref = sent.kind === 'sent' ? (sent.ref ?? '') : ''
  const line = await heard(() => ada.says(channel, 'thank you', { reply: ref }))
  expect(line.text).toBe('thank you')
})

test('files that come with a line are named after it', async () => {
  const { ada, channel } = stage
  const files = [{ name: 'trace.log', content: 'x'.repeat(2345) }]
  const line = await heard(() => ada.says(channel, 'look', { attachments: files }))
  expect(line.text.replace(/http\S+(?=\])/, 'URL')).toBe('look\n[file: trace.log, 2 KB, URL]')
})

test('what the bot said itself is dropped, and other bots are said to be bots', async () => {
  const { discord, guild, channel, house } = stage
  const robot = discord.user('robot', { bot: true })
  robot.joins(guild.id)
  const line = await heard(() => robot.says(channel, '@claude-1 work'))
  expect(line.sender?.bot).toBe(true)
  expect(house.drops.filter(({ code }) => code === 'own-echo').length).toBeGreaterThan(0)
  expect(texts()).not.toContain('said by the bot')
})

test('what is said elsewhere is not heard', async () => {
  const { ada, channel, other } = stage
  ada.says(other, 'elsewhere')
  await heard(() => ada.says(channel, 'here'))
  expect(texts()).not.toContain('elsewhere')
})

test('a line that the house cannot be reached for is said again under its id, and those behind it wait', async () => {
  const { ada, channel, house } = stage
  let failures = 3
  house.answerWith(() => {
    if (failures-- > 0) throw new Error('the house is away')
    return {}
  })
  ada.says(channel, 'first of two')
  await heard(() => ada.says(channel, 'second of two'))
  const tried = house.attempts.filter(({ text }) => text.endsWith('of two'))
  expect(tried.map(({ text }) => text.split(' ')[0])).toEqual(['first', 'first', 'first', 'first', 'second'])
  expect(new Set(tried.map(({ id }) => id)).size).toBe(2)
  house.answerWith(() => ({}))
})

test('a refusal that no room reads is a reply, once in a while, and one that has a post is left to it', async () => {
  const { discord, grace, channel, house } = stage
  const codes = ['draining', 'agent-unknown', 'draining'] as const
  const replies = () => discord.messages(channel).filter(({ content }) => content.includes('not now'))
  for (const code of codes) {
    house.answerWith(() => refusal(code, `not now @everyone`))
    await heard(() => grace.says(channel, `@claude-1 ${code}`))
  }
  house.answerWith(() => ({}))
  await heard(() => grace.says(channel, 'and on'))
  await eventually('the reply', () => replies().length > 0)
  expect(replies().map(({ content, mention_everyone, mentions }) => ({ content, mention_everyone, mentions }))).toEqual(
    [
      {
        content: 'not now @\u200beveryone [draining]\n-# wait for the instance to come back, then send it again',
        mention_everyone: false,
        mentions: [],
      },
    ],
  )
})

test('a whisper goes to who asked alone; to whom that is not possible, it is said how to ask', async () => {
  const { discord, ada, grace, channel, house } = stage
  house.answerWith(({ text }) => (text === '!pair' ? { whisper: 'your code is kfwqz' } : {}))
  grace.closesDms()
  ada.says(channel, '!pair')
  const asked = grace.says(channel, '!pair').id
  const dm = ada.opensDm().id
  await eventually('the whisper', () => discord.messages(dm).some(({ content }) => content === 'your code is kfwqz'))
  const reply = await eventually('the reply', () =>
    discord.messages(channel).find(({ message_reference }) => message_reference?.message_id === asked),
  )
  expect(reply.content).toBe(
    'The answer is for you alone, and you take no messages of mine: ask with the slash command.',
  )
  expect(discord.messages(channel).filter(({ content }) => content.includes('kfwqz'))).toEqual([])
  house.answerWith(() => ({}))
})

test('a reply and a whisper whose answer is lost on the way are said once', async () => {
  const { discord, ada, guild, channel, house } = stage
  const hopper = discord.user('hopper')
  hopper.joins(guild.id)
  const dm = ada.opensDm().id
  house.answerWith(({ text }) => (text === '!pair' ? { whisper: 'once alone' } : refusal('draining', 'once openly')))
  const POST = { method: 'POST', route: '/channels/:channel/messages' }
  discord.fail(POST, { status: 503, carriedOut: true, times: 1 })
  await heard(() => ada.says(channel, '!pair'))
  await heard(() => ada.says(channel, '!pair'))
  discord.fail(POST, { status: 503, carriedOut: true, times: 1 })
  await heard(() => hopper.says(channel, 'go'))
  house.answerWith(() => ({}))
  await heard(() => ada.says(channel, 'on'))
  const said = [...discord.messages(dm), ...discord.messages(channel)].filter(({ content }) =>
    content.startsWith('once'),
  )
  expect(said.map(({ content }) => content.split('\n')[0])).toEqual([
    'once alone',
    'once alone',
    'once openly [draining]',
  ])
})

test('a reply is said also where the bot may not read what was said before', async () => {
  const { discord, guild, channel, house } = stage
  const lovelace = discord.user('lovelace')
  lovelace.joins(guild.id)
  discord.deny(channel, 'READ_MESSAGE_HISTORY')
  house.answerWith(() => refusal('draining', 'without history'))
  await heard(() => lovelace.says(channel, 'go'))
  house.answerWith(() => ({}))
  await heard(() => lovelace.says(channel, 'on'))
  discord.allow(channel, 'READ_MESSAGE_HISTORY')
  expect(discord.messages(channel).filter(({ content }) => content.includes('without history')).length).toBe(1)
})

test('a line that is changed or deleted while its turn waits changes the turn or takes it out of the line', async () => {
  const { ada, channel, house } = stage
  const queue = new Map<string, string>()
  house.answerWith(({ id, text }) => {
    if (!text.startsWith('@claude-1 ')) return {}
    const turn = `${id}.claude-1`
    queue.set(turn, text.includes('begun') ? 'running' : 'accepted')
    return { assignments: [{ turn, session: 's1', agent: 'claude-1', peripheral: 'explore' }] }
  })
  house.lookWith(({ name }) =>
    name === 'queue' ? { turns: [...queue].map(([turn, state]) => ({ turn, state })) } : {},
  )
  const said = ['waits', 'is deleted', 'has begun'].map((text) => ada.says(channel, `@claude-1 ${text}`))
  await heard(() => ada.says(channel, 'nothing'))
  const [waits, deleted, begun] = said.map(({ id }) => id)
  const before = house.heard.length
  ada.edits(begun ?? '', '@claude-1 something else')
  ada.edits(waits ?? '', '@claude-1 look at the tests, too')
  ada.deletes(deleted ?? '')
  await heard(() => ada.says(channel, 'after'))
  const changes = house.heard.slice(before).filter(({ command }) => command !== undefined)
  expect(changes.map(({ command, room, sender }) => ({ command, room, who: sender?.nick }))).toEqual([
    {
      command: { name: 'amend', input: { turn: `discord~${waits}.claude-1`, text: 'look at the tests, too' } },
      room: 'lobby',
      who: 'ada',
    },
    {
      command: { name: 'unqueue', input: { turn: `discord~${deleted}.claude-1`, why: 'the line was deleted' } },
      room: 'lobby',
      who: 'ada',
    },
  ])
  house.answerWith(() => ({}))
})

const LINES = process.env['BELLHOP_LONG'] === '1' ? 10_000 : 1000
const SCRAPS = [
  '\u0000\u0002\u0003\u001b[31m',
  '@everyone',
  '<@1>',
  '<@&',
  '```',
  '/new x=',
  '!stop',
  '\ud83d',
  '\udece',
  '🛎',
  '\u202e',
  '\r\n',
  '<a:b:1>',
  '<#0>',
  '[x](http://y)',
  'z'.repeat(400),
  '@claude-1',
  ' ',
]

test(`${LINES} lines of whatever can be typed are heard, each once, in order and under its id`, async () => {
  const { ada, channel, house } = stage
  const before = house.heard.length
  // The same each time: what fails can be looked at again.
  let seed = 7
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  const ids: string[] = []
  for (let i = 0; i < LINES; i++) {
    const scraps = Array.from({ length: 1 + next(4) }, () => SCRAPS[next(SCRAPS.length)] ?? '')
    ids.push(`discord~${ada.says(channel, `${i} ${scraps.join('')}`.slice(0, 2000)).id}`)
  }
  await eventually('all of them', () => house.heard.length >= before + LINES, 280_000)
  expect(house.heard.slice(before).map(({ id }) => id)).toEqual(ids)
})
