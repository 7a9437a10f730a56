import { describe, expect, test } from 'vitest'
import { BELLHOP } from '../../src/evidence/drafts.ts'
import { hashEntry, hashOf } from '../../src/evidence/hash.ts'
import { type Violation, verify } from '../../src/evidence/verify.ts'
import {
  Author,
  type Body,
  Claim,
  type Draft,
  type Entry,
  EventName,
  EvidenceType,
  SubjectType,
} from '../../src/shapes/evidence.ts'
import { ADA, CLAUDE, idsOf, must, sessionOfOneStep, testStore } from '../support/store.ts'
import { openUnguarded, toolsOf, verdictsOf, write } from './file.ts'
import { accepted, bodies, CODEX, history, inSession, opened } from './history.ts'

/** A store with a session of one step in it, its file without guards, and whether verifying all of it finds anything. */
const tampered = async () => {
  const house = await testStore()
  const entries = must(await house.store.append(sessionOfOneStep()))
  const file = openUnguarded(house.path)
  const verdicts = () => verdictsOf(house.store)
  return {
    entries,
    file,
    verdicts,
    /** Whether a verdict shows it: as a violation, or as a body that is gone. */
    isFound: async (changes: () => void): Promise<boolean> =>
      (await file.during(changes, verdicts)).some(({ ok, dropped }) => !ok || dropped > 0),
    [Symbol.asyncDispose]: async () => {
      file[Symbol.dispose]()
      await house[Symbol.asyncDispose]()
    },
  }
}

describe('a whole session', () => {
  test('verifies: so many entries, so many steps, this head, and nothing wrong', async () => {
    await using house = await testStore()
    must(await house.store.append(sessionOfOneStep()))
    const [room, session] = [await house.store.chain('room-lobby'), await house.store.chain('s-1')]
    expect(await verdictsOf(house.store)).toEqual([
      { session: 'room-lobby', ok: true, entries: 2, steps: 0, dropped: 0, head: room.at(-1)?.hash, violations: [] },
      { session: 's-1', ok: true, entries: 8, steps: 1, dropped: 0, head: session.at(-1)?.hash, violations: [] },
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
    ])
  })

  test('verifies at every moment of its life: a step that is under way is no violation', async () => {
    await using house = await testStore()
    for (const draft of sessionOfOneStep()) {
      must(await house.store.append([draft]))
      expect((await verdictsOf(house.store)).flatMap(({ violations }) => violations)).toEqual([])
    }
  })

  test('that has nothing in it yet has the head that every chain begins with', () => {
    expect(verify('s-9', [], toolsOf)).toEqual({
      session: 's-9',
      ok: true,
      entries: 0,
      steps: 0,
      dropped: 0,
      head: '0'.repeat(64),
      violations: [],
    })
  })
})

describe('tampering with the file is found', () => {
  type Value = string | number | null

  /** What somebody might write into a column instead: what looks right, and what does not. */
  const others = (column: string, value: Value): Value[] => {
    const lists: Record<string, Value[]> = {
      subject_type: SubjectType.options,
      type: EvidenceType.options,
      claim: Claim.options,
      event: EventName.options.slice(0, 3),
      author_kind: Author.shape.kind.options,
      author_id: ['ada', 'mallory'],
      author_via: [null, 'mallory'],
      at: ['2026-01-02T03:04:04.999Z', '2026-01-02T03:04:05.001Z'],
      tags: ['[]', '["room/den"]', 'null', '{}'],
      in_reply_to: [null, 'm1', 't1'],
    }
    const garbage = typeof value === 'number' ? value + 1000 : `${value}x`
    const flipped = /^[0-9a-f]{64}$/.test(`${value}`) ? [`${value}`.replace(/^./, (c) => (c === '0' ? '1' : '0'))] : []
    return [...(lists[column] ?? []), ...flipped, garbage].filter((other) => other !== value)
  }

  test('in every column of every row, but for the one that is no evidence: the place in the file', async () => {
    await using house = await tampered()
    const changes = house.file
      .rows('select * from entry')
      .flatMap((row) =>
        Object.entries(row).flatMap(([column, value]) =>
          others(column, value).map((other) => ({ row, column, other })),
        ),
      )
    const unnoticed = new Set<string>()
    for (const { row, column, other } of changes) {
      const change = () => house.file.run(`update entry set ${column} = ? where id = ?`, other, row['id'] ?? null)
      if (!(await house.isFound(change))) unnoticed.add(column)
    }
    expect([...unnoticed].sort()).toEqual(['position'])
    expect((await house.verdicts()).map(({ ok }) => ok)).toEqual([true, true])
  }, 30_000)

  test('in every body: changed, of another event, cut short, unreadable, or gone', async () => {
    await using house = await tampered()
    const unnoticed: string[] = []
    for (const { id, body } of house.entries) {
      const set = (json: string) => () => house.file.run('update body set json = ? where entry = ?', json, id)
      const changes = [
        set(JSON.stringify(body).replace('}', ',"more":1}')),
        ...(body.event === 'step-intended' ? [] : [set('{"event":"step-intended"}')]),
        set(JSON.stringify({ ...bodies['peripheral-started'], tools: ['bash'] })),
        set('{"event":"rumour"}'),
        set(`{"event":"${body.event}","event":"heard"}`),
        set('{}'),
        set('null'),
        set('"text"'),
        set('{"event":'),
        set(''),
        () => house.file.run('delete from body where entry = ?', id),
        () => house.file.run("update body set entry = 'elsewhere' where entry = ?", id),
      ]
      for (const [i, change] of changes.entries()) if (!(await house.isFound(change))) unnoticed.push(`${id} ${i}`)
    }
    expect(unnoticed).toEqual([])
  })

  test('but a body that was dropped leaves the chain whole, and is counted', async () => {
    await using house = await tampered()
    const whole = await house.verdicts()
    const drop = () => house.file.run("delete from body where entry in ('t1.0.intent', 't1.0.outcome')")
    expect(await house.file.during(drop, house.verdicts)).toEqual([whole[0], { ...whole[1], steps: 0, dropped: 2 }])
  })

  test('where a row is gone, also the first of a chain; that the last is gone shows in the head alone', async () => {
    await using house = await tampered()
    const whole = await house.verdicts()
    const found: string[] = []
    for (const { id } of house.entries) {
      const remove = () => {
        house.file.run('delete from entry where id = ?', id)
        house.file.run('delete from body where entry = ?', id)
      }
      if (await house.isFound(remove)) found.push(id)
    }
    expect(found).toEqual(idsOf(house.entries).filter((id) => id !== 't1.ended' && id !== 'm1.receipt'))

    const cut = () => house.file.run("delete from entry where id = 't1.ended'")
    const after = await house.file.during(cut, house.verdicts)
    const before = house.entries.find(({ id }) => id === 't1.stopped')
    expect(after).toEqual([whole[0], { ...whole[1], entries: 7, head: before?.hash }])
    expect(before?.hash).not.toBe(whole[1]?.head)
  })

  test('where any two rows of a chain have changed places', async () => {
    await using house = await tampered()
    const unnoticed: string[] = []
    const session = house.entries.filter((entry) => entry.session === 's-1')
    for (const a of session) {
      for (const b of session.filter(({ seq }) => seq > a.seq)) {
        const set = (id: string, seq: number) => house.file.run('update entry set seq = ? where id = ?', seq, id)
        const swap = () => {
          set(a.id, 0)
          set(b.id, a.seq)
          set(a.id, b.seq)
        }
        if (!(await house.isFound(swap))) unnoticed.push(`${a.id} ${b.id}`)
      }
    }
    expect(unnoticed).toEqual([])
  })

  test('where the bodies of any two rows have changed places', async () => {
    await using house = await tampered()
    const unnoticed: string[] = []
    for (const [i, a] of house.entries.entries()) {
      for (const b of house.entries.slice(i + 1)) {
        const swap = () => {
          house.file.run('update body set json = ? where entry = ?', JSON.stringify(b.body), a.id)
          house.file.run('update body set json = ? where entry = ?', JSON.stringify(a.body), b.id)
        }
        if (!(await house.isFound(swap))) unnoticed.push(`${a.id} ${b.id}`)
      }
    }
    expect(unnoticed).toEqual([])
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
  return house.store.chain('s-1')
}

/** A chain with one entry changed. */
const withEntry = (chain: Entry[], id: string, change: Partial<Entry>): Entry[] =>
  chain.map((entry) => (entry.id === id ? { ...entry, ...change } : entry))

const wrongIn = (chain: Entry[]): Violation[] => verify('s-1', chain, toolsOf).violations

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
    expect(verify('s-1', forged, toolsOf)).toEqual({
      session: 's-1',
      ok: true,
      entries: 8,
      steps: 1,
      dropped: 0,
      head: forged.at(-1)?.hash,
      violations: [],
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
      'no outcome before the peripheral stopped',
      without(outcome),
      [{ entry: intent, rule: 'order', what: 'was still open when its peripheral stopped' }],
    ],
    [
      'a start with more tools than the spec has',
      changed('t1.peripheral', { body: { tools: ['read', 'bash', 'write'] } }),
      [{ entry: 't1.peripheral', rule: 'wall', what: 'started explore with bash, write, which its spec has not' }],
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
      'a person’s act that an agent signed',
      changed('t1', { author: CLAUDE }),
      [{ entry: 't1', rule: 'author', what: 'is by an agent, who may not write accepted' }],
    ],
  ])('%s', async (_, change, violations) => {
    await using house = await testStore()
    must(await house.store.append(change(sessionOfOneStep())))
    expect(wrongIn(await house.store.chain('s-1'))).toEqual(violations)
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
    expect(verify('s-1', chain, toolsOf)).toEqual({
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
    })
  })
})
