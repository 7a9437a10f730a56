import type { Command } from '../../src/shapes/command.ts'
import { typed } from './binding.ts'
import { MORE, MORE_COMMANDS } from './command-forms.ts'

/** What somebody filled in: the command by its name, and what they gave it. */
export type Filled = { name: string; options: readonly { name: string; value: string | number | boolean }[] }

/** A slash command as a line: as it would be typed, and as a form where there is one. */
export type SlashLine = {
  text: string
  command: { name: string; input: Record<string, unknown> } | null
  /** Whether it only looks; what is not known changes something. */
  reads: boolean
}

export const slashLine = (filled: Filled, commands: readonly Command[]): SlashLine => {
  const given = Object.fromEntries(filled.options.map(({ name, value }) => [name, value]))
  if (filled.name === MORE_COMMANDS) return moreLine(given, commands)
  const known = commands.find(({ name }) => name === filled.name)
  const { [MORE]: more, ...named } = given
  const isOption = known?.options.some(({ name }) => name === MORE) ?? false
  const input = isOption || more === undefined ? given : { ...named, ...pairsIn(String(more)) }
  if (known?.works && isWork(known, input)) return workLine(filled.name, input)
  return { text: typed(filled.name, input), command: { name: filled.name, input }, reads: known?.reads ?? false }
}

/** Where a command is work and something else, it is work by what is asked for. */
const isWork = ({ options }: Command, input: Record<string, unknown>): boolean =>
  'request' in input || options.some(({ name, required }) => name === 'request' && required)

/** Work is for an agent; for which one, where none is named, the house finds out from the line. */
const workLine = (name: string, { agent, ...input }: Record<string, unknown>): SlashLine => {
  const request = String(input['request'] ?? '')
  if (agent === undefined) return { text: `/${name} ${request}`, command: null, reads: false }
  return { text: `/${name} @${agent} ${request}`, command: { name, input: { agent, ...input } }, reads: false }
}

const moreLine = ({ name = '', args = '' }: Record<string, unknown>, commands: readonly Command[]): SlashLine => ({
  text: `/${String(name).replace(/^[/!]/, '')} ${args}`.trim(),
  command: null,
  reads: commands.find((command) => command.name === name)?.reads ?? false,
})

const pairsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/([^\s"=]+)=(?:"([^"]*)"|(\S+))/g)].map(([, key = '', quoted, word]) => [
      key,
      quoted ?? word ?? '',
    ]),
  )
