import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkIrc } from '../../../adapters/irc/index.ts'
import type { Line } from '../../../src/chat/port.ts'
import { type Inspircd, startInspircd } from '../../support/inspircd.ts'
import { eventually } from '../../support/poll.ts'
import { AGENT, type Bot, beginBot, comeTo, configFor, NO_SECRETS, startBot } from './stage.ts'

const PASSWORD = 'hotel-lobby'
const ACCOUNT = { account: 'bellhop', secret: 'IRC_SECRET' }
const SECRETS = { secret: PASSWORD }

let server: Inspircd
beforeAll(async () => {
  server = await startInspircd({ tls: true, flood: { fakelag: 'no', threshold: 1000, commandrate: 1 } })
  for (const nick of ['bellhop', 'ada', 'grace']) await server.register(nick, PASSWORD)
})
afterAll(() => server.stop())

const hears = ({ house }: Bot, text: string): Promise<Line> =>
  eventually(`the house to hear ${text}`, () => house.heard.find((line) => line.text === text))

const detailOf = (bot: Bot): string => bot.house.states.at(-1)?.detail ?? ''

const person = (nick: string, account?: string) =>
  comeTo(server, nick, account === undefined ? {} : { account, password: PASSWORD })

test('it signs in by SASL PLAIN, and whoever is signed in is known by the account, whatever their nick', async () => {
  await using bot = await startBot({ server, config: ACCOUNT, secrets: SECRETS })
  expect(detailOf(bot)).toBe(`as bellhop on ${server.host}; signed in as bellhop; in #team`)
  await using ada = await person('lovelace', 'ada')
  await using spoof = await person('ada_')
  ada.say('#team', 'mine')
  spoof.raw('NICK grace_')
  spoof.say('#team', 'spoofed')
  const [mine, spoofed] = [(await hears(bot, 'mine')).sender, (await hears(bot, 'spoofed')).sender]
  expect(mine).toEqual({ network: 'net', account: 'ada', visit: null, nick: 'lovelace', bot: false, groups: [] })
  expect(spoofed).toEqual({
    network: 'net',
    account: null,
    visit: expect.stringMatching(/^v-[a-z0-9]{20}$/),
    nick: 'grace_',
    bot: false,
    groups: [],
  })
  // Whoever signs out is nobody in particular from then on.
  ada.say('NickServ', 'LOGOUT')
  await ada.until(({ command }) => command === '901', 'the account to be signed out of')
  ada.say('#team', 'nobody')
  expect((await hears(bot, 'nobody')).sender?.account).toBe(null)
})

test('by TLS it signs in with a certificate, and trusts the server by the one it was given', async () => {
  const { certFile, keyFile } = await server.certify('bellhop', PASSWORD)
  const ca = readFileSync(server.caFile ?? '', 'utf8')
  const certificate = `${readFileSync(certFile, 'utf8')}${readFileSync(keyFile, 'utf8')}`
  const tls = { host: server.host, port: server.tlsPort ?? 0 }
  const config = { tls: true, sasl: 'external' as const, certificate: 'bellhop.pem' }
  await using bot = await startBot({ server: tls, config, secrets: { ca, certificate } })
  expect(detailOf(bot)).toBe(`as bellhop on ${server.host}; signed in as bellhop; in #team`)

  // A certificate that the account does not know of is no reason to stay out where there is a password, too.
  const other = `${ca}${readFileSync((server.caFile ?? '').replace(/cert$/, 'key'), 'utf8')}`
  const both = { tls: true, ...ACCOUNT, nick: 'bellhop2', certificate: 'other.pem' }
  await using second = await startBot({ server: tls, config: both, secrets: { ca, certificate: other, ...SECRETS } })
  expect(detailOf(second)).toContain('signed in as bellhop; in #team')

  await using distrustful = beginBot({ server: tls, config: { tls: true } })
  const state = await eventually('the refusal', () => distrustful.house.states.find((one) => one.state === 'refused'))
  expect(state.detail).toMatch(/certificate/)
})

test('a wrong password is said, and is no reason to stay out unless the config insists', async () => {
  const secrets = { secret: 'wrong' }
  await using bot = await startBot({ server, config: ACCOUNT, secrets })
  expect(detailOf(bot)).toBe(`as bellhop on ${server.host}; SASL failed: SASL authentication failed; in #team`)
  await using strict = beginBot({ server, config: { ...ACCOUNT, nick: 'strict', sasl: 'plain' }, secrets })
  const state = await eventually('the refusal', () => strict.house.states.find((one) => one.state === 'refused'))
  expect(state.detail).toContain('SASL failed')
})

test('without SASL it signs in with NickServ', async () => {
  await using bot = await startBot({ server, config: { ...ACCOUNT, sasl: 'never' }, secrets: SECRETS })
  expect(detailOf(bot)).toBe(`as bellhop on ${server.host}; signed in as bellhop; in #team`)
})

test('bots are marked as such: it, and others', async () => {
  await using bot = await startBot({ server, config: ACCOUNT, secrets: SECRETS })
  await using ada = await person('ada', 'ada')
  await using robot = await person('robot')
  robot.raw('MODE robot +B')
  await robot.until(({ command, params }) => command === 'MODE' && params[1] === '+B', 'the mode')
  robot.say('#team', 'beep')
  expect((await hears(bot, 'beep')).sender?.bot).toBe(true)
  ada.raw('WHOIS bellhop')
  const whois = await ada.until(({ command }) => command === '335', 'to be told that it is a bot')
  expect(whois.params[1]).toBe('bellhop')

  // What another bot asks for is not said, or the two would go on for ever.
  bot.house.post({ kind: 'answer', author: AGENT, text: 'row\n'.repeat(50) })
  await eventually('the beginning', () => ada.heard('#team').some(({ text }) => text.startsWith('… ')))
  const before = ada.heard('#team').length
  robot.say('#team', '!more')
  await eventually('the drop', () => bot.house.drops.find(({ refusal }) => refusal.code === 'bot-ignored'))
  expect(ada.heard('#team').length).toBe(before + 1)
})

test('its own echoes are not heard', async () => {
  await using bot = await startBot({ server, config: ACCOUNT, secrets: SECRETS })
  await using ada = await person('ada', 'ada')
  bot.house.post({ kind: 'answer', author: AGENT, text: '@claude-1 go on' })
  await eventually('the answer', () => ada.heard('#team').length > 0)
  ada.say('#team', 'end')
  await hears(bot, 'end')
  expect(bot.house.heard.map(({ text }) => text)).toEqual(['end'])
  expect(bot.house.drops.map(({ refusal, who }) => [refusal.code, who])).toEqual([['own-echo', 'bellhop']])
})

test('a look at the network says what is right and what is not', async () => {
  const look = async (secret: string) => {
    const config = configFor({ server, config: ACCOUNT })
    const found: Record<string, [string, string]> = {}
    for await (const { name, state, detail } of checkIrc({ config, secrets: { ...NO_SECRETS, secret } }))
      found[name] = [state, detail]
    return found
  }
  const right = await look(PASSWORD)
  expect(right).toMatchObject({
    'sign-in': ['ok', 'signed in as bellhop'],
    nick: ['ok', 'bellhop is free'],
    identity: ['ok', 'each line says the account of who said it'],
    'bot mode': ['ok', 'people can see that we are a bot (+B)'],
    '#team': ['ok', 'we come in, and can speak'],
  })
  expect((await look('wrong'))['sign-in']).toEqual(['missing', 'SASL failed: SASL authentication failed'])
})

test('in a channel that takes no formatting it has none', async () => {
  await using ada = await comeTo(server, 'ada', { channel: '#plain' })
  ada.mode('#plain', '+c')
  await ada.until(({ command, params }) => command === 'MODE' && params[1] === '+c', 'the mode')
  await using bot = await startBot({ server, config: { channels: { '#plain': 'lobby' } } })
  bot.house.post({ kind: 'answer', author: AGENT, text: 'plainly' })
  await eventually('the answer', () => ada.heard('#plain').length > 0)
  expect(ada.heard('#plain').map(({ text }) => text)).toEqual(['claude-1: plainly'])
})

test('a channel that sends those who come to another one is one that it is not in, nor in the other', async () => {
  await using ada = await comeTo(server, 'ada', { channel: '#full' })
  await ada.join('#other')
  ada.mode('#full', '+lL 1 #other')
  await ada.until(({ command, params }) => command === 'MODE' && params[1]?.includes('L') === true, 'the mode')
  await using bot = beginBot({ server, config: { channels: { '#full': 'lobby' } } })
  const detail = `as bellhop on ${server.host}; NOT in #full: it sends those who come to another channel`
  await eventually('that to be known', () => detailOf(bot) === detail)
  await ada.until(
    ({ command, nick, params }) => command === 'PART' && nick === 'bellhop' && params[0] === '#other',
    'it to leave',
  )
})

// The services keep a nick for a while from whoever it was taken from: nothing else is tried with it after this.
test('a nick that is its own is taken back from whoever has it', async () => {
  await using thief = await comeTo(server, 'bellhop')
  await using bot = await startBot({ server, config: ACCOUNT, secrets: SECRETS })
  await eventually(
    'the nick to be ours',
    () => detailOf(bot) === `as bellhop on ${server.host}; signed in as bellhop; in #team`,
  )
  expect(thief.gone || thief.nick !== 'bellhop').toBe(true)
})
