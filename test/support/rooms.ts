import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Client, createClient } from '../../src/client/client.ts'
import { startBridge } from '../../src/house/bridge.ts'
import { folderAt } from '../../src/house/folder.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { startTestHouse, type TestHouse } from './gateway.ts'
import { ircPerson, type Person } from './irc-person.ts'
import { eventually } from './poll.ts'
import { must } from './store.ts'

type Address = { host: string; port: number }

/** A network of IRC as the config has it, that speaks as fast as it is let. */
export const ircNetwork = ({ host, port }: Address, channels: Record<string, string>, part: object = {}) => ({
  kind: 'irc',
  host,
  port,
  tls: false,
  channels,
  flood: { burst: 50, perSecond: 50 },
  ...part,
})

/** Limits of Discord that nobody reaches by accident. */
export const PLENTY = {
  messages: { limit: 10_000, perMs: 1000 },
  edits: { limit: 10_000, perMs: 1000 },
  webhooks: { limit: 10_000, perMs: 1000 },
  other: { limit: 10_000, perMs: 1000 },
  global: { limit: 100_000, perMs: 1000 },
}

/** The variable that the token of Discord is in. */
export const TOKEN = 'DISCORD_TOKEN'

/** A Discord as the config has it. */
export const discordNetwork = ({ api }: { api: string }, channels: Record<string, string>, part: object = {}) => ({
  kind: 'discord',
  token: TOKEN,
  api,
  channels,
  ...part,
})

type Options = {
  /** The networks by their names, and whatever else the config has besides those of every test house. */
  networks: Record<string, object>
  config?: { rooms?: object[]; drainMs?: number } & Record<string, unknown>
  variables?: Record<string, string>
  inWorkspace?: (folder: string) => void
}

export type Rooms = TestHouse & {
  /** Somebody at home, who may do everything. */
  admin: Client
  startBridge: () => Promise<void>
  stopBridge: () => Promise<void>
  /** Waits until Bellhop is on all of its networks, and in all of its channels. */
  untilOn: () => Promise<void>
  /** Waits until work can be given to every agent. */
  untilReady: () => Promise<void>
  /** What the evidence has of something, oldest first. */
  entries: (filters: Record<string, unknown>) => Promise<Entry[]>
}

/** A test house with a bridge in this process, which is on its networks: `await using rooms = await startRooms(…)`. */
export const startRooms = async ({ networks, config = {}, ...options }: Options): Promise<Rooms> => {
  const { rooms: places, drainMs, ...rest } = config
  const house = await startTestHouse({ ...options, worker: false, config: linesOf({ networks, ...rest }) })
  if (places !== undefined || drainMs !== undefined) {
    // A test house has these already, and a file has each of them once: it is started again with what is wanted.
    await house.stopGateway()
    replaceIn(house.settings.configFile ?? '', { ...(places && { rooms: places }), ...(drainMs && { drainMs }) })
    await house.startGateway()
  }
  await house.startWorker()
  let bridge: { stop: () => Promise<void> } | null = null
  const admin = createClient({ url: house.url, token: house.tokens.admin })
  const untilOn = () => eventually('Bellhop to be in its channels', () => isOn(admin)).then(() => {})
  const rooms: Rooms = {
    ...house,
    admin,
    startBridge: async () => {
      bridge = await startBridge(house.settings)
      await untilOn()
    },
    stopBridge: async () => {
      await bridge?.stop()
      bridge = null
    },
    untilOn,
    untilReady: () => eventually('the agents to be ready', () => areReady(admin)).then(() => {}),
    entries: async (filters: Record<string, unknown>) =>
      must(await house.store.query({ limit: 1000, ephemeral: 'with', ...filters, order: 'oldest' })).entries,
    [Symbol.asyncDispose]: async () => {
      open.delete(rooms)
      await bridge?.stop()
      await house[Symbol.asyncDispose]()
    },
  }
  open.add(rooms)
  await rooms.untilReady()
  await rooms.startBridge()
  return rooms
}

/** Those that are open in this process: what keeps one silent is gone with its folder. */
const open = new Set<Rooms>()

const LAST = 20

/** What there is to know of a house in which something was not said: its last entries, how far each channel is, its logs. */
const howItStands = async ({ store, redis: { redis }, settings }: Rooms): Promise<string> => {
  const entries = must(await store.query({ limit: LAST, ephemeral: 'with' })).entries.reverse()
  const streams = await redis.keys('*{delivery *}:standing')
  const standings = await Promise.all(streams.map(async (key) => [key, await redis.hgetall(key)]))
  const logs = ['gateway', 'worker', 'bridge'].map((part) => folderAt(settings.data).log(part)).filter(existsSync)
  return [
    new Date().toISOString(),
    ...entries.map(({ position, at, id, body }) => `${position} ${at} ${id} ${body?.event}`),
    JSON.stringify(standings),
    ...logs.flatMap((log) => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LAST)),
  ].join('\n')
}

/** Fails with what was heard, and with how it stands where it should have been said. */
const unheard =
  (heard: () => string[]) =>
  async (cause: Error): Promise<never> => {
    const standing = await Promise.all([...open].map((rooms) => howItStands(rooms).catch(String)))
    throw new Error([`${cause.message}; heard ${JSON.stringify(heard(), null, 1)}`, ...standing].join('\n'))
  }

const isOn = async (admin: Client): Promise<boolean> => {
  const { networks } = must(await admin.ask('networks'))
  return networks.every(({ state, detail }) => state === 'connected' && !detail.includes('NOT in'))
}

const areReady = async (admin: Client): Promise<boolean> => {
  const { agents } = must(await admin.ask('who'))
  return agents.every(({ readiness }) => readiness === 'ready')
}

/** Lines of a config: what is JSON is YAML, too. */
const linesOf = (config: Record<string, unknown>): string =>
  Object.entries(config)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')

const replaceIn = (file: string, config: Record<string, unknown>): void => {
  const kept = Object.keys(config).reduce(
    (text, key) => text.replace(new RegExp(`^${key}:.*\\n(?: .*\\n)*`, 'm'), ''),
    readFileSync(file, 'utf8'),
  )
  writeFileSync(file, kept + linesOf(config))
}

/** Somebody who comes into a channel of IRC. */
export const comesTo = async (
  { host, port }: Address,
  nick: string,
  { channel = '#team', ...part }: Partial<Parameters<typeof ircPerson>[0]> & { channel?: string } = {},
): Promise<Person> => {
  const person = await ircPerson({ host, port, nick, ...part })
  await person.join(channel)
  return person
}

/** What Bellhop said in a channel since somebody came, without what only makes a name bold. */
export const saidTo = (person: Person, channel = '#team', nick = 'bellhop'): string[] =>
  person
    .heard(channel)
    .filter((one) => one.nick === nick && one.kind === 'PRIVMSG')
    .map(({ text }) => text.replaceAll('\x02', ''))

/** Waits until Bellhop has said something in a channel. */
export const hears = (person: Person, text: string | RegExp, channel = '#team', ms = 60_000): Promise<string> =>
  eventually(
    `${person.nick} to hear ${text}`,
    () => saidTo(person, channel).find((one) => (typeof text === 'string' ? one === text : text.test(one))),
    ms,
  ).catch(unheard(() => saidTo(person, channel)))

/** Says a line, and answers what Bellhop said in the channel from then on, once that is as many lines as are awaited. */
export const exchange = async (person: Person, line: string, count: number, channel = '#team'): Promise<string[]> => {
  const before = saidTo(person, channel).length
  person.say(channel, line)
  const since = () => saidTo(person, channel).slice(before)
  await eventually(`${count} lines after ${line}`, () => since().length >= count).catch(unheard(since))
  return since()
}

/** Somebody becomes who the tokens of the house belong to, for as long as they stay: by a code that the house gives at home. */
export const pairs = async ({ admin }: Rooms, person: Person, channel = '#team'): Promise<string> => {
  const { output, receipt } = must(await admin.command('pair', {}, { room: 'lobby' }))
  if (!receipt.whisper?.includes(output?.code ?? '?')) throw new Error('the code is whispered')
  const before = saidTo(person, channel).length
  person.say(channel, `!pair ${output?.code}`)
  const isPaired = new RegExp(`^${person.nick}: \\S+/\\S+ is \\S+$`)
  return eventually(`${person.nick} to be known`, () =>
    saidTo(person, channel)
      .slice(before)
      .find((text) => isPaired.test(text)),
  )
}
