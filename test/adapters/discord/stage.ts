import { BLANK, type Body } from '../../../adapters/discord/body.ts'
import { createDiscord } from '../../../adapters/discord/index.ts'
import type { Network, Outlet, Spot } from '../../../src/chat/outlet.ts'
import type { Command } from '../../../src/shapes/command.ts'
import { DiscordConfig } from '../../../src/shapes/networks.ts'
import { type FakeDiscord, type Limits, type StartOptions, startFakeDiscord } from '../../fake-discord/src/index.ts'
import { eventually } from '../../support/poll.ts'
import { createHouse, type House } from './house.ts'

/** Limits that nobody reaches by accident: what is not about them does not have to wait. */
const PLENTY: Partial<Limits> = {
  messages: { limit: 10_000, perMs: 1000 },
  edits: { limit: 10_000, perMs: 1000 },
  webhooks: { limit: 10_000, perMs: 1000 },
  other: { limit: 10_000, perMs: 1000 },
  global: { limit: 100_000, perMs: 1000 },
}

export type StageOptions = {
  discord?: StartOptions
  config?: Partial<DiscordConfig>
  commands?: readonly Command[]
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** A Discord with one channel that leads to the lobby, the people ada and grace, and the adapter, connected. */
export const openStage = async (options: StageOptions = {}) => {
  const { limits, ...rest } = options.discord ?? {}
  const discord = await startFakeDiscord({ ...rest, limits: { ...PLENTY, ...limits } })
  const guild = discord.guild({ channels: ['team', 'other'] })
  const channel = guild.channelId
  const other = guild.channels().find(({ name }) => name === 'other')?.id ?? ''
  const ada = discord.user('ada')
  const grace = discord.user('grace')
  for (const person of [ada, grace]) person.joins(guild.id)
  const commands = options.commands ? { commands: options.commands } : {}
  const house = createHouse({ channels: { [channel]: 'lobby' }, ...commands })
  const running = await start(discord, house, options.config)
  const stage = {
    discord,
    guild,
    channel,
    other,
    ada,
    grace,
    house,
    adapter: running.adapter,
    outlet: running.adapter.outlet as Outlet<Body>,
    spot: spotOf(channel),
    stop: running.stop,
    close: async () => {
      await running.stop()
      await discord.close()
    },
  }
  return stage
}

export const bodyOf = (part: Partial<Body>): Body => ({ ...BLANK, at: '2026-01-01T00:00:00.000Z', ...part })

export const spotOf = (channel: string, part: Partial<Spot> = {}): Spot => ({
  channel,
  room: 'lobby',
  watched: false,
  show: 'normal',
  ...part,
})

export const configOf = ({ api }: FakeDiscord, house: House, part: Partial<DiscordConfig> = {}): DiscordConfig => {
  const channels = Object.fromEntries(house.port.channels().map(({ channel, room }) => [channel, room]))
  return { ...DiscordConfig.parse({ kind: 'discord', token: 'DISCORD_TOKEN', api, channels }), ...part }
}

/** Starts an adapter, and says how to stop it again. */
export const launch = (discord: FakeDiscord, house: House, part: Partial<DiscordConfig> = {}) => {
  const adapter: Network = createDiscord({
    config: configOf(discord, house, part),
    token: discord.token,
    port: house.port,
  })
  const over = new AbortController()
  const running = adapter.run(over.signal)
  return {
    adapter,
    stop: async (): Promise<void> => {
      over.abort()
      await running
    },
  }
}

/** The same, connected and with its commands registered. */
export const start = async (discord: FakeDiscord, house: House, part: Partial<DiscordConfig> = {}) => {
  const launched = launch(discord, house, part)
  await eventually('the adapter to be connected', () => house.states.some(({ state }) => state === 'connected'))
  await eventually('its commands to be there', () => house.logs.some((log) => log.includes('commands of a server')))
  return launched
}
