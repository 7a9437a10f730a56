import type { Engine } from '../../src/evidence/engine/engine.ts'
import { hashEntry, hashOf } from '../../src/evidence/hash.ts'
import { compact } from '../../src/evidence/keep.ts'
import { prepareEntry } from '../../src/evidence/prepare.ts'
import type { Store } from '../../src/evidence/store.ts'
import { verifyChain, verifyStore } from '../../src/evidence/verify-store.ts'
import type { KeepPolicy } from '../../src/shapes/config.ts'
import type { Draft, Entry } from '../../src/shapes/evidence.ts'
import type { StoreVerdict, Verdict } from '../../src/shapes/verdict.ts'
import { ADA, must, said, sessionOfOneStep, type TestStore } from '../support/store.ts'
import { openRaw } from './file.ts'
import { bodies, closed, inRoom } from './history.ts'

export const DAY_MS = 86_400_000

/** More than lies in a row. */
export const large = (letter: string): string => letter.repeat(20_000)

/** A policy that keeps everything but what it is asked to let go. */
export const policyOf = (days: Partial<KeepPolicy>): KeepPolicy => ({
  ephemeralDays: null,
  bodyDays: null,
  largeDays: null,
  ...days,
})

/** The entries whose bodies were let go, and those of the first version. */
export const LET_GO = ['e1', 'm1', 't1.0.intent', 't1.0.outcome', 'l1']
export const FIRST = ['o1', 'o2']

/**
 * A little of everything a store can hold: entries of the first version, bodies that are large, let go, and both; a fork,
 * a pattern, a conjecture, entries that do not last, and a clock that fell behind. It has no guards any more.
 */
export const everyKind = async ({ store, url, clock }: TestStore): Promise<Store> => {
  const letGo = async (id: string, days: Partial<KeepPolicy>) => {
    const verify = (session: string) => verifyChain(store, session)
    must(await compact({ store, policy: policyOf(days), now: clock.now, newId: () => id, verify, dry: false }))
  }
  must(await store.append([{ ...said('e1', 'for a while'), ephemeral: true }]))
  must(await store.append([...sessionOfOneStep(), closed('s-1', 'lobby', 'claude-1'), said('l1', large('a'))]))
  clock.now += 10 * DAY_MS
  await letGo('k1', { ephemeralDays: 5 })
  clock.now += 30 * DAY_MS
  await letGo('k2', { bodyDays: 30 })
  must(await store.append([said('l2', large('b')), said('l3', large('c'), 'l2')]))
  const old = inRoom('old')
  const [o1, o2] = [bodies.message, { event: 'message' as const, text: 'so it was' }]
  const chain = firstVersion([old('o1', ADA, o1), old('o2', ADA, o2, 'o1')], new Date(clock.now).toISOString())
  must(await store.adopt(chain.map((entry) => prepareEntry(entry, null))))
  clock.now -= 5000
  const den = inRoom('den')
  must(
    await store.append([
      { ...den('c1', ADA, bodies.supposed), conjecture: true, pattern: 'retry/backoff' },
      { ...den('f1', ADA, { event: 'message', text: 'or so' }), forkOf: 'c1' },
      { ...den('e2', ADA, bodies.heard, 'f1'), ephemeral: true },
    ]),
  )
  await using raw = await openRaw(url)
  await raw.unguard()
  return store
}

/** What was said in one chain, as the first version of the format wrote it. */
export const firstVersion = (drafts: Draft[], at: string): Entry[] => {
  const chain: Entry[] = []
  for (const { id, session, subject, author, body, tags, inReplyTo } of drafts) {
    const later = { forkOf: null, pattern: null, conjecture: false, ephemeral: false }
    const kind = { type: 'forum-post', claim: 'observation' } as const
    const links = { seq: chain.length + 1, bodyHash: hashOf(body), prevHash: chain.at(-1)?.hash ?? '0'.repeat(64) }
    const own = { id, position: 0, version: 1, session, subject, author, body, at, tags, inReplyTo }
    const entry = { ...own, ...kind, ...later, ...links }
    chain.push({ ...entry, hash: hashEntry(entry) })
  }
  return chain
}

export const UNSIGNED = { head: null, ours: false, expected: false, kept: null, progress: () => {} }

type Source = { engine: Engine }

/** What verifying all there is says: every chain that has a head, and the store as a whole. */
export const verifyAll = async ({ engine }: Source): Promise<{ chains: Verdict[]; store: StoreVerdict }> => {
  const chains: Verdict[] = []
  for (const session of await sessionsIn(engine)) chains.push(await verifyChain({ engine }, session))
  return { chains, store: await verifyStore({ engine }, UNSIGNED) }
}

/** Whether verifying all there is finds nothing; it ends at the first thing it finds. */
export const isWhole = async ({ engine }: Source): Promise<boolean> => {
  if (!(await verifyStore({ engine }, UNSIGNED)).ok) return false
  for (const session of await sessionsIn(engine)) {
    if (!(await verifyChain({ engine }, session)).ok) return false
  }
  return true
}

const sessionsIn = async ({ db }: Engine): Promise<string[]> =>
  (await db.selectFrom('chain').select('session').orderBy('first').execute()).map(({ session }) => session)
