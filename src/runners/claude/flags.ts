import { SERVER } from './names.ts'

/** What differs between two starts of the program. */
export type Wanted = {
  /** The file that names our endpoint, and the one with the instructions. */
  endpoint: string
  instructions: string
  model: string | null
  /** The conversation it begins, or goes on with; none that is kept where it only looks. */
  conversation: { begin: string } | { resume: string } | null
  /** Whether it works by a key: then it can do without all that it would look for at a sign-in. */
  bare: boolean
}

/**
 * The wall, as far as flags make it: no tool of its own, no server but ours, no settings, no commands. It ends at once
 * on a flag that it does not know, so that a version with another wall shows.
 */
export const flagsOf = ({ endpoint, instructions, model, conversation, bare }: Wanted): string[] => [
  '-p',
  ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
  ...['--tools', ''],
  '--restricted',
  ...['--strict-mcp-config', '--mcp-config', endpoint],
  ...['--allowedTools', `mcp__${SERVER}`, '--disallowedTools', 'Read(//**)', '--permission-mode', 'dontAsk'],
  ...['--setting-sources', '', '--disable-slash-commands'],
  // The instructions that are sent are those that it is given now, also where it goes on.
  ...['--system-prompt-file', instructions, '--system-prompt-snapshot', 'off'],
  ...(bare ? ['--bare'] : []),
  ...(model === null ? [] : ['--model', model]),
  ...conversationFlags(conversation),
]

const conversationFlags = (conversation: Wanted['conversation']): string[] => {
  if (conversation === null) return ['--no-session-persistence']
  return 'begin' in conversation ? ['--session-id', conversation.begin] : ['--resume', conversation.resume]
}
