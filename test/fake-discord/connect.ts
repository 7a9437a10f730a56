import { Client, type ClientOptions, DiscordAPIError, Events, GatewayIntentBits, Partials } from 'discord.js'
import { expect } from 'vitest'
import type { FakeDiscord } from './src/index.ts'

const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
]

/** The real client, connected and ready. */
export const connect = async (discord: FakeDiscord, options: Partial<ClientOptions> = {}): Promise<Client<true>> => {
  const client = createClient(discord, options)
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve))
  await client.login(discord.token)
  await ready
  return client as Client<true>
}

export const createClient = (discord: FakeDiscord, options: Partial<ClientOptions> = {}): Client =>
  new Client({
    intents: INTENTS,
    partials: [Partials.Channel],
    // By itself it waits five seconds before it identifies again.
    ws: { buildIdentifyThrottler: () => ({ waitForIdentify: async () => {} }) },
    ...options,
    rest: { api: discord.api, ...options.rest },
  })

/** What Discord said no with, and where in the form. */
export const refusalOf = async (
  asked: Promise<unknown>,
): Promise<{ status: number; code: number; errors?: unknown }> => {
  const error = await asked.then(
    () => expect.fail('it was not refused'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof DiscordAPIError)) throw error
  const { errors } = error.rawError as { errors?: unknown }
  return { status: error.status, code: Number(error.code), ...(errors === undefined ? {} : { errors }) }
}

/** The faults of one field. */
export const faults = (code: string, message: string) => ({ _errors: [{ code, message }] })

/** Text channels of a guild by id. Limits are for each channel: a test that sends much takes one of its own. */
export const textChannel = async (client: Client, id: string) => {
  const channel = await client.channels.fetch(id)
  if (!channel?.isSendable()) return expect.fail('there is no such channel')
  return channel
}
