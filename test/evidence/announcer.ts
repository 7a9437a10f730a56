import { createInterface } from 'node:readline'
import { BELLHOP, roomDraft } from '../../src/evidence/drafts.ts'
import { createLive } from '../../src/evidence/live.ts'
import { openStore } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { connect } from '../../src/redis/redis.ts'
import { must, said } from '../support/store.ts'

/**
 * A process that writes and tells others so: `announcer.ts STORE REDIS PREFIX`. It says `ready`; each line on stdin is
 * the id of something that is said and answered then.
 */
export type Arguments = [store: string, redis: string, prefix: string]

const [url, address, prefix] = process.argv.slice(2) as Arguments

const redis = connect(address, () => {})
const live = createLive(redis, prefix)
const store = await openStore({ url, clock: systemClock, committed: live.announce })
process.stdout.write('ready\n')

for await (const id of createInterface({ input: process.stdin })) {
  const receipt = {
    id: `${id}.receipt`,
    room: 'lobby',
    author: BELLHOP,
    body: { event: 'heard' },
    inReplyTo: id,
  } as const
  must(await store.append([said(id, `line ${id}`), roomDraft(receipt)]))
}
await store.close()
live.close()
redis.disconnect()
