import { z } from 'zod'
import type { Command, CommandOption } from '../shapes/command.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { type Operation, roleOfPeople, usageOf } from './operation.ts'

type Options = { rows: readonly Operation[]; specs: ReadonlyMap<string, PeripheralSpec> }

/** Every command as a face sees it, each name once: the peripherals, which give an agent work, and the rows of the table. */
export const describeRows = ({ rows, specs }: Options): Command[] => {
  const names = new Set(rows.map(({ name }) => name))
  return [
    ...[...specs.values()].filter(({ id }) => !names.has(id)).map(ofPeripheral),
    ...rows.map((row) => (specs.has(row.name) ? alsoWork(ofRow(row)) : ofRow(row))),
  ]
}

/** A row that is called what a wall is: with an agent and a request, it is work behind that. */
const alsoWork = (command: Command): Command => ({
  ...command,
  works: true,
  usage: `${command.usage}, or ${command.name} @agent REQUEST`,
  options: [
    ...command.options,
    ...WORK.filter(({ name }) => !command.options.some((option) => option.name === name)).map((option) => ({
      ...option,
      required: false,
    })),
  ],
})

const ofPeripheral = ({ id, purpose, role }: PeripheralSpec): Command => ({
  name: id,
  aliases: [],
  summary: purpose,
  usage: `${id} [@agent] REQUEST`,
  example: `${id} where is main defined?`,
  role,
  reads: false,
  works: true,
  options: WORK,
})

/** A row does not change while the program runs: what it takes is looked up once. */
const known = new WeakMap<Operation, Command>()

const ofRow = (row: Operation): Command => {
  const command = known.get(row) ?? describe(row)
  known.set(row, command)
  return command
}

const describe = (row: Operation): Command => {
  const { name, aliases = [], summary, example, reads } = row
  return {
    name,
    aliases: [...aliases],
    summary,
    usage: usageOf(row),
    example,
    role: roleOfPeople(row) ?? row.role,
    reads,
    works: false,
    options: optionsOf(row),
  }
}

/** What a row takes: what must be given first, as forms want it, and of that what needs no name. */
const optionsOf = ({ input, positional }: Operation): CommandOption[] => {
  const named = Object.keys(input.shape).filter((key) => !positional.includes(key))
  const options = [...positional, ...named].map((key) => optionOf(key, input.shape[key] as z.ZodType))
  return [...options.filter(({ required }) => required), ...options.filter(({ required }) => !required)]
}

const optionOf = (name: string, schema: z.ZodType): CommandOption => ({
  name,
  summary: schema.description ?? SUMMARIES[name] ?? name,
  required: !schema.safeParse(undefined).success,
  ...kindOf(schema),
  names: NAMES[name] ?? null,
})

/** What inputs are called that name something which can be completed. */
const NAMES: Record<string, CommandOption['names']> = {
  agent: 'agent',
  room: 'room',
  watched: 'room',
  thread: 'thread',
  turn: 'turn',
  approval: 'approval',
  session: 'session',
  peripheral: 'peripheral',
  command: 'command',
  problem: 'proof',
}

/** What inputs are, where their rows do not say it: the same word means the same in each. */
const SUMMARIES: Record<string, string> & { agent: string } = {
  agent: 'which agent; the usual one where none is named',
  room: 'which room',
  thread: 'which thread',
  turn: 'which turn',
  session: 'which session',
  peripheral: 'which peripheral',
  entry: 'which entry, by its id',
  step: 'which step, by its id',
  path: 'which file',
  text: 'the text',
  note: 'why, in a few words',
  why: 'why, in a few words',
  limit: 'how many',
  id: 'which; all of them where none is named',
  kind: 'what it is',
  by: 'what is counted',
  tool: 'which tool, such as "docs.search"',
  hash: 'the hash of what is meant, as /sources shows it',
  token: 'which token, as /tokens shows it',
  name: 'what it is called',
  to: 'what it is to be; it is shown where nothing is said',
}

/** What work takes. */
const WORK: CommandOption[] = [
  { name: 'request', summary: 'what is to be done', required: true, kind: 'text', choices: [], names: null },
  { name: 'agent', summary: SUMMARIES.agent, required: false, kind: 'text', choices: [], names: 'agent' },
]

/** As much of JSON Schema as says what an input looks like. */
const Described = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.looseObject({ type: z.string().optional() })).optional(),
})

/** A short list can be chosen from; longer ones are typed. */
const MOST_CHOICES = 25

const kindOf = (schema: z.ZodType): Pick<CommandOption, 'kind' | 'choices'> => {
  const { type, anyOf = [], enum: values = [] } = Described.parse(z.toJSONSchema(schema, { unrepresentable: 'any' }))
  const types = [type, ...anyOf.map((one) => one.type)]
  const kind = KINDS.find(([name]) => types.includes(name))?.[1] ?? 'text'
  const choices = values.filter((value) => typeof value === 'string')
  return { kind, choices: choices.length <= MOST_CHOICES ? choices : [] }
}

const KINDS: readonly [type: string, kind: CommandOption['kind']][] = [
  ['boolean', 'flag'],
  ['integer', 'integer'],
  ['number', 'number'],
]
