import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageId } from '../../../src/shapes/message.ts'
import { Sender } from '../../../src/shapes/network.ts'
import { startFakeIrcd } from '../../fake-ircd/fake-ircd.ts'
import { eventually } from '../../support/poll.ts'
import { AGENT, comeTo, offences, POST, startBot, startWire } from './stage.ts'

const CAPS = ['batch', 'draft/multiline', 'message-tags', 'echo-message', 'labeled-response']

test('where a server has messages of many lines, a long answer is one, and what people say in one is one', async () => {
  await using ircd = await startFakeIrcd()
  await using bot = await startBot({ server: ircd })
  await using ada = await comeTo(ircd, 'ada', { caps: CAPS })
  await using grace = await comeTo(ircd, 'grace')
  bot.house.post({ kind: 'answer', author: AGENT, text: `one\n${'two '.repeat(150)}\nthree` })
  await eventually('the answer', () => grace.heard('#team').some(({ text }) => text === 'three'))
  await bot.house.delivered()
  const batches = ada.lines.filter(({ command }) => command === 'BATCH').map(({ params }) => params[1])
  expect(batches).toEqual(['draft/multiline', undefined])
  const whole = ada.lines
    .filter(({ tags, command }) => command === 'PRIVMSG' && 'batch' in tags)
    .map(({ tags, params }) => ('draft/multiline-concat' in tags ? '' : '\n') + params[1])
    .join('')
  expect(whole).toBe(`\n\x02claude-1\x02: one\n${'two '.repeat(150)}\nthree`)
  expect(bot.house.failed).toEqual([])

  ada.raw('BATCH +7 draft/multiline #team')
  for (const text of ['first', 'second']) ada.raw(`@batch=7 PRIVMSG #team :${text}`)
  ada.raw('@batch=7;draft/multiline-concat PRIVMSG #team : and more')
  ada.raw('BATCH -7')
  await eventually('the message', () => bot.house.heard.length > 0)
  expect(bot.house.heard.map(({ text }) => text)).toEqual(['first\nsecond and more'])
})

test('a connection that ends before the server has answered leaves it unsure, and it is said again with a mark', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  await using bot = await startBot({ server: ircd })
  await using ada = await comeTo(ircd, 'ada')
  const spot = { channel: '#team', room: 'lobby', watched: false, show: 'normal' as const }
  const [piece] = bot.irc.outlet.pieces({ ...POST, text: 'once' }, spot)
  const sending = bot.irc.outlet.send(spot, piece?.body, { key: 'k', again: false })
  ircd.drop('bellhop')
  expect((await sending).kind).toBe('unsure')
  await eventually('it to be back', async () => {
    const sent = await bot.irc.outlet.send(spot, piece?.body, { key: 'k', again: true })
    return sent.kind === 'sent'
  })
  await eventually('the mark', () => ada.heard('#team').some(({ text }) => text === '(again?) \x02claude-1\x02: once'))
})

test('where lines do not say the account, the server is asked for those who are there and for those who come', async () => {
  await using ircd = await startFakeIrcd({
    caps: ['sasl', 'message-tags'],
    accounts: { ada: 'secret', grace: 'secret' },
  })
  await using ada = await comeTo(ircd, 'lovelace', { account: 'ada', password: 'secret' })
  await using bot = await startBot({ server: ircd })
  await using grace = await comeTo(ircd, 'hopper', { account: 'grace', password: 'secret' })
  await using nobody = await comeTo(ircd, 'ada')
  const accounts = async () => {
    const before = bot.house.heard.length
    for (const one of [ada, grace, nobody]) one.say('#team', 'me')
    await eventually('all three', () => bot.house.heard.length === before + 3)
    const senders = bot.house.heard.slice(before).map(({ sender }) => [sender?.nick, sender?.account])
    return Object.fromEntries(senders)
  }
  await eventually('the answer of the server', async () => (await accounts())['hopper'] === 'grace')
  expect(await accounts()).toEqual({ lovelace: 'ada', hopper: 'grace', ada: null })
})

test('lines are as long as the server says they may be', async () => {
  await using ircd = await startFakeIrcd({
    caps: [],
    lineLength: 1024,
    userHost: 'a.very.long.host.name.of.ours.example',
  })
  await using bot = await startBot({ server: ircd })
  await using ada = await comeTo(ircd, 'ada')
  const text = 'x'.repeat(2000)
  bot.house.post({ kind: 'answer', author: AGENT, text })
  const said = () => ada.heard('#team').map((one) => one.text.replace('\x02claude-1\x02: ', ''))
  await eventually('all of it', () => said().join('').length >= 2000)
  expect(said().join('')).toBe(text)
  const longest = Math.max(...ada.lines.map(({ raw }) => Buffer.byteLength(raw)))
  expect([1020, 1021, 1022]).toContain(longest)
})

/** Everything that people and broken programs send: codes, halves of characters, words without end, what looks like lines. */
const pieces = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\x01',
    '\x01ACTION ',
    '\x0304,99',
    '\x04ffffff',
    '\x02',
    '\x0f',
    '\r',
    '\0',
    '\u202e',
    '\ud83d',
    '@all ',
    '@claude-1 ',
  ),
  fc.constantFrom(
    '!more',
    '!',
    '/',
    'bellhop: ',
    'QUIT :x',
    'JOIN 0',
    ':ada!a@b PRIVMSG #team :',
    '@label=1 ',
    '**',
    '```',
    '[a](b)',
  ),
  fc.constantFrom('a'.repeat(4096), '語'.repeat(200), '👩‍👩‍👧‍👦'.repeat(20), '%s%n', '$(id)', '<b>', '\\'.repeat(50)),
)
const inbound = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('').replaceAll('\n', ' '))

const COUNT = process.env['BELLHOP_LONG'] === '1' ? 10_000 : 1000

test('whatever is said, nothing breaks, and nothing goes out but what we mean to say', async () => {
  await using ircd = await startFakeIrcd({ caps: ['message-tags', 'account-tag', 'batch'] })
  await using wire = await startWire(ircd)
  await using bot = await startBot({ server: wire, config: { flood: { burst: 50, perSecond: 50 } } })
  await using ada = await comeTo(ircd, 'ada')
  bot.house.answerWith(({ text }) => (text.length % 10 === 0 ? { whisper: text, answer: text } : null))
  const random = fc.sample(fc.tuple(inbound, fc.integer({ min: 0, max: 9 })), { numRuns: COUNT, seed: 7 })
  for (const [text, kind] of random) {
    // As a server would pass it on that passes everything on; and now and then as nothing that makes sense.
    if (kind === 0) ircd.send(Buffer.from(`${text}\r\n`), 'bellhop')
    else if (kind === 1) ircd.send(Buffer.from(`:ada!ada@users.fake PRIVMSG bellhop :${text}\r\n`), 'bellhop')
    else
      ircd.send(
        Buffer.from(`:ada!ada@users.fake PRIVMSG #team :${text}\r\n`, kind === 2 ? 'latin1' : 'utf8'),
        'bellhop',
      )
  }
  ircd.send(':ada!ada@users.fake PRIVMSG #team :the very end', 'bellhop')
  await eventually('all of it to be heard', () => bot.house.heard.at(-1)?.text === 'the very end', 60_000)
  for (const { id, text, sender } of bot.house.heard) {
    expect(MessageId.safeParse(id).success && Sender.safeParse(sender).success).toBe(true)
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cs}/u)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384)
  }
  expect(bot.house.heard.length).toBeGreaterThan(COUNT / 2)
  await eventually('an answer', () => ada.heard('#team').length > 0)
  expect(offences(wire.sent)).toEqual([])
  // It is still there.
  expect(bot.house.states.map(({ state }) => state)).toEqual(['connecting', 'connected'])
})

test('whatever is to be said is said as lines of text, and as nothing else', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  await using wire = await startWire(ircd)
  await using bot = await startBot({ server: wire, config: { flood: { burst: 50, perSecond: 50 } } })
  await using ada = await comeTo(ircd, 'ada')
  const texts = fc.sample(fc.array(fc.oneof(pieces, fc.constant('\r\nQUIT :x\r\n')), { maxLength: 6 }), {
    numRuns: 40,
    seed: 7,
  })
  const kinds = ['answer', 'said', 'notice', 'aside', 'refusal', 'accepted'] as const
  texts.forEach((parts, i) => {
    const id = parts.join('').toWellFormed().slice(0, 40) || 'x'
    bot.house.post({ kind: kinds[i % kinds.length] ?? 'answer', author: { ...AGENT, id }, text: parts.join('') })
  })
  bot.house.post({ kind: 'notice', text: 'the very end' })
  await eventually('all of it', () => ada.heard('#team').some(({ text }) => text === 'the very end'), 100_000)
  expect(offences(wire.sent)).toEqual([])
  expect(wire.sent.filter(({ command }) => command === 'QUIT')).toEqual([])
  const lines = ada.heard('#team').map(({ text }) => text.replaceAll('\x02', ''))
  expect(lines.filter((text) => /\p{Cc}|\p{Cs}/u.test(text) || /^[!.]/.test(text))).toEqual([])
})
