import { Options } from 'discord.js'

type Someone = { id: string; client: { user: { id: string } | null } }

/** The client needs to know itself, and nobody else. */
const ONLY_US = { maxSize: 0, keepOverLimit: ({ id, client }: Someone): boolean => id === client.user?.id }

/** What discord.js keeps of what it is told: next to nothing. Only the events are used, as they come. */
export const CACHES = Options.cacheWithLimits({
  ApplicationCommandManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildInviteManager: 0,
  GuildMemberManager: ONLY_US,
  GuildScheduledEventManager: 0,
  GuildStickerManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  ThreadMemberManager: 0,
  UserManager: ONLY_US,
  VoiceStateManager: 0,
})
