import { once } from 'node:events'
import { openStore } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { must, said } from '../support/store.ts'
import { type Arguments, receipt } from './writer-drafts.ts'

/**
 * A process that writes: `writer.ts STORE NAME CALLS`. It says `ready`, waits for a line on stdin, opens the store, and
 * says the id of each call once that is acknowledged. A few calls are under way at any time, each of two entries.
 */
const [url, name, calls] = process.argv.slice(2) as Arguments
const UNDER_WAY = 3

process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdin.destroy()

const store = await openStore({ url, clock: systemClock })
let next = 0
const work = async (): Promise<void> => {
  while (next < Number(calls)) {
    const id = `${name}-${next++}`
    must(await store.append([said(id, `line ${id}`), receipt(id)]))
    process.stdout.write(`${id}\n`)
  }
}
await Promise.all(Array.from({ length: UNDER_WAY }, work))
await store.close()
