import type { Failure } from '../../shapes/runner.ts'
import { failed } from '../failures.ts'
import { promised } from '../promised.ts'
import type { Finish, Said } from '../runner.ts'
import { failureOf } from './failures.ts'
import { countTokens } from './tokens.ts'
import type { Block, Event, Line, Result } from './wire.ts'

type Options = {
  heard: (said: Said) => void
  /** How much fits into a request to each model, as far as that was said. */
  windows: ReadonlyMap<string, number>
}

/** As much of an answer as is kept. */
const MOST = 1_000_000

/** What a line that it was told comes to in the end. */
const ENDS = new Set(['completed', 'cancelled', 'discarded', 'refused'])

/**
 * One turn: from what the program tells of it to how it ended. A line that is added may be taken up with the rest, or
 * become a turn of the program's own after it. So this one is over when every line that it consists of is: none is lost,
 * whenever it came, and the last answer is the answer.
 */
export const createTurn = ({ heard, windows }: Options) => {
  const lines = new Map<string, () => void>()
  const waiting = new Set<string>()
  const calls = new Set<string>()
  const tokens = countTokens(windows, heard)
  const over = promised<Finish>()
  let last: Finish | null = null
  let code: string | null = null
  let resetsAt: number | null = null
  let stopping = false
  let isOver = false

  const end = (finish: Finish): void => {
    if (isOver) return
    isOver = true
    for (const taken of lines.values()) taken()
    tokens.close()
    over.resolve(finish)
  }

  const fail = (failure: Failure): void => end({ kind: 'failed', failure })

  const settle = (): void => {
    if (waiting.size === 0) end(last ?? (stopping ? INTERRUPTED : NOT_TAKEN))
  }

  const take = (line: Line | null): void => {
    if (line?.type === 'stream_event') said(line.event)
    else if (line?.type === 'assistant') spoke(line)
    else if (line?.type === 'user') answered(line)
    else if (line?.type === 'result') finished(line)
    else if (line?.type === 'command_lifecycle') became(line)
    else noted(line)
  }

  const said = (event: Event): void => {
    const { delta } = event
    tokens.take(event)
    if (delta?.type === 'text_delta' && delta.text) heard({ kind: 'delta', text: delta.text })
    else heard({ kind: 'alive' })
  }

  const spoke = ({ message, error, aborted }: Extract<Line, { type: 'assistant' }>): void => {
    heard({ kind: 'alive' })
    code = error ?? code
    // What failed is told as if the model had said it, and what is broken off as if it were whole.
    if (error == null && !aborted) for (const block of message.content) spokeBlock(block)
  }

  const spokeBlock = ({ type, text, id }: Block): void => {
    if (type === 'text' && text) heard({ kind: 'message', text: text.slice(0, MOST) })
    if (type !== 'tool_use' || id == null) return
    calls.add(id)
    heard({ kind: 'tool', state: 'begun' })
  }

  const answered = ({ message }: Extract<Line, { type: 'user' }>): void => {
    heard({ kind: 'alive' })
    for (const { tool_use_id: id } of message.content)
      if (id != null && calls.delete(id)) heard({ kind: 'tool', state: 'ended' })
  }

  const finished = (result: Result): void => {
    const ids = result.user_message_uuids ?? []
    // One that is about lines of before is none of ours.
    if (ids.length > 0 && !ids.some((id) => lines.has(id))) return
    last = finishOf(result)
    calls.clear()
    for (const id of ids) waiting.delete(id)
    settle()
  }

  const finishOf = ({ is_error, result, errors, api_error_status: status }: Result): Finish => {
    if (!is_error) return { kind: 'answered', text: (result ?? '').slice(0, MOST) }
    if (stopping) return INTERRUPTED
    const text = result ?? errors?.join('; ') ?? ''
    return { kind: 'failed', failure: failureOf({ text, status, code, resetsAt }, Date.now()) }
  }

  const became = ({ command_uuid: id, state }: Extract<Line, { type: 'command_lifecycle' }>): void => {
    heard({ kind: 'alive' })
    lines.get(id)?.()
    if (!ENDS.has(state) || !waiting.delete(id)) return
    if (state !== 'completed' && stopping) last = INTERRUPTED
    settle()
  }

  const noted = (line: Line | null): void => {
    if (line?.type === 'rate_limit_event') {
      const { status, resetsAt: at } = line.rate_limit_info
      resetsAt = status === 'rejected' && at != null ? at * 1000 : null
    }
    heard({ kind: 'alive' })
  }

  return {
    over: over.promise,
    /** What comes after the end of it is not for whoever listened. */
    take: (line: Line | null): void => {
      if (!isOver) take(line)
    },
    fail,
    /** It consists of one more line. Resolves when the program has it. */
    add: (id: string): Promise<void> => {
      waiting.add(id)
      return new Promise((taken) => lines.set(id, taken))
    },
    stop: (): void => {
      stopping = true
    },
    /** The program has ended before it. */
    lost: (failure: Failure): void => (stopping ? end(INTERRUPTED) : fail(failure)),
    isOver: (): boolean => isOver,
    isStopping: (): boolean => stopping,
    isUnderWay: (): boolean => !isOver && waiting.size > 0,
    isInTool: (): boolean => calls.size > 0,
  }
}

export type Turn = ReturnType<typeof createTurn>

const INTERRUPTED: Finish = { kind: 'interrupted' }
const NOT_TAKEN: Finish = { kind: 'failed', failure: failed('crashed', 'the program did not take what it was told') }
