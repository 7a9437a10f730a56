import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FakeDiscord, RequestRecord, StartOptions } from './api.ts'
import { messagesIn } from './channels.ts'
import { commandsIn } from './commands.ts'
import { createFailures } from './failures.ts'
import { createGateway, type OwnGateway } from './gateway.ts'
import { createGuild, overwrite } from './guilds.ts'
import { createPerson, threadOf } from './people.ts'
import { pinsIn } from './pins.ts'
import { createRateLimits } from './rate-limits.ts'
import { createRest } from './rest.ts'
import type { Route } from './route.ts'
import { createWorld, type World } from './state.ts'
import { archiveIdle, setThread } from './thread-state.ts'
import { removeChannel } from './threads.ts'
import { toTest } from './view.ts'
import type { Snowflake } from './wire.ts'

export type * from './api.ts'
export type { PermissionName } from './permission-names.ts'
export { Refused } from './refusal.ts'
export type * from './wire.ts'

/** Starts a Discord of one's own on the loopback. */
export const startFakeDiscord = async (options: StartOptions = {}): Promise<FakeDiscord> => {
  let passed = 0
  const clock = options.now ?? Date.now
  const world = createWorld(options, () => clock() + passed)
  const limits = createRateLimits(world.limits, world.now)
  const failures = createFailures()
  const requests: RequestRecord[] = []
  const server = createServer()
  const gateway = createGateway(world, server)
  const rest = createRest({ world, limits, failures, requests, more: gatewayRoutes(world, gateway) })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/attachments/')) return download(world, request.url, response)
    // A mistake in here is for the test to see, as an answer that says what it was.
    rest(request, response).catch((error: Error) => response.writeHead(500).end(String(error.stack)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  world.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const read = (channelId: Snowflake, userId: Snowflake | null) =>
    messagesIn(world, channelId)
      .filter(({ visibleTo }) => visibleTo === null || visibleTo === userId)
      .map((stored) => toTest(world, stored))

  return {
    api: `${world.base}/api`,
    get token() {
      return world.token
    },
    applicationId: world.applicationId,
    botId: world.bot.id,
    now: world.now,
    pass: (ms) => {
      passed += ms
      archiveIdle(world)
    },
    guild: (guildOptions = {}) => createGuild(world, guildOptions),
    user: (name, userOptions = {}) => createPerson(world, name, userOptions),
    messages: (channelId) => read(channelId, null),
    visibleTo: (user, channelId) => read(channelId, typeof user === 'string' ? user : user.id),
    message: (id) => {
      const stored = world.messages.get(id)
      return stored ? toTest(world, stored) : null
    },
    pinned: (channelId) => pinsIn(world, channelId).map((one) => toTest(world, one)),
    channel: (id) => structuredClone(world.channels.get(id) ?? null),
    file: ({ id }) => world.files.get(id)?.bytes ?? new Uint8Array(),
    typing: (channelId) => world.now() - (world.typing.get(channelId) ?? 0) < 10_000,
    commands: (guildId = '') => structuredClone(commandsIn(world, guildId)),
    requests,
    get invalidRequests() {
      return limits.invalid
    },
    fail: failures.add,
    gateway,
    archive: (id) => setThread(world, threadOf(world, id), { archived: true }),
    unarchive: (id) => setThread(world, threadOf(world, id), { archived: false }),
    lock: (id) => setThread(world, threadOf(world, id), { locked: true }),
    unlock: (id) => setThread(world, threadOf(world, id), { locked: false }),
    deleteChannel: (id) => {
      const channel = world.channels.get(id)
      if (channel) removeChannel(world, channel)
    },
    deny: (channelId, permission, who) => overwrite(world, { channelId, permission, who }, false),
    allow: (channelId, permission, who) => overwrite(world, { channelId, permission, who }, true),
    resetToken: () => {
      world.token = `${world.token}.again`
      gateway.expel()
      return world.token
    },
    setIntents: (intents) => {
      Object.assign(world.intents, intents)
    },
    close: async () => {
      gateway.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const gatewayRoutes = (world: World, gateway: OwnGateway): Route[] => {
  const address = () => ({ url: world.base.replace('http', 'ws') })
  return [
    { method: 'GET', path: '/gateway', open: true, handle: address },
    {
      method: 'GET',
      path: '/gateway/bot',
      handle: () => ({
        ...address(),
        shards: 1,
        session_start_limit: {
          total: world.limits.identifies.limit,
          remaining: gateway.sessionsLeft,
          reset_after: world.limits.identifies.perMs,
          max_concurrency: 1,
        },
      }),
    },
  ]
}

/** Files are open to whoever knows where they are. */
const download = (world: World, url: string, response: ServerResponse): void => {
  const [, , , id = ''] = url.split('/')
  const file = world.files.get(id)
  if (!file) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, { 'content-type': file.contentType ?? 'application/octet-stream' }).end(file.bytes)
}
