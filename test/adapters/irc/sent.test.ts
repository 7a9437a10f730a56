import { expect, test } from 'vitest'
import type { Sent, Spot } from '../../../src/chat/outlet.ts'
import { type FakeIrcd, startFakeIrcd } from '../../fake-ircd/fake-ircd.ts'
import { eventually } from '../../support/poll.ts'
import { AGENT, type Bot, beginBot, comeTo, POST, startBot } from './stage.ts'

const LABELS = ['batch', 'message-tags', 'echo-message', 'labeled-response']

/** Says something in a channel, and answers what came of it. */
const send = ({ irc }: Bot, text: string, { channel = '#team', again = false } = {}): Promise<Sent> => {
  const spot: Spot = { channel, room: 'lobby', watched: false, show: 'normal' }
  const [piece] = irc.outlet.pieces({ ...POST, text }, spot)
  return irc.outlet.send(spot, piece?.body, { key: 'k', again })
}

const asked = (ircd: FakeIrcd, command: string) => ircd.received.filter((line) => line.command === command)

const LATER = { kind: 'later', why: expect.any(String), afterMs: expect.any(Number) }

test('what is to be said while it signs in, or in a channel that was bound just now, waits', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  const config = { account: 'bellhop', secret: 'IRC_SECRET' }
  await using bot = beginBot({ server: ircd, config, secrets: { secret: 'hotel-lobby' } })
  await eventually('it to look for NickServ', () => asked(ircd, 'WHOIS').length > 0)
  expect(await send(bot, 'early')).toEqual(LATER)
  ircd.send(':irc.fake 401 bellhop NickServ :No such nick', 'bellhop')
  await eventually('it to be in', async () => (await send(bot, 'in time')).kind === 'sent')

  bot.house.bind('#flaky', 'lobby')
  expect(await send(bot, 'early', { channel: '#flaky' })).toEqual(LATER)
  await eventually('it to be there, too', async () => (await send(bot, 'x', { channel: '#flaky' })).kind === 'sent')
})

test('a channel that is gone is not gone for ever', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  await using bot = await startBot({ server: ircd })
  ircd.forget('#team')
  expect(await send(bot, 'to nobody')).toEqual({ ...LATER, why: 'No such nick/channel' })
})

test('with labels, what the server does not take is not said, however many lines it says that in', async () => {
  await using ircd = await startFakeIrcd({ caps: LABELS })
  await using bot = await startBot({ server: ircd })
  ircd.refuse(/forbidden/)
  expect(await send(bot, 'forbidden')).toEqual({ ...LATER, why: 'Cannot send to channel' })
  expect(await send(bot, 'allowed')).toEqual({ kind: 'sent', ref: expect.any(String) })
})

test('what is about a nick in the channel is not about what is said there', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  await using bot = await startBot({ server: ircd })
  const sending = send(bot, 'said')
  ircd.send(':irc.fake 437 bellhop bell #team :Cannot change nickname while banned on channel', 'bellhop')
  expect(await sending).toEqual({ kind: 'sent', ref: null })
})

test.each([
  ['with labels', LABELS, ['\x02claude-1\x02: one', 'two']],
  ['without', ['batch', 'message-tags'], ['(again?) claude-1: one', 'two']],
])(
  'a server that does not take the messages of many lines it offers is told them line by line, %s',
  async (_, caps, said) => {
    await using ircd = await startFakeIrcd({
      caps: [...caps, 'draft/multiline'],
      multiline: { maxBytes: 2, maxLines: 24 },
    })
    await using ada = await comeTo(ircd, 'ada')
    await using bot = await startBot({ server: ircd })
    bot.house.post({ kind: 'answer', author: AGENT, text: 'one\ntwo' })
    await eventually('all of it', () => ada.heard('#team').some(({ text }) => text === 'two'))
    await bot.house.delivered()
    expect(ada.heard('#team').map(({ text }) => text)).toEqual(said)
  },
)

test('what is refused in part is tried once more, and then given up: the rest is not said for ever', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  await using ada = await comeTo(ircd, 'ada')
  await using bot = await startBot({ server: ircd })
  ircd.refuse(/forbidden/)
  bot.house.post({ kind: 'answer', author: AGENT, text: 'one\nforbidden\ntwo' })
  await bot.house.delivered()
  await eventually('all of it to arrive', () => ada.heard('#team').length === 4)
  expect(bot.house.failed).toEqual([{ key: '1.#team.0', why: 'a part was refused: Cannot send to channel' }])
  expect(ada.heard('#team').map(({ text }) => text)).toEqual([
    '\x02claude-1\x02: one',
    'two',
    '(again?) claude-1: one',
    'two',
  ])
})

test('where a channel takes no formatting, there is none', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  await using ada = await comeTo(ircd, 'ada')
  await using bot = await startBot({ server: ircd })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the code
  ircd.refuse(/\x02/)
  expect(await send(bot, 'plainly')).toEqual({ kind: 'sent', ref: null })
  expect(await send(bot, 'one\ntwo')).toEqual({ kind: 'sent', ref: null })
  expect(ada.heard('#team').map(({ text }) => text)).toEqual(['claude-1: plainly', 'claude-1: one', 'two'])
})

test('what !more could not say is there to be asked for again', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  await using ada = await comeTo(ircd, 'ada')
  await using bot = await startBot({ server: ircd, config: { lines: 2 } })
  const rows = Array.from({ length: 6 }, (_, i) => `row ${i}`)
  bot.house.post({ kind: 'answer', author: AGENT, text: rows.join('\n') })
  const hints = () => ada.heard('#team').filter(({ text }) => text.startsWith('… ')).length
  await eventually('the beginning', () => hints() === 1)
  ircd.refuse(/row/)
  ada.say('#team', '!more')
  await eventually('the hint alone', () => hints() === 2)
  await eventually('it to be kept', async () => (await bot.house.memory.get('more/#team'))?.includes('"from":12'))
  ircd.refuse(null)
  ada.say('#team', '!more')
  await eventually('the rows', () => hints() === 3)
  const said = ada.heard('#team').map(({ text }) => text.replace(/^(…[^:]*):.*/, '$1'))
  expect(said.slice(-3)).toEqual(['row 2', 'row 3', '… 2 more lines'])
})

test('lines leave room for the nick that it wants: it may have it before they are said', async () => {
  await using ircd = await startFakeIrcd({ caps: [] })
  const nick = 'bellhop-of-the-house'
  await using other = await comeTo(ircd, nick)
  await using bot = await startBot({ server: ircd, config: { nick } })
  bot.house.post({ kind: 'notice', text: 'x'.repeat(290) })
  bot.house.post({ kind: 'answer', author: AGENT, text: 'y'.repeat(900) })
  await eventually('all of it', () =>
    other
      .heard('#team')
      .map(({ text }) => text)
      .join('')
      .includes('y'.repeat(50)),
  )
  await bot.house.delivered()
  const own = 'bellhop-_'
  const lines = other.lines.filter((line) => line.nick === own && line.command === 'PRIVMSG')
  const longest = Math.max(...lines.map(({ raw }) => Buffer.byteLength(raw) - own.length + nick.length))
  expect([508, 509, 510]).toContain(longest)
})

test('who says too much for a server is thrown out, comes back, and says the rest', async () => {
  await using ircd = await startFakeIrcd({ caps: [], flood: { lines: 20, perSecond: 20 } })
  await using ada = await comeTo(ircd, 'ada')
  await using bot = await startBot({ server: ircd, config: { flood: { burst: 50, perSecond: 50 } } })
  const texts = Array.from({ length: 40 }, (_, i) => `line ${i}`)
  for (const text of texts) bot.house.post({ kind: 'notice', text })
  await bot.house.delivered()
  const said = () => ada.heard('#team').filter(({ kind }) => kind === 'PRIVMSG')
  await eventually('the last', () => said().some(({ text }) => text.endsWith('line 39')))
  const lost = bot.house.states.filter(({ state, detail }) => state === 'lost' && detail.includes('Excess Flood'))
  expect(lost.length).toBeGreaterThan(0)
  expect(said().flatMap(({ text }) => (text.startsWith('(again?) ') ? [] : [text]))).toEqual(
    texts.filter((text) => said().some((one) => one.text === text)),
  )
  expect([...new Set(said().map(({ text }) => text.replace('(again?) ', '')))]).toEqual(texts)
})
