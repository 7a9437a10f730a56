import { operations } from '../operations/table.ts'
import type { JsonSchema } from '../shapes/json-schema.ts'
import { typeName } from './names.ts'
import { protocols, schemaFor } from './protocols.ts'
import { commentOf, typeOf } from './typescript.ts'

/** Every type of every protocol, and the client that the package exports, as one file of declarations. */
export const declarations = (): string => {
  const schemas: Record<string, JsonSchema> = {}
  for (const name of Object.keys(protocols)) Object.assign(schemas, schemaFor(name).$defs)
  const types = Object.entries(schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `${commentOf(schema.description)}export type ${name} = ${typeOf(schema)}\n`)
  return `${[HEAD, ...types, table(), CLIENT].join('\n')}`
}

const HEAD = `// Made by \`bellhop schema --ts\`; not to be changed by hand.
`

/** What each operation takes and answers. */
const table = (): string => {
  const rows = operations.map(({ name, summary, reads, agents = false }) => {
    const type = typeName(name)
    const kind = `reads: ${reads}; agents: ${agents}`
    return `${commentOf(summary, '  ')}  ${JSON.stringify(name)}: { ${kind}; input: ${type}Input; answer: ${type}Answer }`
  })
  return `/** Everything that can be asked, by its name. */\nexport interface Operations {\n${rows.join('\n')}\n}\n`
}

/** The client: \`test/schema\` holds the real one against it. */
const CLIENT = `/** A value, or the refusal that says why not. */
export type Result<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

type Of<Kind> = { [Name in keyof Operations]: Operations[Name] extends Kind ? Name : never }[keyof Operations]

/** The operations that only look, and those that change something. */
export type ReadName = Of<{ reads: true }>
export type CommandName = Of<{ reads: false }>

/** An input that needs nothing can be left out. */
type Given<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input]

/** Where a command is given, by which id, and as whom. */
export type Aim = { room?: string; id?: string; as?: string | null }

export interface Client {
  /** Asks for what only looks. */
  ask<Name extends ReadName>(
    name: Name,
    ...given: Given<Operations[Name]['input']>
  ): Promise<Result<Operations[Name]['answer']>>
  /** Has something done, in a room. */
  command<Name extends CommandName>(
    name: Name,
    input: Operations[Name]['input'],
    aim?: Aim,
  ): Promise<Result<Operations[Name]['answer']>>
  /** Says a line: work for an agent, a command, or talk. */
  say(line: Aim & { text: string }): Promise<Result<Receipt>>
  /** Posts of a room after a position as they come, reconnecting by itself until the signal ends it. */
  follow(room: string, after: number, show: (post: Post) => void, signal: AbortSignal): Promise<void>
  /** The items of a turn up to its end, or of a room until the signal ends it; reconnecting by itself. */
  items(
    of: { turn: string } | { room: string },
    show: (event: ItemEvent) => void,
    signal: AbortSignal,
  ): Promise<void>
}

/** Speaks to a running instance over HTTP. */
export declare const createClient: (options: {
  url: string
  token: string
  face?: 'terminal' | 'cli' | 'api'
}) => Client
`
