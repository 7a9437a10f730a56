/** What goes over the wire, in Discord's own names. Only what this Discord stores or looks at is declared. */

export type Snowflake = string

export type User = {
  id: Snowflake
  username: string
  global_name: string | null
  discriminator: string
  avatar: string | null
  bot: boolean
}

export type Attachment = {
  id: Snowflake
  filename: string
  size: number
  url: string
  proxy_url: string
  content_type?: string
  description?: string
}

export type Embed = {
  type?: string
  title?: string
  description?: string
  url?: string
  timestamp?: string
  color?: number
  footer?: { text: string; icon_url?: string }
  author?: { name: string; url?: string; icon_url?: string }
  fields?: { name: string; value: string; inline?: boolean }[]
  image?: { url: string }
  thumbnail?: { url: string }
}

type SelectOption = { label: string; value: string; description?: string; default?: boolean; emoji?: Emoji }

/** A row, a button, a select, a text input, or a part of the newer layouts. */
export type Component = {
  type: number
  id?: number
  custom_id?: string
  label?: string
  style?: number
  disabled?: boolean
  emoji?: Emoji
  url?: string
  content?: string
  placeholder?: string
  value?: string
  min_values?: number
  max_values?: number
  options?: SelectOption[]
  components?: Component[]
  component?: Component
  accessory?: Component
}

export type Emoji = { id?: Snowflake | null; name: string | null; animated?: boolean }

type Reaction = { emoji: Emoji; count: number; me: boolean }

type MessageReference = { type?: number; message_id?: Snowflake; channel_id: Snowflake; guild_id?: Snowflake }

type InteractionMetadata = {
  id: Snowflake
  type: number
  user: User
  authorizing_integration_owners: Record<string, Snowflake>
}

/** A message as REST and gateway give it. */
export type WireMessage = {
  id: Snowflake
  channel_id: Snowflake
  /** In events alone: of what type the channel is. */
  channel_type?: number
  guild_id?: Snowflake
  author: User
  member?: Omit<Member, 'user'>
  content: string
  timestamp: string
  edited_timestamp: string | null
  tts: boolean
  mention_everyone: boolean
  mentions: User[]
  mention_roles: Snowflake[]
  attachments: Attachment[]
  embeds: Embed[]
  components: Component[]
  reactions: Reaction[]
  pinned: boolean
  type: number
  flags: number
  nonce?: string | number
  application_id?: Snowflake
  webhook_id?: Snowflake
  message_reference?: MessageReference
  referenced_message?: WireMessage | null
  interaction_metadata?: InteractionMetadata
  thread?: Channel
}

export type Overwrite = { id: Snowflake; type: 0 | 1; allow: string; deny: string }

export type ThreadMetadata = {
  archived: boolean
  auto_archive_duration: number
  archive_timestamp: string
  locked: boolean
  create_timestamp: string
  invitable?: boolean
}

export type ThreadMember = { id: Snowflake; user_id: Snowflake; join_timestamp: string; flags: number }

/** A channel of a guild (0), a conversation with one person (1), or a thread (10, 11, 12). */
export type Channel = {
  id: Snowflake
  type: number
  name: string | null
  guild_id?: Snowflake
  parent_id?: Snowflake | null
  owner_id?: Snowflake
  topic?: string | null
  position?: number
  nsfw?: boolean
  permission_overwrites?: Overwrite[]
  rate_limit_per_user?: number
  last_message_id: Snowflake | null
  recipients?: User[]
  thread_metadata?: ThreadMetadata
  message_count?: number
  total_message_sent?: number
  member_count?: number
  member?: ThreadMember
}

export type Role = {
  id: Snowflake
  name: string
  permissions: string
  position: number
  color: number
  hoist: boolean
  managed: boolean
  mentionable: boolean
}

export type Member = {
  user: User
  nick: string | null
  roles: Snowflake[]
  joined_at: string
  deaf: boolean
  mute: boolean
  flags: number
  permissions?: string
}

export type Choice = { name: string; value: string | number }

export type CommandOption = {
  type: number
  name: string
  description: string
  required?: boolean
  autocomplete?: boolean
  choices?: Choice[]
  options?: CommandOption[]
  min_value?: number
  max_value?: number
  min_length?: number
  max_length?: number
  channel_types?: number[]
}

export type ApplicationCommand = {
  id: Snowflake
  application_id: Snowflake
  guild_id?: Snowflake
  version: Snowflake
  type: number
  name: string
  description: string
  options?: CommandOption[]
  default_member_permissions: string | null
  dm_permission?: boolean
  contexts: number[] | null
  integration_types: number[]
  nsfw: boolean
}
