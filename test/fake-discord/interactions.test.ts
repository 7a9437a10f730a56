import {
  type AutocompleteInteraction,
  type BaseInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Client,
  Events,
  MessageFlags,
  type ModalSubmitInteraction,
  type RepliableInteraction,
} from 'discord.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, faults, refusalOf, textChannel } from './connect.ts'
import { eventually } from './poll.ts'
import { type FakeDiscord, type Guild, type Person, startFakeDiscord } from './src/index.ts'

let discord: FakeDiscord
let guild: Guild
let client: Client<true>
let ada: Person
let grace: Person
const seen: BaseInteraction[] = []

const COMMANDS = [
  { name: 'status', description: 'What goes on' },
  {
    name: 'agent',
    description: 'Agents',
    options: [
      {
        type: 1,
        name: 'start',
        description: 'Starts one',
        options: [
          { type: 3, name: 'goal', description: 'What for', required: true, autocomplete: true },
          { type: 4, name: 'turns', description: 'How many', min_value: 1, max_value: 9 },
          { type: 6, name: 'for', description: 'For whom' },
        ],
      },
    ],
  },
]

beforeAll(async () => {
  const plenty = { limit: 1000, perMs: 1000 }
  discord = await startFakeDiscord({
    limits: { messages: plenty, webhooks: plenty, global: plenty, commandCreates: { limit: 110, perMs: 86_400_000 } },
  })
  guild = discord.guild()
  ada = discord.user('ada')
  grace = discord.user('grace')
  client = await connect(discord)
  client.on(Events.InteractionCreate, (interaction) => seen.push(interaction))
  await client.application.commands.set(COMMANDS, guild.id)
})

afterAll(async () => {
  await client.destroy()
  await discord.close()
})

const received = async <T extends RepliableInteraction | AutocompleteInteraction>({ id }: { id: string }): Promise<T> =>
  eventually(`the interaction ${id}`, () => seen.find((interaction) => interaction.id === id) as T | undefined)

const slash = async () => {
  const handle = ada.slash(guild.channelId, 'status')
  return { handle, interaction: await received<ChatInputCommandInteraction>(handle) }
}

describe('a command', () => {
  test('comes with its options, who gave it and where', async () => {
    const handle = ada.slash(guild.channelId, 'agent start', { goal: 'a bug', turns: 3, for: grace.id })
    const interaction = await received<ChatInputCommandInteraction>(handle)
    expect([
      interaction.commandName,
      interaction.options.getSubcommand(),
      interaction.options.getString('goal'),
      interaction.options.getInteger('turns'),
      interaction.options.getUser('for')?.username,
      interaction.user.username,
      interaction.channelId,
      interaction.guildId,
    ]).toEqual(['agent', 'start', 'a bug', 3, 'grace', 'ada', guild.channelId, guild.id])
  })

  test('cannot be given as nobody could at a client', () => {
    expect(() => ada.slash(guild.channelId, 'nothing')).toThrow('there is no command /nothing')
    expect(() => ada.slash(guild.channelId, 'agent')).toThrow('needs a subcommand')
    expect(() => ada.slash(guild.channelId, 'agent start')).toThrow('needs the option goal')
    expect(() => ada.slash(guild.channelId, 'agent start', { goal: 'a', turns: 10 })).toThrow(
      'does not take 10 for turns',
    )
    expect(() => ada.slash(guild.channelId, 'agent start', { goal: 'a', more: 1 })).toThrow('has no option more')
  })

  test('is answered, with one more message after it', async () => {
    const { handle, interaction } = await slash()
    expect(handle.state).toBe('pending')
    const { resource } = await interaction.reply({ content: 'all is well', withResponse: true })
    expect(handle.state).toBe('answered')
    expect(handle.message()).toMatchObject({
      id: resource?.message?.id,
      content: 'all is well',
      author: { id: discord.botId },
      interaction_metadata: { id: handle.id, user: { username: 'ada' } },
    })
    await interaction.followUp('and more')
    expect(handle.followUps().map(({ content }) => content)).toEqual(['and more'])
    await interaction.deleteReply()
    expect(handle.message()).toBeNull()
  })

  test('is deferred, then answered by an edit', async () => {
    const { handle, interaction } = await slash()
    await interaction.deferReply()
    expect([handle.state, handle.message()]).toEqual(['deferred', null])
    await interaction.editReply('at last')
    expect([handle.state, handle.message()?.content, handle.message()?.history]).toEqual(['answered', 'at last', []])
    await interaction.editReply('really')
    expect(handle.message()?.history.map(({ content }) => content)).toEqual(['at last'])
  })

  test('that is deferred is answered by the first message after it, whatever flags that has', async () => {
    const { handle, interaction } = await slash()
    await interaction.deferReply({ flags: MessageFlags.Ephemeral })
    await interaction.followUp('only for you')
    expect([handle.state, handle.ephemeral, handle.message()?.content, handle.followUps()]).toEqual([
      'answered',
      true,
      'only for you',
      [],
    ])
  })

  test('is answered for one person alone, and edited by its token only', async () => {
    const { handle, interaction } = await slash()
    await interaction.reply({ content: 'a secret', flags: MessageFlags.Ephemeral })
    const message = handle.message() ?? expect.fail()
    const read = (who: Person) => discord.visibleTo(who, guild.channelId).some(({ id }) => id === message.id)
    expect([handle.ephemeral, message.flags, read(ada), read(grace)]).toEqual([true, 64, true, false])
    expect(discord.messages(guild.channelId)).not.toContainEqual(message)
    const { messages } = await textChannel(client, guild.channelId)
    expect(await refusalOf(messages.edit(message.id, 'not so'))).toEqual({ status: 404, code: 10008 })
    await interaction.editReply('still a secret')
    expect(handle.message()?.content).toBe('still a secret')
  })

  test('is answered once', async () => {
    const { interaction } = await slash()
    await interaction.reply('first')
    const again = client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, {
      body: { type: 4, data: { content: 'second' } },
      auth: false,
    })
    expect(await refusalOf(again)).toEqual({ status: 400, code: 40060 })
  })

  test('waits three seconds, and no longer', async () => {
    const { handle, interaction } = await slash()
    discord.pass(3001)
    expect(handle.state).toBe('expired')
    expect(await refusalOf(interaction.reply('too late'))).toEqual({ status: 404, code: 10062 })
    const original = `/webhooks/${discord.applicationId}/${interaction.token}/messages/@original` as const
    expect(await refusalOf(client.rest.get(original, { auth: false }))).toEqual({ status: 404, code: 10015 })
  })

  test('can be answered more for fifteen minutes, and no longer', async () => {
    const { handle, interaction } = await slash()
    await interaction.deferReply()
    discord.pass(15 * 60_000 + 1)
    expect(handle.state).toBe('expired')
    const before = discord.invalidRequests
    expect(await refusalOf(interaction.editReply('too late'))).toEqual({ status: 401, code: 50027 })
    expect(await refusalOf(interaction.followUp('too late'))).toEqual({ status: 401, code: 50027 })
    expect(discord.invalidRequests).toBe(before + 2)
  })

  test('is refused an answer that is too long, and can still be answered', async () => {
    const { handle, interaction } = await slash()
    expect(await refusalOf(interaction.reply('x'.repeat(2001)))).toEqual({
      status: 400,
      code: 50035,
      errors: { data: { content: faults('BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.') } },
    })
    await interaction.reply('x'.repeat(2000))
    expect(handle.state).toBe('answered')
  })

  test('mentions users alone in its answer, where nothing else is said', async () => {
    const { handle, interaction } = await slash()
    await interaction.reply(`@everyone ${grace.mention}`)
    const { mentions, mention_everyone } = handle.message() ?? expect.fail()
    expect([mentions.map(({ username }) => username), mention_everyone]).toEqual([['grace'], false])
  })
})

describe('a button', () => {
  const asked = async () => {
    const buttons = [
      { type: 2, style: 3, custom_id: 'yes', label: 'Yes' },
      { type: 2, style: 4, custom_id: 'no', label: 'No', disabled: true },
    ]
    const message = await (await textChannel(client, guild.channelId)).send({
      content: 'go on?',
      components: [{ type: 1, components: buttons }] as object[] as [],
    })
    return message.id
  }

  test('is clicked, and what it is at is updated at once', async () => {
    const id = await asked()
    const handle = grace.clicks(id, 'yes')
    const interaction = await received<ButtonInteraction>(handle)
    await interaction.update({ content: 'grace said yes', components: [] })
    expect([interaction.customId, interaction.user.username, interaction.message.id]).toEqual(['yes', 'grace', id])
    expect([handle.state, handle.message()?.id, handle.message()?.content]).toEqual(['answered', id, 'grace said yes'])
    expect(() => ada.clicks(id, 'yes')).toThrow('there is nothing to click')
  })

  test('is clicked, and what it is at is updated later', async () => {
    const id = await asked()
    const handle = ada.clicks(id, 'yes')
    const interaction = await received<ButtonInteraction>(handle)
    await interaction.deferUpdate()
    expect([handle.state, handle.message()?.content]).toEqual(['deferred', 'go on?'])
    await interaction.editReply({ content: 'done' })
    await interaction.followUp({ content: 'only for you', flags: MessageFlags.Ephemeral })
    expect([handle.state, handle.message()?.content]).toEqual(['answered', 'done'])
    expect(handle.followUps().map(({ content, ephemeral }) => [content, ephemeral])).toEqual([['only for you', true]])
  })

  test('that is disabled, or that one cannot see, is not clicked', async () => {
    expect(() => ada.clicks('1', 'yes')).toThrow('Unknown Message')
    const id = await asked()
    expect(() => ada.clicks(id, 'no')).toThrow('no is disabled')
  })
})

describe('a modal', () => {
  test('is shown, filled in and sent', async () => {
    const { handle, interaction } = await slash()
    const input = { type: 4, custom_id: 'why', style: 1, label: 'Why?' }
    const modal = { custom_id: 'reason', title: 'A reason', components: [{ type: 1, components: [input] }] }
    await interaction.showModal(modal as Parameters<typeof interaction.showModal>[0])
    const sent = ada.submits(handle, { why: 'because' })
    const submitted = await received<ModalSubmitInteraction>(sent)
    await submitted.reply('thank you')
    expect([submitted.fields.getTextInputValue('why'), sent.message()?.content]).toEqual(['because', 'thank you'])
  })
})

describe('completion', () => {
  test('suggests up to 25 things', async () => {
    const typed = ada.completes(guild.channelId, 'agent start', { goal: 'fi' }, 'goal')
    const interaction = await eventually('somebody who types', () =>
      seen.find((one): one is AutocompleteInteraction => one.isAutocomplete() && !one.responded),
    )
    expect(interaction.options.getFocused(true)).toMatchObject({ name: 'goal', value: 'fi' })
    const choices = Array.from({ length: 26 }, (_, at) => ({ name: `fix ${at}`, value: String(at) }))
    expect(await refusalOf(interaction.respond(choices))).toMatchObject({
      code: 50035,
      errors: { data: { choices: faults('BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.') } },
    })
    const rest = { body: { type: 8, data: { choices: choices.slice(0, 25) } }, auth: false }
    await client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, rest)
    expect(await typed).toEqual(choices.slice(0, 25))
  })

  test('that comes too late suggests nothing', async () => {
    const typed = ada.completes(guild.channelId, 'agent start', {}, 'goal')
    discord.pass(3001)
    await expect(typed).rejects.toThrow('nothing was suggested in time')
  })
})

describe('commands', () => {
  test('are kept with the ids they had, for a guild and for all', async () => {
    const { commands } = client.application
    const ids = discord.commands(guild.id).map(({ id }) => id)
    await commands.set([...COMMANDS, { name: 'help', description: 'Help' }], guild.id)
    expect(discord.commands(guild.id).map(({ id, name }) => [name, ids.includes(id)])).toEqual([
      ['status', true],
      ['agent', true],
      ['help', false],
    ])
    const made = await commands.create({ name: 'everywhere', description: 'In all guilds' })
    await commands.edit(made, { description: 'In each guild' })
    expect((await commands.fetch()).map(({ name, description }) => [name, description])).toEqual([
      ['everywhere', 'In each guild'],
    ])
    await commands.delete(made)
    expect(discord.commands()).toEqual([])
  })

  test('come back with their defaults, and without what says nothing', () => {
    const [status] = discord.commands(guild.id)
    expect(status).toEqual({
      id: expect.any(String),
      application_id: discord.applicationId,
      guild_id: guild.id,
      version: expect.any(String),
      type: 1,
      name: 'status',
      description: 'What goes on',
      default_member_permissions: null,
      contexts: null,
      integration_types: [0],
      nsfw: false,
    })
  })

  test('are refused outside of their limits', async () => {
    const { commands } = client.application
    const option = (name: string, more: object = {}) => ({ type: 3, name, description: 'd', ...more })
    const options = (count: number) => Array.from({ length: count }, (_, at) => option(`o${at}`))
    const choices = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `c${at}`, value: 'v' }))
    const large = Array.from({ length: 25 }, (_, at) => ({ name: `${at}${'x'.repeat(90)}`, value: 'y'.repeat(100) }))
    const wrong = [
      { name: 'Upper', description: 'd' },
      { name: 'with space', description: 'd' },
      { name: 'x'.repeat(33), description: 'd' },
      { name: 'long', description: 'x'.repeat(101) },
      { name: 'empty', description: '' },
      { name: 'many', description: 'd', options: options(26) },
      { name: 'choice', description: 'd', options: [option('o', { choices: choices(26) })] },
      { name: 'late', description: 'd', options: [option('a'), option('b', { required: true })] },
      { name: 'same', description: 'd', options: [option('a'), option('a')] },
      { name: 'large', description: 'd', options: ['a', 'b'].map((name) => option(name, { choices: large })) },
    ]
    const codes = await Promise.all(wrong.map(async (one) => (await refusalOf(commands.create(one as never))).code))
    expect(codes).toEqual(wrong.map(() => 50035))
    const hundred = Array.from({ length: 101 }, (_, at) => ({ name: `c${at}`, description: 'd' }))
    expect(await refusalOf(commands.set(hundred))).toEqual({ status: 400, code: 30032 })
    await commands.set(hundred.slice(1))
    await commands.set(hundred.slice(1))
    const others = Array.from({ length: 11 }, (_, at) => ({ name: `d${at}`, description: 'd' }))
    expect(await refusalOf(commands.set(others))).toEqual({ status: 400, code: 30034 })
  })

  test('are shown to those who may', async () => {
    await client.application.commands.set(
      [{ name: 'ban', description: 'd', defaultMemberPermissions: ['BanMembers'] }],
      guild.id,
    )
    expect(() => ada.slash(guild.channelId, 'ban')).toThrow('not shown')
    guild.gives(ada, guild.role('guards', ['BAN_MEMBERS']).id)
    expect(ada.slash(guild.channelId, 'ban').state).toBe('pending')
  })
})
