import assert from 'node:assert/strict'
import test from 'node:test'
import { MAX_ATTEMPTS, withRetry } from '../src/retry.js'

test('a kettle that fails once is tried again', async () => {
  let calls = 0
  const answer = await withRetry(async () => {
    calls++
    if (calls === 1) throw new Error('lid open')
    return 'hot'
  })
  assert.deepEqual([answer, calls], ['hot', 2])
})

test('a kettle that always fails is given up on', async () => {
  let calls = 0
  await assert.rejects(
    withRetry(async () => {
      calls++
      throw new Error('no water')
    }),
    /no water/,
  )
  assert.equal(calls, MAX_ATTEMPTS)
})
