import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, describe, expect, test } from 'vitest'
import { verifyFiles } from '../../src/evidence/checker.ts'
import { createDigest, filesOf } from '../../src/evidence/digest.ts'
import { houseDraft } from '../../src/evidence/drafts.ts'
import { type Compaction, compact, digestSession } from '../../src/evidence/keep.ts'
import type { Store } from '../../src/evidence/store.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import type { KeepPolicy } from '../../src/shapes/config.ts'
import type { Draft, Entry } from '../../src/shapes/evidence.ts'
import { eventually } from '../support/poll.ts'
import { ADA, idsOf, must, said, sessionOfOneStep, type TestStore } from '../support/store.ts'
import type { Arguments } from './compactor.ts'
import { engines } from './engines.ts'
import { DAY_MS, isWhole, large, policyOf, verifyAll } from './every-kind.ts'
import { contentOf, openRaw, projectionsOf, verdictsOf } from './file.ts'
import { bodies, CODEX, closed, inSession, opened } from './history.ts'
import { written } from './planted.ts'
import { richHistory } from './rich.ts'

/** A session whose one step found much. */
const sessionOfOneLargeStep = (): Draft[] =>
  sessionOfOneStep().map((draft) =>
    draft.body.event === 'step-ended'
      ? { ...draft, body: { ...draft.body, outcome: { ...foundMuch, paths: ['README.md', 'src/a.ts'] } } }
      : draft,
  )

const foundMuch = { kind: 'ok' as const, output: large('#'), changed: ['src/b.ts'], cut: null }

const CODEX_ROOM = ['den', 'codex-1'] as const

/** A session with a step that was refused and one that no wall allowed. */
const sessionOf = (session: string, turn: string): Draft[] => {
  const put = inSession(session, ...CODEX_ROOM)
  const step = { turn, step: `${turn}.0` }
  return [
    opened(session, ...CODEX_ROOM),
    put(turn, ADA, { event: 'accepted', agent: 'codex-1', room: 'den', peripheral: 'explore', request: 'look' }),
    put(`${turn}.started`, CODEX, { event: 'turn-started', turn }, turn),
    put(`${turn}.refused`, CODEX, { ...bodies['step-refused'], ...step }, turn),
  ]
}

/** What nobody built on, what is large, what a session did, and the same a hundred days later. */
const aHundredDays = async ({ store, clock }: TestStore): Promise<void> => {
  const presence = houseDraft('h1', bodies.presence, ['lobby'])
  const step = { event: 'step-intended', turn: 't3', step: 't3.1', call: { tool: 'bash', args: {} } } as const
  const outside = inSession('s-3', ...CODEX_ROOM)('t3.1.intent', CODEX, step, 't3')
  must(await store.append([presence, { ...said('e1', 'for a while'), ephemeral: true }, said('l1', large('a'))]))
  must(await store.append([...sessionOfOneLargeStep(), closed('s-1', 'lobby', 'claude-1')]))
  const ended = { event: 'turn-ended', turn: 't3', outcome: 'failed', answer: '' } as const
  const end = inSession('s-3', ...CODEX_ROOM)('t3.ended', CODEX, ended, 't3')
  must(await store.append([...sessionOf('s-3', 't3'), outside, end, closed('s-3', ...CODEX_ROOM)]))
  must(await store.append(sessionOf('s-2', 't2')))
  clock.now += 100 * DAY_MS
  must(await store.append([{ ...said('e2', 'again'), ephemeral: true }, said('l2', large('b')), said('m2', 'today')]))
}

type How = { now: number; ids?: string[]; dry?: boolean }

const letGo = async (
  store: Store,
  days: Partial<KeepPolicy>,
  { now, ids = [], dry = false }: How,
): Promise<Compaction> => {
  const verify = (session: string) => verifyChain(store, session)
  const newId = (): string => ids.shift() ?? 'k1'
  return must(await compact({ store, policy: policyOf(days), now, newId, verify, dry }))
}

const everything = async (store: Store): Promise<Entry[]> => {
  const all: Entry[] = []
  for await (const page of store.pages(null)) all.push(...page)
  return all
}

const goneFrom = async (store: Store): Promise<string[]> =>
  idsOf((await everything(store)).filter(({ body }) => body === null))

const bytesOf = (entries: Entry[]): number =>
  entries.reduce((sum, { body }) => sum + Buffer.byteLength(JSON.stringify(body)), 0)

const OLD = ['h1', 'e1', 'l1', 'm1', 't1.0.intent', 't1.0.outcome']
const OUTSIDE = 'it does not verify: used bash while no peripheral was active'

describe.each(engines)('in $name', (engine) => {
  describe('what is let go is what the policy names, and older', () => {
    const alone = [{ session: 's-3', why: OUTSIDE }]
    test.each<[string, Partial<KeepPolicy>, string[], Compaction['left']]>([
      ['nothing, where everything is kept', {}, [], []],
      ['what nothing builds on', { ephemeralDays: 30 }, ['h1', 'e1'], []],
      ['what is large', { largeDays: 30 }, ['l1', 't1.0.outcome'], []],
      ['what was said and done', { bodyDays: 30 }, OLD, alone],
      ['all of that', { ephemeralDays: 1, largeDays: 2, bodyDays: 99.9 }, OLD, alone],
      ['nothing that is just as old as it may be', { ephemeralDays: 100, largeDays: 100, bodyDays: 100 }, [], []],
      ['nothing, where it is kept longer than there are years', { bodyDays: 1e12 }, [], []],
    ])('%s', async (_, days, gone, left) => {
      await using house = await engine.testStore()
      await aHundredDays(house)
      const { store, clock } = house
      const before = await everything(store)
      const bytes = bytesOf(before.filter(({ id }) => gone.includes(id)))
      const report = { bodies: gone.length, bytes, left }

      const content = await contentOf(house.url)
      expect(await letGo(store, days, { now: clock.now, dry: true })).toEqual(report)
      expect(await contentOf(house.url)).toEqual(content)

      expect(await letGo(store, days, { now: clock.now })).toEqual(report)
      expect(await goneFrom(store)).toEqual(gone)
      const list = {
        event: 'compacted',
        policy: JSON.stringify(policyOf(days)),
        bodies: gone.length,
        bytes,
        entries: gone.join('\n'),
      }
      expect((await store.get('k1'))?.body).toEqual(gone.length === 0 ? undefined : list)

      const { chains, store: whole } = await verifyAll(store)
      expect(chains.filter(({ ok }) => !ok).map(({ session }) => session)).toEqual(['s-3'])
      expect(whole.violations).toEqual([])
    })
  })

  test('what was let go is found by all it was found by before, but not by its words', async () => {
    await using house = await engine.testStore()
    await aHundredDays(house)
    const { store, clock } = house
    const filters = { session: 's-1', ephemeral: 'with' }
    const asked = [
      { ...filters, tool: 'read' },
      { ...filters, path: 'README.md' },
      { ...filters, path: 'src' },
      { ...filters, outcome: 'ok' },
      { ...filters, event: 'step-ended' },
      { ...filters, agent: 'claude-1', claim: 'step' },
    ]
    const find = async (query: object) => idsOf(must(await store.query(query)).entries)
    const all = () => Promise.all(asked.map(find))
    const before = await all()
    const words = { ...filters, text: 'README' }
    expect(await find(words)).toContain('t1.0.intent')
    await letGo(store, { bodyDays: 30 }, { now: clock.now })
    expect(await all()).toEqual(before)
    expect(before.map(({ length }) => length)).toEqual([2, 2, 1, 1, 1, 1])
    expect(await goneFrom(store)).toEqual(OLD)
    expect((await find(words)).filter((id) => OLD.includes(id))).toEqual([])
  })

  test('a session is digested before its steps are let go, and its lists of files live on', async () => {
    await using house = await engine.testStore()
    await aHundredDays(house)
    const { store, clock } = house
    const made = createDigest('s-1', null)
    for (const entry of await store.chain('s-1')) made.take(entry)
    const digest = made.made()
    expect(filesOf(digest)).toEqual({ read: ['README.md', 'src/a.ts'], changed: ['src/b.ts'] })

    await letGo(store, { bodyDays: 30 }, { now: clock.now })
    const written = must(await store.query({ event: 'digested', order: 'oldest' })).entries
    expect(written.map(({ id, session, body }) => ({ id, session, body }))).toEqual([
      { id: 's-1.digest.9', session: 's-1', body: { event: 'digested', ...digest } },
    ])
    expect((await store.get('k1'))?.position).toBeGreaterThan(written[0]?.position ?? Number.POSITIVE_INFINITY)
    const on = { ...digest, digest: { ...digest.digest, through: 10 } }
    expect(await digestSession(store, 's-1')).toEqual(on)
  })

  test('a session whose digest cannot be written keeps its steps', async () => {
    await using house = await engine.testStore()
    await aHundredDays(house)
    const { store, clock } = house
    must(await store.append([said('s-1.digest.9', 'I was here first')]))
    const { left } = await letGo(store, { bodyDays: 30 }, { now: clock.now })
    const why = 'its digest could not be written: entry s-1.digest.9 exists with other content'
    expect(left).toEqual([
      { session: 's-1', why },
      { session: 's-3', why: OUTSIDE },
    ])
    expect(await goneFrom(store)).toEqual(['h1', 'e1', 'l1', 'm1'])
  })

  test('a second time, there is nothing left to let go, and nothing is written', async () => {
    await using house = await engine.testStore()
    await aHundredDays(house)
    const { store, clock, url } = house
    await letGo(store, { bodyDays: 30 }, { now: clock.now })
    const content = await contentOf(url)
    const left = [{ session: 's-3', why: OUTSIDE }]
    expect(await letGo(store, { bodyDays: 30 }, { now: clock.now })).toEqual({ bodies: 0, bytes: 0, left })
    expect(await contentOf(url)).toEqual(content)
  })

  test('a blob that two entries share stays until the second is let go', async () => {
    await using house = await engine.testStore()
    const { store, clock, url } = house
    await using raw = await openRaw(url)
    const blobs = async () => (await raw.rows('select hash from blob')).length
    must(await store.append([said('l1', large('a'))]))
    clock.now += 10 * DAY_MS
    must(await store.append([said('l2', large('a')), said('l3', large('a'))]))
    const look = async () => [await goneFrom(store), await blobs(), await isWhole(store)]
    clock.now += 10 * DAY_MS
    await letGo(store, { largeDays: 15 }, { now: clock.now, ids: ['k1'] })
    expect(await look()).toEqual([['l1'], 1, true])
    expect((await store.get('l2'))?.body).toEqual({ event: 'message', text: large('a') })
    clock.now += 10 * DAY_MS
    await letGo(store, { largeDays: 15 }, { now: clock.now, ids: ['k2'] })
    expect(await look()).toEqual([['l1', 'l2', 'l3'], 0, true])
  })

  test('what the projections are made of is kept: made again, they are what they were', async () => {
    await using house = await engine.testStore()
    await aHundredDays(house)
    const { store, clock, url } = house
    const before = await projectionsOf(url)
    await letGo(store, { bodyDays: 1 }, { now: clock.now + 100 * DAY_MS })
    await store.rebuild()
    expect(await projectionsOf(url)).toEqual(before)
  })

  test('a session through every peripheral still verifies without its steps: walls, hops and approvals are kept', async () => {
    await using house = await engine.testStore()
    const { store, clock } = house
    const drafts = [...richHistory(), closed('s-1', 'lobby', 'claude-1')]
    await written(house, drafts)
    clock.now += 2 * DAY_MS
    await letGo(store, { bodyDays: 1 }, { now: clock.now })
    const steps = drafts.filter(({ body }) => ['step-intended', 'step-ended', 'step-refused'].includes(body.event))
    expect([await goneFrom(store), await isWhole(store)]).toEqual([idsOf(steps as Entry[]), true])
    expect(await verifyChain(store, 's-1')).toMatchObject({ ok: true, dropped: steps.length, violations: [] })
    expect(await verifyFiles(store, 's-1', async () => null)).toEqual({ files: 0, violations: [] })
  })

  test('ids that read like secrets break no list', async () => {
    await using house = await engine.testStore()
    const { store, clock } = house
    // By itself none of the last two is a secret, one after the other they look like one.
    const ids = ['m1', `ghp_${'aB3'.repeat(12)}`, 'bearer', 'a1b2c3d4e5f6a7b8c9d0']
    must(await store.append(ids.map((id) => said(id, 'hi'))))
    clock.now += 2 * DAY_MS
    const { left } = await letGo(store, { bodyDays: 1 }, { now: clock.now, ids: ['k1'] })
    expect([left, await goneFrom(store), await isWhole(store)]).toEqual([[], ids, true])
  })

  test('killed in the middle, all that one entry lists is gone, or nothing', async () => {
    await using house = await engine.testStore()
    const { store, clock, url } = house
    const lines = Array.from({ length: LINES }, (_, i) => said(`m${i}`, `line ${i}`))
    for (let i = 0; i < LINES; i += 1000) must(await store.append(lines.slice(i, i + 1000)))
    const now = `${clock.now + 2 * DAY_MS}`
    for (let round = 0; round < (engine.name === 'SQLite' || LONG ? KILLS : 1); round++) {
      await killed([url, `killed${round}`, now], round)
      expect(await goneFrom(store)).toEqual(await listedIn(store))
      expect((await verdictsOf(store)).filter(({ ok }) => !ok)).toEqual([])
    }
    const rest = await letGo(store, { bodyDays: 1 }, { now: Number(now), ids: ['k1', 'k2'] })
    const gone = await goneFrom(store)
    expect([gone, rest.left]).toEqual([lines.map(({ id }) => id), []])
    expect(gone).toEqual(await listedIn(store))
    expect(await isWhole(store)).toBe(true)
  })
})

const LONG = Boolean(process.env['BELLHOP_LONG'])
const KILLS = LONG ? 30 : 2

/** More than one entry lists. */
const LINES = 5200

const started: { kill: (signal: 'SIGKILL') => boolean }[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** A process that lets bodies go, killed just after it has begun with so many lists. */
const killed = async (args: Arguments, lists: number): Promise<void> => {
  const script = join(import.meta.dirname, 'compactor.ts')
  const child = execa(process.execPath, ['--import', 'tsx', script, ...args], { reject: false })
  started.push(child)
  let told = ''
  child.stdout.on('data', (text) => {
    told += text
    if (told.split('\n').length - 2 > lists) child.kill('SIGKILL')
  })
  await eventually('the compactor to be ready', () => told.includes('ready\n') || child.exitCode !== null)
  child.stdin.write('go\n')
  const { stderr } = await child
  expect(stderr).toBe('')
}

/** What the entries list that say what was let go, in the order it was written. */
const listedIn = async (store: Store): Promise<string[]> => {
  const lists = must(await store.query({ event: 'compacted', order: 'oldest', limit: 1000 })).entries
  return lists.flatMap(({ body }) => (body.event === 'compacted' ? body.entries.split('\n') : []))
}
