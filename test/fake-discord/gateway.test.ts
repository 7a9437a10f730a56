import { type Client, Events, GatewayIntentBits } from 'discord.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { connect, createClient, textChannel } from './connect.ts'
import { eventually } from './poll.ts'
import { type FakeDiscord, type Guild, type Person, startFakeDiscord } from './src/index.ts'

let discord: FakeDiscord
let guild: Guild
let ada: Person

beforeAll(async () => {
  discord = await startFakeDiscord()
  guild = discord.guild({ name: 'the team', channels: ['general', 'random'] })
  ada = discord.user('ada')
})

afterAll(() => discord.close())

describe('a client that connects', () => {
  test('knows the guild, its channels, its roles and itself', async () => {
    const client = await connect(discord)
    const known = client.guilds.cache.get(guild.id)
    expect([
      known?.name,
      known?.channels.cache.map(({ name }) => name),
      known?.roles.cache.map(({ name }) => name),
      known?.members.me?.id,
      client.user.id,
      discord.gateway.connections,
    ]).toEqual(['the team', ['general', 'random'], ['@everyone', 'bot'], discord.botId, discord.botId, 1])
    const { flags } = await client.application.fetch()
    expect(flags.toArray()).toEqual(['GatewayMessageContentLimited'])
    expect((await known?.members.fetch(ada.id).catch((error) => error.code)) ?? null).toBe(10007)
    ada.joins(guild.id)
    expect((await known?.members.fetch(ada.id))?.user.username).toBe('ada')
    client.user.setPresence({ status: 'idle', activities: [{ name: 'the door' }] })
    await eventually('its presence', () => (discord.gateway.presence as { status?: string } | null)?.status === 'idle')
    await client.destroy()
    await eventually('the end', () => discord.gateway.connections === 0)
  })

  test('is told of guilds and channels that are made later', async () => {
    const client = await connect(discord)
    const { id } = guild.channel('later')
    await eventually('the channel', () => client.channels.cache.has(id))
    const other = discord.guild({ name: 'another' })
    await eventually('the guild', () => client.guilds.cache.has(other.id))
    other.removesBot()
    await eventually('no guild', () => !client.guilds.cache.has(other.id))
    await client.destroy()
  })

  test('is hung up on with 4014 where it asks for what it was not given', async () => {
    const client = createClient(discord, { intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers] })
    await expect(client.login(discord.token)).rejects.toThrow('Used disallowed intents')
  })

  test('is hung up on with 4004 where its token is not good any more', async () => {
    const own = await startFakeDiscord()
    own.guild()
    const client = await connect(own)
    const gone = new Promise((resolve) => client.once(Events.ShardDisconnect, ({ code }) => resolve(code)))
    client.on(Events.ShardError, () => {})
    const old = own.token
    own.resetToken()
    expect([await gone, own.token === old]).toEqual([4004, false])
    await expect(createClient(own).login(old)).rejects.toMatchObject({ code: 'TokenInvalid' })
    await client.destroy()
    await own.close()
  })
})

describe('a connection that is lost', () => {
  let client: Client<true>
  const heard: string[] = []

  beforeEach(async () => {
    client = await connect(discord)
    heard.length = 0
    client.on(Events.MessageCreate, ({ content }) => heard.push(content))
  })

  afterEach(() => client.destroy())

  const resumes = async (breakIt: () => void): Promise<void> => {
    const { resumed, identified } = discord.gateway
    ada.says(guild.channelId, 'before')
    await eventually('the first', () => heard.length === 1)
    breakIt()
    ada.says(guild.channelId, 'meanwhile')
    await eventually('the second', () => heard.length === 2)
    ada.says(guild.channelId, 'after')
    await eventually('the third', () => heard.length === 3)
    expect(heard).toEqual(['before', 'meanwhile', 'after'])
    expect([discord.gateway.resumed, discord.gateway.identified]).toEqual([resumed + 1, identified])
  }

  test('is resumed after it broke, and what was missed is told', () => resumes(() => discord.gateway.dropAll()))

  test('is resumed after it was closed', () => resumes(() => discord.gateway.dropAll(4000)))

  test('is resumed where the gateway asks for it', () => resumes(() => discord.gateway.reconnect()))

  test('is resumed where the session stays good', () => resumes(() => discord.gateway.invalidate(true)))

  const forgotten = [
    [
      'without a word',
      () => {
        discord.gateway.forget()
        discord.gateway.dropAll()
      },
    ],
    ['in so many words', () => discord.gateway.invalidate(false)],
  ] as const

  test.each(forgotten)(
    'begins anew where the session is forgotten %s, and what was missed is gone',
    async (_, breakIt) => {
      const { identified } = discord.gateway
      const ready = new Promise((resolve) => client.once(Events.ShardReady, resolve))
      breakIt()
      const missed = ada.says(guild.channelId, 'missed')
      await ready
      expect([discord.gateway.identified, heard]).toEqual([identified + 1, []])
      const { messages } = await textChannel(client, guild.channelId)
      expect((await messages.fetch({ limit: 1 })).map(({ id }) => id)).toEqual([missed.id])
    },
  )
})

describe('a connection that falls silent', () => {
  test('is noticed by its heartbeats, left and resumed', async () => {
    const own = await startFakeDiscord({ limits: { heartbeatMs: 150 } })
    const { channelId } = own.guild()
    const grace = own.user('grace')
    const client = await connect(own)
    const heard: string[] = []
    client.on(Events.MessageCreate, ({ content }) => heard.push(content))
    own.gateway.silence()
    grace.says(channelId, 'is anybody there?')
    await eventually('the message', () => heard.length === 1)
    expect(own.gateway.resumed).toBeGreaterThan(0)
    await client.destroy()
    await own.close()
  })
})

describe('the protocol', () => {
  type Frame = { op: number; t?: string; d?: unknown; s?: number }

  /** A client that says what it is told to. */
  const open = async (on: FakeDiscord, query = '?v=10&encoding=json') => {
    const socket = new WebSocket(on.api.replace('http', 'ws').replace('/api', `/${query}`))
    const frames: Frame[] = []
    const closed = new Promise<number>((resolve) => socket.on('close', resolve))
    socket.on('message', (data) => frames.push(JSON.parse(String(data))))
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
    const say = (op: number, d: unknown) => socket.send(JSON.stringify({ op, d }))
    const frame = (op: number, t?: string) =>
      eventually(`op ${op} ${t ?? ''}`, () => frames.find((one) => one.op === op && (!t || one.t === t)))
    return { socket, frames, say, frame, closed }
  }

  const identify = (more: object = {}) => ({ token: discord.token, intents: 513, properties: {}, ...more })

  test('begins with hello, and answers heartbeats', async () => {
    const { frame, say, socket } = await open(discord)
    expect((await frame(10)).d).toEqual({ heartbeat_interval: 41_250 })
    say(1, null)
    await frame(11)
    say(2, identify())
    expect((await frame(0, 'READY')).d).toMatchObject({
      v: 10,
      user: { id: discord.botId },
      guilds: expect.arrayContaining([{ id: guild.id, unavailable: true }]),
      resume_gateway_url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+$/),
    })
    expect((await frame(0, 'GUILD_CREATE')).d).toMatchObject({ id: guild.id, channels: expect.any(Array) })
    discord.gateway.askHeartbeat()
    await frame(1)
    socket.close()
  })

  test('hangs up with the codes that Discord has for it', async () => {
    const codeFor = async (...frames: [number, unknown][]): Promise<number> => {
      const { say, closed } = await open(discord)
      for (const [op, d] of frames) say(op, d)
      return closed
    }
    expect(await codeFor([99, {}])).toBe(4001)
    expect(await codeFor([3, {}])).toBe(4003)
    expect(await codeFor([2, identify({ token: 'wrong' })])).toBe(4004)
    expect(await codeFor([2, identify()], [2, identify()])).toBe(4005)
    expect(await codeFor(...Array.from({ length: 121 }, (): [number, null] => [1, null]))).toBe(4008)
    expect(await codeFor([2, identify({ shard: [1, 1] })])).toBe(4010)
    expect(await codeFor([2, identify({ intents: 1 << 30 })])).toBe(4013)
    expect(await codeFor([2, identify({ intents: 1 << 8 })])).toBe(4014)
    expect(await (await open(discord, '?v=8&encoding=json')).closed).toBe(4012)
    expect(await (await open(discord, '?v=10&encoding=etf')).closed).toBe(4002)
  })

  test('resumes from where the client says it was, and says no to a session it does not know', async () => {
    const first = await open(discord)
    first.say(2, identify())
    const ready = await first.frame(0, 'READY')
    ada.says(guild.channelId, 'one')
    ada.says(guild.channelId, 'two')
    await eventually('both', () => first.frames.filter(({ t }) => t === 'MESSAGE_CREATE').length === 2)
    first.socket.terminate()
    const { session_id } = ready.d as { session_id: string }
    const last = first.frames.at(-1)?.s ?? 0
    const second = await open(discord)
    second.say(6, { token: discord.token, session_id, seq: last - 1 })
    await second.frame(0, 'RESUMED')
    const told = second.frames.flatMap(({ t, s }) => (t === undefined || t === null ? [] : [[t, s]]))
    expect(told).toEqual([
      ['MESSAGE_CREATE', last],
      ['RESUMED', last + 1],
    ])
    second.socket.terminate()
    const third = await open(discord)
    third.say(6, { token: discord.token, session_id, seq: 10_000 })
    expect(await third.closed).toBe(4007)
    const fourth = await open(discord)
    fourth.say(6, { token: discord.token, session_id: 'nobody', seq: 1 })
    expect((await fourth.frame(9)).d).toBe(false)
    fourth.socket.terminate()
  })

  test('hangs up on whoever sends no heartbeats, and lets nobody in where it is told to', async () => {
    const own = await startFakeDiscord({ limits: { heartbeatMs: 50 } })
    expect(await (await open(own)).closed).toBe(4009)
    own.gateway.refuse()
    await expect(open(own)).rejects.toThrow('503')
    own.gateway.admit()
    ;(await open(own)).socket.terminate()
    await own.close()
  })
})
