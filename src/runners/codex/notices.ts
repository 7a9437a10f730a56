import { z } from 'zod'
import { TurnError } from './failures.ts'
import { RESOURCE_TOOLS, SERVER } from './names.ts'

/** All tokens of a conversation so far, as the program counts them: what was in a cache is a part of the input. */
const Tokens = z.object({
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  cacheWriteInputTokens: z.number().default(0),
  outputTokens: z.number(),
  reasoningOutputTokens: z.number().default(0),
})
export type Tokens = z.infer<typeof Tokens>

/** What of it a conversation cares for. */
export type Notice =
  | { kind: 'delta'; text: string; of: string }
  | { kind: 'message'; text: string }
  | { kind: 'tool'; id: string; state: 'begun' | 'ended' }
  | { kind: 'tokens'; total: Tokens; last: Tokens }
  | { kind: 'server'; name: string; status: string; error: string | null }
  | { kind: 'model'; model: string }
  | { kind: 'begun'; turn: string }
  | { kind: 'over'; turn: string; status: string; error: TurnError | null }
  /** It does what it cannot do behind the wall. */
  | { kind: 'offence'; what: string }
  | { kind: 'alive' }

/** Reads what the program tells of a conversation. What is unknown, and what is not as it should be, is a sign of life. */
export const readNotice = (method: string, params: unknown): Notice =>
  (Object.hasOwn(READERS, method) ? READERS[method]?.(params) : undefined) ?? { kind: 'alive' }

const reader =
  <T>(shape: z.ZodType<T>, read: (value: T) => Notice) =>
  (params: unknown): Notice | undefined => {
    const { data } = shape.safeParse(params)
    return data === undefined ? undefined : read(data)
  }

const Item = z.object({
  item: z.object({
    type: z.string(),
    id: z.string().default(''),
    text: z.string().optional(),
    server: z.string().optional(),
    tool: z.string().optional(),
  }),
})

const readItem = (state: 'begun' | 'ended') =>
  reader(Item, ({ item }): Notice => {
    if (item.type === 'mcpToolCall') return readCall(item, state)
    if (item.type === 'agentMessage' && state === 'ended') return { kind: 'message', text: item.text ?? '' }
    return HARMLESS.has(item.type) ? { kind: 'alive' } : { kind: 'offence', what: item.type }
  })

const readCall = ({ id, server, tool = '' }: z.infer<typeof Item>['item'], state: 'begun' | 'ended'): Notice => {
  if (RESOURCE_TOOLS.has(tool)) return { kind: 'alive' }
  return server === SERVER ? { kind: 'tool', id, state } : { kind: 'offence', what: `${server}/${tool}` }
}

/** What a conversation consists of besides calls of our tools. */
const HARMLESS: ReadonlySet<string> = new Set([
  'userMessage',
  'agentMessage',
  'reasoning',
  'contextCompaction',
  'error',
])

const READERS: Record<string, (params: unknown) => Notice | undefined> = {
  'item/started': readItem('begun'),
  'item/completed': readItem('ended'),
  'item/agentMessage/delta': reader(z.object({ delta: z.string(), itemId: z.string() }), ({ delta, itemId }) => ({
    kind: 'delta',
    text: delta,
    of: itemId,
  })),
  'thread/tokenUsage/updated': reader(
    z.object({ tokenUsage: z.object({ total: Tokens, last: Tokens }) }),
    ({ tokenUsage: { total, last } }) => ({ kind: 'tokens', total, last }),
  ),
  'mcpServer/startupStatus/updated': reader(
    z.object({ name: z.string(), status: z.string(), error: z.string().nullish() }),
    ({ name, status, error }) => ({ kind: 'server', name, status, error: error ?? null }),
  ),
  'model/rerouted': reader(z.object({ toModel: z.string() }), ({ toModel }) => ({ kind: 'model', model: toModel })),
  'turn/started': reader(z.object({ turn: z.object({ id: z.string() }) }), ({ turn }) => ({
    kind: 'begun',
    turn: turn.id,
  })),
  'turn/completed': reader(
    z.object({ turn: z.object({ id: z.string(), status: z.string(), error: TurnError.nullish() }) }),
    ({ turn: { id, status, error } }) => ({ kind: 'over', turn: id, status, error: error ?? null }),
  ),
}
