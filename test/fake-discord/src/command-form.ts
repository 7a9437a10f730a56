import {
  boolean,
  both,
  type Check,
  fault,
  integer,
  isObject,
  lengthOf,
  list,
  object,
  oneOf,
  optional,
  text,
} from './form.ts'
import type { FormFaults } from './refusal.ts'
import type { ApplicationCommand, CommandOption } from './wire.ts'

export const CHAT_INPUT = 1
export const SUBCOMMAND = 1
export const SUBCOMMAND_GROUP = 2
const STRING = 3
const INTEGER = 4
const NUMBER = 10
const OPTION_TYPES = Array.from({ length: 11 }, (_, at) => at + 1)

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u

const INVALID_NAME = fault('APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid')

/** Names of commands and options; letters that have a small form have to be small. */
const name: Check = both(text({ min: 1, max: 32 }), (value) =>
  NAME.test(String(value)) && String(value) === String(value).toLowerCase() ? null : INVALID_NAME,
)

const description = text({ min: 1, max: 100 })

/** A choice of an option, or one that is suggested while somebody types. */
export const choice: Check = object({
  name: text({ min: 1, max: 100 }),
  value: (value) => (typeof value === 'number' ? null : text({ max: 100 })(value)),
})

const optionRules: Check = (value) => {
  const { type, autocomplete, choices } = value as CommandOption
  if (autocomplete && ![STRING, INTEGER, NUMBER].includes(type)) {
    return { autocomplete: fault('APPLICATION_COMMAND_INVALID_AUTOCOMPLETE_TYPE', 'This type has no autocomplete') }
  }
  if (autocomplete && choices?.length) {
    return { choices: fault('APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES', 'Autocomplete and choices exclude each other') }
  }
  return null
}

const option = (depth: number): Check =>
  both(
    object({
      type: oneOf(OPTION_TYPES),
      name,
      description,
      required: optional(boolean),
      autocomplete: optional(boolean),
      choices: optional(list(choice, { max: 25 })),
      min_length: optional(integer({ min: 0, max: 6000 })),
      max_length: optional(integer({ min: 1, max: 6000 })),
      options: optional((value) => options(depth + 1)(value)),
    }),
    optionRules,
    (value) => nesting(value as CommandOption, depth),
  )

/** Groups hold subcommands, subcommands hold values, and no deeper. */
const nesting = ({ type, options: inside }: CommandOption, depth: number): FormFaults | null => {
  const isBranch = type === SUBCOMMAND || type === SUBCOMMAND_GROUP
  const tooDeep = isBranch && (depth > 1 || (depth === 1 && type === SUBCOMMAND_GROUP))
  const wrongInside =
    type === SUBCOMMAND_GROUP ? !inside?.length || inside.some((one) => one.type !== SUBCOMMAND) : false
  const branchInside = type === SUBCOMMAND && inside?.some((one) => one.type <= SUBCOMMAND_GROUP)
  return tooDeep || wrongInside || branchInside
    ? { type: fault('APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', 'Sub-command option type is not valid here') }
    : null
}

const options = (depth: number): Check =>
  both(
    list((value) => option(depth)(value), { max: 25 }),
    (value) => together(value as CommandOption[]),
  )

/** What holds for options beside each other. */
const together = (all: CommandOption[]): FormFaults | null => {
  const at = (index: number, field: string, found: FormFaults) => ({ [String(index)]: { [field]: found } })
  const names = all.map((one) => one.name)
  const repeated = names.findIndex((one, index) => names.indexOf(one) !== index)
  if (repeated !== -1) {
    return at(repeated, 'name', fault('APPLICATION_COMMAND_OPTION_NAME_ALREADY_EXISTS', 'Option name already exists'))
  }
  const late = all.findIndex(({ required }, index) => required && all.slice(0, index).some((one) => !one.required))
  if (late !== -1) {
    const message = 'Required options must be placed before non-required options'
    return at(late, 'required', fault('APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', message))
  }
  const branches = all.filter(({ type }) => type <= SUBCOMMAND_GROUP).length
  if (branches > 0 && branches < all.length) {
    return fault('APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', 'Sub-commands cannot stand beside other options')
  }
  return null
}

const sizeOf = (command: { name: string; description?: string; options?: CommandOption[] }): number =>
  lengthOf(command.name) +
  lengthOf(command.description ?? '') +
  (command.options ?? []).reduce((sum, one) => sum + sizeOf(one) + choicesSize(one), 0)

const choicesSize = ({ choices = [] }: CommandOption): number =>
  choices.reduce((sum, one) => sum + lengthOf(one.name) + lengthOf(String(one.value)), 0)

const wholeSize: Check = (value) =>
  sizeOf(value as ApplicationCommand) > 8000
    ? fault('APPLICATION_COMMAND_TOO_LARGE', 'Command exceeds maximum size (8000)')
    : null

const chatInput = both(object({ name, description, options: optional(options(0)) }), wholeSize)

/** Commands on users and messages have a name to be read, and nothing more. */
const inMenu = object({
  name: text({ min: 1, max: 32 }),
  description: (value) => (value ? fault('APPLICATION_COMMAND_DESCRIPTION', 'Must be empty') : null),
})

export const command: Check = (value) => {
  if (!isObject(value)) return object({})(value)
  const type = value['type'] ?? CHAT_INPUT
  const bad = oneOf([1, 2, 3])(type)
  if (bad) return { type: bad }
  return type === CHAT_INPUT ? chatInput(value) : inMenu(value)
}
