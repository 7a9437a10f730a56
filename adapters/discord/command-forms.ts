import {
  type APIApplicationCommandOptionChoice,
  ApplicationCommandType,
  ApplicationCommandOptionType as Kind,
} from 'discord.js'
import type { Command, CommandOption } from '../../src/shapes/command.ts'
import { clean, short } from './tame.ts'

/** One thing that a slash command takes, with nothing left to Discord's defaults: so two can be compared. */
export type OptionForm = {
  type: Kind
  name: string
  description: string
  required: boolean
  autocomplete: boolean
  choices: APIApplicationCommandOptionChoice<string>[]
}
export type CommandForm = {
  type: ApplicationCommandType.ChatInput
  name: string
  description: string
  options: OptionForm[]
}

/** What Discord takes: so many commands in all, so many options each, so many choices. */
const COMMANDS = 100
const OPTIONS = 25
const CHOICES = 25
const TEXT = 100
const SIZE = 8000
const CHAT: ApplicationCommandType.ChatInput = ApplicationCommandType.ChatInput
const NAME = /^[-_\p{Ll}\p{Lo}\p{N}]{1,32}$/u

/** What does not fit as a command or an option of its own is reached by these: nothing is left out. */
export const MORE_COMMANDS = 'more-commands'
export const MORE = 'more'

/** The slash commands that people get: those that Discord can show, and one more for the rest. */
export const formsOf = (commands: readonly Command[]): CommandForm[] => {
  const shown = shownOf(commands)
  const rest = commands.filter((command) => !shown.includes(command))
  return [...shown.map(formOf), ...(rest.length > 0 ? [moreForm(rest)] : [])]
}

/** The commands that have a form of their own. */
export const shownOf = (commands: readonly Command[]): Command[] => {
  const names = new Map(commands.map((command) => [command.name, command]))
  const fit = commands.filter((command) => NAME.test(command.name) && names.get(command.name) === command)
  return fit.length === commands.length && fit.length <= COMMANDS ? fit : fit.slice(0, COMMANDS - 1)
}

const formOf = ({ name, summary, options }: Command): CommandForm => {
  const fit = options.filter((option) => NAME.test(option.name))
  const all = fit.length === options.length && fit.length <= OPTIONS ? fit : fit.slice(0, OPTIONS - 1)
  // What is required comes first: so Discord wants it.
  const sorted = [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)]
  const more = options.filter((option) => !all.includes(option)).map((option) => option.name)
  const rest = more.length > 0 ? [textOption(MORE, `more, as name=value: ${more.join(', ')}`)] : []
  const form = { type: CHAT, name, description: described(summary), options: [...sorted.map(optionOf), ...rest] }
  return JSON.stringify(form).length <= SIZE ? form : { ...form, options: form.options.map(unlisted) }
}

/** A list that makes a command too large is suggested while it is typed instead. */
const unlisted = (option: OptionForm): OptionForm =>
  option.choices.length === 0 ? option : { ...option, choices: [], autocomplete: true }

const KINDS = { text: Kind.String, integer: Kind.Integer, number: Kind.Number, flag: Kind.Boolean } as const

const optionOf = ({ name, summary, required, kind, choices, names }: CommandOption): OptionForm => {
  const listed = kind === 'text' && choices.length > 0 && choices.length <= CHOICES
  return {
    type: KINDS[kind],
    name,
    description: described(summary),
    required,
    autocomplete: kind === 'text' && !listed && (names !== null || choices.length > 0),
    choices: listed ? choices.map((choice) => ({ name: short(choice, TEXT), value: choice.slice(0, TEXT) })) : [],
  }
}

const textOption = (name: string, summary: string, required = false): OptionForm => ({
  type: Kind.String,
  name,
  description: described(summary),
  required,
  autocomplete: false,
  choices: [],
})

const moreForm = (rest: readonly Command[]): CommandForm => ({
  type: CHAT,
  name: MORE_COMMANDS,
  description: described(`${rest.length} more commands, such as ${rest[0]?.name}`),
  options: [
    { ...textOption('name', 'which command', true), autocomplete: true },
    textOption('args', 'what it takes, as it would be typed'),
  ],
})

const described = (text: string): string => short(clean(text), TEXT) || '?'
