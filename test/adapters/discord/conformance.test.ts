import { createDiscord } from '../../../adapters/discord/index.ts'
import { DiscordConfig } from '../../../src/shapes/networks.ts'
import { createScriptedHouse } from '../../chat-conformance/house.ts'
import { conformance, type Someone } from '../../chat-conformance/suite.ts'
import { type FakeDiscord, type Message, type Person, startFakeDiscord } from '../../fake-discord/src/index.ts'
import { eventually } from '../../support/poll.ts'

const PLENTY = { limit: 100_000, perMs: 1000 }
const limits = { messages: PLENTY, edits: PLENTY, webhooks: PLENTY, other: PLENTY, global: PLENTY }

conformance('Discord', async () => {
  const discord = await startFakeDiscord({ limits })
  const guild = discord.guild({ channels: ['team'] })
  const channel = guild.channelId
  const [ada, grace] = [discord.user('ada'), discord.user('bob')]
  for (const one of [ada, grace]) one.joins(guild.id)
  const thread = ada.opensThread(channel, 'a thread').id
  const house = createScriptedHouse({ network: 'discord', channels: { [channel]: 'lobby', [thread]: 't-01' } })
  const config = DiscordConfig.parse({
    kind: 'discord',
    token: 'DISCORD_TOKEN',
    api: discord.api,
    channels: { [channel]: 'lobby' },
  })
  const adapter = createDiscord({ config, token: discord.token, port: house.port })
  const over = new AbortController()
  const running = adapter.run(over.signal)
  house.deliverBy(adapter)
  await eventually('the adapter to be connected', () => house.states.some(({ state }) => state === 'connected'))
  let closed = false
  return {
    capabilities: adapter.outlet.capabilities,
    house,
    person: someone(discord, ada, channel),
    other: someone(discord, grace, channel),
    thread: { room: 't-01', says: async (text) => void ada.says(thread, text) },
    breaks: async () => {
      discord.gateway.refuse()
      discord.gateway.forget()
      discord.gateway.dropAll()
    },
    heals: async () => discord.gateway.admit(),
    alarms: () => alarmsIn(discord, channel),
    close: async () => {
      if (closed) return
      closed = true
      over.abort()
      await Promise.all([running, house.close()])
      await discord.close()
    },
  }
})

/** Somebody at a client of Discord, with the conversation that the bot may have begun with them. */
const someone = (discord: FakeDiscord, person: Person, channel: string): Someone => {
  const dm = person.opensDm().id
  const all = () => [...discord.visibleTo(person, channel), ...discord.visibleTo(person, dm)]
  return {
    name: person.name,
    says: async (text) => void person.says(channel, text),
    sees: async () => all().map(textOf),
    presses: async (button) => {
      const pressable = all().flatMap((message) =>
        buttonsOf(message)
          .filter(({ label = '', disabled }) => button.test(label) && !disabled)
          .map(({ custom_id = '' }) => ({ message, id: custom_id })),
      )
      const last = pressable.at(-1)
      if (!last) throw new Error(`there is no button ${button}`)
      person.clicks(last.message, last.id)
    },
    files: async () =>
      all().flatMap(({ attachments }) => attachments.map((one) => Buffer.from(discord.file(one)).toString())),
  }
}

const buttonsOf = ({ components }: Message) => components.flatMap((row) => row.components ?? [])

const textOf = (message: Message): string => {
  const embeds = message.embeds.flatMap(({ title, description, fields = [], footer }) => [
    title,
    description,
    ...fields.map(({ name, value }) => `${name}: ${value}`),
    footer?.text,
  ])
  const buttons = buttonsOf(message).map(({ label }) => `[${label}]`)
  const files = message.attachments.map(({ filename }) => `(file ${filename})`)
  return [message.content, ...embeds, ...buttons, ...files].filter(Boolean).join('\n')
}

/** Messages of the bot that called somebody. */
const alarmsIn = (discord: FakeDiscord, channel: string): string[] =>
  discord
    .messages(channel)
    .filter(({ author, mentions, mention_everyone, mention_roles }) => {
      const called = mentions.length > 0 || mention_everyone || mention_roles.length > 0
      return author.id === discord.botId && called
    })
    .map(({ content }) => content)
