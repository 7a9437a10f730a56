import { appendFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Outlet } from '../../src/chat/outlet.ts'
import { createDelivery } from '../../src/delivery/deliver.ts'
import { createLedger } from '../../src/delivery/ledger.ts'
import { houseDraft } from '../../src/evidence/drafts.ts'
import { createFeed } from '../../src/evidence/feed.ts'
import { createLive } from '../../src/evidence/live.ts'
import { openStore } from '../../src/evidence/store.ts'
import { createIds } from '../../src/lib/id.ts'
import { connect } from '../../src/redis/redis.ts'
import { follow } from '../../src/status/posts.ts'
import { STREAM } from './world.ts'

/**
 * A process that delivers: `deliverer.ts STORE REDIS LOG PREFIX HALT`. The network is a file, a line for each message. At
 * its nth send it stands still: `before-N` without having said it, `after-N` once it is said.
 */
const [url = '', address = '', log = '', prefix = '', halt = ''] = process.argv.slice(2)
const say = (word: string): void => void process.stdout.write(`${word}\n`)

const store = await openStore({ url, clock: Date.now })
const redis = connect(address, () => {})
const live = createLive(redis, prefix)
const inner = createLedger({ redis, prefix })
const newId = createIds(Date.now)
let sends = 0

const haltAt = async (stage: string): Promise<void> => {
  if (halt !== `${stage}-${sends}`) return
  say('halted')
  await new Promise(() => {})
}

const outlet: Outlet = {
  capabilities: { edits: false, threads: false, buttons: false, whispers: false, files: false, most: null },
  pieces: ({ id }) => [{ card: null, body: id }],
  send: async (_spot, body, { again }) => {
    await haltAt('before')
    appendFileSync(log, `${body}${again ? ' (again)' : ''}\n`)
    await haltAt('after')
    sends += 1
    return { kind: 'sent', ref: null }
  },
}

const feed = createFeed({ store, live, failed: (error) => say(error.message) })

const delivery = createDelivery({
  ledger: {
    ...inner,
    land: async (stream, position, doubt) => {
      await inner.land(stream, position, doubt)
      const found = await store.query({ room: stream.room, order: 'oldest', cursor: position - 1, limit: 1 })
      say(`settled ${found.ok ? found.value.entries[0]?.id : ''}`)
    },
  },
  outlet,
  spotOf: ({ channel, room }) => ({ channel, room, watched: false, show: 'normal' }),
  posts: (room, after, signal) => follow(store, feed, { room, after }, signal),
  note: async (noted) => {
    const written = await store.append([houseDraft(newId(), { event: 'delivery-noted', ...noted }, [])])
    if (!written.ok) throw new Error(written.refusal.message)
  },
  lastThrough: async () => null,
  newest: store.head,
  clock: Date.now,
  now: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
  random: Math.random,
})
await delivery.run(STREAM, new AbortController().signal)
