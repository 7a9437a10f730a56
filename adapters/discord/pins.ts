import { type APIMessage, type REST, Routes } from 'discord.js'
import type { NetworkPort } from '../../src/chat/port.ts'
import { CODES, codeOf, isForbidden, wordsOf } from './failures.ts'

type Options = { rest: REST; port: Pick<NetworkPort, 'memory' | 'log'>; me: () => string | null }

/** The board of a channel: which message it is, and that it is pinned, once. */
export const createPins = ({ rest, port, me }: Options) => {
  const refused = new Set<string>()
  const key = (ref: string): string => `pinned/${ref}`

  const put = async (channel: string, ref: string): Promise<void> => {
    try {
      await rest.put(Routes.channelMessagesPin(channel, ref))
      await port.memory.set(key(ref), '1')
    } catch (problem) {
      // That it cannot be pinned is no reason not to say it. It is not tried again until the next start.
      if (!isForbidden(problem) && codeOf(problem) !== CODES.tooManyPins) return
      refused.add(channel)
      port.log('the board of a channel of Discord is not pinned', { channel, why: wordsOf(problem) })
    }
  }

  return {
    /** Pins a message, unless that was done: whoever takes the pin away wants it so. */
    keep: async (channel: string, ref: string): Promise<void> => {
      if (refused.has(channel)) return
      const was = await port.memory.get(key(ref)).catch(() => null)
      if (was === null) await put(channel, ref)
      // Said again, so that it is not forgotten.
      else await port.memory.set(key(ref), '1').catch(() => null)
    },
    /** The board that a channel has among its pins, by what stands below it; null where there is none, or nobody may look. */
    find: async (channel: string, footer: string): Promise<string | null> => {
      const found = (await rest.get(Routes.channelMessagesPins(channel)).catch(() => null)) as {
        items?: { message: APIMessage }[]
      } | null
      const board = (found?.items ?? []).find(
        ({ message: { author, embeds } }) => author.id === me() && embeds[0]?.footer?.text === footer,
      )
      return board?.message.id ?? null
    },
  }
}
