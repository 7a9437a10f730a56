import { OAuth2Scopes, PermissionFlagsBits } from 'discord.js'

const PORTAL = 'https://discord.com/developers/applications'

export const INVALID_TOKEN = `Discord does not take the token: at ${PORTAL}, open the application, then Bot, press Reset Token, and put the new one into the variable that the config names`

/** Where the message-content intent is switched on, or done without. */
export const disallowed = (): string =>
  `Discord does not allow the message-content intent: at ${PORTAL}, open the application, then Bot, and switch Message Content Intent on; or set content: false for this network in the config, and the bot hears commands and lines that mention it`

/** What the bot has to be allowed in a channel, and what each right is for. */
export const RIGHTS: readonly { name: string; bit: bigint; purpose: string }[] = [
  { name: 'View Channel', bit: PermissionFlagsBits.ViewChannel, purpose: 'see the channel' },
  { name: 'Send Messages', bit: PermissionFlagsBits.SendMessages, purpose: 'answer' },
  { name: 'Embed Links', bit: PermissionFlagsBits.EmbedLinks, purpose: 'show how turns stand' },
  { name: 'Attach Files', bit: PermissionFlagsBits.AttachFiles, purpose: 'hand over long answers' },
  {
    name: 'Read Message History',
    bit: PermissionFlagsBits.ReadMessageHistory,
    purpose: 'hear what was said while it was away',
  },
  { name: 'Create Public Threads', bit: PermissionFlagsBits.CreatePublicThreads, purpose: 'begin threads' },
  { name: 'Send Messages in Threads', bit: PermissionFlagsBits.SendMessagesInThreads, purpose: 'answer in threads' },
]

/** What it can do without, and what that is for. */
export const OPTIONAL_RIGHTS: typeof RIGHTS = [
  { name: 'Pin Messages', bit: PermissionFlagsBits.PinMessages, purpose: 'pin the board that says how things stand' },
]

/** The address by which somebody who may manage a server invites the bot, with exactly the rights it needs, and those it can use. */
export const inviteOf = (application: string): string => {
  const permissions = [...RIGHTS, ...OPTIONAL_RIGHTS].reduce((bits, { bit }) => bits | bit, 0n)
  const query = new URLSearchParams({
    client_id: application,
    permissions: String(permissions),
    scope: [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(' '),
  })
  return `https://discord.com/oauth2/authorize?${query}`
}
