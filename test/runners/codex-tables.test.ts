import { describe, expect, test } from 'vitest'
import { makeCatalog } from '../../src/runners/codex/catalog.ts'
import { environmentOf } from '../../src/runners/codex/environment.ts'
import { failureOf } from '../../src/runners/codex/failures.ts'
import { codexFlags } from '../../src/runners/codex/flags.ts'
import { nameInModel } from '../../src/runners/codex/names.ts'
import { readNotice } from '../../src/runners/codex/notices.ts'
import { countTokens } from '../../src/runners/codex/tokens.ts'
import type { FailureKind } from '../../src/shapes/runner.ts'

describe('why a turn failed', () => {
  const http = (name: string, httpStatusCode: number | null) => ({ [name]: { httpStatusCode } })

  test.each([
    ['contextWindowExceeded', 'Too long.', 'context', null],
    ['other', 'Your input exceeds the context window of this model.', 'context', null],
    ['badRequest', '{"error":{"message":"Too long.","code":"context_length_exceeded"}}', 'context', null],
    ['usageLimitExceeded', 'Nothing left.', 'quota', null],
    ['sessionBudgetExceeded', 'Nothing left.', 'quota', null],
    [http('responseTooManyFailedAttempts', 429), 'You exceeded your current quota, please check', 'quota', null],
    ['rateLimitExceeded', 'Slower, please.', 'rate-limit', null],
    [http('responseTooManyFailedAttempts', 429), 'exceeded retry limit, last status: 429', 'rate-limit', null],
    ['other', 'Rate limit reached for gpt-5.5. Please try again in 1.5s.', 'rate-limit', 1500],
    ['other', 'Rate limit reached for gpt-5.5. Please try again in 28ms.', 'rate-limit', 28],
    ['other', 'Rate limit reached for gpt-5.5. Please try again in 2 minutes.', 'rate-limit', 120_000],
    ['unauthorized', 'Who are you?', 'auth', null],
    [http('httpConnectionFailed', 401), 'unexpected status 401 Unauthorized', 'auth', null],
    [http('responseStreamConnectionFailed', 403), 'unexpected status 403 Forbidden', 'auth', null],
    ['other', 'Missing environment variable: `BELLHOP_MODEL_KEY`.', 'auth', null],
    ['other', 'Your access token could not be refreshed. Please log in again.', 'auth', null],
    ['serverOverloaded', 'At capacity.', 'overload', null],
    ['internalServerError', 'High demand.', 'overload', null],
    ['flexUnavailable', 'Not now, try again in 20s', 'overload', 20_000],
    [http('httpConnectionFailed', 502), 'unexpected status 502 Bad Gateway', 'overload', null],
    [http('httpConnectionFailed', null), 'Connection failed: error sending request', 'network', null],
    [http('responseStreamDisconnected', null), 'It broke off.', 'network', null],
    ['other', 'stream disconnected before completion: idle timeout waiting for SSE', 'network', null],
    ['other', 'workspace routing discovery failed', 'network', null],
    ['modelNotFound', 'There is no such model.', 'bad-request', null],
    [http('httpConnectionFailed', 422), 'unexpected status 422', 'bad-request', null],
    ['cyberPolicy', 'That is not answered.', 'bad-request', null],
    [null, 'Nobody knows.', 'bad-request', null],
    [{ somethingNew: { reason: 1 } }, 'Nobody knows.', 'bad-request', null],
    ['other', 'internal error; agent loop died unexpectedly', 'crashed', null],
  ] satisfies [unknown, string, FailureKind, number | null][])('%j, %s', (info, message, kind, retryMs) => {
    expect(failureOf({ message, codexErrorInfo: info as string })).toMatchObject({ kind, retryMs })
  })

  test('is told in a line of bounded length, without the address that was asked', () => {
    const message = `unexpected status 404 Not Found:\nno\u001b[2J such ${'x'.repeat(600)}, url: http://127.0.0.1:9/v1`
    const told = failureOf({ message, codexErrorInfo: 'other' }).message
    expect([told.slice(0, 44), told.length, told.includes('127.0.0.1')]).toEqual([
      'unexpected status 404 Not Found: no[2J such ',
      500,
      false,
    ])
  })
})

describe('what a request took', () => {
  const tokens = (inputTokens: number, cachedInputTokens: number, outputTokens: number, cacheWriteInputTokens = 0) => ({
    inputTokens,
    cachedInputTokens,
    cacheWriteInputTokens,
    outputTokens,
    reasoningOutputTokens: 1,
  })
  const usage = { input: 60, cached: 40, written: 0, output: 20, reasoning: 1 }

  test('is by how much the sum has grown: what is told twice counts once', () => {
    const count = countTokens(false)
    const last = tokens(100, 40, 20)
    expect(count({ total: last, last })).toEqual(usage)
    expect(count({ total: last, last })).toBe(null)
    const total = { ...tokens(300, 90, 50, 10), reasoningOutputTokens: 3 }
    expect(count({ total, last })).toEqual({ input: 140, cached: 50, written: 10, output: 30, reasoning: 2 })
  })

  test('is what came last where the sum began before', () => {
    const count = countTokens(true)
    expect(count({ total: tokens(9000, 8000, 700), last: tokens(100, 40, 20) })).toEqual(usage)
    expect(count({ total: tokens(9000, 8000, 700), last: tokens(100, 40, 20) })).toBe(null)
  })
})

describe('what the program tells', () => {
  const item = (more: object) => ({ threadId: 't', item: { id: 'i', ...more } })

  test.each([
    [
      'item/started',
      item({ type: 'mcpToolCall', server: 'bellhop', tool: 'read' }),
      { kind: 'tool', id: 'i', state: 'begun' },
    ],
    [
      'item/completed',
      item({ type: 'mcpToolCall', server: 'bellhop', tool: 'read' }),
      { kind: 'tool', id: 'i', state: 'ended' },
    ],
    ['item/started', item({ type: 'mcpToolCall', server: 'codex', tool: 'list_mcp_resources' }), { kind: 'alive' }],
    ['item/started', item({ type: 'mcpToolCall', server: 'bellhop', tool: 'read_mcp_resource' }), { kind: 'alive' }],
    ['item/started', item({ type: 'mcpToolCall', tool: 'read' }), { kind: 'offence', what: 'undefined/read' }],
    ['item/started', item({ type: 'agentMessage', text: '' }), { kind: 'alive' }],
    ['item/completed', item({ type: 'agentMessage', text: 'hello' }), { kind: 'message', text: 'hello' }],
    ['item/completed', item({ type: 'reasoning' }), { kind: 'alive' }],
    ['item/started', item({ type: 'contextCompaction' }), { kind: 'alive' }],
    ['item/started', item({ type: 'webSearch' }), { kind: 'offence', what: 'webSearch' }],
    ['model/rerouted', { toModel: 'gpt-5.5' }, { kind: 'model', model: 'gpt-5.5' }],
    ['turn/started', { turn: { id: 'x' } }, { kind: 'begun', turn: 'x' }],
    [
      'turn/completed',
      { turn: { id: 'x', status: 'interrupted' } },
      { kind: 'over', turn: 'x', status: 'interrupted', error: null },
    ],
    ['turn/completed', { turn: 'none' }, { kind: 'alive' }],
    ['error', { error: { message: 'Reconnecting' }, willRetry: true }, { kind: 'alive' }],
  ])('%s %j', (method, params, notice) => {
    expect(readNotice(method, params)).toEqual(notice)
  })
})

describe('the catalog', () => {
  const printed = {
    models: [
      {
        slug: 'new',
        context_window: 500_000,
        effective_context_window_percent: 95,
        use_responses_lite: true,
        tool_mode: 'code_mode_only',
        priority: 1,
      },
      {
        slug: 'old',
        context_window: 272_000,
        use_responses_lite: false,
        shell_type: 'unified_exec',
        base_instructions: 'Obey.',
        priority: 2,
      },
    ],
  }

  test('has every model without its tools, and those that nobody knows as plain ones', () => {
    const catalog = makeCatalog(JSON.stringify(printed), ['old', 'mine', 'mine'])
    const { models } = JSON.parse(catalog?.text ?? '{}')
    const walled = {
      shell_type: 'disabled',
      apply_patch_tool_type: null,
      supports_search_tool: false,
      tool_mode: 'direct',
      multi_agent_version: 'disabled',
      experimental_supported_tools: [],
      base_instructions: '',
    }
    expect(models).toEqual([
      expect.objectContaining({ slug: 'new', use_responses_lite: true, ...walled }),
      expect.objectContaining({ slug: 'old', use_responses_lite: false, ...walled }),
      expect.objectContaining({ slug: 'mine', use_responses_lite: false, supported_reasoning_levels: [], ...walled }),
    ])
    expect([...(catalog?.windows ?? [])]).toEqual([
      ['new', 475_000],
      ['old', 272_000],
      ['mine', null],
    ])
  })

  test.each(['', 'no JSON', '{"models":[]}', '{"models":[{}]}'])('is none where the program said %j', (text) => {
    expect(makeCatalog(text, [])).toBe(null)
  })
})

describe('what the program is started with', () => {
  test.each([
    [null, null],
    ['sk-of-ada', null],
    [null, { url: 'http://127.0.0.1:9/v1' }],
    ['sk-of-ada', { url: 'https://gateway.example/v1' }],
  ])('has no key among its arguments: %j, %j', (key, provider) => {
    const flags = codexFlags({ key, provider }, '/catalog.json')
    expect(flags.join(' ')).not.toContain('sk-of-ada')
    expect(flags).toContain('--strict-config')
    expect(flags.includes(`model_providers.bellhop.base_url="${provider?.url}"`)).toBe(provider !== null)
    expect(flags.includes('cli_auth_credentials_store="ephemeral"')).toBe(key !== null && provider === null)
  })

  test('is an environment of its own, in which the way to this machine leads through no proxy', () => {
    const env = { HTTPS_PROXY: 'http://proxy:1', NO_PROXY: 'intranet,localhost', no_proxy: 'intranet' }
    const options = { home: '/home/of/codex', env, key: 'sk-of-ada', provider: { url: 'http://127.0.0.1:9/v1' } }
    expect(environmentOf(options)).toEqual({
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HTTPS_PROXY: 'http://proxy:1',
      HOME: '/home/of/codex',
      CODEX_HOME: '/home/of/codex',
      CODEX_EXEC_SERVER_URL: 'none',
      NO_PROXY: 'intranet,localhost,127.0.0.1,::1',
      BELLHOP_MODEL_KEY: 'sk-of-ada',
    })
  })

  test('calls tools by names that a model can say', () => {
    expect(['read', 'multi-edit', 'docs.search'].map(nameInModel)).toEqual(['read', 'multi_edit', 'docs_search'])
  })
})
