import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkIrc } from '../../../adapters/irc/index.ts'
import type { Sent, Spot } from '../../../src/chat/outlet.ts'
import type { Line } from '../../../src/chat/port.ts'
import type { Post } from '../../../src/shapes/post.ts'
import type { Person } from '../../support/irc-person.ts'
import { type Ngircd, startNgircd, startNgircdPair } from '../../support/ngircd.ts'
import { eventually } from '../../support/poll.ts'
import {
  AGENT,
  type Bot,
  beginBot,
  comeTo,
  configFor,
  isIn,
  NO_SECRETS,
  offences,
  POST,
  startBot,
  startWire,
} from './stage.ts'

let server: Ngircd
beforeAll(async () => {
  server = await startNgircd({ penaltySeconds: 0 })
})
afterAll(() => server.stop())

/** What a room of the house has heard of somebody. */
const heardOf = ({ house }: Bot, nick: string): Line[] => house.heard.filter(({ sender }) => sender?.nick === nick)

const hears = (bot: Bot, text: string): Promise<Line> =>
  eventually(`the house to hear ${text}`, () => bot.house.heard.find((line) => line.text === text))

const sees = (person: Person, text: string | RegExp): Promise<{ nick: string; text: string }> =>
  eventually(`${person.nick} to see ${text}`, () =>
    person.heard().find((one) => (typeof text === 'string' ? one.text === text : text.test(one.text))),
  )

/** Says something in a channel, and answers what came of it. */
const send = ({ irc }: Bot, channel: string, text: string): Promise<Sent> => {
  const spot: Spot = { channel, room: 'lobby', watched: false, show: 'normal' }
  const post: Post = { ...POST, kind: 'notice', text }
  const [piece] = irc.outlet.pieces(post, spot)
  return irc.outlet.send(spot, piece?.body, { key: 'x', again: false })
}

test('where a server has no accounts, a stay is known by what nobody else can have, and only while it lasts', async () => {
  await using bot = await startBot({ server })
  await using ada = await comeTo(server, 'ada')
  ada.say('#team', 'one')
  ada.say('#team', 'two')
  await hears(bot, 'two')
  const [first, second] = heardOf(bot, 'ada').map(({ sender }) => sender)
  expect(first).toEqual({ network: 'net', account: null, visit: first?.visit, nick: 'ada', bot: false, groups: [] })
  expect(first?.visit).toMatch(/^v-[a-z0-9]{20}$/)
  expect(second).toEqual(first)

  // Somebody else who takes the name has nothing of it, whichever way it became free.
  ada.raw('NICK lovelace')
  await using grace = await comeTo(server, 'ada')
  grace.say('#team', 'spoofed')
  ada.say('#team', 'renamed')
  const spoofed = await hears(bot, 'spoofed')
  const renamed = await hears(bot, 'renamed')
  grace.raw('PART #team')
  await grace.join('#team')
  grace.say('#team', 'back')
  const back = await hears(bot, 'back')
  const visits = [first, spoofed.sender, renamed.sender, back.sender].map((sender) => sender?.visit)
  expect(new Set(visits).size).toBe(4)
  expect(visits.every((visit) => /^v-[a-z0-9]{20}$/.test(visit ?? ''))).toBe(true)
})

test('lines are heard as text; notices, and what is asked of clients, are not heard', async () => {
  await using bot = await startBot({ server })
  await using ada = await comeTo(server, 'ada')
  ada.notice('#team', 'a notice')
  ada.raw('TOPIC #team :a topic')
  ada.say('#team', '\x01VERSION\x01')
  ada.say('#team', '\x0304red\x03 \x02bold\x0f 5')
  ada.say('#team', '\x01ACTION waves\x01')
  ada.say('#TEAM', 'bellhop: help')
  ada.raw(Buffer.from('PRIVMSG #team :half \xe2\x82 and \xff', 'latin1'))
  ada.say('#team', 'end')
  await hears(bot, 'end')
  const texts = heardOf(bot, 'ada').map(({ room, text }) => `${room} ${text}`)
  expect(texts).toEqual([
    'lobby red bold 5',
    'lobby * ada waves',
    'lobby /help',
    'lobby half \ufffd and \ufffd',
    'lobby end',
  ])
})

test('CTCP is answered for VERSION and PING, and for nothing else', async () => {
  await using bot = await startBot({ server })
  await using ada = await comeTo(server, 'ada')
  for (const asked of ['TIME', 'DCC SEND x 1 2 3', 'CLIENTINFO', 'VERSION']) ada.say('bellhop', `\x01${asked}\x01`)
  await sees(ada, '\x01VERSION Bellhop 1.2.3, a bot\x01')
  // It does not answer anybody as often as they like.
  await eventually('the next answer', () => {
    ada.say('bellhop', '\x01PING 12 34\x01')
    return ada.heard('ada').length > 1
  })
  ada.say('#team', 'end')
  await hears(bot, 'end')
  expect(ada.heard('ada').map(({ kind, text }) => [kind, text])).toEqual([
    ['NOTICE', '\x01VERSION Bellhop 1.2.3, a bot\x01'],
    ['NOTICE', '\x01PING 12 34\x01'],
  ])
})

test('in private only !pair is heard, its code is in no text, and what it answers is for them alone', async () => {
  await using bot = await startBot({ server })
  bot.house.answerWith(({ command }) =>
    command ? { whisper: `the code is ${command.input['code'] ?? 'ABCDE'}` } : null,
  )
  await using ada = await comeTo(server, 'ada')
  await using grace = await comeTo(server, 'grace', { channel: '#other' })
  ada.say('bellhop', 'do something')
  await sees(ada, /^talk to me in #team/)
  ada.say('bellhop', '!pair')
  await sees(ada, 'the code is ABCDE')
  ada.say('bellhop', 'pair XYZ12')
  await sees(ada, 'the code is XYZ12')
  // Who is in no channel with us cannot be told from anybody else.
  grace.say('bellhop', '!pair XYZ12')
  // Nor is it for them to know where we are.
  await sees(grace, 'talk to me in a channel that I am in; here I only hear !pair, from whoever is there')
  const lines = bot.house.heard.map(({ room, text, command, sender }) => ({ room, text, command, nick: sender?.nick }))
  expect(lines).toEqual([
    { room: 'lobby', text: '/pair', command: { name: 'pair', input: {} }, nick: 'ada' },
    { room: 'lobby', text: '/pair', command: { name: 'pair', input: { code: 'XYZ12' } }, nick: 'ada' },
  ])
})

test('a password is not told to whoever calls himself NickServ', async () => {
  await using thief = await comeTo(server, 'NickServ')
  const config = { account: 'bellhop', secret: 'IRC_SECRET' }
  await using bot = await startBot({ server, config, secrets: { secret: 'hotel-lobby' } })
  const why = 'there is neither SASL nor a NickServ that is a service of the server'
  expect(bot.house.states.at(-1)?.detail).toBe(`as bellhop on ${server.host}; ${why}; in #team`)
  expect(thief.lines.filter(({ raw }) => raw.includes('hotel-lobby'))).toEqual([])
})

test('a nick that is taken is replaced for now, and taken back when it is free', async () => {
  await using other = await comeTo(server, 'bellhop')
  await using bot = await startBot({ server })
  expect(bot.house.states.at(-1)).toEqual({
    state: 'connected',
    detail: `as bellhop_ (bellhop is taken) on ${server.host}; in #team`,
  })
  await other.quit()
  await eventually('the nick to be ours', () =>
    bot.house.states.some(({ detail }) => detail === `as bellhop on ${server.host}; in #team`),
  )
  // It is called by its name, whatever it has.
  await using ada = await comeTo(server, 'ada')
  ada.say('#team', 'bellhop: who')
  await hears(bot, '/who')
})

test('a nick that is too long for the server is shortened', async () => {
  await using bot = await startBot({ server, config: { nick: 'bellhop-of-the-house' } })
  expect(bot.house.states.at(-1)?.detail).toBe(`as bellhop-o on ${server.host}; in #team`)
})

test('whoever throws it out sees it come back, also after a ban, and it says that it was away', async () => {
  await using ada = await comeTo(server, 'ada', { channel: '#kicks' })
  await using bot = await startBot({ server, config: { channels: { '#kicks': 'lobby' } } })
  ada.kick('#kicks', 'bellhop', 'be gone')
  await sees(ada, /^I was away for \d+ s/)
  ada.ban('#kicks', 'bellhop!*@*')
  ada.kick('#kicks', 'bellhop', 'for good')
  await eventually('the ban to be noticed', () =>
    bot.house.states.at(-1)?.detail.includes('NOT in #kicks: we are banned'),
  )
  // What is to be said meanwhile waits.
  bot.house.post({ kind: 'answer', author: AGENT, text: 'while banned' })
  ada.mode('#kicks', '-b bellhop!*@*')
  await sees(ada, '\x02claude-1\x02: while banned')
  ada.say('#kicks', 'heard again')
  await hears(bot, 'heard again')
  const said = bot.house.states.map(({ detail }) => detail).filter((detail) => /banned|threw/.test(detail))
  expect(said.at(-1)).toBe(`as bellhop on ${server.host}; NOT in #kicks: we are banned from it`)
})

test('a channel with a key is entered with it; where it is moderated, what is said waits', async () => {
  await using ada = await comeTo(server, 'ada', { channel: '#key' })
  ada.mode('#key', '+k sesame')
  const secrets = { keys: { '#key': 'sesame' } }
  await using bot = await startBot({ server, config: { channels: { '#key': 'lobby' } }, secrets })
  ada.mode('#key', '+m')
  await ada.until(({ command, params }) => command === 'MODE' && params[1] === '+m', 'the channel to be moderated')
  const sent = await send(bot, '#key', 'not heard')
  expect(sent).toEqual({ kind: 'later', why: expect.stringMatching(/cannot send/i), afterMs: expect.any(Number) })
  ada.mode('#key', '-m')
  await ada.until(({ command, params }) => command === 'MODE' && params[1] === '-m', 'the channel to be open')
  expect(await send(bot, '#key', 'heard')).toEqual({ kind: 'sent', ref: null })
  expect(await send(bot, '#elsewhere', 'never heard')).toEqual({
    kind: 'never',
    why: '#elsewhere is not a channel of net',
  })
  await sees(ada, 'heard')
  expect(ada.heard('#key').map(({ text }) => text)).toEqual(['heard'])
})

test('a server that is gone is come back to, with what was to be said meanwhile, once and in order', async () => {
  await using own = await startNgircd({ penaltySeconds: 0 })
  await using bot = await startBot({ server: own })
  await own.kill()
  await eventually('the loss to be noticed', () => bot.house.states.at(-1)?.state === 'lost')
  for (const text of ['one', 'two']) bot.house.post({ kind: 'answer', author: AGENT, text })
  expect((await send(bot, '#team', 'never heard')).kind).toBe('later')
  await own.restart()
  await using ada = await comeTo(own, 'ada')
  await bot.house.delivered()
  bot.house.post({ kind: 'answer', author: AGENT, text: 'three' })
  await sees(ada, '\x02claude-1\x02: three')
  await eventually('the bot to be back', () => isIn(bot.house))
  expect(bot.house.failed).toEqual([])
})

test('who is killed by an operator comes back, with what was to be said meanwhile', async () => {
  await using ada = await comeTo(server, 'ada', { channel: '#kill' })
  await using bot = await startBot({ server, config: { channels: { '#kill': 'lobby' } } })
  ada.raw(`OPER ${server.operator.name} ${server.operator.password}`)
  await ada.until(({ command }) => command === '381', 'to be an operator')
  const texts = Array.from({ length: 10 }, (_, i) => `line ${i}`)
  for (const text of texts) bot.house.post({ kind: 'notice', text })
  await sees(ada, 'line 2')
  ada.raw('KILL bellhop :be gone')
  await sees(ada, /^(?:\(again\?\) )?line 9$/)
  await eventually('that to be known', () =>
    bot.house.states.find(({ state, detail }) => state === 'lost' && detail.includes('be gone')),
  )
  const said = ada.heard('#kill').flatMap(({ kind, text }) => (kind === 'PRIVMSG' ? [text] : []))
  expect([...new Set(said.map((text) => text.replace('(again?) ', '')))]).toEqual(texts)
  const unmarked = said.filter((text) => !text.startsWith('(again?) '))
  expect(unmarked).toEqual([...new Set(unmarked)])
})

test('each channel leads to its own room, and is told what happens there', async () => {
  await using bot = await startBot({ server, config: { channels: { '#one': 'lobby', '#two': 'release' } } })
  await using ada = await comeTo(server, 'ada', { channel: '#one' })
  await ada.join('#two')
  ada.say('#two', 'in two')
  ada.say('#one', 'in one')
  await hears(bot, 'in one')
  await hears(bot, 'in two')
  expect(
    heardOf(bot, 'ada')
      .map(({ room, text }) => `${room}: ${text}`)
      .sort(),
  ).toEqual(['lobby: in one', 'release: in two'])
  bot.house.post({ kind: 'notice', room: 'release', text: 'to two' })
  bot.house.post({ kind: 'notice', room: 'lobby', text: 'to one' })
  await sees(ada, 'to one')
  await sees(ada, 'to two')
  const said = ['#one', '#two'].map((channel) => ada.heard(channel).map(({ text }) => text))
  expect(said).toEqual([['to one'], ['to two']])
})

test('in a netsplit those who are gone are somebody else when they come back', async () => {
  await using pair = await startNgircdPair()
  await using bot = await startBot({ server: pair.one })
  await using ada = await comeTo(pair.two, 'ada')
  ada.say('#team', 'before')
  const before = await hears(bot, 'before')
  await pair.split()
  await pair.join()
  await eventually('the line to arrive', async () => {
    ada.say('#team', 'after')
    return bot.house.heard.some(({ text }) => text === 'after')
  })
  const after = await hears(bot, 'after')
  expect([before, after].map(({ sender }) => sender?.visit?.length)).toEqual([22, 22])
  expect(after.sender?.visit).not.toBe(before.sender?.visit)
})

test('with a nick for each, agents say themselves what they say, and nothing is heard twice', async () => {
  await using ada = await comeTo(server, 'ada')
  const config = { nicks: 'each' as const, agents: { 'codex-1': { nick: 'dex' } } }
  await using bot = await startBot({ server, config })
  for (const nick of ['claude-1', 'dex'])
    await ada.until((line) => line.command === 'JOIN' && line.nick === nick, `${nick} to come in`)
  bot.house.post({ kind: 'answer', author: AGENT, text: 'by myself' })
  bot.house.post({ kind: 'answer', author: { ...AGENT, id: 'codex-1' }, text: 'me too' })
  bot.house.post({ kind: 'notice', text: 'by the house' })
  await sees(ada, 'by the house')
  await sees(ada, 'me too')
  const said = ada.heard('#team').map(({ nick, text }) => `${nick}: ${text}`)
  expect(said.sort()).toEqual(['bellhop: by the house', 'claude-1: by myself', 'dex: me too'])

  ada.say('#team', 'dex: look')
  await hears(bot, 'codex-1: look')
  expect(heardOf(bot, 'ada').map(({ text }) => text)).toEqual(['codex-1: look'])
  expect(bot.house.heard.length).toBe(1)
  expect(new Set(bot.house.drops.map(({ refusal, who }) => `${refusal.code} ${who}`))).toEqual(
    new Set(['own-echo claude-1', 'own-echo dex']),
  )
})

test('a long text arrives whole, in parts that people ask for, and no character of it is cut', async () => {
  await using wire = await startWire(server)
  await using bot = await startBot({ server: wire, config: { lines: 4 } })
  await using ada = await comeTo(server, 'ada')
  const rows = [...Array.from({ length: 30 }, (_, i) => `row ${i}: ${'über 語 👩‍👩‍👧‍👦 '.repeat(i)}`), 'the end']
  bot.house.post({ kind: 'answer', author: AGENT, text: rows.join('\n') })
  let asked = 0
  await eventually('all of it to be read', () => {
    const said = ada.heard('#team').map(({ text }) => text)
    const hints = said.filter((text) => /^… \d+ more lines?: !more, or https:/.test(text)).length
    if (hints > asked) {
      asked++
      ada.say('#team', '!more')
    }
    return said.includes('the end')
  })
  await bot.house.delivered()
  const words = ada
    .heard('#team')
    .filter(({ text }) => !text.startsWith('…'))
    .map(({ text }) => text.replace('\x02claude-1\x02: ', ''))
    .join('')
  expect(words.replaceAll(' ', '')).toBe(rows.join('').replaceAll(' ', ''))
  expect(bot.house.heard).toEqual([])
  expect(offences(wire.sent)).toEqual([])
  // Lines are as long as they may be: with what the server adds, they fill the 512 bytes but for a word.
  const longest = Math.max(
    ...ada.lines.filter(({ nick }) => nick === 'bellhop').map(({ raw }) => Buffer.byteLength(raw)),
  )
  expect(longest).toBeGreaterThan(470)
  expect(longest).toBeLessThanOrEqual(510)
})
test('a server that wants another password is said to refuse us', async () => {
  await using locked = await startNgircd({ password: 'open-sesame' })
  await using bot = beginBot({ server: locked, secrets: { password: 'wrong' } })
  const state = await eventually('the refusal', () => bot.house.states.find(({ state }) => state !== 'connecting'))
  expect(state.state).toBe('refused')
  expect(state.detail).toContain('password')
})

const findings = async (part: Parameters<typeof configFor>[0], secrets = {}) => {
  const found: Record<string, [string, string]> = {}
  for await (const { name, state, detail } of checkIrc({
    config: configFor(part),
    secrets: { ...NO_SECRETS, ...secrets },
  }))
    found[name] = [state, detail]
  return found
}

test('a look at the network says what is right and what is not', async () => {
  await using ada = await comeTo(server, 'ada', { channel: '#quiet' })
  ada.mode('#quiet', '+m')
  await ada.join('#locked')
  ada.mode('#locked', '+k sesame')
  ada.raw('PING :done')
  await ada.until(({ command }) => command === 'PONG', 'the modes to be set')
  const channels = { '#team': 'lobby', '#quiet': 'two', '#locked': 'three' }
  const place = `${server.host}:${server.port}`
  expect(await findings({ server, config: { channels } })).toEqual({
    connection: ['optional', `${place} lets us in, without TLS: who is in between reads along`],
    'sign-in': ['optional', 'there is no account: the nick is whoever takes it first'],
    nick: ['ok', 'bellhop is free'],
    identity: ['optional', 'the server has no accounts: nobody is known here, and !pair lasts until one leaves'],
    'bot mode': ['optional', 'the server does not mark bots: our real name says it'],
    flood: ['optional', '20 lines at once, then 50 in a second: a server that was not told of it may throw us out'],
    '#team': ['ok', 'we come in, and can speak'],
    '#quiet': ['missing', 'we come in, and are not heard: the channel is moderated (+m)'],
    '#locked': ['missing', 'we do not come in: its key is another one'],
  })
  const gone = await findings({ server: { host: server.host, port: 1 } })
  expect(Object.keys(gone)).toEqual(['connection'])
  expect(gone['connection']?.[0]).toBe('missing')
})
