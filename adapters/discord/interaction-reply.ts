import { setTimeout as sleep } from 'node:timers/promises'
import {
  type APIApplicationCommandOptionChoice,
  MessageFlags,
  type RawFile,
  type REST,
  InteractionResponseType as Response,
  Routes,
} from 'discord.js'
import { BLANK, changed, NOBODY } from './body.ts'
import { CODES, codeOf, isTooLate } from './failures.ts'
import { MOST, type Said } from './long.ts'
import { cut } from './tame.ts'

/** What an interaction is answered by: it is good for three seconds, and once it was deferred, for fifteen minutes. */
export type Ticket = { id: string; token: string; application_id: string }

/** Whether Discord took an answer; late: it does not take one for this interaction any more. */
export type Took = 'taken' | 'late' | 'failed'

export type InteractionReply = ReturnType<typeof createInteractionReply>

const TRIES = 3
const STEP_MS = 200

/** The ways to answer an interaction. None of them fails: they say whether it was taken. */
export const createInteractionReply = (rest: REST) => {
  const attempt = async (work: () => Promise<unknown>): Promise<Took | null> => {
    try {
      await work()
      return 'taken'
    } catch (problem) {
      const code = codeOf(problem)
      // That it was answered before is what happens where the answer to our answer was lost.
      if (code === CODES.alreadyAnswered) return 'taken'
      if (isTooLate(problem)) return 'late'
      return code === null ? null : 'failed'
    }
  }
  const ask = async (work: () => Promise<unknown>): Promise<Took> => {
    for (let tries = 1; tries <= TRIES; tries++) {
      const took = await attempt(work)
      if (took !== null) return took
      await sleep(STEP_MS)
    }
    return 'failed'
  }
  const first = ({ id, token }: Ticket, body: unknown) =>
    ask(() => rest.post(Routes.interactionCallback(id, token), { body, auth: false }))
  const original = ({ application_id, token }: Ticket) => Routes.webhookMessage(application_id, token, '@original')
  const change = (ticket: Ticket, body: unknown, files: RawFile[] = []) =>
    ask(() => rest.patch(original(ticket), { body, files, auth: false }))

  return {
    defer: (ticket: Ticket, ephemeral: boolean): Promise<Took> =>
      first(ticket, {
        type: Response.DeferredChannelMessageWithSource,
        data: ephemeral ? { flags: MessageFlags.Ephemeral } : {},
      }),
    deferUpdate: (ticket: Ticket): Promise<Took> => first(ticket, { type: Response.DeferredMessageUpdate }),
    suggest: (ticket: Ticket, choices: APIApplicationCommandOptionChoice<string>[]): Promise<Took> =>
      first(ticket, { type: Response.ApplicationCommandAutocompleteResult, data: { choices } }),
    answer: (ticket: Ticket, said: Said): Promise<Took> => {
      const { body, files } = changed({ ...BLANK, ...said })
      return change(ticket, { ...body, flags: MessageFlags.SuppressEmbeds }, files)
    },
    /** Takes the buttons off the message that was clicked; the rest of it stays. */
    removeButtons: (ticket: Ticket): Promise<Took> => change(ticket, { components: [], allowed_mentions: NOBODY }),
    withdraw: (ticket: Ticket): Promise<Took> => ask(() => rest.delete(original(ticket), { auth: false })),
    /** For the one person alone. */
    privately: ({ application_id, token }: Ticket, content: string): Promise<Took> => {
      const { body } = changed({ ...BLANK, content: cut(content, MOST) })
      const flags = MessageFlags.Ephemeral | MessageFlags.SuppressEmbeds
      return ask(() => rest.post(Routes.webhook(application_id, token), { body: { ...body, flags }, auth: false }))
    },
  }
}
