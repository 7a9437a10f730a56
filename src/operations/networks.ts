import { z } from 'zod'
import { NetworkStanding } from '../shapes/networks.ts'
import { ok } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { defineOperation } from './operation.ts'

const NetworkRow = z.strictObject({
  network: Name,
  kind: z.string(),
  state: z.enum([...NetworkStanding.shape.state.options, 'down']),
  detail: z.string(),
  since: z.iso.datetime().nullable(),
  channels: z.array(z.strictObject({ channel: z.string(), room: Name })),
})

export const networks = defineOperation({
  name: 'networks',
  summary: 'the networks the rooms are on: connected or not, why, and which channel leads where',
  example: 'networks',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ networks: z.array(NetworkRow) }),
  role: 'viewer',
  reads: true,
  offline: false,
  run: async (_input, { config, standingOf }) =>
    ok({
      networks: await Promise.all(
        Object.entries(config.networks).map(async ([network, { kind, channels }]) => {
          const { state, detail, since } = (await standingOf(network)) ?? DOWN
          const led = Object.entries(channels).map(([channel, room]) => ({ channel, room }))
          return { network, kind, state, detail, since, channels: led }
        }),
      ),
    }),
  render: ({ networks }) =>
    networks
      .map(({ network, kind, state, detail, channels }) => {
        const where = channels.map(({ channel, room }) => `${channel} is ${room}`).join(', ')
        return `${network} (${kind}): ${state}${detail === '' ? '' : `: ${detail}`}; ${where}`
      })
      .join('\n') || 'there are none: docs/irc.md and docs/discord.md say how to have one',
})

const DOWN = { state: 'down', detail: 'nobody of Bellhop is on it', since: null } as const
