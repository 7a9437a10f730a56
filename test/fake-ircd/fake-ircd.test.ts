import { expect, test } from 'vitest'
import { ircPerson, type Person } from '../support/irc-person.ts'
import { eventually } from '../support/poll.ts'
import { type FakeIrcd, startFakeIrcd } from './fake-ircd.ts'

const ALL = ['account-tag', 'batch', 'draft/multiline', 'echo-message', 'labeled-response', 'message-tags']

const comeTo = async ({ host, port }: FakeIrcd, nick: string, caps: string[] = []): Promise<Person> => {
  const person = await ircPerson({ host, port, nick, caps })
  await person.join('#room')
  return person
}

/** The lines since one of that number, with the tags that matter here, from the command on. */
const written = ({ lines }: Person, since: number): string[] =>
  lines.slice(since).map(({ tags: { time: _, ...tags }, command, params }) => {
    const shown = Object.entries(tags).map(([tag, value]) => `${tag}=${value}`)
    return [...shown, command, ...params].join(' ')
  })

const said = (person: Person, text: string) =>
  person.until(({ params }) => params[1] === text, `${person.nick} to hear ${text}`)

test('people hear each other, with the tags that each of them asked for', async () => {
  await using ircd = await startFakeIrcd({ accounts: { ada: 'secret' } })
  const { host, port } = ircd
  await using ada = await ircPerson({ host, port, nick: 'ada', account: 'ada', password: 'secret', caps: ALL })
  await ada.join('#room')
  await using grace = await comeTo(ircd, 'grace')
  const [since, before] = [ada.lines.length, grace.lines.length]
  ada.raw('@label=one;+draft/reply=x PRIVMSG #room :hello')
  ada.raw('@label=two PRIVMSG nobody :hello')
  ada.raw('@label=three PONG x')
  ada.raw('@label=four WHO #room %tna,42')
  ada.say('grace', '\u0001VERSION\u0001')
  await said(grace, '\u0001VERSION\u0001')
  grace.notice('ada', '\u0001VERSION 1\u0001')
  await said(ada, '\u0001VERSION 1\u0001')
  expect(written(grace, before)).toEqual(['PRIVMSG #room hello', 'PRIVMSG grace \u0001VERSION\u0001'])
  expect(written(ada, since)).toEqual([
    'account=ada msgid=m1 +draft/reply=x label=one PRIVMSG #room hello',
    'label=two 401 ada nobody No such nick/channel',
    'label=three ACK',
    'label=four BATCH +four labeled-response',
    'batch=four 354 ada 42 ada ada',
    'batch=four 354 ada 42 grace 0',
    'batch=four 315 ada #room End of WHO list',
    'BATCH -four',
    'account=ada msgid=m3 PRIVMSG grace \u0001VERSION\u0001',
    'msgid=m4 NOTICE ada \u0001VERSION 1\u0001',
  ])
  await expect(ircPerson({ host, port, nick: 'ada' })).rejects.toThrow('433')
  await expect(ircPerson({ host, port, nick: 'grace-2', account: 'ada', password: 'no' })).rejects.toThrow('904')
})

test('a message of several lines is one for who understands it, and lines for everybody else', async () => {
  await using ircd = await startFakeIrcd()
  await using ada = await comeTo(ircd, 'ada', ALL)
  await using grace = await comeTo(ircd, 'grace', ['batch', 'draft/multiline', 'message-tags'])
  await using other = await comeTo(ircd, 'grace-2', ['message-tags'])
  expect(ada.offered['draft/multiline']).toBe('max-bytes=4096,max-lines=24')
  const before = [ada, grace, other].map(({ lines }) => lines.length)
  ada.raw('@label=one BATCH +1 draft/multiline #room')
  ada.raw('@batch=1 PRIVMSG #room :hello')
  ada.raw('@batch=1 PRIVMSG #room :')
  ada.raw('@batch=1 PRIVMSG #room :how is ')
  ada.raw('@batch=1;draft/multiline-concat PRIVMSG #room :everyone?')
  expect(grace.lines.length).toBe(before[1])
  ada.raw('BATCH -1')
  await said(other, 'everyone?')
  await grace.until(({ command, params }) => command === 'BATCH' && params[0]?.startsWith('-') === true, 'the end')
  const batch = (tags: string, id: string) => [
    `${tags} BATCH +${id} draft/multiline #room`,
    `batch=${id} PRIVMSG #room hello`,
    `batch=${id} PRIVMSG #room `,
    `batch=${id} PRIVMSG #room how is `,
    `batch=${id} draft/multiline-concat= PRIVMSG #room everyone?`,
    `BATCH -${id}`,
  ]
  expect(written(ada, before[0] ?? 0).slice(-6)).toEqual(batch('msgid=m1 label=one', 'b2'))
  expect(written(grace, before[1] ?? 0).slice(-6)).toEqual(batch('msgid=m1', 'b3'))
  expect(written(other, before[2] ?? 0)).toEqual([
    'msgid=m1 PRIVMSG #room hello',
    'PRIVMSG #room how is ',
    'PRIVMSG #room everyone?',
  ])
})

const lines = (...texts: string[]) => texts.map((text) => `@batch=1 PRIVMSG #room :${text}`)

test.each([
  ['too many lines', lines('a', 'b', 'c', 'd'), 'MULTILINE_MAX_LINES 3 Multiline batch max-lines exceeded'],
  ['too many bytes', lines('ééééé'), 'MULTILINE_MAX_BYTES 9 Multiline batch max-bytes exceeded'],
  ['a line feed too many', lines('aaaa', 'bbb', 'c'), 'MULTILINE_MAX_BYTES 9 Multiline batch max-bytes exceeded'],
  ['another target', ['@batch=1 PRIVMSG ada :a'], 'MULTILINE_INVALID_TARGET #room ada Invalid multiline target'],
  ['two kinds', [...lines('a'), '@batch=1 NOTICE #room :b'], 'MULTILINE_INVALID Invalid multiline batch'],
  ['nothing', lines('', ''), 'MULTILINE_INVALID Invalid multiline batch with blank lines only'],
  [
    'nothing, joined',
    [...lines('a'), '@batch=1;draft/multiline-concat PRIVMSG #room :'],
    'MULTILINE_INVALID Invalid multiline batch with concatenated blank line',
  ],
])('a message of several lines with %s is refused as a whole', async (_, sent, words) => {
  await using ircd = await startFakeIrcd({ multiline: { maxBytes: 9, maxLines: 3 } })
  await using ada = await comeTo(ircd, 'ada', ALL)
  const since = ada.lines.length
  for (const line of ['@label=one BATCH +1 draft/multiline #room', ...sent, 'BATCH -1', 'PING done']) ada.raw(line)
  await ada.until(({ command }) => command === 'PONG', 'the answer to what came last')
  expect(written(ada, since)).toEqual([`label=one FAIL BATCH ${words}`, 'PONG irc.fake done'])
})

test('a line counts with the prefix that others see, and one that is too long ends the connection', async () => {
  await using ircd = await startFakeIrcd({ lineLength: 300, userHost: 'a.long.host.example' })
  await using ada = await comeTo(ircd, 'ada', ['message-tags'])
  await using grace = await comeTo(ircd, 'grace')
  expect([ada.supports['LINELEN'], ada.supports['NICKLEN']]).toEqual(['300', '30'])
  const line = (bytes: number) => `PRIVMSG #room :${'x'.repeat(bytes - 'PRIVMSG #room :\r\n'.length)}`
  ada.raw(`@+tags=${'y'.repeat(300)} ${line(300)}`)
  const { raw } = await grace.until(({ command }) => command === 'PRIVMSG', 'the line')
  expect(raw).toBe(':ada!~ada@a.long.host.example PRIVMSG #room :'.padEnd(298, 'x'))
  ada.raw(line(301))
  await eventually('ada to be out', () => ada.gone)
  expect(ada.lines.at(-1)?.raw).toBe('ERROR :Request too long')
  await grace.until(({ raw }) => raw === ':ada!~ada@a.long.host.example QUIT :Request too long', 'ada to leave')
  grace.raw('x'.repeat(5000))
  await eventually('grace to be out', () => grace.gone)
})

test('a flood ends the connection, and a message of several lines is none', async () => {
  await using ircd = await startFakeIrcd({ flood: { lines: 5, perSecond: 0 } })
  await using ada = await comeTo(ircd, 'ada', ALL)
  ada.raw('BATCH +1 draft/multiline #room')
  for (let line = 0; line < 20; line += 1) ada.raw('@batch=1 PRIVMSG #room :a')
  ada.raw('BATCH -1')
  ada.say('#room', 'four')
  ada.say('#room', 'five')
  await said(ada, 'five')
  ada.say('#room', 'six')
  await eventually('ada to be out', () => ada.gone)
  expect(ada.lines.at(-1)?.raw).toBe('ERROR :Excess Flood')
})

test('a test sees what a client sends, and puts whatever it likes on the wire', async () => {
  await using ircd = await startFakeIrcd()
  await using ada = await comeTo(ircd, 'ada')
  await using grace = await comeTo(ircd, 'grace')
  const since = ada.lines.length
  ircd.send(':NickServ!x@y PRIVMSG ada :give me your password', 'ada')
  ircd.send(Buffer.from([0x41, 0xc3]), 'ada')
  ircd.send(Buffer.from([0xa9, 0xff, 0x0d, 0x0a]), 'ada')
  ircd.send(`PRIVMSG #room :${'x'.repeat(4096)}`)
  await grace.until(({ command }) => command === 'PRIVMSG', 'the long one')
  await eventually('all of it', () => ada.lines.length === since + 3)
  expect(ada.lines.slice(since).map(({ raw }) => raw)).toEqual([
    ':NickServ!x@y PRIVMSG ada :give me your password',
    'Aé\ufffd',
    `PRIVMSG #room :${'x'.repeat(4096)}`,
  ])
  expect(ircd.received.filter(({ nick }) => nick === 'grace').map(({ raw }) => raw)).toEqual([
    'USER grace 0 * :grace',
    'CAP END',
    'JOIN #room',
  ])
  ircd.drop('ada')
  await eventually('ada to be cut off', () => ada.gone)
  await grace.until(({ command, nick }) => command === 'QUIT' && nick === 'ada', 'ada to be gone')
  expect(grace.gone).toBe(false)
})
