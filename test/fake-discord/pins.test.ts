import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeDiscord, Refused, startFakeDiscord } from './src/index.ts'

let discord: FakeDiscord
beforeAll(async () => {
  discord = await startFakeDiscord({ limits: { other: { limit: 10_000, perMs: 1000 }, pins: 3 } })
})
afterAll(() => discord.close())

const ask = async (method: string, path: string): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(`${discord.api}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${discord.token}` },
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

const setting = () => {
  const guild = discord.guild({ botPermissions: ['PIN_MESSAGES'] })
  const ada = discord.user('ada')
  const said = (content: string) => ada.says(guild.channelId, content).id
  const pins = `/channels/${guild.channelId}/messages/pins`
  return { guild, ada, said, pins, channel: guild.channelId }
}

test('a message is pinned once, Discord says so once, and it is in the list, the newest pin first', async () => {
  const { said, pins, channel } = setting()
  const [one, two] = [said('one'), said('two')]
  discord.pass(1000)
  expect(await ask('PUT', `${pins}/${two}`)).toEqual({ status: 204, body: null })
  discord.pass(1000)
  expect([await ask('PUT', `${pins}/${one}`), await ask('PUT', `${pins}/${one}`)].map(({ status }) => status)).toEqual([
    204, 204,
  ])
  expect(discord.pinned(channel).map(({ content, pinned }) => [content, pinned])).toEqual([
    ['one', true],
    ['two', true],
  ])
  const system = discord.messages(channel).filter(({ type }) => type === 6)
  expect(system.map(({ author, message_reference }) => [author.id, message_reference?.message_id])).toEqual([
    [discord.botId, two],
    [discord.botId, one],
  ])
  const { body } = await ask('GET', `${pins}?limit=1`)
  expect(body).toMatchObject({ items: [{ message: { id: one } }], has_more: true })
  expect((await ask('DELETE', `${pins}/${one}`)).status).toBe(204)
  expect(discord.pinned(channel).map(({ id }) => id)).toEqual([two])
})

test('it needs the permission for it: to look after messages is not enough', async () => {
  const { said, pins, channel, ada } = setting()
  const one = said('one')
  discord.deny(channel, 'PIN_MESSAGES')
  discord.allow(channel, 'MANAGE_MESSAGES')
  expect(await ask('PUT', `${pins}/${one}`)).toMatchObject({ status: 403, body: { code: 50013 } })
  expect(() => ada.pins(one)).toThrow(Refused)
  discord.allow(channel, 'PIN_MESSAGES', ada)
  ada.pins(one)
  expect(discord.pinned(channel).map(({ id }) => id)).toEqual([one])
})

test('a channel has so many pins and no more, and nothing is pinned that Discord wrote, or that is not there', async () => {
  const { said, pins, channel } = setting()
  const four = ['one', 'two', 'three', 'four'].map(said)
  const answers: unknown[] = []
  for (const id of four) answers.push((await ask('PUT', `${pins}/${id}`)).status)
  expect(answers).toEqual([204, 204, 204, 400])
  expect(await ask('PUT', `${pins}/${four[3]}`)).toMatchObject({
    status: 400,
    body: { code: 30003, message: 'Maximum number of pins reached for the channel (250)' },
  })
  const system = discord.messages(channel).find(({ type }) => type === 6)?.id
  await ask('DELETE', `${pins}/${four[0]}`)
  expect([await ask('PUT', `${pins}/${system}`), await ask('PUT', `${pins}/123456789012345678`)]).toMatchObject([
    { status: 403, body: { code: 50021 } },
    { status: 404, body: { code: 10008 } },
  ])
})
