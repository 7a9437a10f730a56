import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { meets, type Span, type Spread, spreadOf } from './load-numbers.ts'

/** How often it is flushed; and from when on that alone makes whoever waits for it slow, in seconds. */
const EVERY_MS = 50
const SLOW = 0.05

/** Overwrites a page of a file of its own, and flushes it: in a thread, so that nothing but the disk holds it up. */
const FLUSH = `
  const { closeSync, fdatasyncSync, openSync, rmSync, writeSync } = require('node:fs')
  const { parentPort, workerData: { file, everyMs, began } } = require('node:worker_threads')
  const page = Buffer.alloc(4096)
  const fd = openSync(file, 'w')
  const flushes = []
  const now = () => Number(process.hrtime.bigint() - began) / 1e9
  const timer = setInterval(() => {
    const from = now()
    writeSync(fd, page, 0, page.length, 0)
    fdatasyncSync(fd)
    flushes.push({ from, to: now() })
  }, everyMs)
  parentPort.once('message', () => {
    clearInterval(timer)
    closeSync(fd)
    rmSync(file)
    parentPort.postMessage(flushes)
  })
`

/** How long flushes took, and whether one that took long was under way in a span of time. */
type DiskSeen = { flush: Spread; isSlowIn: (span: Span) => boolean }

/** Watches the disk that the houses of the bench are on, beside whatever else flushes it. */
export const watchDisk = () => {
  const file = join(tmpdir(), `bellhop-bench-flush-${process.pid}`)
  const began = process.hrtime.bigint()
  const thread = new Worker(FLUSH, { eval: true, workerData: { file, everyMs: EVERY_MS, began } })
  return {
    end: async (): Promise<DiskSeen> => {
      const said = new Promise<Span[]>((resolve) => {
        thread.once('message', resolve)
      })
      thread.postMessage('end')
      const flushes = await said
      const slow = flushes.filter(({ from, to }) => to - from > SLOW)
      await thread.terminate()
      return {
        flush: spreadOf(flushes.map(({ from, to }) => (to - from) * 1000)),
        isSlowIn: (span) => slow.some((one) => meets(one, span)),
      }
    },
  }
}
