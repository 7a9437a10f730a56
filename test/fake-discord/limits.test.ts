import type { Client } from 'discord.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, createClient, refusalOf, textChannel } from './connect.ts'
import { eventually } from './poll.ts'
import { type FakeDiscord, type Guild, startFakeDiscord } from './src/index.ts'

let discord: FakeDiscord
let guild: Guild
let client: Client<true>

beforeAll(async () => {
  discord = await startFakeDiscord()
  guild = discord.guild()
  client = await connect(discord)
})

afterAll(async () => {
  await client.destroy()
  await discord.close()
})

const statuses = (path: string) => discord.requests.filter((one) => one.path === path).map(({ status }) => status)

/** A request as any client could make it, with no care for limits. */
const post = (path: string, body: object, on = discord) =>
  fetch(`${on.api}/v10${path}`, {
    method: 'POST',
    headers: { authorization: `Bot ${on.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('a bucket', () => {
  test('says in its headers how much is left, and refuses what is over', async () => {
    const { id } = guild.channel('bucket')
    const answers: Response[] = []
    for (let at = 0; at < 6; at++) answers.push(await post(`/channels/${id}/messages`, { content: `${at}` }))
    const header = (name: string) => answers.map(({ headers }) => headers.get(`x-ratelimit-${name}`))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
    expect(header('limit')).toEqual(answers.map(() => '5'))
    expect(header('remaining')).toEqual(['4', '3', '2', '1', '0', '0'])
    expect(header('scope')).toEqual([null, null, null, null, null, 'user'])
    expect(new Set(header('bucket')).size).toBe(1)
    const last = answers.at(-1)
    expect(last?.headers.get('retry-after')).toMatch(/^[1-5]$/)
    expect(await last?.json()).toEqual({
      message: 'You are being rate limited.',
      retry_after: expect.any(Number),
      global: false,
    })
  })

  test('is for each channel by itself, and full again in time', async () => {
    const [one, other] = [guild.channel('one').id, guild.channel('other').id]
    const send = async (id: string) => (await post(`/channels/${id}/messages`, { content: 'x' })).status
    for (let at = 0; at < 5; at++) await send(one)
    expect([await send(one), await send(other)]).toEqual([429, 200])
    discord.pass(5001)
    expect(await send(one)).toBe(200)
  })

  test('is kept to by discord.js, which waits and sends all in order', async () => {
    const quick = await startFakeDiscord({ limits: { messages: { limit: 5, perMs: 300 } } })
    const { channelId } = quick.guild()
    const patient = await connect(quick)
    const place = await textChannel(patient, channelId)
    const lines = Array.from({ length: 12 }, (_, at) => `line ${at}`)
    await Promise.all(lines.map((line) => place.send(line)))
    expect(quick.messages(channelId).map(({ content }) => content)).toEqual(lines)
    expect(quick.requests.filter(({ status }) => status === 429)).toEqual([])
    await patient.destroy()
    await quick.close()
  })

  test('that says later is waited for by discord.js, and then asked again', async () => {
    const { id } = guild.channel('later')
    discord.fail({ method: 'POST', route: '/channels/:channel/messages' }, { retryAfter: 0.1 })
    await (await textChannel(client, id)).send('in the end')
    expect(statuses(`/channels/${id}/messages`)).toEqual([429, 200])
    expect(discord.messages(id).map(({ content }) => content)).toEqual(['in the end'])
  })

  test('of names is inside of another, and lasts ten minutes', async () => {
    const { id } = guild.channel('named')
    discord.allow(id, 'MANAGE_CHANNELS')
    const rename = (name: string) =>
      fetch(`${discord.api}/v10/channels/${id}`, {
        method: 'PATCH',
        headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      })
    const answers = [await rename('a'), await rename('b'), await rename('c')]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(500)
    expect(Number(answers[2]?.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0)
    discord.pass(600_001)
    expect((await rename('d')).status).toBe(200)
  })
})

describe('all routes together', () => {
  test('are asked fifty times a second, but for the answers to interactions', async () => {
    const strict = await startFakeDiscord({ limits: { global: { limit: 3, perMs: 60_000 } } })
    const { channelId } = strict.guild()
    const typing = () => post(`/channels/${channelId}/typing`, {}, strict)
    const answers = [await typing(), await typing(), await typing(), await typing()]
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 429])
    const last = answers.at(-1)
    expect([last?.headers.get('x-ratelimit-global'), last?.headers.get('x-ratelimit-scope')]).toEqual([
      'true',
      'global',
    ])
    expect(await last?.json()).toMatchObject({ global: true })
    expect((await post('/interactions/1/token/callback', { type: 5 }, strict)).status).toBe(404)
    await strict.close()
  })
})

describe('requests that are invalid', () => {
  test('are counted, and too many of them are the end', async () => {
    const strict = await startFakeDiscord({ limits: { invalidRequests: { limit: 4, perMs: 600_000 } } })
    const { channelId } = strict.guild()
    const say = (token: string) =>
      fetch(`${strict.api}/v10/channels/${channelId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'x' }),
      })
    expect(await (await say('wrong')).json()).toEqual({ message: '401: Unauthorized', code: 0 })
    strict.deny(channelId, 'SEND_MESSAGES')
    expect((await say(strict.token)).status).toBe(403)
    strict.fail({}, { retryAfter: 0, scope: 'shared' })
    expect((await say(strict.token)).status).toBe(429)
    expect(strict.invalidRequests).toBe(2)
    strict.fail({}, { retryAfter: 0, times: 2 })
    await say(strict.token)
    await say(strict.token)
    expect(strict.invalidRequests).toBe(4)
    strict.allow(channelId, 'SEND_MESSAGES')
    const banned = await say(strict.token)
    expect([banned.status, banned.headers.get('content-type')]).toEqual([429, 'text/plain'])
    strict.pass(600_001)
    expect((await say(strict.token)).status).toBe(200)
    await strict.close()
  })

  test('with a wrong token are refused before the client ever connects', async () => {
    const refused = createClient(discord)
    await expect(refused.login('not.the.token')).rejects.toMatchObject({ code: 'TokenInvalid' })
  })
})

describe('what fails on the way', () => {
  test('is tried again by discord.js: doubled where it was carried out, and not with a nonce', async () => {
    const { id } = guild.channel('doubled')
    const place = await textChannel(client, id)
    const route = '/channels/:channel/messages'
    discord.fail({ method: 'POST', route }, { status: 502 })
    await place.send('once')
    discord.fail({ method: 'POST', route }, { status: 502, carriedOut: true })
    await place.send('twice')
    discord.fail({ method: 'POST', route }, { status: 502, carriedOut: true })
    await place.send({ content: 'safe', nonce: '1', enforceNonce: true })
    expect(discord.messages(id).map(({ content }) => content)).toEqual(['once', 'twice', 'twice', 'safe'])
  })

  test('breaks off before or after it is carried out', async () => {
    const { id } = guild.channel('broken')
    const send = () => post(`/channels/${id}/messages`, { content: 'x' })
    discord.fail({ route: new RegExp(id) }, { drop: 'before' })
    await expect(send()).rejects.toThrow()
    expect(discord.messages(id).length).toBe(0)
    discord.fail({ route: new RegExp(id) }, { drop: 'after' })
    await expect(send()).rejects.toThrow()
    expect(discord.messages(id).length).toBe(1)
    expect(statuses(`/channels/${id}/messages`)).toEqual([0, 0])
  })

  test('is late', async () => {
    const { id } = guild.channel('late')
    const contents = () => discord.messages(id).map(({ content }) => content)
    discord.fail({ body: (body) => JSON.stringify(body).includes('slow') }, { delayMs: 1000 })
    const slow = post(`/channels/${id}/messages`, { content: 'slow' })
    await post(`/channels/${id}/messages`, { content: 'fast' })
    expect(contents()).toEqual(['fast'])
    await slow
    expect(contents()).toEqual(['fast', 'slow'])
  })

  test('is written down with what came of it', async () => {
    const { id } = guild.channel('records')
    await refusalOf((await textChannel(client, id)).send('x'.repeat(2001)))
    const sent = await eventually('the request', () =>
      discord.requests.find((one) => one.path.startsWith(`/channels/${id}/m`)),
    )
    expect(sent).toMatchObject({
      method: 'POST',
      path: `/channels/${id}/messages`,
      route: '/channels/:channel/messages',
      status: 400,
      code: 50035,
      body: { content: 'x'.repeat(2001) },
      files: [],
      reason: null,
    })
    expect(await refusalOf(client.rest.get('/nowhere'))).toEqual({ status: 404, code: 0 })
  })
})
