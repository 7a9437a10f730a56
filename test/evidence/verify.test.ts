import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { BELLHOP } from '../../src/evidence/drafts.ts'
import { hashEntry, hashOf } from '../../src/evidence/hash.ts'
import { createVerifier } from '../../src/evidence/verify.ts'
import { proveChain, verifyChain } from '../../src/evidence/verify-store.ts'
import type { Author, Body, Draft, Entry } from '../../src/shapes/evidence.ts'
import type { Verdict, Violation } from '../../src/shapes/verdict.ts'
import { ADA, CLAUDE, must, said, sessionOfOneStep, testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { everyKind, FIRST, firstVersion, isWhole, LET_GO, verifyAll } from './every-kind.ts'
import { verdictsOf, write } from './file.ts'
import { accepted, bodies, CODEX, history, inRoom, inSession, opened } from './history.ts'
import {
  type Change,
  changes,
  contentOf,
  during,
  exchanges,
  insertions,
  reorderings,
  sames,
  sampleOf,
  swaps,
  tried,
  unnoticed,
} from './tamper.ts'

describe('a whole session', () => {
  test('verifies: so many entries, so many steps, this head, and nothing wrong', async () => {
    await using house = await testStore()
    must(await house.store.append(sessionOfOneStep()))
    const [room, session] = [await house.store.chain('room-lobby'), await house.store.chain('s-1')]
    expect(await verdictsOf(house.store)).toEqual([
      {
        session: 'room-lobby',
        ok: true,
        entries: 2,
        steps: 0,
        dropped: 0,
        head: room.at(-1)?.hash,
        violations: [],
        more: 0,
      },
      {
        session: 's-1',
        ok: true,
        entries: 8,
        steps: 1,
        dropped: 0,
        head: session.at(-1)?.hash,
        violations: [],
        more: 0,
      },
    ])
  })

  test('is proved rule by rule: to how many entries each applies, and that none is broken', async () => {
    await using house = await testStore()
    must(await house.store.append(sessionOfOneStep()))
    const { checks, ...verdict } = await proveChain(house.store, 's-1')
    const holds = (rule: string, entries: number) => ({ rule, entries, broken: 0, judged: true })
    expect([verdict, checks]).toEqual([
      await verifyChain(house.store, 's-1'),
      [
        ...['chain', 'order', 'hash', 'body', 'form', 'author'].map((rule) => holds(rule, 8)),
        holds('head', 1),
        holds('wall', 3),
        holds('phase', 2),
        holds('budget', 1),
        holds('approval', 1),
        holds('pin', 1),
        holds('hop', 2),
        holds('fruit', 1),
        holds('bell', 1),
        holds('park', 1),
      ],
    ])
  })

  test('verifies with steps that were refused, failed or interrupted, and beside any other', async () => {
    await using house = await testStore()
    await write(history(), house.store, house.clock)
    const said = (await verdictsOf(house.store)).map(({ session, steps, violations }) => ({
      session,
      steps,
      violations,
    }))
    expect(said).toEqual([
      { session: 'house', steps: 0, violations: [] },
      { session: 'room-lobby', steps: 0, violations: [] },
      { session: 'room-den', steps: 0, violations: [] },
      { session: 's-1', steps: 1, violations: [] },
      { session: 's-2', steps: 0, violations: [] },
      { session: 's-3', steps: 1, violations: [] },
      { session: 's-4', steps: 1, violations: [] },
    ])
  })

  test('verifies at every moment of its life: a step that is under way is no violation', async () => {
    await using house = await testStore()
    for (const draft of sessionOfOneStep()) {
      must(await house.store.append([draft]))
      expect((await verdictsOf(house.store)).flatMap(({ violations }) => violations)).toEqual([])
    }
  })

  test('that has nothing in it yet has the head that every chain begins with', async () => {
    await using house = await testStore()
    expect(await verifyChain(house.store, 's-9')).toEqual({
      session: 's-9',
      ok: true,
      entries: 0,
      steps: 0,
      dropped: 0,
      head: '0'.repeat(64),
      violations: [],
      more: 0,
    })
  })
})

/** What nothing can show any more: how long a body was that is gone, and what it alone told of tools and paths. */
const UNKNOWABLE = [
  ...LET_GO.map((id) => `entry.size of ${id}`),
  'term.name of tag:tool/read',
  'term.name of tag:path/README.md',
  'term.name of tag:outcome/ok',
]

describe('tampering with the file is found', () => {
  test('in every column of every row of every table, and where any row is gone', async () => {
    await using house = await testStore()
    const store = await everyKind(house)
    const all = sampleOf(changes(await contentOf(store)))
    const tries = (what: string) => all.some((change) => change.what === what)
    expect(await tried(store, all)).toEqual({
      unnoticed: UNKNOWABLE.filter(tries),
      refused: ['tip.one of the store'].filter(tries),
    })
    expect(await isWhole(store)).toBe(true)
  })

  test('where rows have changed places, or what they have', async () => {
    await using house = await testStore()
    const store = await everyKind(house)
    const content = await contentOf(store)
    const all = sampleOf([...swaps(content), ...reorderings(content), ...exchanges(content)])
    const alike = ['entry.size of e1 and m1', 'entry.size of t1.0.intent and t1.0.outcome']
    expect(await unnoticed(store, all)).toEqual(alike.filter((what) => all.some((change) => change.what === what)))
  })

  test('where there is a row that nobody appended', async () => {
    await using house = await testStore()
    const store = await everyKind(house)
    expect(await unnoticed(store, insertions(await contentOf(store)))).toEqual([])
  })

  test('but not what says the same in another way: the order of terms and their numbers, how a blob is packed', async () => {
    await using house = await testStore()
    const store = await everyKind(house)
    const all = sames(await contentOf(store))
    expect(await unnoticed(store, all)).toEqual(all.map(({ what }) => what))
    expect(all.length).toBeGreaterThan(FIRST.length)
  })

  test.skipIf(engines.length < 2)(
    'in PostgreSQL as well, in a sample of all of that',
    async () => {
      const postgres = engines.find(({ name }) => name === 'PostgreSQL')
      if (!postgres) return
      await using house = await postgres.testStore()
      const store = await everyKind(house)
      const content = await contentOf(store)
      const all = [changes, swaps, reorderings, exchanges, insertions].flatMap((make) => make(content))
      const sample = all.filter(
        ({ what }, i) => i % 17 === 0 && !what.startsWith('entry.size') && !what.startsWith('term.name'),
      )
      expect(await unnoticed(store, sample)).toEqual([])
      expect(await isWhole(store)).toBe(true)
    },
    120_000,
  )
})

describe('what verifying says', () => {
  const changed = (...statements: string[]): Change => ({
    what: '',
    statements: statements.map((text) => sql.raw(text)),
  })

  test('of a body that is gone and that no entry let go', async () => {
    await using house = await testStore()
    const store = await everyKind(house)
    const before = await verifyAll(store)
    const after = await during(store, changed('delete from body where position = 3'), verifyAll)
    expect(after?.chains).toEqual(
      before.chains.map((verdict) =>
        verdict.session === 's-1'
          ? {
              ...verdict,
              ok: false,
              dropped: 3,
              violations: [
                {
                  entry: 's-1.opened',
                  rule: 'body',
                  what: 'has lost its body, and no entry says that it was let go',
                },
              ],
            }
          : verdict,
      ),
    )
  })

  test('of bodies that were let go: that the chain is whole, and how many there are', async () => {
    await using house = await testStore()
    const { chains } = await verifyAll(await everyKind(house))
    const told = chains.map(({ session, ok, entries, dropped }) => ({ session, ok, entries, dropped }))
    expect(told).toEqual([
      { session: 'room-lobby', ok: true, entries: 6, dropped: 3 },
      { session: 's-1', ok: true, entries: 10, dropped: 2 },
      { session: 'house', ok: true, entries: 2, dropped: 0 },
      { session: 'room-old', ok: true, entries: 2, dropped: 0 },
      { session: 'room-den', ok: true, entries: 3, dropped: 0 },
    ])
  })

  test('of a list of what was let go that was made longer afterwards: it explains nothing any more', async () => {
    await using house = await testStore()
    const store = await everyKind(house)
    const widen = changed(
      `update body set json = replace(json, 'm1', 'm1\\nm1.receipt') where position = 16`,
      `insert into dropped select position, 'k2' from entry where id = 'm1.receipt'`,
      `delete from body where position = (select position from entry where id = 'm1.receipt')`,
    )
    const after = await during(store, widen, ({ engine }) => verifyChain({ engine }, 'room-lobby'))
    expect(after?.violations).toEqual(
      ['m1', 'm1.receipt', 'l1'].map((entry) => ({
        entry,
        rule: 'body',
        what: 'has lost its body, and no entry says that it was let go',
      })),
    )
  })

  test('of a chain whose last row is gone: that its head says more', async () => {
    await using house = await testStore()
    must(await house.store.append(sessionOfOneStep()))
    const [, session] = await verdictsOf(house.store)
    const chain = await house.store.chain('s-1')
    const cut = changed('drop trigger entry_kept', "delete from entry where id = 't1.ended'")
    const after = await during(house.store, cut, ({ engine }) => verifyChain({ engine }, 's-1'))
    expect(after).toEqual({
      ...session,
      ok: false,
      entries: 7,
      head: chain.at(-2)?.hash,
      violations: [{ entry: '', rule: 'head', what: 'the chain ends with number 7, its head says number 8' }],
    })
  })

  test.each([
    ['is gone', 'delete from chain', 'the chain ends with number 2, its head says nothing'],
    ['says less', 'update chain set seq = 1', 'the chain ends with number 2, its head says number 1'],
    ['says another time', "update chain set at = ''", 'its head has another time or another beginning than the chain'],
    ['begins elsewhere', 'update chain set first = 7', 'its head has another time or another beginning than the chain'],
  ])('of a chain whose head %s', async (_, text, what) => {
    await using house = await testStore()
    must(await house.store.append([said('m1', 'hi'), said('m2', 'ho')]))
    const [whole] = await verdictsOf(house.store)
    const look = ({ engine }: Pick<typeof house.store, 'engine'>) => verifyChain({ engine }, 'room-lobby')
    expect(await during(house.store, changed(text), look)).toEqual({
      ...whole,
      ok: false,
      violations: [{ entry: '', rule: 'head', what }],
    })
  })

  test('of more than it lists: how many more', async () => {
    await using house = await testStore()
    const lines = Array.from({ length: 203 }, (_, i) => ({ ...said(`m${i}`, 'hi'), author: CLAUDE }))
    must(await house.store.append(lines))
    const [verdict] = await verdictsOf(house.store)
    const wrong = (i: number) => ({ entry: `m${i}`, rule: 'author', what: 'is by an agent, who may not write message' })
    expect(verdict).toEqual({
      session: 'room-lobby',
      ok: false,
      entries: 203,
      steps: 0,
      dropped: 0,
      head: (await house.store.get('m202'))?.hash,
      violations: Array.from({ length: 200 }, (_, i) => wrong(i)),
      more: 3,
    })
  })
})

/** A chain with the entries given, each linked to the one before it as if it had always been so. */
const relinked = (entries: Entry[]): Entry[] => {
  let prevHash = '0'.repeat(64)
  return entries.map((entry, i) => {
    const whole = { ...entry, seq: i + 1, bodyHash: hashOf(entry.body), prevHash }
    prevHash = hashEntry(whole)
    return { ...whole, hash: prevHash }
  })
}

const sessionChain = async (): Promise<Entry[]> => {
  await using house = await testStore()
  must(await house.store.append(sessionOfOneStep()))
  return await house.store.chain('s-1')
}

/** A chain with one entry changed. */
const withEntry = (chain: Entry[], id: string, change: Partial<Entry>): Entry[] =>
  chain.map((entry) => (entry.id === id ? { ...entry, ...change } : entry))

/** What is said of a chain; all bodies that are gone were let go. */
const verdictOn = (chain: Entry[]): Verdict => {
  const verifier = createVerifier('s-1', {
    of: () => null,
    since: () => null,
    pin: () => null,
    ended: () => null,
    deeds: { of: () => null, over: () => null, left: () => null },
    phaseAt: () => null,
  })
  for (const entry of chain) verifier.take(entry, true)
  return verifier.verdict()
}

const wrongIn = (chain: Entry[]): Violation[] => verdictOn(chain).violations

describe('a forged entry', () => {
  test('that was put in between breaks the link of the one after it', async () => {
    const chain = await sessionChain()
    const [first, second] = chain
    if (!first || !second) throw new Error('the chain is too short')
    const [, forged] = relinked([first, { ...second, id: 'forged' }])
    if (!forged) throw new Error('nothing was forged')
    const after = chain.slice(1).map((entry) => ({ ...entry, seq: entry.seq + 1 }))
    expect(wrongIn([first, forged, ...chain.slice(1)])).toEqual([
      { entry: 't1', rule: 'chain', what: 'does not follow the entry before it' },
      { entry: 't1', rule: 'order', what: 'has sequence 2 after 2' },
    ])
    expect(wrongIn([first, forged, ...after])).toEqual([
      { entry: 't1', rule: 'chain', what: 'does not follow the entry before it' },
      ...after.map(({ id }) => ({ entry: id, rule: 'hash', what: 'was changed after it was written' })),
    ])
  })

  test('that was put at the end without its hash is found', async () => {
    const chain = await sessionChain()
    const last = chain.at(-1)
    if (!last) throw new Error('the chain is too short')
    expect(wrongIn([...chain, { ...last, id: 'forged', seq: 9, prevHash: last.hash }])).toEqual([
      { entry: 'forged', rule: 'hash', what: 'was changed after it was written' },
    ])
  })

  test('with its hashes right, in a chain written anew from there on, shows in the head alone', async () => {
    const chain = await sessionChain()
    const forged = relinked(
      withEntry(chain, 't1', { author: { kind: 'person', id: 'mallory', face: 'cli', via: null } }),
    )
    expect(verdictOn(forged)).toEqual({
      session: 's-1',
      ok: true,
      entries: 8,
      steps: 1,
      dropped: 0,
      head: forged.at(-1)?.hash,
      violations: [],
      more: 0,
    })
    expect(forged.at(-1)?.hash).not.toBe(chain.at(-1)?.hash)
  })

  test.each<[string, string, Partial<Entry>, Violation[]]>([
    [
      'the type of another event',
      't1.ended',
      { type: 'presence-event' },
      [
        {
          entry: 't1.ended',
          rule: 'form',
          what: 'is presence-event/conclusion, not coordination/conclusion',
        },
      ],
    ],
    [
      'the claim of another event',
      't1.ended',
      { claim: 'goal' },
      [{ entry: 't1.ended', rule: 'form', what: 'is coordination/goal, not coordination/conclusion' }],
    ],
    [
      'a body that lacks something',
      't1.ended',
      { body: { event: 'turn-ended', turn: 't1' } as Body },
      [{ entry: 't1.ended', rule: 'form', what: 'is not a whole turn-ended' }],
    ],
    [
      'a body of no known event',
      't1.ended',
      { body: { event: 'rumour' } as unknown as Body },
      [{ entry: 't1.ended', rule: 'form', what: 'has a body of no known event' }],
    ],
    [
      'a time before the entry before it',
      't1.ended',
      { at: '2026-01-02T03:04:04.999Z' },
      [{ entry: 't1.ended', rule: 'order', what: 'is older than the entry before it' }],
    ],
  ])('with its hashes right is found by %s', async (_, id, change, violations) => {
    expect(wrongIn(relinked(withEntry(await sessionChain(), id, change)))).toEqual(violations)
  })

  test('with a body that lacks something in the wall itself is found, and verifying goes on', async () => {
    const chain = await sessionChain()
    const broken = withEntry(chain, 't1.peripheral', { body: { event: 'peripheral-started' } as Body })
    expect(wrongIn(relinked(broken))).toEqual([
      { entry: 't1.peripheral', rule: 'form', what: 'is not a whole peripheral-started' },
      { entry: 't1.0.intent', rule: 'wall', what: 'used read while no peripheral was active' },
      { entry: 't1.stopped', rule: 'order', what: 'stops explore, which is not active' },
    ])
  })
})

test('an entry of the first version that has what only later ones have is found, though no hash shows it', () => {
  const [entry] = firstVersion([inRoom('old')('o1', ADA, bodies.message)], '2026-01-02T03:04:05.000Z')
  if (!entry) throw new Error('there is no entry')
  const wrong = [{ entry: 'o1', rule: 'form', what: 'has what the first version had not' }]
  const later: Partial<Entry>[] = [{ forkOf: 'm1' }, { pattern: 'p' }, { conjecture: true }, { ephemeral: true }]
  expect(wrongIn([entry])).toEqual([])
  expect(later.map((change) => wrongIn([{ ...entry, ...change }]))).toEqual(later.map(() => wrong))
})

describe('what is against the rules is found, though the store took it', () => {
  type Change = (drafts: Draft[]) => Draft[]

  const without =
    (...ids: string[]): Change =>
    (drafts) =>
      drafts.filter(({ id }) => !ids.includes(id))

  const changed =
    (id: string, change: { author?: Author; inReplyTo?: string | null; body?: Record<string, unknown> }): Change =>
    (drafts) =>
      drafts.map((draft) => {
        if (draft.id !== id) return draft
        return { ...draft, ...change, body: { ...draft.body, ...change.body } as Body }
      })

  const all =
    (...changes: Change[]): Change =>
    (drafts) =>
      changes.reduce((before, change) => change(before), drafts)

  /** Puts a copy of an entry, under another id, right after a third one. */
  const copied =
    (id: string, as: string, after: string): Change =>
    (drafts) =>
      drafts.flatMap((draft) =>
        draft.id === after
          ? [draft, ...drafts.filter((one) => one.id === id).map((one) => ({ ...one, id: as }))]
          : [draft],
      )

  const call = (tool: string) => ({ call: { tool, args: {} } })
  const intent = 't1.0.intent'
  const outcome = 't1.0.outcome'

  test.each<[string, Change, Violation[]]>([
    [
      'a step with a tool that the wall has not',
      all(changed(intent, { body: call('bash') }), changed(outcome, { body: { tool: 'bash' } })),
      [{ entry: intent, rule: 'wall', what: 'used bash, which explore has not' }],
    ],
    [
      'a step with a tool that the spec has and the start has not',
      changed('t1.peripheral', { body: { tools: ['glob'] } }),
      [{ entry: intent, rule: 'wall', what: 'used read, which explore has not' }],
    ],
    [
      'a step without a peripheral',
      without('t1.peripheral', 't1.stopped'),
      [{ entry: intent, rule: 'wall', what: 'used read while no peripheral was active' }],
    ],
    [
      'a step after its peripheral has stopped',
      all(
        copied(intent, 'late', 't1.stopped'),
        copied(outcome, 'late.outcome', 'late'),
        changed('late.outcome', { inReplyTo: 'late' }),
      ),
      [
        { entry: 'late', rule: 'order', what: 'takes step t1.0 a second time' },
        { entry: 'late', rule: 'wall', what: 'used read while no peripheral was active' },
      ],
    ],
    [
      'an outcome without an intent',
      all(without(intent), changed(outcome, { inReplyTo: 't1' })),
      [{ entry: outcome, rule: 'order', what: 'ends a step that was not begun' }],
    ],
    [
      'an outcome that answers nothing',
      changed(outcome, { inReplyTo: null }),
      [
        { entry: outcome, rule: 'order', what: 'ends a step that was not begun' },
        { entry: intent, rule: 'order', what: 'was still open when its peripheral stopped' },
      ],
    ],
    [
      'two outcomes',
      copied(outcome, 'again', outcome),
      [{ entry: 'again', rule: 'order', what: 'ends a step that was not begun' }],
    ],
    [
      'an outcome of another tool',
      changed(outcome, { body: { tool: 'grep' } }),
      [{ entry: outcome, rule: 'wall', what: 'ran grep, not read' }],
    ],
    [
      'an outcome of another step',
      changed(outcome, { body: { step: 't1.7' } }),
      [{ entry: outcome, rule: 'order', what: 'ends another step than the one it answers' }],
    ],
    [
      'an outcome of a step of another turn',
      changed(outcome, { body: { turn: 't9' } }),
      [{ entry: outcome, rule: 'order', what: 'ends another step than the one it answers' }],
    ],
    [
      'no outcome before the peripheral stopped',
      without(outcome),
      [{ entry: intent, rule: 'order', what: 'was still open when its peripheral stopped' }],
    ],
    [
      'a second start while the first peripheral is active',
      copied('t1.peripheral', 'again', 't1.peripheral'),
      [{ entry: 'again', rule: 'order', what: 'starts explore while explore is active' }],
    ],
    [
      'a stop of a peripheral that is not active',
      changed('t1.stopped', { body: { peripheral: 'edit' } }),
      [{ entry: 't1.stopped', rule: 'order', what: 'stops edit, which is not active' }],
    ],
    [
      'a second stop',
      copied('t1.stopped', 'again', 't1.stopped'),
      [{ entry: 'again', rule: 'order', what: 'stops explore, which is not active' }],
    ],
    [
      'a turn that begins while another is under way',
      all(copied('t1.started', 'again', 't1.started'), changed('again', { body: { turn: 't9' } })),
      [
        { entry: 'again', rule: 'order', what: 'begins while turn t1 is under way' },
        { entry: intent, rule: 'order', what: 'is a step of turn t1, which is not under way' },
      ],
    ],
    [
      'a turn that ends while its peripheral is active',
      without('t1.stopped'),
      [{ entry: 't1.ended', rule: 'order', what: 'ends while explore is active' }],
    ],
    [
      'a step of a turn that is not under way',
      all(changed(intent, { body: { turn: 't9' } }), changed(outcome, { body: { turn: 't9' } })),
      [{ entry: intent, rule: 'order', what: 'is a step of turn t9, which is not under way' }],
    ],
    [
      'a person’s act that an agent signed',
      changed('t1', { author: CLAUDE }),
      [{ entry: 't1', rule: 'author', what: 'is by an agent, who may not write accepted' }],
    ],
  ])('%s', async (_, change, violations) => {
    await using house = await testStore()
    must(await house.store.append(change(sessionOfOneStep())))
    expect(wrongIn(await house.store.chain('s-1'))).toEqual(violations)
  })

  test.each([
    ['began by itself', CLAUDE],
    ['gave the work', CODEX],
  ])('but not that an agent with a token of its own %s', async (_what, author) => {
    await using house = await testStore()
    const change = { author, body: { by: '3f9c1a22b0de' } }
    must(await house.store.append(changed('t1', change)(sessionOfOneStep())))
    expect(wrongIn(await house.store.chain('s-1'))).toEqual([])
  })

  const acts = ['t1.started', 't1.peripheral', intent, outcome, 't1.stopped', 't1.ended']

  test('an agent’s act that a person, the house or another agent signed, whichever act it is', async () => {
    const chain = await sessionChain()
    for (const author of [ADA, BELLHOP, CODEX, { ...ADA, id: 'claude-1' }]) {
      const what = `is by ${author.kind} ${author.id}, not by claude-1`
      const wrong = acts.map((id) => wrongIn(relinked(withEntry(chain, id, { author }))))
      expect(wrong).toEqual(acts.map((id) => [{ entry: id, rule: 'author', what }]))
    }
  })

  test('an agent’s acts in a chain that no session opened', async () => {
    await using house = await testStore()
    must(await house.store.append(without('s-1.opened')(sessionOfOneStep())))
    expect(wrongIn(await house.store.chain('s-1'))).toEqual(
      (await house.store.chain('s-1'))
        .filter(({ id }) => acts.includes(id))
        .flatMap(({ id, body }) => [
          { entry: id, rule: 'order', what: `is ${body.event} in a chain that no session opened` },
          { entry: id, rule: 'author', what: 'is by agent claude-1, not by null' },
        ]),
    )
  })

  test('an agent that writes in a room as if it were a person', async () => {
    await using house = await testStore()
    const [line] = sessionOfOneStep()
    if (!line) throw new Error('there is no line')
    must(await house.store.append([{ ...line, author: CLAUDE }]))
    expect(wrongIn(await house.store.chain('room-lobby'))).toEqual([
      { entry: 'm1', rule: 'author', what: 'is by an agent, who may not write message' },
    ])
  })

  test('each of several violations, in one verdict', async () => {
    await using house = await testStore()
    const put = inSession('s-1', 'lobby', 'claude-1')
    const step = { turn: 't1', step: 't1.0' }
    must(
      await house.store.append([
        opened('s-1', 'lobby', 'claude-1'),
        accepted('t1', 's-1'),
        put('a', ADA, { event: 'step-intended', ...step, ...call('bash') }, 't1'),
        put('b', CLAUDE, { event: 'step-ended', ...step, tool: 'sh', outcome: { kind: 'failed', message: 'no' } }, 'a'),
      ]),
    )
    const chain = await house.store.chain('s-1')
    expect(verdictOn(chain)).toEqual({
      session: 's-1',
      ok: false,
      entries: 4,
      steps: 1,
      dropped: 0,
      head: chain.at(-1)?.hash,
      violations: [
        { entry: 'a', rule: 'author', what: 'is by person ada, not by claude-1' },
        { entry: 'a', rule: 'order', what: 'is a step of turn t1, which is not under way' },
        { entry: 'a', rule: 'wall', what: 'used bash while no peripheral was active' },
        { entry: 'b', rule: 'wall', what: 'ran sh, not bash' },
      ],
      more: 0,
    })
  })

  describe('and that bodies were let go before does not hide it', () => {
    /** A chain as it is once some bodies were let go. */
    const letGo = (chain: Entry[], ...ids: string[]): Entry[] =>
      ids.reduce((before, id) => withEntry(before, id, { body: null as unknown as Body }), chain)

    test.each<[string, Change, string[], Violation[]]>([
      ['nothing, where nothing is wrong', all(), [intent, outcome], []],
      ['nothing, where only the intent is gone', all(), [intent], []],
      ['nothing, where only the outcome is gone', all(), [outcome], []],
      [
        'a step without a peripheral',
        without('t1.peripheral', 't1.stopped'),
        [intent, outcome],
        [{ entry: intent, rule: 'wall', what: 'took a step while no peripheral was active' }],
      ],
      [
        'two outcomes',
        copied(outcome, 'again', outcome),
        [intent, outcome],
        [{ entry: 'again', rule: 'order', what: 'ends a step that was not begun' }],
      ],
      [
        'an outcome without an intent, itself gone',
        all(without(intent), changed(outcome, { inReplyTo: 't1' })),
        [outcome],
        [{ entry: outcome, rule: 'order', what: 'ends a step that was not begun' }],
      ],
      [
        'no outcome before the peripheral stopped',
        without(outcome),
        [intent],
        [{ entry: intent, rule: 'order', what: 'was still open when its peripheral stopped' }],
      ],
      [
        'a step after all that, with a tool that no wall has',
        all(copied(intent, 'late', 't1.ended'), changed('late', { body: { step: 't1.1', ...call('bash') } })),
        [intent, outcome],
        [
          { entry: 'late', rule: 'order', what: 'is a step of turn t1, which is not under way' },
          { entry: 'late', rule: 'wall', what: 'used bash while no peripheral was active' },
        ],
      ],
    ])('%s', async (_, change, gone, violations) => {
      await using house = await testStore()
      must(await house.store.append(change(sessionOfOneStep())))
      expect(wrongIn(letGo(await house.store.chain('s-1'), ...gone))).toEqual(violations)
    })

    test('an agent that writes in a room, after lines there were let go', async () => {
      await using house = await testStore()
      const lines = [said('m1', 'hi'), { ...said('m2', 'ho'), author: CLAUDE }]
      must(await house.store.append(lines))
      expect(wrongIn(letGo(await house.store.chain('room-lobby'), 'm1'))).toEqual([
        { entry: 'm2', rule: 'author', what: 'is by an agent, who may not write message' },
      ])
    })

    test('but where it is not known any more which wall stood, no step is blamed', async () => {
      const chain = await sessionChain()
      const blind = withEntry(
        relinked(withEntry(chain, intent, { body: { ...bodies['step-intended'] } })),
        't1.peripheral',
        {
          body: null as unknown as Body,
        },
      )
      expect(wrongIn(blind)).toEqual([])
    })
  })
})
