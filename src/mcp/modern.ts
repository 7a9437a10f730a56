import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { createBuild } from './build.ts'
import type { Guest } from './guest.ts'
import type { McpHouse, McpLimits } from './house.ts'
import { createLink, type Link } from './link.ts'

/** A stream that a client of the newer era opens, as far as we need to know it. */
const Listen = z.object({
  method: z.literal('subscriptions/listen'),
  params: z.object({
    notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }),
  }),
})

/** What a stream is to watch; null where a request opens none, as hardly any does. */
const watchedBy = (body: unknown): string[] | null => {
  if ((body as { method?: unknown } | null)?.method !== 'subscriptions/listen') return null
  return Listen.safeParse(body).data?.params.notifications.resourceSubscriptions ?? null
}

export const isListen = (body: unknown): boolean => watchedBy(body) !== null

type Way = { link: Link; serve: ReturnType<typeof toNodeHandler> }

/**
 * The newer era has no sessions: every request stands for itself. There is one handler for each principal, so that what
 * is told on its streams reaches nobody else, and so that they end with its token.
 */
export const createModern = (house: McpHouse, limits: McpLimits) => {
  const ways = new WeakMap<Guest, Way>()

  const open = (guest: Guest): Way => {
    const failed = (error: Error) => house.log('an MCP request was turned away', { error: error.message.slice(0, 200) })
    const handler = createMcpHandler(() => build(), {
      legacy: 'reject',
      onerror: failed,
      maxSubscriptions: limits.streamsEach,
    })
    const { toolsChanged, promptsChanged, resourcesChanged, resourceUpdated } = handler.notify
    const notices = { toolsChanged, promptsChanged, resourcesChanged, resourceUpdated }
    const link = createLink({ notices, kind: 'streams' })
    const build = createBuild({ house, limits, guest, link, era: 'modern' })
    guest.links.add(link)
    guest.onEnd(() => void handler.close())
    const way = { link, serve: toNodeHandler(handler, { onerror: failed }) }
    ways.set(guest, way)
    return way
  }

  return async (request: IncomingMessage, response: ServerResponse, guest: Guest, body: unknown): Promise<void> => {
    const { link, serve } = ways.get(guest) ?? open(guest)
    const ours = (watchedBy(body) ?? []).slice(0, limits.watchesEach).filter(link.watch)
    if (ours.length > 0)
      response.once('close', () => {
        for (const uri of ours) link.unwatch(uri)
      })
    await serve(request as Parameters<typeof serve>[0], response, body)
  }
}
