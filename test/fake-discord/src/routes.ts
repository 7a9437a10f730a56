import type { Ids, Route } from './route.ts'
import { channelRoutes } from './routes-channels.ts'
import { commandRoutes } from './routes-commands.ts'
import { guildRoutes } from './routes-guilds.ts'
import { interactionRoutes } from './routes-interactions.ts'
import { messageRoutes } from './routes-messages.ts'

/** All that REST does, but for where the gateway is. */
const ROUTES = [...guildRoutes, ...channelRoutes, ...messageRoutes, ...commandRoutes, ...interactionRoutes]

const NO_IDS: Ids = {
  application: '',
  channel: '',
  command: '',
  emoji: '',
  guild: '',
  interaction: '',
  message: '',
  token: '',
  user: '',
}

export type Found = { route: Route; ids: Ids }

/** The route for a path. Those without ids come before those with them: `/users/@me` is nobody's id. */
export const findRoute = (method: string, path: string, more: readonly Route[]): Found | 'no method' | null => {
  const fitting = [...more, ...ROUTES].flatMap((route) => {
    const ids = idsIn(route.path, path)
    return ids ? [{ route, ids: { ...NO_IDS, ...ids } }] : []
  })
  const found = fitting.find(({ route }) => route.method === method)
  return found ?? (fitting.length > 0 ? 'no method' : null)
}

const idsIn = (pattern: string, path: string): Partial<Ids> | null => {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return null
  const ids: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const actual = given[at] ?? ''
    if (part.startsWith(':')) ids[part.slice(1)] = decodeURIComponent(actual)
    else if (part !== actual) return null
  }
  return ids
}
