import { AttachmentBuilder, type Client, Events, type Message, MessageFlags, Partials } from 'discord.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, faults, refusalOf, textChannel } from './connect.ts'
import { eventually } from './poll.ts'
import { type FakeDiscord, type Guild, type Person, startFakeDiscord } from './src/index.ts'

let discord: FakeDiscord
let guild: Guild
let client: Client<true>
let ada: Person
const heard: Message[] = []

beforeAll(async () => {
  // Limits are in the tests of limits: here nothing waits.
  const plenty = { limit: 1000, perMs: 1000 }
  discord = await startFakeDiscord({
    limits: {
      messages: plenty,
      edits: plenty,
      reactions: plenty,
      global: plenty,
      requestBytes: 3_000_000,
      fileBytes: 1_000_000,
    },
  })
  guild = discord.guild()
  ada = discord.user('ada')
  client = await connect(discord)
  client.on(Events.MessageCreate, (message) => heard.push(message))
})

afterAll(async () => {
  await client.destroy()
  await discord.close()
})

const channel = () => textChannel(client, guild.channelId)

const heardWith = (content: string): Promise<Message> =>
  eventually(`the message ${content}`, () => heard.find((message) => message.content === content))

describe('what people say', () => {
  test('reaches the client with its author, its member and its place', async () => {
    const said = ada.says(guild.channelId, 'good morning')
    const message = await heardWith('good morning')
    expect({
      ...message,
      author: message.author.username,
      member: message.member?.id,
      guild: message.guild?.name,
    }).toEqual(
      expect.objectContaining({ id: said.id, author: 'ada', member: ada.id, guild: 'guild', content: 'good morning' }),
    )
  })

  test('is told of again when it is edited and deleted', async () => {
    const said = ada.says(guild.channelId, 'first')
    await heardWith('first')
    const edited = new Promise((resolve) => client.once(Events.MessageUpdate, (_, message) => resolve(message.content)))
    ada.edits(said.id, 'second')
    expect(await edited).toBe('second')
    const gone = new Promise((resolve) => client.once(Events.MessageDelete, ({ id }) => resolve(id)))
    ada.deletes(said.id)
    expect(await gone).toBe(said.id)
    expect(discord.message(said.id)).toBeNull()
  })

  test('has files that can be downloaded', async () => {
    ada.says(guild.channelId, 'see this', { attachments: [{ name: 'notes.txt', content: 'grüß Gott' }] })
    const [file] = [...(await heardWith('see this')).attachments.values()]
    expect(await (await fetch(file?.url ?? '')).text()).toBe('grüß Gott')
  })

  test('comes from a conversation of two, too', async () => {
    ada.says(ada.opensDm().id, 'just between us')
    const message = await heardWith('just between us')
    expect([message.guildId, message.channel.isDMBased()]).toEqual([null, true])
    await message.reply('of course')
    expect(discord.messages(ada.opensDm().id).map(({ content }) => content)).toEqual(['just between us', 'of course'])
  })
})

describe('what the bot says', () => {
  test('is stored, edited with its history, and deleted', async () => {
    const sent = await (await channel()).send('working')
    await sent.edit('done')
    expect(discord.message(sent.id)).toMatchObject({
      content: 'done',
      author: { id: discord.botId, bot: true },
      history: [{ content: 'working' }],
      ephemeral: false,
    })
    await sent.delete()
    expect(discord.message(sent.id)).toBeNull()
  })

  test('is refused where it is longer than 2000 characters, of which an emoji is one', async () => {
    const place = await channel()
    expect(await refusalOf(place.send('x'.repeat(2001)))).toEqual({
      status: 400,
      code: 50035,
      errors: { content: faults('BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.') },
    })
    const sent = await place.send('😀'.repeat(2000))
    expect([...sent.content].length).toBe(2000)
    expect(await refusalOf(sent.edit('x'.repeat(2001)))).toMatchObject({ code: 50035 })
  })

  test('is refused where there is nothing in it', async () => {
    expect(await refusalOf((await channel()).send('  \n '))).toEqual({ status: 400, code: 50006 })
    expect(await refusalOf((await channel()).send({ embeds: [{}] }))).toEqual({ status: 400, code: 50006 })
  })

  test('has embeds within their limits', async () => {
    const place = await channel()
    const text = (length: number) => 'x'.repeat(length)
    const fields = (count: number) => Array.from({ length: count }, () => ({ name: 'n', value: 'v' }))
    const wrong = [
      { embeds: [{ title: text(257) }] },
      { embeds: [{ description: text(4097) }] },
      { embeds: [{ footer: { text: text(2049) } }] },
      { embeds: [{ fields: fields(26) }] },
      { embeds: [{ fields: [{ name: text(257), value: 'v' }] }] },
      { embeds: [{ fields: [{ name: 'n', value: text(1025) }] }] },
      { embeds: [{ description: text(4000) }, { description: text(2001) }] },
      { embeds: Array.from({ length: 11 }, () => ({ title: 't' })) },
    ]
    const codes = await Promise.all(wrong.map(async (message) => (await refusalOf(place.send(message))).code))
    expect(codes).toEqual(wrong.map(() => 50035))
    const { embeds } = await place.send({ embeds: [{ title: text(256), description: text(4096), fields: fields(25) }] })
    expect(embeds[0]?.fields.length).toBe(25)
    expect(await refusalOf(place.send({ embeds: [{ title: 't', description: text(5000) }] }))).toEqual({
      status: 400,
      code: 50035,
      errors: {
        embeds: { '0': { description: faults('BASE_TYPE_MAX_LENGTH', 'Must be 4096 or fewer in length.') } },
      },
    })
  })

  test('has buttons and selects within their limits', async () => {
    const place = await channel()
    const button = (custom_id: string, label = 'go') => ({ type: 2, style: 1, custom_id, label })
    const row = (...components: object[]) => ({ type: 1, components })
    const option = (value: string) => ({ label: 'l', value })
    const many = (count: number) => Array.from({ length: count }, (_, at) => String(at))
    const send = (...components: object[]) => place.send({ content: 'pick', components: components as [] })
    const wrong = [
      many(6).map((id) => row(button(id))),
      [row(...many(6).map((id) => button(id)))],
      [row(button('x'.repeat(101)))],
      [row(button('a', 'x'.repeat(81)))],
      [row(button('same'), button('same'))],
      [row({ type: 3, custom_id: 's', options: many(26).map(option) })],
      [row({ type: 3, custom_id: 's', options: [option('a'), option('a')] })],
      [row({ type: 3, custom_id: 's', options: [option('a')] }, button('b'))],
      [button('bare')],
    ]
    const codes = await Promise.all(wrong.map(async (rows) => (await refusalOf(send(...rows))).code))
    expect(codes).toEqual(wrong.map(() => 50035))
    const sent = await send(...many(5).map((r) => row(...many(5).map((b) => button(`${r}-${b}`)))))
    expect(sent.components.length).toBe(5)
  })

  test('has the newer layout where its flag says so, and then nothing else', async () => {
    const place = await channel()
    const flags = MessageFlags.IsComponentsV2
    const text = (content: string) => ({ type: 10, content })
    const send = (components: object[], more: object = {}) =>
      place.send({ flags, components: components as [], ...more })
    expect(await refusalOf(send([text('a')], { content: 'b' }))).toMatchObject({ code: 50035, errors: { content: {} } })
    expect(await refusalOf(send(Array.from({ length: 41 }, () => text('a'))))).toMatchObject({ code: 50035 })
    expect(await refusalOf(send([text('a'.repeat(2001)), text('b'.repeat(2000))]))).toMatchObject({ code: 50035 })
    expect(await refusalOf(place.send({ components: [text('a')] as object[] as [] }))).toMatchObject({ code: 50035 })
    const sent = await send([{ type: 17, components: [text(`hello ${ada.mention}`)] }])
    expect(discord.message(sent.id)?.mentions.map(({ username }) => username)).toEqual(['ada'])
  })

  test('uploads files, and keeps those that an edit names', async () => {
    const place = await channel()
    const files = ['one.txt', 'two.txt'].map((name) => new AttachmentBuilder(Buffer.from(`in ${name}`), { name }))
    const sent = await place.send({ content: 'here', files })
    const stored = discord.message(sent.id)?.attachments ?? []
    expect(stored.map((file) => [file.filename, file.size, Buffer.from(discord.file(file)).toString()])).toEqual([
      ['one.txt', 10, 'in one.txt'],
      ['two.txt', 10, 'in two.txt'],
    ])
    const [, second] = [...sent.attachments.values()]
    await sent.edit({ attachments: second ? [second] : [] })
    expect(discord.message(sent.id)?.attachments.map(({ filename }) => filename)).toEqual(['two.txt'])
  })

  test('is refused where a file, all files together, or their number is too large', async () => {
    const place = await channel()
    const file = (size: number) => Buffer.alloc(size)
    const tooLarge = { status: 413, code: 40005 }
    expect(await refusalOf(place.send({ files: [file(1_000_001)] }))).toEqual(tooLarge)
    expect(await refusalOf(place.send({ files: Array.from({ length: 4 }, () => file(900_000)) }))).toEqual(tooLarge)
    const eleven = Array.from({ length: 11 }, () => file(1))
    expect((await refusalOf(place.send({ files: eleven }))).status).toBe(400)
  })

  test('is not sent twice with one nonce that is enforced', async () => {
    const place = await channel()
    const send = () => place.send({ content: 'once', nonce: 'the-one-and-only-nonce', enforceNonce: true })
    const [first, again] = [await send(), await send()]
    expect(again.id).toBe(first.id)
    discord.pass(6 * 60_000)
    expect((await send()).id).not.toBe(first.id)
    const long = place.send({ content: 'long', nonce: 'x'.repeat(26), enforceNonce: true })
    expect(await refusalOf(long)).toMatchObject({ code: 50035, errors: { nonce: expect.anything() } })
  })

  test('cannot be ephemeral: that is for the answers to interactions', async () => {
    const sent = await (await channel()).send({
      content: 'quiet',
      flags: MessageFlags.SuppressNotifications | 64,
    } as object)
    expect(discord.message(sent.id)).toMatchObject({ flags: MessageFlags.SuppressNotifications, ephemeral: false })
  })

  test('cannot be put into the mouth of others', async () => {
    const said = ada.says(guild.channelId, 'mine')
    const message = await (await channel()).messages.fetch(said.id)
    expect(await refusalOf(message.edit('yours'))).toEqual({ status: 403, code: 50005 })
  })
})

describe('mentions', () => {
  test('are all those in the text, unless it is said which are allowed', async () => {
    const grace = discord.user('grace')
    const text = `@everyone ${ada.mention} ${grace.mention}`
    const place = await channel()
    const mentioned = async (options: object) => {
      const { mentions, mention_everyone } = discord.message((await place.send({ content: text, ...options })).id) ?? {}
      return [mention_everyone, mentions?.map(({ username }) => username)]
    }
    expect(await mentioned({})).toEqual([true, ['ada', 'grace']])
    expect(await mentioned({ allowedMentions: { parse: [] } })).toEqual([false, []])
    expect(await mentioned({ allowedMentions: { users: [grace.id] } })).toEqual([false, ['grace']])
    const clash = place.send({ content: text, allowedMentions: { parse: ['users'], users: [ada.id] } })
    expect(await refusalOf(clash)).toMatchObject({ code: 50035 })
  })

  test('come back with an edit that does not say which are allowed', async () => {
    const sent = await (await channel()).send({ content: `${ada.mention} 1`, allowedMentions: { parse: [] } })
    await sent.edit({ content: `${ada.mention} 2` })
    expect(discord.message(sent.id)?.mentions.map(({ username }) => username)).toEqual(['ada'])
    await sent.edit({ content: `${ada.mention} 3`, allowedMentions: { parse: [] } })
    expect(discord.message(sent.id)?.mentions).toEqual([])
  })

  test('are in a reply whom it replies to, unless that is switched off', async () => {
    ada.says(guild.channelId, 'a question')
    const question = await heardWith('a question')
    const reply = async (options: object) => {
      const { mentions, message_reference, type } =
        discord.message((await question.reply({ content: 'a', ...options })).id) ?? {}
      return [type, message_reference?.message_id, mentions?.length]
    }
    expect(await reply({})).toEqual([19, question.id, 1])
    expect(await reply({ allowedMentions: { repliedUser: false } })).toEqual([19, question.id, 0])
    ada.deletes(question.id)
    expect(await refusalOf(question.reply('too late'))).toMatchObject({
      code: 50035,
      errors: { message_reference: faults('REPLIES_UNKNOWN_MESSAGE', 'Unknown message') },
    })
  })

  test('of everyone need the right to', async () => {
    const { id } = guild.channel('calm')
    discord.deny(id, 'MENTION_EVERYONE')
    const sent = await (await textChannel(client, id)).send('@everyone')
    expect(discord.message(sent.id)?.mention_everyone).toBe(false)
  })
})

describe('what was said before', () => {
  test('is read in pages', async () => {
    const { id } = guild.channel('history')
    const said = Array.from({ length: 7 }, (_, at) => ada.says(id, `line ${at}`))
    const { messages } = await textChannel(client, id)
    const page = async (options: object) =>
      [...(await messages.fetch({ cache: false, ...options })).values()].map(({ content }) => content)
    const lines = (...at: number[]) => at.map((one) => `line ${one}`)
    const [, , third, fourth] = said.map((message) => message.id)
    expect(await page({ limit: 2 })).toEqual(lines(6, 5))
    expect(await page({ before: third, limit: 100 })).toEqual(lines(1, 0))
    expect(await page({ after: third, limit: 2 })).toEqual(lines(4, 3))
    expect(await page({ around: fourth, limit: 3 })).toEqual(lines(4, 3, 2))
    expect(await refusalOf(page({ limit: 101 }))).toMatchObject({ code: 50035 })
    expect(await refusalOf(messages.fetch(guild.id))).toEqual({ status: 404, code: 10008 })
  })

  test('says nothing of the nonce, which is for whoever sends', async () => {
    const place = await channel()
    const { id, nonce } = await place.send({ content: 'marked', nonce: '7' })
    const again = await client.rest.get(`/channels/${place.id}/messages/${id}`)
    expect([nonce, again]).toEqual(['7', expect.not.objectContaining({ nonce: '7' })])
  })
})

describe('reactions', () => {
  test('are put, seen and taken away', async () => {
    const said = ada.says(guild.channelId, 'nice')
    const message = await heardWith('nice')
    const added = new Promise((resolve) => client.once(Events.MessageReactionAdd, (_, user) => resolve(user.id)))
    await message.react('👀')
    expect(await added).toBe(discord.botId)
    ada.reacts(said.id, '👀')
    expect(discord.message(said.id)?.reactions).toEqual([{ emoji: { id: null, name: '👀' }, count: 2, me: true }])
    await message.reactions.resolve('👀')?.users.remove()
    expect(discord.message(said.id)?.reactions).toEqual([{ emoji: { id: null, name: '👀' }, count: 1, me: false }])
    expect(await refusalOf(message.react('nothing'))).toMatchObject({ code: 10014 })
  })
})

describe('without the intent for content', () => {
  test('the bot reads what mentions it, what is for it alone, and what it said itself', async () => {
    const closed = await startFakeDiscord({ intents: { messageContent: false } })
    const { channelId } = closed.guild()
    const grace = closed.user('grace')
    const blind = await connect(closed, {
      intents: ['Guilds', 'GuildMessages', 'DirectMessages'],
      partials: [Partials.Channel],
    })
    const seen: string[] = []
    blind.on(Events.MessageCreate, (message) => seen.push(message.content))
    grace.says(channelId, 'a secret', { attachments: [{ name: 'a.txt', content: 'a' }] })
    grace.says(channelId, `<@${closed.botId}> hello`)
    grace.says(grace.opensDm().id, 'psst')
    await (await textChannel(blind, channelId)).send('I see')
    await eventually('all of them', () => seen.length === 4)
    expect(seen).toEqual(['', `<@${closed.botId}> hello`, 'psst', 'I see'])
    const read = await (await textChannel(blind, channelId)).messages.fetch({ cache: false })
    expect(read.map((message) => message.content)).toEqual(['I see', `<@${closed.botId}> hello`, ''])
    await blind.destroy()
    await closed.close()
  })
})
