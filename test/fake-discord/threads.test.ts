import { ChannelType, type Client, Events, type TextChannel, type ThreadChannel } from 'discord.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, refusalOf, textChannel } from './connect.ts'
import { eventually } from './poll.ts'
import {
  type FakeDiscord,
  type Guild,
  type PermissionName,
  type Person,
  Refused,
  startFakeDiscord,
} from './src/index.ts'

let discord: FakeDiscord
let guild: Guild
let client: Client<true>
let ada: Person

beforeAll(async () => {
  const plenty = { limit: 1000, perMs: 1000 }
  discord = await startFakeDiscord({ limits: { messages: plenty, edits: plenty, reactions: plenty } })
  guild = discord.guild()
  ada = discord.user('ada')
  client = await connect(discord)
})

afterAll(async () => {
  await client.destroy()
  await discord.close()
})

const place = async (id = guild.channelId) => (await textChannel(client, id)) as TextChannel

const threadOf = (id: string): Promise<ThreadChannel> =>
  eventually('the thread', () => client.channels.cache.get(id) as ThreadChannel | undefined)

describe('a thread', () => {
  test('begins at a message, with its id', async () => {
    const message = await (await place()).send('start here')
    const thread = await message.startThread({ name: 'work', autoArchiveDuration: 60 })
    expect([thread.id, thread.type, thread.ownerId, thread.name]).toEqual([message.id, 11, discord.botId, 'work'])
    expect(discord.messages(thread.id).map(({ type }) => type)).toEqual([21])
    expect(await refusalOf((await place()).threads.create({ name: 'again', startMessage: message.id }))).toEqual({
      status: 400,
      code: 160004,
    })
    await thread.send('inside')
    expect(discord.messages(thread.id).at(-1)?.content).toBe('inside')
  })

  test('begins by itself, and the channel is told', async () => {
    const thread = await (await place()).threads.create({ name: 'alone' })
    expect(discord.messages(guild.channelId).at(-1)).toMatchObject({ type: 18, content: 'alone' })
    expect(thread.type).toBe(ChannelType.PublicThread)
  })

  test('that somebody opens is seen by the client, and what is said in it is heard', async () => {
    const created: [string, boolean][] = []
    client.on(Events.ThreadCreate, (thread, isNew) => created.push([thread.id, isNew]))
    const { id } = ada.opensThread(guild.channelId, 'by ada', ada.says(guild.channelId, 'look').id)
    await eventually('the thread', () => created.some(([made, isNew]) => made === id && isNew))
    const heard: [string, string][] = []
    client.on(Events.MessageCreate, ({ channelId, content }) => heard.push([channelId, content]))
    ada.says(id, 'hello?')
    await eventually('the message', () => heard.some(([where, what]) => where === id && what === 'hello?'))
    expect((await (await place()).threads.fetchActive()).threads.has(id)).toBe(true)
  })

  test('has a name of at most 100 characters, and one of four durations', async () => {
    const { threads } = await place()
    expect(await refusalOf(threads.create({ name: 'x'.repeat(101) }))).toMatchObject({ code: 50035 })
    expect(await refusalOf(threads.create({ name: 'x', autoArchiveDuration: 61 as 60 }))).toMatchObject({ code: 50035 })
    expect((await threads.create({ name: 'x'.repeat(100), autoArchiveDuration: 10_080 })).name.length).toBe(100)
  })
})

describe('a private thread', () => {
  test('is for those in it', async () => {
    const thread = await (await place()).threads.create({ name: 'quiet', type: ChannelType.PrivateThread })
    expect(() => ada.says(thread.id, 'may I?')).toThrow('Missing Access')
    await thread.members.add(ada.id)
    ada.says(thread.id, 'thank you')
    await thread.members.remove(ada.id)
    expect(() => ada.says(thread.id, 'and now?')).toThrow('Missing Access')
  })
})

describe('an archived thread', () => {
  const archived = async (name: string): Promise<ThreadChannel> => {
    const thread = await (await place()).threads.create({ name })
    await thread.send('something')
    await thread.setArchived(true)
    return thread
  }

  test('lets nothing be changed in it', async () => {
    const thread = await archived('done')
    const message = (await thread.messages.fetch()).first() ?? expect.fail()
    const closed = { status: 400, code: 50083 }
    expect(await refusalOf(message.edit('else'))).toEqual(closed)
    expect(await refusalOf(message.react('👀'))).toEqual(closed)
    expect(await refusalOf(thread.setName('else'))).toEqual(closed)
    expect(() => ada.slash(thread.id, 'status')).toThrow('Thread is archived')
    await message.delete()
    expect(discord.channel(thread.id)?.thread_metadata?.archived).toBe(true)
  })

  test('is brought back by a message', async () => {
    const thread = await archived('back')
    await thread.send('again')
    expect(discord.channel(thread.id)?.thread_metadata?.archived).toBe(false)
    await eventually('that the client knows', () => thread.archived === false)
  })

  test('that is locked is not, but for those who look after threads', async () => {
    const { id } = guild.channel('locked-here')
    const thread = await (await place(id)).threads.create({ name: 'locked' })
    discord.lock(thread.id)
    discord.archive(thread.id)
    expect(await refusalOf(thread.send('please'))).toEqual({ status: 400, code: 160005 })
    discord.allow(id, 'MANAGE_THREADS')
    await thread.send('now')
    expect(discord.messages(thread.id).map(({ content }) => content)).toContain('now')
  })

  test('is what a thread becomes that nobody writes in', async () => {
    const thread = await (await place()).threads.create({ name: 'quiet', autoArchiveDuration: 60 })
    discord.pass(59 * 60_000)
    expect(discord.channel(thread.id)?.thread_metadata?.archived).toBe(false)
    discord.pass(2 * 60_000)
    expect(discord.channel(thread.id)?.thread_metadata?.archived).toBe(true)
  })
})

describe('permissions', () => {
  test('of a channel are looked at with every request', async () => {
    const { id } = guild.channel('strict')
    const channel = await place(id)
    const said = ada.says(id, 'hello')
    const message = await channel.messages.fetch(said.id)
    const missing = { status: 403, code: 50013 }
    discord.deny(id, 'EMBED_LINKS')
    expect(await refusalOf(channel.send({ embeds: [{ title: 't' }] }))).toEqual(missing)
    discord.deny(id, 'ATTACH_FILES')
    expect(await refusalOf(channel.send({ files: [Buffer.from('x')] }))).toEqual(missing)
    discord.deny(id, 'ADD_REACTIONS')
    expect(await refusalOf(message.react('👀'))).toEqual(missing)
    ada.reacts(said.id, '👀')
    await message.react('👀')
    discord.deny(id, 'CREATE_PUBLIC_THREADS')
    expect(await refusalOf(message.startThread({ name: 'no' }))).toEqual(missing)
    discord.deny(id, 'READ_MESSAGE_HISTORY')
    expect(await refusalOf(message.reply('no'))).toEqual({ status: 403, code: 160002 })
    expect((await channel.messages.fetch({ limit: 5 })).size).toBe(0)
    discord.deny(id, 'SEND_MESSAGES')
    expect(await refusalOf(channel.send('no'))).toEqual(missing)
    expect(await refusalOf(message.delete())).toEqual(missing)
    discord.deny(id, 'VIEW_CHANNEL')
    expect(await refusalOf(channel.send('no'))).toEqual({ status: 403, code: 50001 })
    expect(await refusalOf(client.channels.fetch(guild.id))).toEqual({ status: 404, code: 10003 })
  })

  test('of an administrator are all there are, whatever a channel denies', async () => {
    const all: PermissionName[] = ['ADMINISTRATOR']
    const own = discord.guild({ botPermissions: all })
    discord.deny(own.channelId, 'SEND_MESSAGES')
    await (await place(own.channelId)).send('still')
    expect(discord.messages(own.channelId).map(({ content }) => content)).toEqual(['still'])
  })

  test('in threads are their own for speaking, and the rest is the channel’s', async () => {
    const { id } = guild.channel('threads-only')
    const thread = await (await place(id)).threads.create({ name: 'talk' })
    discord.deny(id, 'SEND_MESSAGES')
    await thread.send('still')
    discord.deny(id, 'SEND_MESSAGES_IN_THREADS')
    expect(await refusalOf(thread.send('no'))).toEqual({ status: 403, code: 50013 })
  })

  test('by role are added up, and a channel denies what a guild gives', async () => {
    const own = discord.guild({ permissions: ['VIEW_CHANNEL'] })
    const channel = await place(own.channelId)
    expect(await refusalOf(channel.send('no'))).toEqual({ status: 403, code: 50013 })
    const { id } = own.role('speakers', ['SEND_MESSAGES'])
    own.gives(discord.botId, id)
    await channel.send('yes')
    discord.deny(own.channelId, 'SEND_MESSAGES', id)
    expect(await refusalOf(channel.send('no'))).toEqual({ status: 403, code: 50013 })
  })

  test('decide what is heard, and gaining them brings the threads', async () => {
    const { id } = guild.channel('hidden')
    const thread = ada.opensThread(id, 'inside')
    await threadOf(thread.id)
    discord.deny(id, 'VIEW_CHANNEL')
    const heard: string[] = []
    client.on(Events.MessageCreate, ({ content }) => heard.push(content))
    ada.says(id, 'unheard')
    const synced = new Promise((resolve) =>
      client.once(Events.ThreadListSync, (threads) => resolve([...threads.keys()])),
    )
    discord.allow(id, 'VIEW_CHANNEL')
    ada.says(id, 'heard')
    expect(await synced).toEqual([thread.id])
    await eventually('the second', () => heard.includes('heard'))
    expect(heard).not.toContain('unheard')
  })

  test('hold for people, too', () => {
    const { id } = guild.channel('read-only')
    discord.deny(id, 'SEND_MESSAGES', ada)
    expect(() => ada.says(id, 'no')).toThrow(Refused)
    expect(() => ada.edits(discord.messages(guild.channelId)[0]?.id ?? '', 'no')).toThrow('authored by another user')
  })

  test('to write to somebody end where they take no messages', async () => {
    const grace = discord.user('grace')
    grace.joins(guild.id)
    const user = await client.users.fetch(grace.id)
    await user.send('hello')
    expect(discord.messages(grace.opensDm().id).map(({ content }) => content)).toEqual(['hello'])
    grace.closesDms()
    expect(await refusalOf(user.send('hello?'))).toEqual({ status: 403, code: 50007 })
  })
})
