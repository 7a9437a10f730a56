import { z } from 'zod'
import { type Described, pinDraft, pinnedOf, readDescribed } from '../evidence/pins.ts'
import type { Store } from '../evidence/store.ts'
import { oneLine, plain } from '../lib/plain.ts'
import { isOwnTool, type PeripheralSpec, SourceTool } from '../shapes/peripheral.ts'
import { authorOf } from '../shapes/person.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { defineOperation } from './operation.ts'

const Row = z.strictObject({
  tool: SourceTool,
  peripherals: z.array(z.string()),
  /** accepted: it is what was accepted; changed: it is refused until somebody accepts it; unseen: nobody called it yet. */
  state: z.enum(['accepted', 'changed', 'unseen']),
  /** The hash of what it is now, and of what was accepted. */
  hash: z.string().nullable(),
  accepted: z.string().nullable(),
  /** What it says of itself now. */
  description: z.string(),
  schema: z.string(),
})
type Row = z.infer<typeof Row>

export const sources = defineOperation({
  name: 'sources',
  summary: 'the tools of other MCP servers: whether they are what was accepted, and what they say of themselves',
  example: 'sources docs.search',
  positional: ['tool'],
  input: z.strictObject({ tool: SourceTool.optional() }),
  output: z.strictObject({ tools: z.array(Row), whole: z.boolean() }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ tool }, { store, specs }) => {
    const tools = await Promise.all((tool ? [tool] : namedIn(specs)).map((name) => rowOf(store, name, specs)))
    const unknown = tools.some(({ state, peripherals }) => state === 'unseen' && peripherals.length === 0)
    if (tool && unknown) return refused(unknownTool(tool, specs))
    return ok({ tools, whole: tool !== undefined })
  },
  render: ({ tools, whole }) => tools.map(whole ? wholeText : lineText).join('\n') || 'no peripheral names any',
})

export const accept = defineOperation({
  name: 'accept',
  summary: 'accept what a tool of another MCP server says of itself by now; with a hash, only if it is still that',
  example: 'accept docs.search',
  positional: ['tool', 'hash'],
  input: z.strictObject({
    tool: SourceTool,
    hash: z
      .string()
      .regex(/^[0-9a-f]{8,64}$/, 'expected the beginning of a hash, as /sources shows it')
      .optional(),
  }),
  output: z.strictObject({ tool: SourceTool, hash: z.string(), before: z.boolean() }),
  role: 'admin',
  reads: false,
  offline: false,
  run: async ({ tool, hash }, { store, person }) => {
    const { seen, pin } = await pinnedOf(store, tool)
    if (!seen)
      return refused(refusal('command-invalid', `nobody has looked at ${tool} yet: there is nothing to accept`))
    if (hash !== undefined && !seen.hash.startsWith(hash)) {
      const now = seen.hash.slice(0, SHORT)
      return refused(
        refusal('command-invalid', `${tool} is ${now} by now, not ${hash}: look at it with /sources ${tool}`),
      )
    }
    const answer = { tool, hash: seen.hash, before: pin?.hash === seen.hash }
    if (answer.before) return ok(answer)
    return written(await store.append([pinDraft(seen, person.role, authorOf(person))]), answer)
  },
  render: ({ tool, hash, before }) =>
    before
      ? `${tool} was accepted before, as ${hash.slice(0, SHORT)}`
      : `${tool} is accepted as ${hash.slice(0, SHORT)}`,
})

const SHORT = 12

/** Somebody else may have been faster: then it is accepted, too. */
const written = <T>(appended: Result<unknown>, answer: T): Result<T> =>
  appended.ok || appended.refusal.code === 'id-conflict' ? ok(answer) : appended

type Specs = ReadonlyMap<string, PeripheralSpec>

const namedIn = (specs: Specs): SourceTool[] => {
  const tools = [...specs.values()].flatMap((spec) => spec.tools)
  return [...new Set(tools.filter((name) => !isOwnTool(name)))].sort()
}

const unknownTool = (tool: string, specs: Specs) => {
  const named = namedIn(specs).join(', ')
  return refusal(
    'command-invalid',
    `no peripheral names ${tool}; ${named === '' ? 'none is named' : `there is ${named}`}`,
  )
}

const rowOf = async (store: Store, tool: SourceTool, specs: Specs): Promise<Row> => {
  const { seen, pin } = await pinnedOf(store, tool)
  const described: Partial<Described> = (seen && readDescribed(seen.described)) ?? {}
  return {
    tool,
    peripherals: [...specs.values()].filter(({ tools }) => tools.includes(tool)).map(({ id }) => id),
    state: seen === null ? 'unseen' : pin?.hash === seen.hash ? 'accepted' : 'changed',
    hash: seen?.hash ?? null,
    accepted: pin?.hash ?? null,
    description: described.description ?? '',
    schema: JSON.stringify(described.inputSchema ?? {}),
  }
}

const WIDTH = 100

const lineText = ({ tool, state, hash, description }: Row): string =>
  `${tool} ${state}${hash ? ` ${hash.slice(0, SHORT)}` : ''}: ${oneLine(description, WIDTH)}`

/** What it says of itself is a stranger's text, and is shown as one. */
const wholeText = (row: Row): string =>
  [
    `${row.tool} ${row.state}, in ${row.peripherals.join(', ')}`,
    ...(row.hash === null ? [] : [`it says of itself (${row.hash.slice(0, SHORT)}):`]),
    ...plain(row.description)
      .split('\n')
      .map((line) => `  | ${line}`),
    `  | ${plain(row.schema)}`,
    ...(row.state === 'changed' && row.hash !== null
      ? [`it is refused until an admin says /accept ${row.tool} ${row.hash.slice(0, SHORT)}`]
      : []),
  ].join('\n')
