import type { REST } from 'discord.js'
import type { NetworkPort } from '../../src/chat/port.ts'
import { formsOf } from './command-forms.ts'
import { CODES, codeOf, wordsOf } from './failures.ts'
import type { Lanes } from './lanes.ts'
import type { Places } from './places.ts'
import type { Me } from './reading.ts'
import { register } from './register.ts'
import { inviteOf } from './ways-out.ts'

export type SurroundingsOptions = { rest: REST; port: NetworkPort; places: Places; lanes: Lanes; me: () => Me | null }

/** The servers that the bot is in: those with channels of ours get our commands, and channels that are not seen are told of. */
export const createSurroundings = ({ rest, port, places, lanes, me }: SurroundingsOptions) => {
  const forms = formsOf(port.commands)
  const awaited = new Set<string>()

  const offer = async (guild: string): Promise<void> => {
    const self = me()
    if (!self) return
    try {
      const done = await register(rest, self.application, guild, forms)
      port.log('the commands of a server of Discord', { guild, ...done })
    } catch (problem) {
      const why = wordsOf(problem)
      const again =
        codeOf(problem) === CODES.missingAccess ? `: invite the bot again with ${inviteOf(self.application)}` : ''
      const detail = `the commands of the server ${guild} could not be registered (${why})${again}`
      port.log('the commands of a server of Discord could not be registered', { guild, why })
      port.report({ state: 'connected', detail })
    }
  }

  /** Once all servers are known. */
  const look = async (): Promise<void> => {
    for (const { channel, room } of port.channels()) {
      if (await places.find(channel)) continue
      const detail = `the bot does not see the channel ${channel} of ${room}: invite it with ${inviteOf(me()?.application ?? '')}`
      port.report({ state: 'connected', detail })
    }
  }

  return {
    begin: (guilds: readonly string[]): void => {
      for (const guild of guilds) awaited.add(guild)
      if (awaited.size === 0) void lanes.take('surroundings', look)
    },
    enter: (guild: string): void => {
      const ours = port.channels().some(({ channel }) => places.known(channel)?.guild === guild)
      if (ours) void lanes.take(`commands ${guild}`, () => offer(guild))
      if (awaited.delete(guild) && awaited.size === 0) void lanes.take('surroundings', look)
    },
  }
}
