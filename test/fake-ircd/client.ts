import type { Socket } from 'node:net'
import { type ParsedLine, writeTags } from './line.ts'

export const SERVER = 'irc.fake'

/** Who is connected, and what the server knows of them. */
export type Client = {
  socket: Socket
  nick: string | null
  user: string | null
  /** What others see of where it is. */
  host: string
  account: string | null
  caps: Set<string>
  /** Between CAP LS and CAP END nobody is registered. */
  isNegotiating: boolean
  isRegistered: boolean
  batches: Map<string, OpenBatch>
  /** What a labeled command has led to so far: it is kept back, because the label goes on all of it. */
  held: Outgoing[] | null
  lineLength: number
}

/** A message of several lines, while it comes. Where something was wrong with it, the rest is not looked at. */
export type OpenBatch = {
  target: string
  label: string | undefined
  /** Tags by the client that go with the message, and not with one of its lines. */
  tags: Tags
  lines: ParsedLine[]
  hasFailed: boolean
}

export type Tags = Record<string, string>
type Outgoing = { tags: Tags; body: string }

/** What a client has to have asked for to see a tag; others (`+tag`) come with the tags of messages themselves. */
const NEEDED: Tags = {
  time: 'server-time',
  account: 'account-tag',
  batch: 'batch',
  label: 'labeled-response',
  'draft/multiline-concat': 'draft/multiline',
}

export const prefixOf = ({ nick, user, host }: Client): string => `:${nick}!${user}@${host}`

/** Sends a line, with those of its tags that the client understands, cut to what fits as a real server does. */
export const send = (client: Client, body: string, tags: Tags = {}): void => {
  if (client.held) client.held.push({ tags, body })
  else write(client, { tags, body })
}

/** Sends one of the server's numbered answers. */
export const reply = (client: Client, number: string, words: string): void =>
  send(client, `:${SERVER} ${number} ${client.nick ?? '*'} ${words}`)

/** Does a command, and puts its label on the answer. */
export const answerTo = (client: Client, label: string | undefined, work: () => void): void => {
  const isLabeled = label !== undefined && client.caps.has('labeled-response')
  if (isLabeled) client.held = []
  work()
  const { held } = client
  client.held = null
  if (isLabeled) for (const line of labeled(held ?? [], label)) write(client, line)
}

/** The label is on the one line there is, on the batch that the lines are, or on one that is made around them. */
const labeled = (lines: Outgoing[], label: string): Outgoing[] => {
  const [first = { tags: {}, body: `:${SERVER} ACK` }, ...others] = lines
  const isOne = others.length === 0 || / BATCH \+/.test(first.body)
  if (isOne) return [{ ...first, tags: { ...first.tags, label } }, ...others]
  return [
    { tags: { label }, body: `:${SERVER} BATCH +${label} labeled-response` },
    ...lines.map(({ tags, body }) => ({ body, tags: { ...tags, batch: label } })),
    { tags: {}, body: `:${SERVER} BATCH -${label}` },
  ]
}

const write = ({ socket, caps, lineLength }: Client, { tags, body }: Outgoing): void => {
  const seen = Object.entries(tags).filter(([tag]) => caps.has(NEEDED[tag] ?? 'message-tags'))
  const cut = Buffer.from(body).subarray(0, lineLength - 2)
  if (socket.writable) socket.write(Buffer.concat([Buffer.from(writeTags(Object.fromEntries(seen))), cut, END]))
}

const END = Buffer.from('\r\n')
