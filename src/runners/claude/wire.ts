import { z } from 'zod'
import { parseJson } from '../../lib/parse-json.ts'

const Tokens = z.object({
  input_tokens: z.int().nullish(),
  cache_read_input_tokens: z.int().nullish(),
  cache_creation_input_tokens: z.int().nullish(),
  output_tokens: z.int().nullish(),
  output_tokens_details: z.object({ thinking_tokens: z.int().nullish() }).nullish(),
})
export type Tokens = z.infer<typeof Tokens>

/** A piece of what the model says, as it comes. */
const Event = z.object({
  type: z.string(),
  message: z.object({ model: z.string(), usage: Tokens.nullish() }).nullish(),
  delta: z.object({ type: z.string().nullish(), text: z.string().nullish() }).nullish(),
  usage: Tokens.nullish(),
})
export type Event = z.infer<typeof Event>

const Block = z.object({
  type: z.string(),
  text: z.string().nullish(),
  id: z.string().nullish(),
  tool_use_id: z.string().nullish(),
})
export type Block = z.infer<typeof Block>

const Message = z.object({ content: z.union([z.string().transform((): Block[] => []), z.array(Block)]) })

/** What a turn came to. It is the flag that says whether it failed: the subtype says success then, too. */
const Result = z.object({
  type: z.literal('result'),
  is_error: z.boolean(),
  result: z.string().nullish(),
  errors: z.array(z.string()).nullish(),
  api_error_status: z.number().nullish(),
  terminal_reason: z.string().nullish(),
  user_message_uuids: z.array(z.string()).nullish(),
  modelUsage: z.record(z.string(), z.object({ contextWindow: z.number().nullish() })).nullish(),
})
export type Result = z.infer<typeof Result>

/** The tools and servers that it has, as it says at the beginning of every turn. */
const Init = z.object({
  type: z.literal('system'),
  subtype: z.literal('init'),
  tools: z.array(z.string()),
  mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })),
})
export type Init = z.infer<typeof Init>

/** A line of the program, as far as we look at it. */
const Line = z.union([
  z.object({ type: z.literal('stream_event'), event: Event }),
  z.object({
    type: z.literal('assistant'),
    message: Message,
    error: z.string().nullish(),
    aborted: z.boolean().nullish(),
  }),
  z.object({ type: z.literal('user'), message: Message }),
  Result,
  Init,
  /** What became of a line that it was told. */
  z.object({ type: z.literal('command_lifecycle'), command_uuid: z.string(), state: z.string() }),
  z.object({
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.object({ status: z.string(), resetsAt: z.number().nullish() }),
  }),
  /** The answer to what we asked; and what it asks us. */
  z.object({
    type: z.literal('control_response'),
    response: z.object({
      request_id: z.string(),
      subtype: z.string(),
      response: z.unknown().optional(),
      error: z.string().nullish(),
      error_code: z.string().nullish(),
    }),
  }),
  z.object({ type: z.literal('control_request'), request_id: z.string() }),
])
export type Line = z.infer<typeof Line>

/** What a line says; null where it is nothing that we look at. */
export const readLine = (text: string): Line | null => Line.safeParse(parseJson(text)).data ?? null

/** A line of ours: words for the model, which are words and nothing else, and a name by which we learn what becomes of them. */
export const userLine = (id: string, text: string, isAsked = true): string =>
  JSON.stringify({
    type: 'user',
    message: { role: 'user', content: text },
    uuid: id,
    // No file is read that a text names, and no command is obeyed that it begins with.
    client_composed: true,
    ...(isAsked ? {} : { shouldQuery: false }),
  })

export const askingLine = (id: string, request: Record<string, unknown>): string =>
  JSON.stringify({ type: 'control_request', request_id: id, request })

/** There is nobody here who could be asked. */
export const refusingLine = (id: string): string =>
  JSON.stringify({
    type: 'control_response',
    response: { subtype: 'error', request_id: id, error: 'nobody can be asked here' },
  })
