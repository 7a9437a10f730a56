import {
  type APIApplication,
  type APIApplicationCommand,
  type APIGuildChannel,
  type APIGuildMember,
  type APIRole,
  type APIUser,
  ApplicationFlags,
  type ChannelType,
  REST,
  Routes,
} from 'discord.js'
import type { Finding } from '../../src/chat/port.ts'
import type { DiscordConfig } from '../../src/shapes/networks.ts'
import { wasRefused, wordsOf } from './failures.ts'
import { permissionsIn } from './permissions.ts'
import { disallowed, INVALID_TOKEN, inviteOf, OPTIONAL_RIGHTS, RIGHTS } from './ways-out.ts'

const REQUEST_MS = 5000
const ALL_MS = 20_000

/** Looks at a bot before it is started: whose token it is, what it may hear, and what it may do in each channel. */
export const checkDiscord = async ({ config, token }: { config: DiscordConfig; token: string }): Promise<Finding[]> => {
  const { api } = config
  const options = { version: '10', retries: 0, timeout: REQUEST_MS, ...(api === undefined ? {} : { api }) }
  const rest = new REST(options).setToken(token)
  const findings: Finding[] = []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((done) => {
    timer = setTimeout(() => {
      findings.push(missing('Discord', 'it did not answer in time', 'try again in a while'))
      done()
    }, ALL_MS)
  })
  await Promise.race([look(rest, config, findings), late])
  clearTimeout(timer)
  rest.clearHashSweeper()
  rest.clearHandlerSweeper()
  return [...findings]
}

const look = async (rest: REST, config: DiscordConfig, findings: Finding[]): Promise<void> => {
  try {
    const me = (await rest.get(Routes.user())) as APIUser
    const application = (await rest.get(Routes.currentApplication())) as APIApplication
    findings.push(fine('token', `it is the bot ${me.username} (${me.id})`), intent(config, application))
    const guilds = new Set<string>()
    for (const channel of Object.keys(config.channels)) {
      const { finding, guild } = await channelFinding(rest, { channel, me: me.id, application: application.id })
      findings.push(finding)
      if (guild !== null) guilds.add(guild)
    }
    for (const guild of guilds) findings.push(await commandsFinding(rest, application.id, guild))
  } catch (problem) {
    const refused = wasRefused(problem)
    findings.push(
      refused
        ? missing('token', 'Discord does not take it', INVALID_TOKEN)
        : missing(
            'Discord',
            `it could not be asked: ${wordsOf(problem)}`,
            'look whether this machine reaches discord.com',
          ),
    )
  }
}

const CONTENT = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited

const intent = ({ content }: DiscordConfig, { flags }: APIApplication): Finding => {
  if (((flags ?? 0) & CONTENT) !== 0) return fine('message content', 'the bot may read what is said')
  const detail = 'the bot may not read what is said'
  if (content) return missing('message content', detail, disallowed())
  const without = `${detail}: it hears commands and lines that mention it, as the config says`
  return { name: 'message content', state: 'optional', detail: without, fix: disallowed() }
}

type Asked = { channel: string; me: string; application: string }

const channelFinding = async (
  rest: REST,
  { channel, me, application }: Asked,
): Promise<{ finding: Finding; guild: string | null }> => {
  const name = `channel ${channel}`
  const invite = `invite the bot to its server with ${inviteOf(application)}, and let it see the channel`
  try {
    const found = (await rest.get(Routes.channel(channel))) as APIGuildChannel<ChannelType.GuildText>
    const guild = found.guild_id ?? null
    if (guild === null)
      return { guild, finding: missing(name, 'it is no channel of a server', 'use the number of one') }
    const roles = (await rest.get(Routes.guildRoles(guild))) as APIRole[]
    const member = (await rest.get(Routes.guildMember(guild, me))) as APIGuildMember
    const may = permissionsIn({ guild, me, roles, own: member.roles, overwrites: found.permission_overwrites ?? [] })
    const lacking = RIGHTS.filter(({ bit }) => (may & bit) === 0n)
    if (lacking.length === 0) return { guild, finding: enough(name, found.name, may) }
    const what = lacking.map(({ name: right, purpose }) => `${right} (to ${purpose})`).join(', ')
    const fix = `in Discord, open the settings of #${found.name}, then Permissions, and give the bot's role: ${lacking.map((one) => one.name).join(', ')}`
    return { guild, finding: missing(name, `#${found.name}: the bot lacks ${what}`, fix) }
  } catch (problem) {
    if (wasRefused(problem)) throw problem
    return { guild: null, finding: missing(name, `the bot does not see it (${wordsOf(problem)})`, invite) }
  }
}

/** All that it needs is there; what it can do without may not be. */
const enough = (name: string, channel: string, may: bigint): Finding => {
  const lacking = OPTIONAL_RIGHTS.filter(({ bit }) => (may & bit) === 0n)
  const detail = `#${channel}: the bot may do there what it needs to`
  if (lacking.length === 0) return fine(name, detail)
  const what = lacking.map(({ name: right, purpose }) => `${right} (to ${purpose})`).join(', ')
  const fix = `in Discord, open the settings of #${channel}, then Permissions, and give the bot's role: ${lacking.map((one) => one.name).join(', ')}`
  return { name, state: 'optional', detail: `${detail}; it lacks ${what}`, fix }
}

const commandsFinding = async (rest: REST, application: string, guild: string): Promise<Finding> => {
  const name = `commands in ${guild}`
  try {
    const there = (await rest.get(Routes.applicationGuildCommands(application, guild))) as APIApplicationCommand[]
    if (there.length > 0) return fine(name, `${there.length} are registered`)
    const detail = 'none are registered yet: that is done when Bellhop is started'
    return { name, state: 'optional', detail, fix: null }
  } catch (problem) {
    const fix = `invite the bot again, also for commands, with ${inviteOf(application)}`
    return missing(name, `they cannot be looked at (${wordsOf(problem)})`, fix)
  }
}

const fine = (name: string, detail: string): Finding => ({ name, state: 'ok', detail, fix: null })
const missing = (name: string, detail: string, fix: string): Finding => ({ name, state: 'missing', detail, fix })
