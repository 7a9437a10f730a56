import type { Usage } from '../../shapes/usage.ts'
import type { Tokens } from './notices.ts'

const NONE: Tokens = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
}

/**
 * Makes out what each request took. The program tells the same again where an answer was broken off, and sums of before
 * where a conversation is resumed: so what counts is by how much the sum has grown.
 */
export const countTokens = (resumed: boolean): ((said: { total: Tokens; last: Tokens }) => Usage | null) => {
  let before: Tokens | null = resumed ? null : NONE
  return ({ total, last }) => {
    const grown = before === null ? last : minus(total, before)
    before = total
    return Object.values(grown).some((count) => count > 0) ? usageOf(grown) : null
  }
}

const minus = (one: Tokens, other: Tokens): Tokens => ({
  inputTokens: one.inputTokens - other.inputTokens,
  cachedInputTokens: one.cachedInputTokens - other.cachedInputTokens,
  cacheWriteInputTokens: one.cacheWriteInputTokens - other.cacheWriteInputTokens,
  outputTokens: one.outputTokens - other.outputTokens,
  reasoningOutputTokens: one.reasoningOutputTokens - other.reasoningOutputTokens,
})

/** What was in the cache, and what was put there, is counted as input too. */
const usageOf = (tokens: Tokens): Usage => {
  const { inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens, reasoningOutputTokens } = tokens
  return {
    input: count(inputTokens - cachedInputTokens - cacheWriteInputTokens),
    cached: count(cachedInputTokens),
    written: count(cacheWriteInputTokens),
    output: count(outputTokens),
    reasoning: count(reasoningOutputTokens),
  }
}

const count = (number: number): number => Math.max(0, Math.trunc(number))
