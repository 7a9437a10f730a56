import type { Usage } from '../../shapes/usage.ts'
import type { Said } from '../runner.ts'
import type { Event, Tokens } from './wire.ts'

/** Counts what each request to the model took, from the pieces that it is told in; also of one that is broken off. */
export const countTokens = (windows: ReadonlyMap<string, number>, heard: (said: Said) => void) => {
  let open: { model: string; usage: Usage } | null = null

  const close = (): void => {
    if (open) heard({ kind: 'usage', ...open, window: windows.get(open.model) ?? null })
    open = null
  }

  return {
    take: ({ type, message, usage }: Event): void => {
      if (type === 'message_start') {
        close()
        open = { model: message?.model ?? '', usage: usageOf(message?.usage ?? {}, NOTHING) }
      }
      // What comes later counts from the beginning, and says only what has changed.
      if (type === 'message_delta' && open) open.usage = usageOf(usage ?? {}, open.usage)
      if (type === 'message_stop') close()
    },
    /** Nothing more comes of what is under way. */
    close,
  }
}

const NOTHING: Usage = { input: 0, cached: 0, written: 0, output: 0, reasoning: 0 }

const usageOf = (tokens: Tokens, before: Usage): Usage => ({
  input: tokens.input_tokens ?? before.input,
  cached: tokens.cache_read_input_tokens ?? before.cached,
  written: tokens.cache_creation_input_tokens ?? before.written,
  output: tokens.output_tokens ?? before.output,
  reasoning: tokens.output_tokens_details?.thinking_tokens ?? before.reasoning,
})
