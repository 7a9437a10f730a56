import { once } from 'node:events'
import { compact } from '../../src/evidence/keep.ts'
import { openStore } from '../../src/evidence/store.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { must } from '../support/store.ts'
import { policyOf } from './every-kind.ts'

/**
 * A process that lets bodies go: `compactor.ts STORE NAME NOW`. It says `ready`, waits for a line on stdin, and says each
 * id just before it lets the bodies go that an entry of that id lists.
 */
export type Arguments = [store: string, name: string, now: string]

const [url, name, now] = process.argv.slice(2) as Arguments

process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdin.destroy()

const store = await openStore({ url, clock: systemClock })
let made = 0
const newId = (): string => {
  const id = `${name}-${made++}`
  process.stdout.write(`${id}\n`)
  return id
}
const verify = (session: string) => verifyChain(store, session)
must(await compact({ store, policy: policyOf({ bodyDays: 1 }), now: Number(now), newId, verify, dry: false }))
await store.close()
