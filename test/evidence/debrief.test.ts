import { describe, expect, test } from 'vitest'
import { createDebriefSweep, debriefOf, keepDebrief } from '../../src/evidence/debriefs.ts'
import { BELLHOP } from '../../src/evidence/drafts.ts'
import type { SessionRecord, Store } from '../../src/evidence/store.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import type { Debrief, Findings } from '../../src/shapes/debrief.ts'
import type { Draft } from '../../src/shapes/evidence.ts'
import type { Fruit } from '../../src/shapes/fruit.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ADA, CLAUDE, idsOf, must, sessionOfOneStep, testStore } from '../support/store.ts'
import { BOB, closed, inSession } from './history.ts'
import { changeOf, changing, richHistory, stepOf } from './rich.ts'

/** Findings as [sentence, entries]. */
const found = (...lines: [string, string[]][]): Findings => ({
  shown: lines.map(([says, from]) => ({ says, from })),
  more: 0,
})

const debriefIn = async (drafts: Draft[]): Promise<Debrief> => {
  await using it = await testStore()
  must(await it.store.append(drafts))
  return await debriefOf(it.store, 's-1')
}

describe('a session is debriefed from its evidence alone', () => {
  test('one that went through every peripheral', async () => {
    expect(await debriefIn(richHistory())).toEqual({
      session: 's-1',
      tried: found(
        ['asked: mend it (4 times)', ['t1', 't2', 't3', 't4']],
        ['worked in explore', ['t1.peripheral']],
        ['worked in edit', ['t1.4.peripheral']],
        ['worked in test (3 times)', ['t1.8.peripheral', 't2.peripheral', 't3.peripheral']],
        ['worked in deploy (2 times)', ['t1.10.peripheral', 't4.peripheral']],
        ['worked in reflect', ['t1.15.peripheral']],
      ),
      worked: found(
        ['changed 2 files: docs/deep/x.md, src/a.ts', ['t1.5.outcome', 't1.6.outcome']],
        ['tests passed: 12 (2 times)', ['t1.10.stopped', 't3.stopped']],
        ['committed: 1 commit', ['t1.15.stopped']],
        ['pushed refs/heads/main', ['t1.15.stopped']],
        ['done: mend it (3 times)', ['t1.ended', 't3.ended', 't4.ended']],
      ),
      didNot: found(
        ['read was refused: /etc/passwd is outside of what explore may touch [out-of-scope]', ['t1.3.outcome']],
        ['run failed: npm test exited with 1', ['t2.0.outcome']],
        ['tests failed: 1 of 12', ['t2.stopped']],
        ['cancelled: mend it', ['t2.ended']],
      ),
      surprises: found(['ada put back step t1.7', ['undone']], ['ada told it to stop: enough', ['t2.stop']]),
      suggestions: found(),
    })
  })

  test('one in which everything went wrong, and what follows from that', async () => {
    expect(await debriefIn(troubled())).toEqual({
      session: 's-1',
      tried: found(['asked: mend the retries', ['t1']], ['asked instead: mend them all', ['t1.amended-0']]),
      worked: found(['changed 1 file: src/a.ts', ['t1.1.outcome']]),
      didNot: found(
        ['write was refused: no such tool here [tool-not-allowed] (2 times)', ['t1.2', 't1.3']],
        ['edit failed: it is not there', ['t1.4.outcome']],
        ['run was interrupted: the worker died', ['t1.5.outcome']],
        ['the check lint failed: 3 errors', ['t1.stopped']],
        ['failed: mend them all: the model cannot be reached', ['t1.ended']],
      ),
      surprises: found(
        ['edit failed in the same way again and again', ['t1.4.outcome']],
        ['bob denied kqzfm: not on a Friday', ['t1.6.decision']],
        ['nobody answered kqzfn in time', ['t1.7.decision']],
        ['ada added: and the tests, too', ['t1.steer-0']],
        ['it tries again in 2 s (2 times)', ['t1.note-0', 't1.note-1']],
        ['tests failed and passed on the same files: a test', ['t1.stopped']],
        ['verify failed: is outside of its wall [scope]', ['t1.verified']],
      ),
      // That what was added could be asked for at once is the ninth.
      suggestions: {
        ...found(
          ['look at what is not as it should be: /verify s-1', ['t1.verified']],
          ['mend what fails now and then before a pass is trusted: a test', ['t1.stopped']],
          ['run the tests: none has passed since files were changed last', ['t1.1.outcome']],
          ['look whether what was interrupted is done: it is not run again by itself', ['t1.5.outcome']],
          ['use one of the tools of the peripheral (tool-not-allowed, 2 times)', ['t1.2', 't1.3']],
          ['say with the request what would not be approved', ['t1.6.decision']],
          ['have somebody there to answer, or give approvals more time (approvals.minutes)', ['t1.7.decision']],
          ['name a fallback, or look at the provider: the model failed 2 times', ['t1.note-0', 't1.note-1']],
        ),
        more: 1,
      },
    })
  })

  test('however much happened, it is bounded, and says how much more there is', async () => {
    const put = inSession('s-1', 'lobby', 'claude-1')
    const many = Array.from({ length: 300 }, (_, i) =>
      put(`r${i}`, CLAUDE, {
        event: 'step-refused',
        turn: 't1',
        step: `t1.${i}`,
        call: { tool: 'read', args: {} },
        refusal: refusal('out-of-scope', `${'x'.repeat(5000)} \u202e ${i}`),
      }),
    )
    const { didNot, suggestions } = await debriefIn([...sessionOfOneStep(), ...many])
    // All of them begin alike, and are cut to the same sentence.
    expect([didNot.shown.length, didNot.shown[0]?.says.length, didNot.shown[0]?.from.length, didNot.more]).toEqual([
      1,
      200 + ' (300 times)'.length,
      5,
      0,
    ])
    expect(suggestions.shown).toEqual([
      {
        says: 'stay inside the scope of the peripheral (out-of-scope, 300 times)',
        from: ['r0', 'r1', 'r2', 'r3', 'r4'],
      },
    ])
    const different = Array.from({ length: 300 }, (_, i) =>
      put(`a${i}`, ADA, {
        event: 'accepted',
        agent: 'claude-1',
        room: 'lobby',
        peripheral: 'explore',
        request: `${i}`,
      }),
    )
    const { tried } = await debriefIn([...sessionOfOneStep(), ...different])
    expect([tried.shown.length, tried.more]).toEqual([8, 294])
  })
})

/** A session that failed in every way there is. */
const troubled = (): Draft[] => {
  const put = inSession('s-1', 'lobby', 'claude-1')
  const call = { tool: 'write', args: {} }
  const approval = (step: string, name: string, decision: 'denied' | 'lapsed', note: string): Draft[] => [
    put(
      `${step}.approval`,
      CLAUDE,
      {
        event: 'approval-asked',
        turn: 't1',
        step,
        approval: name,
        call,
        why: '',
        opens: 'that',
        until: '2026-01-02T04:00:00.000Z',
      },
      't1',
    ),
    put(
      `${step}.decision`,
      decision === 'denied' ? BOB : BELLHOP,
      {
        event: 'approval-decided',
        step,
        approval: name,
        decision,
        role: decision === 'denied' ? 'approver' : null,
        note,
      },
      `${step}.approval`,
    ),
  ]
  const refused = (id: string) =>
    put(id, CLAUDE, {
      event: 'step-refused',
      turn: 't1',
      step: id,
      call,
      refusal: refusal('tool-not-allowed', 'no such tool here'),
    })
  const note = (n: number) =>
    put(`t1.note-${n}`, BELLHOP, { event: 'turn-noted', turn: 't1', about: 'retry', text: 'tries again in 2 s' }, 't1')
  const tests: Fruit['tests'] = {
    result: 'flaky',
    runs: 2,
    passed: 1,
    failed: 1,
    skipped: 0,
    failures: ['a test'],
    tree: null,
  }
  return [
    put('s-1.opened', ADA, { event: 'session-opened', agent: 'claude-1', room: 'lobby' }),
    put('t1', ADA, {
      event: 'accepted',
      agent: 'claude-1',
      room: 'lobby',
      peripheral: 'edit',
      request: 'mend the retries',
    }),
    put('t1.amended-0', ADA, { event: 'turn-amended', turn: 't1', request: 'mend them all' }, 't1'),
    ...stepOf('t1.1', { tool: 'edit', args: {} }, {}, changing(changeOf('src/a.ts', 'a', 'b'))),
    refused('t1.2'),
    refused('t1.3'),
    ...stepOf(
      't1.4',
      { tool: 'edit', args: {} },
      {},
      {
        kind: 'failed',
        message: 'it is not there',
        hint: 'this very call has now failed 3 times',
      },
    ),
    ...stepOf('t1.5', { tool: 'run', args: {} }, {}, { kind: 'interrupted', message: 'the worker died' }),
    ...approval('t1.6', 'kqzfm', 'denied', 'not on a Friday'),
    ...approval('t1.7', 'kqzfn', 'lapsed', ''),
    put('t1.steer-0', ADA, { event: 'steered', turn: 't1', text: 'and the tests, too' }, 't1'),
    note(0),
    note(1),
    put('t1.stopped', CLAUDE, {
      event: 'peripheral-stopped',
      turn: 't1',
      peripheral: 'edit',
      reason: 'turn-ended',
      fruit: { steps: 5, found: [], checks: [{ name: 'lint', ok: false, said: '3 errors' }], tests },
    }),
    put('t1.ended', CLAUDE, {
      event: 'turn-ended',
      turn: 't1',
      outcome: 'failed',
      answer: 'the model cannot be reached',
    }),
    put('t1.verified', BELLHOP, {
      event: 'verified',
      through: 9,
      ok: false,
      steps: 1,
      files: 0,
      violations: [{ entry: 't1.1.intent', rule: 'scope', what: 'is outside of its wall' }],
    }),
  ]
}

describe('a debrief is written down', () => {
  const RECORD: SessionRecord = { id: 's-1', room: 'lobby', agent: 'claude-1', open: false, peripheral: null }
  const debriefs = async (store: Store) => must(await store.query({ event: 'debriefed' })).entries
  const CLOSE = closed('s-1', 'lobby', 'claude-1')

  test('once, by the house, when the session is closed; and its chain is whole', async () => {
    await using it = await testStore()
    must(await it.store.append(sessionOfOneStep()))
    expect(must(await keepDebrief(it.store, RECORD))).toBe(false)
    must(await it.store.append([CLOSE]))
    const both = await Promise.all([keepDebrief(it.store, RECORD), keepDebrief(it.store, RECORD)])
    expect([both.map(must), must(await keepDebrief(it.store, RECORD))]).toEqual([[true, true], true])
    const written = await debriefs(it.store)
    expect(written.map(({ id, author, inReplyTo, body }) => [id, author, inReplyTo, body])).toEqual([
      ['s-1.debriefed', BELLHOP, 's-1.closed', { event: 'debriefed', debrief: await debriefOf(it.store, 's-1') }],
    ])
    expect((await verifyChain(it.store, 's-1')).violations.filter(({ entry }) => entry === 's-1.debriefed')).toEqual([])
  })

  test('not before the last turn has ended, and by the sweep then', async () => {
    await using it = await testStore()
    const drafts = sessionOfOneStep()
    const end = drafts.filter(({ id }) => id === 't1.ended')
    must(await it.store.append(drafts.filter(({ id }) => id !== 't1.ended')))
    must(await it.store.append([CLOSE]))
    const sweep = createDebriefSweep(it.store)
    await sweep()
    expect(await debriefs(it.store)).toEqual([])
    must(await it.store.append(end))
    await sweep()
    await sweep()
    expect(idsOf(await debriefs(it.store))).toEqual(['s-1.debriefed'])
    const [written] = await debriefs(it.store)
    expect(written?.body?.event === 'debriefed' && written.body.debrief.worked.shown).toEqual([
      { says: 'done: read README.md', from: ['t1.ended'] },
    ])
  })

  test('also of a close that was interrupted before this process began, and not of one of long ago', async () => {
    await using it = await testStore()
    const old = inSession('s-0', 'den', 'codex-1')
    must(
      await it.store.append([
        old('s-0.opened', ADA, { event: 'session-opened', agent: 'codex-1', room: 'den' }),
        closed('s-0', 'den', 'codex-1'),
      ]),
    )
    it.clock.now += 2 * 86_400_000
    must(await it.store.append([...sessionOfOneStep(), CLOSE]))
    await createDebriefSweep(it.store)()
    expect(idsOf(await debriefs(it.store))).toEqual(['s-1.debriefed'])
  })
})
