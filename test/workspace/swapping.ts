import { Worker } from 'node:worker_threads'

/** A thread that swaps a folder for a link to another, and back, again and again, until it is disposed of. */
export const swapping = (folder: string, outside: string, aside: string): Disposable => {
  const stop = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(SWAP, { eval: true, workerData: { folder, outside, aside, stop } })
  worker.unref()
  return {
    [Symbol.dispose]: () => {
      Atomics.store(stop, 0, 1)
      // It answers once everything is back in its place.
      Atomics.wait(stop, 1, 0, 10_000)
    },
  }
}

const SWAP = `
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
  const { folder, outside, aside, stop } = require('node:worker_threads').workerData
  // What somebody makes in between, under the name of the folder, stays under another.
  const back = () => {
    for (let i = 0; ; i++) {
      try { unlinkSync(folder) } catch {}
      try { return renameSync(aside, folder) } catch { try { renameSync(folder, aside + '-' + i) } catch {} }
    }
  }
  while (!Atomics.load(stop, 0)) {
    try {
      renameSync(folder, aside)
      symlinkSync(outside, folder)
    } catch {}
    back()
  }
  Atomics.store(stop, 1, 1)
  Atomics.notify(stop, 1)
`
