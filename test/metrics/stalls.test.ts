import { expect, test } from 'vitest'
import { watchStalls } from '../../src/metrics/stalls.ts'

const standStill = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms)

test('how long a process stood still is told to whoever asks next, and to nobody after that', () => {
  const stalls = watchStalls()
  standStill(2000)
  const stood = stalls.longest()
  expect([stood > 1.8, stalls.longest() < stood]).toEqual([true, true])
  stalls.stop()
})
