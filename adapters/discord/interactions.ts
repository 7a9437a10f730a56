import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIInteraction,
  ApplicationCommandType,
  ComponentType,
  InteractionType,
} from 'discord.js'
import type { NetworkPort } from '../../src/chat/port.ts'
import { type ButtonOptions, createButtons } from './buttons.ts'
import { createCompletion } from './completion.ts'
import { senderIn } from './sender-in.ts'
import { createSlash, type SlashOptions } from './slash.ts'

/** What people do with the forms of Discord: commands, what is suggested for them while they are typed, and buttons. */
export const createInteractions = (options: SlashOptions & ButtonOptions & { port: NetworkPort }) => {
  const slash = createSlash(options)
  const press = createButtons(options)
  const complete = createCompletion(options.port)
  const { port, places, reply } = options

  const suggest = async (given: APIApplicationCommandAutocompleteInteraction): Promise<void> => {
    const { data } = given
    const channel = given.channel?.id ?? ''
    const focused = (data.options as { name: string; value?: unknown; focused?: boolean }[]).find((one) => one.focused)
    const parent = places.known(channel)?.parent
    const room = port.roomOf(channel) ?? (parent ? port.roomOf(parent) : null)
    const asked = { command: data.name, option: focused?.name ?? '', typed: String(focused?.value ?? '') }
    const found = room === null ? [] : await complete({ ...asked, room, sender: senderIn(port.network, given) })
    await reply.suggest(given, found)
  }

  return (given: APIInteraction): void => {
    if (given.type === InteractionType.ApplicationCommandAutocomplete) void suggest(given).catch(() => null)
    else if (given.type === InteractionType.MessageComponent) {
      if (given.data.component_type === ComponentType.Button) press(given)
    } else if (
      given.type === InteractionType.ApplicationCommand &&
      given.data.type === ApplicationCommandType.ChatInput
    )
      slash(given as Parameters<typeof slash>[0])
  }
}
