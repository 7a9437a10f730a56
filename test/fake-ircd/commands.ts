import { answerTo, type Client, prefixOf, reply, SERVER, send, type Tags } from './client.ts'
import type { ParsedLine } from './line.ts'
import { collect, deliver, finish, type Limits } from './multiline.ts'

/** What the server is: who is on it, in which channels, and how it was set up. */
export type Ircd = {
  clients: Set<Client>
  /** The members of each channel; the first of them is its operator. */
  channels: Map<string, Set<Client>>
  /** What it offers, with its values. */
  caps: Record<string, string>
  /** What it says of itself (005). */
  supports: string[]
  nickLength: number
  limits: Limits
  /** The passwords of accounts. */
  accounts: Record<string, string>
  /** Whether it says what it offers in two lines. */
  splitsCaps: boolean
  /** What it does not take in what is said. */
  refused: RegExp | null
  /** A number that was not given out before. */
  next: () => number
  /** Ends a connection, with a reason. */
  bye: (client: Client, reason: string) => void
}

type Command = (ircd: Ircd, client: Client, line: ParsedLine) => void

/** Does what a client says. */
export const obey = (ircd: Ircd, client: Client, line: ParsedLine): void => {
  if (line.command === '') return
  // A message of several lines is answered when it is whole.
  const label = line.command === 'BATCH' ? undefined : line.tags['label']
  answerTo(client, label, () => {
    const command = COMMANDS[line.command]
    if (!client.isRegistered && !BEFORE.includes(line.command)) reply(client, '451', ':You have not registered')
    else if (command) command(ircd, client, line)
    else reply(client, '421', `${line.command} :Unknown command`)
  })
}

const BEFORE = ['CAP', 'NICK', 'USER', 'PASS', 'AUTHENTICATE', 'PING', 'PONG', 'QUIT']

const cap: Command = (ircd, client, { params: [kind = '', words = ''] }) => {
  const names = words.split(' ').filter((name) => name !== '')
  const answer = (text: string) => send(client, `:${SERVER} CAP ${client.nick ?? '*'} ${text}`)
  if (kind === 'END') {
    client.isNegotiating = false
    return welcome(ircd, client)
  }
  if (!client.isRegistered) client.isNegotiating = true
  if (kind === 'LS') {
    const offered = Object.entries(ircd.caps).map(([name, value]) =>
      value && words >= '302' ? `${name}=${value}` : name,
    )
    return offer(offered, ircd.splitsCaps && words >= '302', answer)
  }
  if (kind === 'LIST') return answer(`LIST :${[...client.caps].join(' ')}`)
  if (kind !== 'REQ') return reply(client, '410', `${kind} :Invalid CAP command`)
  if (names.some((name) => !(name.replace(/^-/, '') in ircd.caps))) return answer(`NAK :${words}`)
  for (const name of names) {
    if (name.startsWith('-')) client.caps.delete(name.slice(1))
    else client.caps.add(name)
  }
  answer(`ACK :${words}`)
}

const offer = (offered: string[], inTwo: boolean, answer: (text: string) => void): void => {
  const half = inTwo ? Math.floor(offered.length / 2) : 0
  if (half > 0) answer(`LS * :${offered.slice(0, half).join(' ')}`)
  answer(`LS :${offered.slice(half).join(' ')}`)
}

const authenticate: Command = ({ accounts }, client, { params: [words = ''] }) => {
  if (words === 'PLAIN') return send(client, 'AUTHENTICATE +')
  const [, account = '', password] = Buffer.from(words, 'base64').toString().split('\0')
  if (password === undefined || accounts[account] !== password)
    return reply(client, '904', ':SASL authentication failed')
  client.account = account
  reply(client, '900', `${client.nick}!*@${client.host} ${account} :You are now logged in as ${account}`)
  reply(client, '903', ':SASL authentication successful')
}

const nick: Command = (ircd, client, { params: [wanted = ''] }) => {
  if (!/^[a-z_\-[\]\\^{}|`][\w\-[\]\\^{}|`]*$/i.test(wanted) || wanted.length > ircd.nickLength) {
    return reply(client, '432', `${wanted} :Erroneous nickname`)
  }
  const other = called(ircd, wanted)
  if (other && other !== client) return reply(client, '433', `${wanted} :Nickname is already in use`)
  if (client.isRegistered) {
    for (const witness of witnesses(ircd, client)) send(witness, `${prefixOf(client)} NICK :${wanted}`)
  }
  client.nick = wanted
  welcome(ircd, client)
}

const user: Command = (ircd, client, { params: [name = ''] }) => {
  client.user = `~${name}`.slice(0, 10)
  welcome(ircd, client)
}

const welcome = (ircd: Ircd, client: Client): void => {
  const { nick, user, isNegotiating, isRegistered } = client
  if (isRegistered || isNegotiating || nick === null || user === null) return
  client.isRegistered = true
  reply(client, '001', `:Welcome to the fake network ${prefixOf(client).slice(1)}`)
  reply(client, '002', `:Your host is ${SERVER}`)
  reply(client, '003', ':This server was created for a test')
  reply(client, '004', `${SERVER} fake B o`)
  reply(client, '005', `${ircd.supports.join(' ')} :are supported by this server`)
  reply(client, '422', ':There is no message of the day')
}

const join: Command = (ircd, client, { params: [names = ''] }) => {
  for (const name of names.split(',')) {
    const members = ircd.channels.get(name) ?? new Set()
    if (!name.startsWith('#')) reply(client, '403', `${name} :No such channel`)
    if (!name.startsWith('#') || members.has(client)) continue
    ircd.channels.set(name, members.add(client))
    for (const member of members) send(member, `${prefixOf(client)} JOIN ${name}`, tagsOf(client))
    const present = [...members].map((member, index) => (index === 0 ? `@${member.nick}` : member.nick))
    reply(client, '353', `= ${name} :${present.join(' ')}`)
    reply(client, '366', `${name} :End of NAMES list`)
  }
}

const part: Command = (ircd, client, { params: [name = '', reason = ''] }) => {
  const members = ircd.channels.get(name)
  if (!members?.has(client)) return reply(client, '442', `${name} :You're not on that channel`)
  for (const member of members) send(member, `${prefixOf(client)} PART ${name} :${reason}`, tagsOf(client))
  members.delete(client)
}

const kick: Command = (ircd, client, { params: [name = '', who = '', reason = who] }) => {
  const members = ircd.channels.get(name) ?? new Set<Client>()
  const victim = [...members].find((member) => member.nick === who)
  if ([...members][0] !== client) return reply(client, '482', `${name} :You're not channel operator`)
  if (!victim) return reply(client, '441', `${who} ${name} :They aren't on that channel`)
  for (const member of members) send(member, `${prefixOf(client)} KICK ${name} ${who} :${reason}`, tagsOf(client))
  members.delete(victim)
}

const say: Command = (ircd, client, line) => {
  const { batch: reference, ...tags } = line.tags
  const [target = '', text = ''] = line.params
  if (reference !== undefined) {
    const batch = client.batches.get(reference)
    if (batch) return collect(client, batch, line, ircd.limits)
    return send(client, `:${SERVER} FAIL BATCH MULTILINE_INVALID :There is no such batch`)
  }
  if (ircd.refused?.test(text)) {
    send(client, `:${SERVER} NOTICE ${client.nick} :Somebody does not like that`)
    return reply(client, '404', `${target} :Cannot send to channel`)
  }
  const sent = { ...messageTags(ircd, client), ...byClient(tags) }
  for (const to of hearers(ircd, client, target))
    send(to, `${prefixOf(client)} ${line.command} ${target} :${text}`, sent)
}

const batch: Command = (ircd, client, { tags, params: [reference = '', type, target = ''] }) => {
  const id = reference.slice(1)
  if (reference.startsWith('+')) {
    if (type === 'draft/multiline' && client.caps.has(type)) {
      const label = tags['label']
      client.batches.set(id, { target, label, tags: byClient(tags), lines: [], hasFailed: false })
      return
    }
    return send(client, `:${SERVER} FAIL BATCH UNKNOWN_TYPE ${id} ${type} :There is no such type of batch`)
  }
  const open = client.batches.get(id)
  client.batches.delete(id)
  const lines = open ? finish(client, open) : null
  if (!open || !lines) return
  answerTo(client, open.label, () => {
    const tags = { ...messageTags(ircd, client), ...open.tags }
    for (const to of hearers(ircd, client, open.target)) {
      deliver({ from: client, to, target: open.target, lines, tags, id: `b${ircd.next()}` })
    }
  })
}

/** The fields of a WHOX, in the order in which they are answered whatever the order they were asked in. */
const FIELDS: [string, (client: Client, channel: string) => string][] = [
  ['c', (_, channel) => channel],
  ['u', ({ user }) => user ?? '*'],
  ['i', () => '255.255.255.255'],
  ['h', ({ host }) => host],
  ['s', () => SERVER],
  ['n', ({ nick }) => nick ?? '*'],
  ['f', () => 'H'],
  ['d', () => '0'],
  ['l', () => '0'],
  ['a', ({ account }) => account ?? '0'],
  ['o', () => 'n/a'],
  ['r', ({ nick }) => `:${nick}`],
]

const who: Command = (ircd, client, { params: [mask = '', asked = ''] }) => {
  const channel = mask.startsWith('#') ? mask : '*'
  const [, fields, token] = /^%(\w*)(?:,(\d{1,3}))?$/.exec(asked) ?? []
  for (const one of meantBy(ircd, mask)) {
    const words = FIELDS.filter(([field]) => fields?.includes(field)).map(([, word]) => word(one, channel))
    const number = fields?.includes('t') ? [token ?? '0'] : []
    if (fields !== undefined) reply(client, '354', [...number, ...words].join(' '))
    else reply(client, '352', `${channel} ${one.user} ${one.host} ${SERVER} ${one.nick} H :0 ${one.nick}`)
  }
  reply(client, '315', `${mask} :End of WHO list`)
}

const mode: Command = (_, client, { params: [target = '', modes] }) => {
  if (modes !== undefined) return send(client, `${prefixOf(client)} MODE ${target} :${modes}`)
  if (target.startsWith('#')) reply(client, '324', `${target} +n`)
  else reply(client, '221', '+')
}

const COMMANDS: Record<string, Command> = {
  CAP: cap,
  AUTHENTICATE: authenticate,
  PASS: () => {},
  NICK: nick,
  USER: user,
  PING: (_, client, { params: [word = ''] }) => send(client, `:${SERVER} PONG ${SERVER} :${word}`),
  PONG: () => {},
  JOIN: join,
  PART: part,
  KICK: kick,
  PRIVMSG: say,
  NOTICE: say,
  BATCH: batch,
  WHO: who,
  MODE: mode,
  QUIT: ({ bye }, client, { params: [reason = ''] }) => bye(client, `Quit: ${reason}`),
}

const called = ({ clients }: Pick<Ircd, 'clients'>, nick: string): Client | undefined =>
  [...clients].find((client) => client.nick?.toLowerCase() === nick.toLowerCase())

/** Everybody who sees what a client does, itself included. */
export const witnesses = ({ channels }: Ircd, client: Client): Set<Client> =>
  new Set([
    client,
    ...[...channels.values()].filter((members) => members.has(client)).flatMap((members) => [...members]),
  ])

/** The members of a channel, or the one who has a nick. */
const meantBy = (ircd: Ircd, target: string): Client[] => {
  const one = called(ircd, target)
  return [...(ircd.channels.get(target) ?? (one ? [one] : []))]
}

/** Who gets what is said to a target: without the speaker, unless it asked for an echo. */
const hearers = (ircd: Ircd, client: Client, target: string): Client[] => {
  const found = meantBy(ircd, target)
  const isChannel = ircd.channels.has(target)
  if (isChannel && !found.includes(client)) {
    reply(client, '404', `${target} :Cannot send to channel`)
    return []
  }
  if (found.length === 0) {
    reply(client, '401', `${target} :No such nick/channel`)
    return []
  }
  const others = isChannel ? found.filter((member) => member !== client) : found
  return client.caps.has('echo-message') ? [client, ...others] : others
}

const tagsOf = ({ account }: Client): Tags => ({
  time: new Date().toISOString(),
  ...(account !== null && { account }),
})

const messageTags = (ircd: Ircd, client: Client) => ({ ...tagsOf(client), msgid: `m${ircd.next()}` })

const byClient = (tags: Tags): Tags => Object.fromEntries(Object.entries(tags).filter(([tag]) => tag.startsWith('+')))
