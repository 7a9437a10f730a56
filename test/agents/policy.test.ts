import { expect, test } from 'vitest'
import { LONGEST_MS, policies, tellFailure, waitFor } from '../../src/agents/policy.ts'
import { FailureKind } from '../../src/shapes/runner.ts'

const failure = (kind: FailureKind, retryMs: number | null = null) => ({ kind, message: 'so it was', retryMs })

test('every kind of failure has a sentence and a remedy of its own', () => {
  const told = FailureKind.options.map((kind) => tellFailure(failure(kind), 'sign in'))
  expect(new Set(told).size).toBe(FailureKind.options.length)
  expect(tellFailure(failure('auth'), 'run `bellhop login claude-1`')).toBe(
    'is not signed in to its model: so it was. What to do: run `bellhop login claude-1`',
  )
})

test('what a person has to put right is not tried again', () => {
  const hopeless = FailureKind.options.filter((kind) => policies[kind].tries === 0)
  expect(hopeless).toEqual(['quota', 'auth', 'bad-request', 'wall'])
})

test('an agent whose sign-in or wall is broken is not ready any more; what passes by itself leaves it ready', () => {
  expect(FailureKind.options.filter((kind) => policies[kind].unready)).toEqual(['auth', 'wall'])
})

test('each wait is twice as long as the one before it, as long as was asked for, and never too long', () => {
  expect([1, 2, 3].map((nth) => waitFor(failure('overload'), nth, 100))).toEqual([100, 200, 400])
  expect(waitFor(failure('rate-limit', 1500), 3, 100)).toBe(1500)
  expect(waitFor(failure('rate-limit'), 30, 1000)).toBe(LONGEST_MS)
})
