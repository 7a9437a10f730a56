import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAnthropic } from '../../src/rig/anthropic.ts'
import type { Move, StubModel } from '../../src/rig/script.ts'
import { type Complaint, endOf, failureOf } from '../../src/runners/claude/failures.ts'
import { createClaudeRunner } from '../../src/runners/claude/runner.ts'
import type { Conversation, Runner } from '../../src/runners/runner.ts'
import type { FailureKind } from '../../src/shapes/runner.ts'
import { scratch } from '../support/folder.ts'
import { claudeOptions, openedBy, openingOf } from './claude-setup.ts'
import { quietly } from './codex-setup.ts'
import { type Peripheral, startPeripheral } from './peripheral.ts'

describe('what the program says is', () => {
  const said: [FailureKind, Complaint][] = [
    ['auth', { text: 'Invalid API key · Fix external API key', status: 401 }],
    ['auth', { text: 'Failed to authenticate. API Error: 403 status 403', status: 403 }],
    ['auth', { text: 'Not logged in · Please run /login', code: 'authentication_failed' }],
    ['auth', { text: 'OAuth session expired' }],
    ['rate-limit', { text: 'API Error: Request rejected (429) · status 429', status: 429 }],
    ['rate-limit', { text: 'Server is temporarily limiting requests (not your usage limit)', status: 429 }],
    ['quota', { text: "You've hit your 5-hour limit · resets 5:39pm (UTC)", status: 429 }],
    ['quota', { text: 'Claude AI usage limit reached', status: 429 }],
    ['quota', { text: 'Credit balance is too low', status: 400, code: 'billing_error' }],
    ['quota', { text: 'You exceeded your current quota', status: 429 }],
    ['overload', { text: 'API Error: 529 Overloaded.', status: 529 }],
    ['overload', { text: 'API Error: 500 status 500.', status: 500 }],
    ['overload', { text: 'the service is overloaded' }],
    ['network', { text: 'API Error: Connection to the API was lost (ECONNRESET).', code: 'server_error' }],
    ['network', { text: 'getaddrinfo ENOTFOUND api.anthropic.com' }],
    ['network', { text: 'Request timed out' }],
    ['context', { text: 'Prompt is too long', status: 400 }],
    ['context', { text: 'input length and `max_tokens` exceed context limit: 199999 + 8192 > 200000', status: 400 }],
    ['bad-request', { text: 'API Error: 400 the connection of blocks is wrong', status: 400 }],
    ['bad-request', { text: "There's an issue with the selected model", status: 404, code: 'model_not_found' }],
    ['bad-request', { text: 'Request too large (max 32MB).', status: 413 }],
    ['crashed', { text: '[ede_diagnostic] result_type=user' }],
  ]
  test.each(said)('%s: %j', (kind, complaint) => {
    expect(failureOf(complaint, 0)).toEqual({ kind, message: complaint.text, retryMs: null })
  })

  test('a time to wait, where it names one', () => {
    const now = 1_000_000
    expect(failureOf({ text: 'later', status: 429, resetsAt: now + 5000 }, now)).toEqual({
      kind: 'quota',
      message: 'later',
      retryMs: 5000,
    })
    expect(failureOf({ text: 'try again in 1.5s', status: 429 }, now).retryMs).toBe(1500)
    expect(failureOf({ text: 'retry after 2 minutes', status: 529 }, now).retryMs).toBe(120_000)
    expect(failureOf({ text: 'try again in 3s', status: 401 }, now).retryMs).toBeNull()
  })

  test('a wall that it does not know, a conversation that it does not know, or only its end', () => {
    expect([
      endOf('exit 1', "error: unknown option '--restricted'\n"),
      endOf('exit 1', "error: option '--permission-mode <mode>' argument 'x' is invalid. Allowed choices are plan.\n"),
      endOf('exit 1', 'warning\nNo conversation found with session ID: 1\n'),
      endOf('SIGKILL', ''),
      endOf('exit 3', 'one\ntwo\n'),
    ]).toEqual([
      { kind: 'wall', message: expect.stringContaining("unknown option '--restricted'"), retryMs: null },
      { kind: 'wall', message: expect.stringContaining("argument 'x' is invalid"), retryMs: null },
      { kind: 'crashed', message: expect.stringMatching(/^no conversation/), retryMs: null },
      { kind: 'crashed', message: 'the program ended (SIGKILL)', retryMs: null },
      { kind: 'crashed', message: 'the program ended (exit 3): two', retryMs: null },
    ])
  })
})

describe('the real program', () => {
  const folder = scratch()
  let model: StubModel
  let peripheral: Peripheral
  let runner: Runner
  let talk: Conversation

  beforeAll(async () => {
    model = await startAnthropic(() => ({ do: 'say', text: 'done' }))
    peripheral = await startPeripheral({ token: 'token-of-ada', tools: { read: () => 'one line' } })
    runner = createClaudeRunner(await claudeOptions(folder.path, { provider: { url: model.url } }))
    talk = await openedBy(runner, peripheral)
  })

  afterAll(async () => {
    await runner.close()
    await Promise.all([model.close(), peripheral.close()])
    folder[Symbol.dispose]()
  })

  const error = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } })

  /** Moves of a model that fail a turn: which kind that is, and how often the program asks before it says so. */
  const moves: [FailureKind, number, Move][] = [
    ['auth', 1, { do: 'fail', status: 401 }],
    ['auth', 1, { do: 'fail', status: 403 }],
    ['rate-limit', 1, { do: 'fail', status: 429, headers: { 'retry-after': '7' } }],
    ['quota', 1, { do: 'fail', status: 400, body: error('Your credit balance is too low to access the API.') }],
    ['overload', 1, { do: 'fail', status: 529 }],
    ['overload', 1, { do: 'fail', status: 503, body: 'upstream' }],
    ['overload', 1, { do: 'fail', status: 500 }],
    ['network', 1, { do: 'cut', text: 'I think' }],
    ['context', 1, { do: 'fail', status: 400, body: error('prompt is too long: 219898 tokens > 200000 maximum') }],
    // What it sends is made simpler, once or twice, where it is not taken.
    ['bad-request', 3, { do: 'fail', status: 400 }],
    ['bad-request', 2, { do: 'fail', status: 404 }],
    ['bad-request', 1, { do: 'fail', status: 413 }],
  ]
  test.each(moves)('fails as %s after %d requests: %j', async (kind, times, move) => {
    const before = model.asked.length
    model.play(() => move)
    const finish = await talk.speak('ada says: go on', quietly)
    expect(finish.kind === 'failed' ? finish.failure.kind : finish).toBe(kind)
    expect(model.asked.length - before).toBe(times)
  })

  test('tells nobody what failed as if the model had said it, and can be spoken to again', async () => {
    const messages: unknown[] = []
    const heard = (said: { kind: string }) => void (said.kind === 'message' && messages.push(said))
    model.play(() => ({ do: 'fail', status: 529 }))
    await talk.speak('ada says: go on', { model: null, heard })
    model.play(() => ({ do: 'say', text: 'here I am' }))
    expect(await talk.speak('ada says: go on', { model: null, heard })).toEqual({ kind: 'answered', text: 'here I am' })
    expect(messages).toEqual([{ kind: 'message', text: 'here I am' }])
  })

  test('fails for the network where nobody serves the model, whichever it is', async () => {
    await model.close()
    const finish = await talk.speak('ada says: go on', quietly)
    const other = await talk.speak('ada says: go on', { ...quietly, model: 'claude-haiku-4-5' })
    expect([finish, other].map((one) => (one.kind === 'failed' ? one.failure.kind : one))).toEqual([
      'network',
      'network',
    ])
  })

  test('cannot be started: that is said, and nothing is left', async () => {
    const missing = createClaudeRunner(
      await claudeOptions(folder.path, { provider: null, program: '/nonexistent/claude' }),
    )
    const ends = createClaudeRunner(
      await claudeOptions(folder.path, { provider: null, wrap: () => ['/bin/sh', '-c', 'echo no >&2; exit 3'] }),
    )
    expect([await missing.open(openingOf(peripheral)), await ends.open(openingOf(peripheral))]).toEqual([
      { ok: false, failure: { kind: 'crashed', message: '/nonexistent/claude cannot be started', retryMs: null } },
      { ok: false, failure: { kind: 'crashed', message: 'the program ended (exit 3): no', retryMs: null } },
    ])
    expect([...missing.pids(), ...ends.pids()]).toEqual([])
  })
})
