import { type APIChannel, type REST, Routes } from 'discord.js'
import type { NetworkPort } from '../../src/chat/port.ts'
import { BLANK, created } from './body.ts'
import { cannotReply, wordsOf } from './failures.ts'
import { MOST } from './long.ts'
import { cut, tame } from './tame.ts'

export type Reply = ReturnType<typeof createReply>
type To = { id: string; channel_id: string; author: { id: string } }

/** How often one person is answered that nothing can be done for them. */
const EVERY_MS = 20_000
const PEOPLE = 1000

/** Answers to a plain message that no post says: by a reply that calls nobody, or in a conversation of one's own. */
export const createReply = (rest: REST, { log }: Pick<NetworkPort, 'log'>) => {
  const last = new Map<string, number>()

  const say = async ({ id, channel_id }: To, content: string): Promise<void> => {
    const post = (reply: string | null) =>
      rest.post(Routes.channelMessages(channel_id), created({ ...BLANK, content, reply }, `reply ${id}`))
    await post(id)
      .catch((problem: unknown) => (cannotReply(problem) ? post(null) : Promise.reject(problem)))
      .catch((problem: unknown) => log('a reply could not be said', { channel: channel_id, why: wordsOf(problem) }))
  }

  return {
    /** Not each time: somebody who goes on is not answered to every line. */
    to: async (message: To, content: string): Promise<void> => {
      const now = Date.now()
      if (now - (last.get(message.author.id) ?? 0) < EVERY_MS) return
      last.set(message.author.id, now)
      for (const old of last.keys()) if (last.size > PEOPLE) last.delete(old)
      await say(message, content)
    },
    /** For one person alone: where they take no messages of the bot, they are told how to ask so that they alone read it. */
    privately: async (message: To, words: string): Promise<void> => {
      try {
        const recipient = { recipient_id: message.author.id }
        const { id } = (await rest.post(Routes.userChannels(), { body: recipient })) as APIChannel
        const body = { ...BLANK, content: cut(tame(words), MOST), loud: true }
        await rest.post(Routes.channelMessages(id), created(body, `whisper ${message.id}`))
      } catch {
        await say(message, 'The answer is for you alone, and you take no messages of mine: ask with the slash command.')
      }
    },
  }
}
