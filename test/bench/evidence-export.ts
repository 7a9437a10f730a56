import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { openStore } from '../../src/evidence/store.ts'
import { exportInto } from '../../src/evidence/transfer/export.ts'

/** `evidence-export.ts STORE`: exports everything to nowhere, and says what that took in time and memory. */
const [path = ''] = process.argv.slice(2)
const store = await openStore({ url: path, clock: Date.now, readonly: true })
/** Memory of its own: what is in the system's cache of files is nobody's. */
const megabytes = (): number => {
  const [, kilobytes = '0'] = /^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}
const seen: number[] = []
let bytes = 0
const nowhere = new Writable({
  write: (chunk: Buffer, _encoding, done) => {
    bytes += chunk.length
    done()
  },
})
const began = performance.now()
const { entries } = await exportInto(store, nowhere, {
  progress: (position) => {
    if (position % 50_000 < 500) seen.push(megabytes())
  },
})
const seconds = (performance.now() - began) / 1000
await store.close()
const [first = 0, last = 0, most] = [seen[1], seen.at(-1), Math.max(...seen)]
console.log(
  `Exporting ${entries} entries, ${Math.round(bytes / 1_048_576)} MB: ${Math.round(entries / seconds)}/s; ` +
    `memory ${first} MB after the first 50,000, ${last} MB at the end, ${most} MB at most (target: flat)`,
)
