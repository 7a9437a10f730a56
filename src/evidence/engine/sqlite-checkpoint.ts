import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

/** How long it waits for whoever writes or reads: what it could not get done is for the next time. */
const BUSY_MS = 50

/**
 * Brings the log into the file, on a connection of its own. Most of it while others go on writing; then the little that they
 * wrote meanwhile, for which they wait: only when nothing is left does the log begin anew.
 */
const BRING_IN = `
  const { parentPort, workerData: { driver, path, busyMs } } = require('node:worker_threads')
  const sqlite = new (require(driver))(path, { timeout: busyMs })
  sqlite.pragma('synchronous = NORMAL')
  parentPort.on('message', (asked) => {
    if (asked === 'close') {
      sqlite.close()
      parentPort.close()
      return
    }
    sqlite.pragma('wal_checkpoint(passive)')
    sqlite.pragma('wal_checkpoint(full)')
    parentPort.postMessage('done')
  })
`

/**
 * Checkpoints beside everything else: SQLite's own come with a commit, and stop the whole process for as long as it takes to
 * copy thousands of pages and to flush them. There is a thread once there is something for it to do. Where it fails, SQLite
 * does it by itself, a little later.
 */
export const createCheckpoints = (path: string) => {
  let thread: Worker | null = null
  let ended: Promise<void> = Promise.resolve()
  let busy = false

  const start = (): Worker => {
    const driver = createRequire(import.meta.url).resolve('better-sqlite3')
    const fresh = new Worker(BRING_IN, {
      eval: true,
      workerData: { driver, path, busyMs: BUSY_MS },
      execArgv: [],
      env: {},
    })
    fresh.unref()
    fresh.on('message', () => {
      busy = false
    })
    // It stays busy for good, and is not asked again.
    fresh.on('error', () => {})
    ended = new Promise((resolve) => {
      fresh.once('exit', () => resolve())
    })
    return fresh
  }

  return {
    /** Does not wait for it. */
    begin: (): void => {
      if (busy) return
      busy = true
      thread ??= start()
      thread.postMessage('begin')
    },
    close: async (): Promise<void> => {
      thread?.ref()
      thread?.postMessage('close')
      await ended
    },
  }
}
