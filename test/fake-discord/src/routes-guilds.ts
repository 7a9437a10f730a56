import { userOf } from './channels.ts'
import { channelsOf, guildOf, removeBot, toGuild } from './guilds.ts'
import { permissionsInGuild } from './permissions.ts'
import { refuse } from './refusal.ts'
import { idIn, numberIn, type Route } from './route.ts'
import { applicationFlags } from './sessions.ts'
import type { World } from './state.ts'
import { activeThreads } from './threads.ts'

const GUILD = '/guilds/:guild'

/** Who the bot is, and where: what a client asks for when it starts. */
export const guildRoutes: Route[] = [
  { method: 'GET', path: '/users/@me', handle: ({ world }) => ({ ...world.bot, email: null, verified: true }) },
  {
    method: 'GET',
    path: '/users/@me/guilds',
    handle: ({ world, me }) =>
      [...world.guilds.values()]
        .filter(({ members }) => members.has(me))
        .map((guild) => ({
          id: guild.id,
          name: guild.name,
          icon: null,
          owner: false,
          permissions: String(permissionsInGuild(guild, me)),
          features: [],
        })),
  },
  {
    method: 'DELETE',
    path: '/users/@me/guilds/:guild',
    handle: ({ world, ids }) => removeBot(world, guildOf(world, ids.guild)),
  },
  { method: 'GET', path: '/users/:user', handle: ({ world, ids }) => userOf(world, ids.user) },
  { method: 'GET', path: '/applications/@me', handle: ({ world }) => applicationOf(world) },
  { method: 'GET', path: '/oauth2/applications/@me', handle: ({ world }) => applicationOf(world) },
  {
    method: 'GET',
    path: GUILD,
    handle: ({ world, ids, query }) => {
      const guild = guildOf(world, ids.guild)
      const counts = { approximate_member_count: guild.members.size, approximate_presence_count: guild.members.size }
      return { ...toGuild(guild), ...(query.get('with_counts') === 'true' ? counts : {}) }
    },
  },
  {
    method: 'GET',
    path: `${GUILD}/channels`,
    handle: ({ world, ids }) => channelsOf(world, guildOf(world, ids.guild)),
  },
  { method: 'GET', path: `${GUILD}/roles`, handle: ({ world, ids }) => [...guildOf(world, ids.guild).roles.values()] },
  {
    method: 'GET',
    path: `${GUILD}/threads/active`,
    handle: ({ world, ids }) => activeThreads(world, { guildId: guildOf(world, ids.guild).id }),
  },
  {
    method: 'GET',
    path: `${GUILD}/members`,
    handle: ({ world, ids, query }) => {
      const guild = guildOf(world, ids.guild)
      if (!world.intents.members) return refuse('missingAccess')
      const limit = numberIn(query, 'limit', { min: 1, max: 1000, or: 1 })
      const after = BigInt(idIn(query, 'after') ?? 0)
      return [...guild.members.values()].filter(({ user }) => BigInt(user.id) > after).slice(0, limit)
    },
  },
  {
    method: 'GET',
    path: `${GUILD}/members/search`,
    handle: ({ world, ids, query }) => {
      const limit = numberIn(query, 'limit', { min: 1, max: 1000, or: 1 })
      const start = query.get('query') ?? ''
      return [...guildOf(world, ids.guild).members.values()]
        .filter(({ user, nick }) => user.username.startsWith(start) || nick?.startsWith(start))
        .slice(0, limit)
    },
  },
  {
    method: 'GET',
    path: `${GUILD}/members/:user`,
    handle: ({ world, me, ids }) => {
      const id = ids.user === '@me' ? me : ids.user
      return guildOf(world, ids.guild).members.get(id) ?? refuse(world.users.has(id) ? 'unknownMember' : 'unknownUser')
    },
  },
]

const applicationOf = (world: World) => ({
  id: world.applicationId,
  name: world.bot.username,
  icon: null,
  description: '',
  bot_public: true,
  bot_require_code_grant: false,
  verify_key: '0'.repeat(64),
  flags: applicationFlags(world),
  team: null,
  owner: null,
  bot: world.bot,
  approximate_guild_count: world.guilds.size,
  interactions_endpoint_url: null,
})
