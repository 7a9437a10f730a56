import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { helpOf } from '../tools/table.ts'

type Specs = ReadonlyMap<string, PeripheralSpec>

/** How much of a request is taken over. */
const REQUEST = 16_384

/** One prompt for each peripheral: how to work behind that wall. */
export const listPrompts = (specs: Specs): Prompt[] =>
  [...specs.values()].map(({ id, purpose }) => ({
    name: id,
    title: `Work in ${id}`,
    description: purpose,
    arguments: [{ name: 'request', description: 'what is to be done there', required: true }],
  }))

export const getPrompt = (specs: Specs, name: string, args: Record<string, string> = {}): GetPromptResult => {
  const spec = specs.get(name)
  if (!spec)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no such prompt; there is ${namesOf(specs)}`)
  const request = args['request']?.trim().slice(0, REQUEST) ?? ''
  if (request === '') throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'request: say what is to be done')
  return {
    description: spec.purpose,
    messages: [{ role: 'user', content: { type: 'text', text: `${describe(spec)}\n\n${request}` } }],
  }
}

const namesOf = (specs: Specs): string => [...specs.keys()].join(', ')

const describe = (spec: PeripheralSpec): string =>
  [
    `You work in ${spec.id}: ${spec.purpose}`,
    'Your tools are these, and no others:',
    ...spec.tools.map((name) => `- ${helpOf(name)}`),
    ...scopeOf(spec),
    ...exitsOf(spec),
    'A call that is refused says why, and what would be allowed. Every step is kept as evidence.',
  ].join('\n')

const scopeOf = ({ scope, sandbox, commands }: PeripheralSpec): string[] => [
  `You read ${list(scope.read)}; you write ${list(scope.write)}.`,
  ...(scope.deny.length > 0 ? [`You touch nothing of ${list(scope.deny)}.`] : []),
  ...(scope.web.hosts.length > 0 ? [`You may fetch from ${list(scope.web.hosts)}.`] : []),
  ...(commands.length > 0
    ? [`Programs run in the sandbox ${sandbox}: ${commands.map(({ argv }) => argv.join(' ')).join('; ')}.`]
    : []),
]

const list = (words: readonly string[]): string => (words.length > 0 ? words.join(', ') : 'nothing')

const exitsOf = ({ exit }: PeripheralSpec): string[] =>
  exit.length === 0
    ? ['There is no way on from here.']
    : [`You may hop on: ${exit.map(({ when, to }) => `${when}: to ${to.join(' or ')}`).join('; ')}.`]
