import type { Command } from '../../src/shapes/command.ts'

type Names = {
  /** Whether a name is one of ours. */
  isOurs: (name: string) => boolean
  /** The agent that a name is the nick of. */
  agentOf: (name: string) => string | null
  commands: readonly Pick<Command, 'name' | 'aliases'>[]
}

/** `name: text`, `name, text` and `@name text`. */
const ADDRESSED = /^(?:@(?<at>[^\s:,]+)[:,]?|(?<name>[^\s:,]+)[:,])\s+(?<text>\S.*)$/s

/** What a line says to the house, without whom it is said to: to us, a command needs no sign; to a nick, it is its agent's. */
export const addressedTo = (line: string, { isOurs, agentOf, commands }: Names): string => {
  const { at, name, text = '' } = ADDRESSED.exec(line)?.groups ?? {}
  const whom = at ?? name
  if (whom === undefined) return line
  if (isOurs(whom)) {
    const [first = ''] = text.split(/\s/, 1)
    return commands.some((one) => one.name === first || one.aliases.includes(first)) ? `/${text}` : text
  }
  const agent = agentOf(whom)
  if (agent === null) return line
  return at === undefined ? `${agent}: ${text}` : `@${agent} ${text}`
}
