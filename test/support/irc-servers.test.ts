import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Inspircd, startInspircd } from './inspircd.ts'
import { ircPerson, type Person } from './irc-person.ts'
import { type IrcServer, type Ngircd, startNgircd, startNgircdPair } from './ngircd.ts'
import { eventually } from './poll.ts'

const comeTo = ({ host, port }: IrcServer, nick: string): Promise<Person> => ircPerson({ host, port, nick })

const hears = (person: Person, text: string) =>
  person.until(({ command, params }) => command === 'PRIVMSG' && params[1] === text, `${person.nick} to hear ${text}`)

/** What a server says to somebody whom it throws out. */
const lastWordTo = async (person: Person): Promise<string | undefined> => {
  await eventually(`${person.nick} to be thrown out`, () => person.gone)
  return person.lines.at(-1)?.raw
}

/** Whose socket it is that listens on a port, as the kernel knows it. */
const ownerOf = (port: number): string | undefined => {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  return rows.find(([, local, , state]) => local === address && state === '0A')?.[7]
}

/** The user of the packages, where we are root. */
const expectedOwner = (): string | undefined => {
  if (process.getuid?.() !== 0) return `${process.getuid?.()}`
  return /^irc:[^:]*:(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[1]
}

describe('ngIRCd', () => {
  let server: Ngircd
  beforeAll(async () => {
    server = await startNgircd({ penaltySeconds: 0 })
  })
  afterAll(() => server.stop())

  test('runs as the user of its package, and people hear each other', async () => {
    expect(ownerOf(server.port)).toBe(expectedOwner())
    await using ada = await comeTo(server, 'ada')
    await using grace = await comeTo(server, 'grace')
    await ada.join('#room')
    await grace.join('#room')
    ada.say('#room', 'one')
    grace.notice('#room', 'two')
    ada.say('grace', 'three')
    await hears(grace, 'three')
    await ada.until(({ command }) => command === 'NOTICE', 'a notice')
    expect(grace.heard()).toEqual([
      { nick: 'ada', kind: 'PRIVMSG', target: '#room', text: 'one' },
      { nick: 'ada', kind: 'PRIVMSG', target: 'grace', text: 'three' },
    ])
    expect(ada.heard('#room')).toEqual([{ nick: 'grace', kind: 'NOTICE', target: '#room', text: 'two' }])
    expect([ada.offered, ada.supports['NICKLEN'], ada.supports['LINELEN'], ada.supports['BOT']]).toEqual([
      { 'multi-prefix': '' },
      '9',
      undefined,
      undefined,
    ])
  })

  test('takes a line of 512 bytes, marks what it cuts for others, and ends a connection over one byte more', async () => {
    await using ada = await comeTo(server, 'ada')
    await using grace = await comeTo(server, 'grace')
    await ada.join('#long')
    await grace.join('#long')
    const line = (bytes: number) => `PRIVMSG #long :${'x'.repeat(bytes - 'PRIVMSG #long :\r\n'.length)}`
    ada.raw(line(512))
    const { raw } = await grace.until(({ command }) => command === 'PRIVMSG', 'the line')
    expect([Buffer.byteLength(raw), raw.slice(-6)]).toEqual([510, 'x[CUT]'])
    ada.raw(line(513))
    expect(await lastWordTo(ada)).toBe('ERROR :Request too long')
  })

  test('takes a burst slowly, and loses nothing of it', async () => {
    await using strict = await startNgircd()
    await using ada = await comeTo(strict, 'ada')
    await using grace = await comeTo(strict, 'grace')
    const texts = Array.from({ length: 8 }, (_, index) => `${index} ${'x'.repeat(100)}`)
    for (const text of texts) ada.say('grace', text)
    await hears(grace, texts.at(-1) ?? '')
    expect(grace.heard().map(({ text }) => text)).toEqual(texts)
    expect(ada.gone).toBe(false)
  })

  test('refuses a nick that is taken, and lets an operator kill', async () => {
    await using ada = await comeTo(server, 'ada')
    await using grace = await comeTo(server, 'grace')
    await expect(comeTo(server, 'ada')).rejects.toThrow(':one.test 433 * ada :Nickname already in use')
    ada.raw(`OPER ${server.operator.name} ${server.operator.password}`)
    ada.raw('KILL grace :enough')
    expect(await lastWordTo(grace)).toBe('ERROR :KILLed by ada: enough')
  })

  test('lets the operator of a channel kick and ban', async () => {
    await using ada = await comeTo(server, 'ada')
    await using grace = await comeTo(server, 'grace')
    await ada.join('#kick')
    await grace.join('#kick')
    ada.ban('#kick', 'grace!*@*')
    ada.kick('#kick', 'grace', 'enough')
    const { params } = await grace.until(({ command }) => command === 'KICK', 'the kick')
    expect(params).toEqual(['#kick', 'grace', 'enough'])
    await expect(grace.join('#kick')).rejects.toThrow(' 474 ')
  })

  test('comes back on the same port, after an end in order and after a kill', async () => {
    await using ada = await comeTo(server, 'ada')
    await server.restart()
    expect(await lastWordTo(ada)).toBe('ERROR :Server going down')
    await using again = await comeTo(server, 'ada')
    await server.kill()
    await eventually('the connection to end', () => again.gone)
    await expect(comeTo(server, 'ada')).rejects.toThrow('ECONNREFUSED')
    await server.restart()
    await using last = await comeTo(server, 'ada')
    expect(last.nick).toBe('ada')
  })

  test('wants its password, where it has one', async () => {
    await using guarded = await startNgircd({ password: 'let-me-in', nickLength: 20, penaltySeconds: 0 })
    const { host, port } = guarded
    await using ada = await ircPerson({ host, port, nick: 'ada', pass: 'let-me-in' })
    expect(ada.supports['NICKLEN']).toBe('20')
    await expect(comeTo(guarded, 'grace')).rejects.toThrow('ERROR :Access denied: Bad password?')
  })
})

test('two linked servers lose each other’s people in a netsplit, and find them again', async () => {
  await using pair = await startNgircdPair()
  await using ada = await comeTo(pair.one, 'ada')
  await using grace = await comeTo(pair.two, 'grace')
  await ada.join('#room')
  await grace.join('#room')
  const sees = (command: string, since: number) =>
    ada.until((line) => line.command === command && line.nick === 'grace', `the ${command} of grace`, since)
  await sees('JOIN', 0)
  grace.say('#room', 'before')
  await hears(ada, 'before')

  await pair.split()
  expect((await sees('QUIT', 0)).params).toEqual(['one.test two.test'])
  grace.say('#room', 'alone')
  const since = ada.lines.length
  await pair.join()
  await sees('JOIN', since)
  grace.say('#room', 'after')
  await hears(ada, 'after')
  expect(ada.heard('#room').map(({ text }) => text)).toEqual(['before', 'after'])
})

describe('InspIRCd with Atheme', () => {
  let server: Inspircd
  beforeAll(async () => {
    server = await startInspircd({ tls: true })
    await server.register('ada', 'secret')
  })
  afterAll(() => server.stop())

  const identified = (nick: string, caps: string[] = []) =>
    ircPerson({ host: server.host, port: server.port, nick, caps, account: 'ada', password: 'secret' })

  test('runs as the user of its package, and shows whose account a line is from', async () => {
    expect(ownerOf(server.port)).toBe(expectedOwner())
    const caps = ['account-tag', 'batch', 'echo-message', 'labeled-response', 'message-tags', 'server-time']
    const { host, port } = server
    const coming = ircPerson({ host, port, nick: 'grace', caps: ['account-tag'] })
    await using ada = await identified('ada', caps)
    await using grace = await coming
    await ada.join('#room')
    await grace.join('#room')
    ada.raw('@label=one PRIVMSG #room :it is me')
    grace.say('#room', 'I am ada')
    const [heard, echo, other] = await Promise.all([
      hears(grace, 'it is me'),
      hears(ada, 'it is me'),
      hears(ada, 'I am ada'),
    ])
    expect(heard.tags).toEqual({ account: 'ada' })
    expect([echo.tags['label'], echo.tags['account'], echo.nick]).toEqual(['one', 'ada', 'ada'])
    expect(other.tags['account']).toBeUndefined()
    grace.raw('WHO #room %na')
    await grace.until(({ command }) => command === '315', 'the list')
    const listed = grace.lines.filter(({ command }) => command === '354').map(({ params }) => params.slice(1))
    expect(Object.fromEntries(listed)).toEqual({ ada: 'ada', grace: '0' })
    const { BOT, WHOX, LINELEN, NICKLEN } = ada.supports
    expect([BOT, WHOX, LINELEN, NICKLEN]).toEqual(['B', '', '512', '30'])
    expect(ada.offered['sasl']?.split(',').sort()).toEqual(['EXTERNAL', 'PLAIN'])
  })

  test('takes a certificate for a password, and a wrong password for nothing', async () => {
    const { certFile, keyFile } = await server.certify('ada', 'secret')
    const [ca, cert, key] = [server.caFile ?? '', certFile, keyFile].map((file) => readFileSync(file, 'utf8'))
    const address = { host: server.host, port: server.tlsPort ?? 0, nick: 'ada', account: 'ada' }
    const refused = expect(
      ircPerson({ ...address, nick: 'grace', port: server.port, password: 'wrong' }),
    ).rejects.toThrow('904')
    await using ada = await ircPerson({ ...address, tls: { ca: ca ?? '', cert: cert ?? '', key: key ?? '' } })
    expect(ada.lines.filter(({ command }) => command === '900').map(({ params }) => params[2])).toEqual(['ada'])
    await refused
  })

  test('gives a nick back to whose it is', async () => {
    const coming = comeTo(server, 'ada')
    await using ada = await identified('ada_')
    await using thief = await coming
    ada.say('NickServ', 'GHOST ada')
    expect(await lastWordTo(thief)).toMatch(/Killed \(NickServ \(GHOST command used by ada_/)
    ada.raw('NICK ada')
    await eventually('the nick to be back', () => ada.nick === 'ada')
  })

  test('cuts a long line without a word, and throws out who sends more than it reads', async () => {
    const coming = comeTo(server, 'grace')
    await using ada = await comeTo(server, 'ada')
    await using grace = await coming
    await ada.join('#long')
    await grace.join('#long')
    ada.say('#long', 'x'.repeat(1000))
    const { raw } = await grace.until(({ command }) => command === 'PRIVMSG', 'the line')
    expect([Buffer.byteLength(raw), ada.gone]).toEqual([510, false])
    for (let line = 0; line < 30; line += 1) ada.say('#long', 'x'.repeat(400))
    // What ada herself is told is lost where her own lines are still on their way: the others are told why she left.
    const { raw: left } = await grace.until(({ command }) => command === 'QUIT', 'her leaving')
    expect(left).toBe(':ada!ada@127.0.0.1 QUIT :RecvQ exceeded')
  })

  test('comes back with its accounts', async () => {
    await server.kill()
    await server.restart()
    await using ada = await identified('ada')
    expect(ada.granted).toEqual(['sasl'])
  })
})
