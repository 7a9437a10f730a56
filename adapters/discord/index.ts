import { setTimeout as sleep } from 'node:timers/promises'
import {
  type APIInteraction,
  type GatewayDispatchPayload,
  GatewayIntentBits,
  type GatewayMessageDeleteBulkDispatchData,
  type GatewayMessageDeleteDispatchData,
  type GatewayReadyDispatchData,
  GatewayDispatchEvents as Happened,
  REST,
} from 'discord.js'
import type { Network } from '../../src/chat/outlet.ts'
import type { NetworkPort } from '../../src/chat/port.ts'
import type { DiscordConfig } from '../../src/shapes/networks.ts'
import { type Answered, createAnswered } from './answered.ts'
import { createAsked } from './asked.ts'
import { createBackfill } from './backfill.ts'
import { createBinding } from './binding.ts'
import { wordsOf } from './failures.ts'
import { stayAtGateway } from './gateway.ts'
import { createHear } from './hear.ts'
import { createInteractionReply } from './interaction-reply.ts'
import { createInteractions } from './interactions.ts'
import { createLanes } from './lanes.ts'
import { createOutlet } from './outlet.ts'
import { createPlaces } from './places.ts'
import type { Heard, Me } from './reading.ts'
import { createReply } from './reply.ts'
import { createSeen } from './seen.ts'
import { createSpeak } from './speak.ts'
import { createSurroundings } from './surroundings.ts'
import { createTurns, type Turns } from './turns.ts'

export { checkDiscord } from './check.ts'

export type DiscordOptions = { config: DiscordConfig; token: string; port: NetworkPort }

const LEAVE_MS = 2000

/** Discord, as a network of the house: channels and threads are rooms, commands are slash commands, approvals have buttons. */
export const createDiscord = ({ config, token, port }: DiscordOptions): Network => {
  const rest = createRest(config, token)
  const answered = createAnswered(port.memory)
  const turns = createTurns()
  let me: Me | null = null
  const outlet = createOutlet({ rest, port, answered, turns, me: () => me?.id ?? null })

  return {
    outlet,
    run: async (signal) => {
      if (!config.content)
        port.log('without the message-content intent, only commands and lines that mention the bot are heard')
      const ears = createEars({ rest, port, answered, turns, me: () => me }, signal)
      await stayAtGateway({
        token,
        api: apiOf(config),
        intents: intentsOf(config),
        port,
        signal,
        dispatch: (payload) => {
          if (payload.t === Happened.Ready) me = introduced(payload.d)
          // It forgets the token where Discord did not take it once.
          if (payload.t === Happened.Ready) rest.setToken(token)
          ears.dispatch(payload)
        },
      })
      await Promise.race([ears.settled(), sleep(LEAVE_MS, undefined, { ref: false })])
      rest.clearHashSweeper()
      rest.clearHandlerSweeper()
    },
  }
}

const RETRIES = 1

/** The way to Discord by requests. What is said again there is said once: it is told from the rest by a nonce. */
const createRest = (config: DiscordConfig, token: string): REST =>
  new REST({ version: '10', retries: RETRIES, ...apiOf(config) }).setToken(token)

const apiOf = ({ api }: DiscordConfig): { api?: string } => (api === undefined ? {} : { api })

const introduced = ({ user, application }: GatewayReadyDispatchData): Me => ({
  id: user.id,
  name: user.username,
  application: application.id,
})

const intentsOf = ({ content }: DiscordConfig): number =>
  GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | (content ? GatewayIntentBits.MessageContent : 0)

type EarsOptions = { rest: REST; port: NetworkPort; answered: Answered; turns: Turns; me: () => Me | null }

/** Everything that listens: what the gateway tells, and to whom it matters. */
const createEars = ({ rest, port, answered, turns, me }: EarsOptions, signal: AbortSignal) => {
  const places = createPlaces(rest)
  const failed = (problem: unknown) => port.log('a message of Discord was not dealt with', { why: wordsOf(problem) })
  const lanes = createLanes(failed)
  const speak = createSpeak(port, signal)
  const reply = createReply(rest, port)
  const seen = createSeen(port)
  const binding = createBinding({ rest, port, places, speak, answered, seen })
  const asked = createAsked({ port, me, places, lanes, speak })
  const hear = createHear({ rest, port, me, places, lanes, speak, binding, asked, reply, seen })
  const backfill = createBackfill({ rest, port, hear, seen, lanes, signal })
  const surroundings = createSurroundings({ rest, port, places, lanes, me })
  const shared = { rest, port, places, lanes, speak, binding, answered, asked, turns }
  const interact = createInteractions({ ...shared, reply: createInteractionReply(rest) })

  const on = <T>(work: (data: T) => void) => work as (data: unknown) => void
  const happened: Record<string, (data: unknown) => void> = {
    // A new session: what happened since the last one is not told again.
    [Happened.Ready]: on<GatewayReadyDispatchData>(({ guilds }) => {
      backfill()
      surroundings.begin(guilds.map(({ id }) => id))
    }),
    [Happened.GuildCreate]: on<{ id: string }>(({ id }) => surroundings.enter(id)),
    [Happened.MessageCreate]: on<Heard>(hear.take),
    [Happened.MessageUpdate]: on<Heard>(asked.changed),
    [Happened.MessageDelete]: on<GatewayMessageDeleteDispatchData>(({ channel_id, id }) =>
      asked.deleted(channel_id, id),
    ),
    [Happened.MessageDeleteBulk]: on<GatewayMessageDeleteBulkDispatchData>(({ channel_id, ids }) => {
      for (const id of ids) asked.deleted(channel_id, id)
    }),
    [Happened.InteractionCreate]: on<APIInteraction>(interact),
  }

  return {
    // discord.js takes nothing that is thrown at it: it would end the whole house.
    dispatch: (payload: GatewayDispatchPayload): void => {
      try {
        places.learn(payload)
        happened[payload.t ?? '']?.(payload.d)
      } catch (problem) {
        failed(problem)
      }
    },
    settled: lanes.settled,
  }
}
