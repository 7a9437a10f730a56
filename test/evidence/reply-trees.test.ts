import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Author, Body, Draft, Entry } from '../../src/shapes/evidence.ts'
import { ADA, CLAUDE, idsOf, must, said, sessionOfOneStep, type TestStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { openRaw } from './file.ts'
import { accepted, BOB, bodies, inRoom, inSession, opened } from './history.ts'

const lobby = inRoom('lobby')
const asked = (id: string, inReplyTo?: string) => lobby(id, ADA, bodies.asked, inReplyTo)
const supposed = (id: string, inReplyTo?: string) => ({
  ...lobby(id, ADA, bodies.supposed, inReplyTo),
  conjecture: true,
})
const concluded = (id: string, inReplyTo?: string) => lobby(id, BOB, bodies.concluded, inReplyTo)
const corrected = (id: string, inReplyTo?: string) => lobby(id, BOB, bodies.corrected, inReplyTo)

const DAY = 86_400_000

describe.each(engines)('a chain of replies, on $name', ({ testStore }) => {
  test('goes from an entry back to what began it, the beginning first, across sessions', async () => {
    await using house = await testStore()
    const lines = [said('a', ''), said('x', ''), { ...said('b', '', 'a'), session: 's-1' }, said('y', '', 'a')]
    const [a, , b, , c] = must(await house.store.append([...lines, said('c', '', 'b'), said('z', '', 'c')]))
    expect(await house.store.replyChain('c')).toEqual([a, b, c])
    expect(await house.store.replyChain('a')).toEqual([a])
    expect(await house.store.replyChain('nowhere')).toEqual([])
  })

  test('may be long, and is whole however large it is', async () => {
    await using house = await testStore()
    const drafts = Array.from({ length: 2000 }, (_, i) => said(`m${i}`, '', i === 0 ? undefined : `m${i - 1}`))
    const entries = must(await house.store.append(drafts))
    expect(await house.store.replyChain('m1999')).toEqual(entries)

    const large = ['x', 'y', 'z'].map((id, i) => said(id, id.repeat(4_000_000), ['m1999', 'x', 'y'][i]))
    for (const draft of large) entries.push(...must(await house.store.append([draft])))
    expect(idsOf(await house.store.replyChain('z'))).toEqual(idsOf(entries))
  })

  test('ends, even where somebody made it a loop in the tables; a reply tree does too', async () => {
    await using house = await testStore()
    must(await house.store.append([said('a', ''), said('b', '', 'a'), said('c', '', 'b')]))
    await using raw = await openRaw(house.url)
    await raw.unguard()
    await raw.run("update entry set in_reply_to = 'c' where id = 'a'")
    expect(idsOf(await house.store.replyChain('b'))).toEqual(['a', 'b', 'c'])
    const tree = await house.store.replyTree('b')
    expect(tree?.entries.map(({ depth, entry }) => [depth, entry.id])).toEqual([
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
    ])
  })
})

describe.each(engines)('a reply tree, on $name', ({ testStore }) => {
  let house: TestStore
  beforeAll(async () => {
    house = await testStore()
  })
  afterAll(() => house[Symbol.asyncDispose]())

  const put = async (...drafts: Draft[]): Promise<Map<string, Entry>> =>
    new Map(must(await house.store.append(drafts)).map((entry) => [entry.id, entry]))
  const statusOf = async (id: string) => {
    const tree = await house.store.replyTree(id)
    return tree && { status: tree.status, open: tree.open }
  }

  test('shows all that began with one message, depth first and in its order, from whichever entry it is asked for', async () => {
    const entries = await put(
      said('m', 'hello'),
      said('m.2', 'second', 'm'),
      said('m.1', 'first of the second', 'm.2'),
      said('other', 'not in it'),
      { ...said('m.3', 'third', 'm'), session: 's-9' },
      said('m.4', 'second of the second', 'm.2'),
      said('m.5', 'deepest', 'm.1'),
    )
    const shown = [
      [0, 'm'],
      [1, 'm.2'],
      [2, 'm.1'],
      [3, 'm.5'],
      [2, 'm.4'],
      [1, 'm.3'],
    ] as const
    const whole = {
      root: 'm',
      status: 'open',
      entries: shown.map(([depth, id]) => ({ depth, entry: entries.get(id) })),
      forks: [],
      open: [],
      cut: false,
    }
    expect(await house.store.replyTree('m')).toEqual(whole)
    expect(await house.store.replyTree('m.5')).toEqual(whole)
    expect(await house.store.replyTree('nowhere')).toBe(null)
  })

  test('is open while something asked in it has no answer, and closed once all of it has one', async () => {
    await put(asked('q'), supposed('q.c', 'q'), said('q.talk', 'hm', 'q'))
    expect(await statusOf('q')).toEqual({ status: 'open', open: ['q', 'q.c'] })
    await put(corrected('q.c.no', 'q.c'))
    expect(await statusOf('q')).toEqual({ status: 'open', open: ['q'] })
    // What concludes something else does not answer it.
    await put(concluded('q.talk.end', 'q.talk'))
    expect(await statusOf('q')).toEqual({ status: 'open', open: ['q'] })
    await put(concluded('q.yes', 'q'))
    expect(await statusOf('q.talk')).toEqual({ status: 'closed', open: [] })
    await put(asked('q.more', 'q.yes'))
    expect(await statusOf('q')).toEqual({ status: 'open', open: ['q.more'] })
  })

  test('with work in it is open until the turn has ended, whatever was refused on the way', async () => {
    const run = inSession('s-1', 'lobby', 'claude-1')
    const step = (id: string, author: Author, body: Body, inReplyTo?: string) => run(id, author, body, inReplyTo)
    await put(said('w', '@claude look'), opened('s-1', 'lobby', 'claude-1'))
    await put({ ...accepted('t1', 's-1'), inReplyTo: 'w' }, { ...accepted('t2', 's-1'), inReplyTo: 'w' })
    await put(step('t1.0', CLAUDE, { ...bodies['step-refused'], turn: 't1', step: 't1.0' }, 't1'))
    expect(await statusOf('w')).toEqual({ status: 'open', open: ['t1', 't2'] })
    await put(step('t1.ended', CLAUDE, { ...bodies['turn-ended'], turn: 't1' }, 't1'))
    await put(step('t2.ended', CLAUDE, { event: 'turn-ended', turn: 't2', outcome: 'failed', answer: 'no' }, 't2'))
    expect(await statusOf('w')).toEqual({ status: 'closed', open: [] })
  })

  test('that goes on elsewhere is forked; where all is concluded, it is closed all the same', async () => {
    const entries = await put(
      said('f', 'one way'),
      asked('f.q', 'f'),
      { ...said('g', 'another way'), forkOf: 'f.q' },
      { ...inRoom('den')('h', BOB, bodies.message), forkOf: 'f' },
      { ...said('g.1', 'and on', 'g'), forkOf: 'g' },
    )
    const tree = await house.store.replyTree('f')
    expect([tree?.status, tree?.forks, tree?.open]).toEqual(['forked', [entries.get('g'), entries.get('h')], ['f.q']])
    expect([await house.store.forks('f'), await house.store.forks('g'), await house.store.forks('h')]).toEqual([
      [entries.get('h')],
      [entries.get('g.1')],
      [],
    ])
    await put(concluded('f.yes', 'f.q'))
    expect(await statusOf('f')).toEqual({ status: 'closed', open: [] })
  })

  test('that nobody added to for more than a day is stalled, and open again with the next line', async () => {
    await put(asked('st'), said('st.1', 'hm', 'st'))
    const began = house.clock.now
    house.clock.now = began + DAY
    expect(await statusOf('st')).toEqual({ status: 'open', open: ['st'] })
    house.clock.now = began + DAY + 1
    expect(await statusOf('st')).toEqual({ status: 'stalled', open: ['st'] })
    await put({ ...said('st.fork', 'elsewhere'), forkOf: 'st' })
    expect(await statusOf('st')).toEqual({ status: 'forked', open: ['st'] })
    await put(said('st2', 'hello'))
    house.clock.now += 2 * DAY
    expect(await statusOf('st2')).toEqual({ status: 'stalled', open: [] })
    await put(said('st2.1', 'again', 'st2'))
    expect(await statusOf('st2')).toEqual({ status: 'open', open: [] })
  })

  test('of more than a thousand entries is cut, and says so', async () => {
    const drafts = Array.from({ length: 1001 }, (_, i) => said(`n${i}`, '', i === 0 ? undefined : `n${i - 1}`))
    const entries = must(await house.store.append(drafts.slice(0, 1000)))
    const nested = entries.map((entry, depth) => ({ depth, entry }))
    const whole = { root: 'n0', status: 'open', entries: nested, forks: [], open: [] }
    expect(await house.store.replyTree('n7')).toEqual({ ...whole, cut: false })
    must(await house.store.append(drafts.slice(1000)))
    expect(await house.store.replyTree('n1000')).toEqual({ ...whole, cut: true })
  })

  test('of more than eight megabytes is cut, and says so', async () => {
    for (const [i, id] of ['big', 'big.1', 'big.2'].entries()) {
      must(await house.store.append([said(id, `${i}`.repeat(3_000_000), i === 0 ? undefined : 'big')]))
    }
    const tree = await house.store.replyTree('big')
    expect([tree?.entries.map(({ entry }) => entry.id), tree?.cut]).toEqual([['big', 'big.1'], true])
  })
})

describe.each(engines)('what is left open, on $name', ({ testStore }) => {
  test('is every question and conjecture that no reply concludes or corrects, newest first', async () => {
    await using house = await testStore()
    const { store } = house
    const points = async (limit = 100) => (await store.openPoints(limit)).map(({ entry, kind }) => [entry.id, kind])
    expect(await store.openPoints(10)).toEqual([])
    const drafts = [asked('q1'), supposed('c1'), said('m', 'hm'), asked('q2'), supposed('c2'), supposed('c3')]
    const held = { ...asked('q3'), conjecture: true }
    const entries = must(await store.append([...drafts, held]))
    const [q1, c1, , q2, c2, c3, q3] = entries
    expect(await store.openPoints(100)).toEqual([
      { entry: q3, kind: 'conjecture' },
      { entry: c3, kind: 'conjecture' },
      { entry: c2, kind: 'conjecture' },
      { entry: q2, kind: 'question' },
      { entry: c1, kind: 'conjecture' },
      { entry: q1, kind: 'question' },
    ])
    expect(await points(2)).toEqual([
      ['q3', 'conjecture'],
      ['c3', 'conjecture'],
    ])
    // Talk answers nothing, and neither does what the gate refused.
    must(await store.append([said('q1.talk', 'hm', 'q1'), lobby('c1.refused', BOB, bodies.refused, 'c1')]))
    expect((await points()).length).toBe(6)
    must(await store.append([concluded('q1.yes', 'q1'), concluded('c1.yes', 'c1'), corrected('c2.no', 'c2')]))
    expect(await points()).toEqual([
      ['q3', 'conjecture'],
      ['c3', 'conjecture'],
      ['q2', 'question'],
    ])
    must(
      await store.append([corrected('c1.no', 'c1'), { ...said('q3.a', ''), body: bodies.answered, inReplyTo: 'q3' }]),
    )
    expect(await points()).toEqual([
      ['c3', 'conjecture'],
      ['q2', 'question'],
    ])
  })

  test('is a call that waits for a person, until it is decided; who wants a turn to end has not ended it', async () => {
    await using house = await testStore()
    const { store } = house
    const put = inSession('s-1', 'lobby', 'claude-1')
    const look = async () => [
      idsOf((await store.openPoints(10)).map(({ entry }) => entry)),
      (await store.replyTree('t1'))?.status,
    ]
    must(await store.append([opened('s-1', 'lobby', 'claude-1'), accepted('t1', 's-1')]))
    must(await store.append([put('t1.0.approval', CLAUDE, bodies['approval-asked'], 't1')]))
    expect(await look()).toEqual([['t1.0.approval'], 'open'])
    must(await store.append([put('t1.stop', ADA, bodies['stop-asked'], 't1')]))
    must(await store.append([put('t1.0.decision', BOB, bodies['approval-decided'], 't1.0.approval')]))
    expect(await look()).toEqual([[], 'open'])
    must(await store.append([put('t1.ended', CLAUDE, { ...bodies['turn-ended'], outcome: 'cancelled' }, 't1')]))
    expect(await look()).toEqual([[], 'closed'])
  })

  test('is nothing in a session that went well', async () => {
    await using house = await testStore()
    must(await house.store.append(sessionOfOneStep()))
    expect(await house.store.openPoints(10)).toEqual([])
    expect((await house.store.replyTree('m1'))?.status).toBe('closed')
  })
})
