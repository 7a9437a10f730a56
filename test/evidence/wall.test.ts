import { describe, expect, test } from 'vitest'
import { hashOf } from '../../src/evidence/hash.ts'
import { createVerifier } from '../../src/evidence/verify.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { Wall } from '../../src/evidence/wall/wall.ts'
import { declareWalls } from '../../src/evidence/walls.ts'
import type { Author, Body, Draft, EventName } from '../../src/shapes/evidence.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import type { Violation } from '../../src/shapes/verdict.ts'
import { ADA, CLAUDE, must, testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import {
  all,
  args,
  behind,
  body,
  by,
  type Change,
  entry,
  outcomeOf,
  planted,
  type Row,
  step,
  violation,
  violationsAfter,
  without,
  written,
} from './planted.ts'
import { changeOf, ok, richHistory, signed, stepOf, WALLS, wallOf } from './rich.ts'

describe.each(engines)('a session through every peripheral, in $name', (engine) => {
  test('verifies from the evidence alone, and at every moment of its life', async () => {
    await using house = await engine.testStore()
    const drafts = richHistory()
    const store = await written(house, [])
    for (const draft of drafts) {
      must(await store.append([draft]))
      expect({ at: draft.id, ...(await verifyChain(store, 's-1')) }).toMatchObject({ at: draft.id, violations: [] })
    }
    const chain = await store.chain('s-1')
    expect(await verifyChain(store, 's-1')).toEqual({
      session: 's-1',
      ok: true,
      entries: drafts.length,
      steps: drafts.filter(({ body: { event } }) => event === 'step-intended').length,
      dropped: 0,
      head: chain.at(-1)?.hash,
      violations: [],
      more: 0,
    })
  })

  test('is judged by the walls as they were declared, whatever they are now', async () => {
    await using house = await engine.testStore()
    const wider = WALLS.map((wall) => ({ ...wall, tools: [...wall.tools, 'glob' as const] }))
    const glob = step('t1.0.outcome', 't1.0b', { tool: 'glob', args: { pattern: '*' } }, { reads: ['.'] }, ok())
    const store = await written(house, glob(richHistory()), [...WALLS, ...wider])
    expect((await verifyChain(store, 's-1')).violations).toEqual([
      violation('t1.0b.intent', 'wall', 'used glob, which explore has not'),
    ])
  })
})

describe('a step outside of the tools of its wall is found', () => {
  const other = 'd'.repeat(64)
  planted([
    [
      'a tool that the wall has not',
      all(body('t1.1.intent', { call: { tool: 'write' } }), body('t1.1.outcome', { tool: 'write' })),
      [violation('t1.1.intent', 'wall', 'used write, which explore has not')],
    ],
    [
      'a start with more tools than were declared',
      body('t1.peripheral', { tools: [...wallOf('explore').tools, 'write', 'run'] }),
      [violation('t1.peripheral', 'wall', 'started explore with write, run, which its spec has not')],
    ],
    [
      'a start with the wall of another peripheral',
      body('t4.peripheral', { spec: hashOf(wallOf('edit')), tools: ['read'] }),
      [violation('t4.peripheral', 'wall', 'started deploy with the wall of edit')],
    ],
    [
      'a start behind a wall that was never declared',
      body('t4.peripheral', { spec: other }),
      [violation('t4.peripheral', 'wall', 'started deploy, whose wall was never declared')],
    ],
  ])

  test('a start that says nothing of how it came about, once walls are declared', async () => {
    await using house = await testStore()
    const bare = all(
      body('t1.peripheral', { spec: 'x', entry: undefined, context: undefined }),
      without('t1.4.intent', 't1.4.outcome', 't1.4.stopped', 't1.4.peripheral'),
    )
    const drafts = bare(richHistory()).slice(0, 4)
    expect(drafts.at(-1)?.id).toBe('t1.peripheral')
    must(await house.store.append(drafts))
    expect((await verifyChain(house.store, 's-1')).violations).toEqual([])
    must(await declareWalls(house.store, WALLS))
    expect((await verifyChain(house.store, 's-1')).violations).toEqual([])
    house.clock.now += 1
    must(await house.store.append([signed('t1.stopped', CLAUDE, bareStop, 't1.started')]))
    must(await house.store.append([{ ...(drafts[3] as Draft), id: 'again' }]))
    expect((await verifyChain(house.store, 's-1')).violations).toEqual([
      violation('again', 'wall', 'started explore, whose wall was never declared'),
    ])
  })

  const bareStop: Body = {
    event: 'peripheral-stopped',
    turn: 't1',
    peripheral: 'explore',
    reason: '',
    fruit: { steps: 0, found: [] },
  }
})

describe('a step outside of its phase is found', () => {
  planted([
    [
      'a tool of a later phase',
      step('t1.11.outcome', 't1.11b', { tool: 'run', args: { argv: ['git', 'commit', '-m', 'x'] } }, {}, ok()),
      [
        violation('t1.11b.intent', 'phase', 'used run, which the phase look of deploy has not'),
        violation('t1.11b.intent', 'scope', 'ran git commit -m x, which deploy has no rule for'),
      ],
    ],
    [
      'a tool of an earlier one',
      step('t1.12.outcome', 't1.12b', { tool: 'read', args: { path: 'a' } }, { reads: ['a'] }, ok()),
      [violation('t1.12b.intent', 'phase', 'used read, which the phase ship of deploy has not')],
    ],
    [
      'a phase that was left out',
      all(
        outcomeOf('t1.12.outcome', ok([], { phase: 'rest' })),
        without('t1.13.intent', 't1.13.outcome', 't1.14.intent', 't1.14.outcome'),
        body('t1.15.stopped', { fruit: { deploy: { commits: [], pushed: [] } } }),
      ),
      [
        violation('t1.12.outcome', 'phase', 'entered rest, which does not come after look'),
        violation('t1.15.stopped', 'hop', 'leaves deploy when deployed, which its fruit does not show'),
      ],
    ],
    [
      'a phase that was left without what it owes',
      args('t1.12.intent', { outputs: { summary: '  ' } }),
      [violation('t1.12.outcome', 'phase', 'left look without summary')],
    ],
    [
      'a phase that was entered by another tool',
      all(body('t1.11.outcome', { outcome: { phase: 'ship' } }), without('t1.12.intent', 't1.12.outcome')),
      [violation('t1.11.outcome', 'phase', 'entered ship by web-fetch, which does not lead there')],
    ],
    [
      'a phase where there are none',
      body('t1.2.outcome', { outcome: { phase: 'ship' } }),
      [violation('t1.2.outcome', 'phase', 'entered ship by read, which does not lead there')],
    ],
  ])
})

describe('what is out of order is found', () => {
  planted([
    [
      'a step after the turn was stopped',
      step(
        't2.stop',
        't2.1',
        { tool: 'read', args: { path: 'a' } },
        { reads: ['a'] },
        { kind: 'failed', message: 'no' },
      ),
      [violation('t2.1.intent', 'order', 'was begun after turn t2 was stopped')],
    ],
    [
      'a step of a turn that has ended',
      all(body('t2.0.intent', { turn: 't1' }), body('t2.0.outcome', { turn: 't1' })),
      [violation('t2.0.intent', 'order', 'is a step of turn t1, which is not under way')],
    ],
    [
      'an outcome without an intent',
      all(without('t1.1.intent'), entry('t1.1.outcome', { inReplyTo: null })),
      [violation('t1.1.outcome', 'order', 'ends a step that was not begun')],
    ],
    [
      'a start of a turn that is not under way',
      body('t4.peripheral', { turn: 't3' }),
      [violation('t4.peripheral', 'order', 'is of turn t3, which is not under way')],
    ],
    [
      'a question of a turn that is not under way',
      body('t1.6.approval', { turn: 't9' }),
      [violation('t1.6.approval', 'order', 'asks for turn t9, which is not under way')],
    ],
    [
      'a step that is open when its peripheral is left',
      without('t1.9.outcome'),
      [
        violation('t1.9.intent', 'order', 'was still open when its peripheral stopped'),
        violation('t1.10.stopped', 'fruit', 'says that tests came to pass, and no step shows it'),
      ],
    ],
  ])

  const limited = (limits: Partial<PeripheralSpec['limits']>) => {
    const spec = { ...wallOf('test'), limits: { ...wallOf('test').limits, ...limits } }
    return {
      walls: [...WALLS, spec],
      change: all(...['t1.8', 't2', 't3'].map((at) => body(`${at}.peripheral`, { spec: hashOf(spec) }))),
    }
  }

  test('more steps than a turn has', async () => {
    const { walls, change } = limited({ stepsPerTurn: 10 })
    expect(await violationsAfter(change, walls)).toEqual([
      violation('t1.10.intent', 'budget', 'is step 11 of a turn that has 10'),
    ])
  })

  test('more steps than a session has', async () => {
    const { walls, change } = limited({ stepsPerSession: 19 })
    expect(await violationsAfter(change, walls)).toEqual([
      violation('t3.0.intent', 'budget', 'is step 20 of a session that has 19'),
    ])
  })
})

describe('an act that somebody else signed is found', () => {
  const HOUSE: Author = { kind: 'house', id: 'bellhop', face: 'house', via: null }
  const notBy = (id: string, event: EventName, kind: string, who = 'house bellhop') =>
    violation(id, 'author', `is by ${who}, and ${event} is for a ${kind}`)

  planted([
    [
      'a question that a person put',
      by('t1.6.approval', ADA),
      [violation('t1.6.approval', 'author', 'is by person ada, not by claude-1')],
    ],
    [
      'a snapshot of the house',
      by('t1.snapshot', HOUSE),
      [violation('t1.snapshot', 'author', 'is by house bellhop, not by claude-1')],
    ],
    [
      'a review of a person',
      by('t1.17.review', ADA),
      [violation('t1.17.review', 'author', 'is by person ada, not by claude-1')],
    ],
    ['an approval of the house', by('t1.6.decision', HOUSE), [notBy('t1.6.decision', 'approval-decided', 'person')]],
    [
      'an approval of the agent itself',
      by('t1.6.decision', CLAUDE),
      [violation('t1.6.decision', 'author', 'is by an agent, who may not write approval-decided')],
    ],
    ['a stop of the house', by('t2.stop', HOUSE), [notBy('t2.stop', 'stop-asked', 'person')]],
    ['what the house puts back', by('undo', HOUSE), [notBy('undo', 'restoring', 'person')]],
    [
      'what an agent says it put back',
      by('undone', CLAUDE),
      [violation('undone', 'author', 'is by an agent, who may not write restored')],
    ],
    ['a verdict of a person', by('t1.verified', ADA), [notBy('t1.verified', 'verified', 'house', 'person ada')]],
    [
      'a verdict of the agent itself',
      by('t1.verified', CLAUDE),
      [violation('t1.verified', 'author', 'is by an agent, who may not write verified')],
    ],
  ])

  test('that time ran out, as the house says, is no violation; as a person says, it is one', async () => {
    const lapsed = all(
      body('t1.6.decision', { decision: 'lapsed', role: null }),
      without('t1.6.intent', 't1.6.outcome'),
      body('t1.8.stopped', { fruit: { changed: [] } }),
      body('t1.8.stopped', { fruit: { changed: [changeOf('src/a.ts', 'a', 'b')] } }),
    )
    expect(await violationsAfter(all(lapsed, by('t1.6.decision', HOUSE)))).toEqual([])
    expect(await violationsAfter(all(lapsed, by('t1.6.decision', ADA)))).toEqual([
      notBy('t1.6.decision', 'approval-decided', 'house', 'person ada'),
    ])
  })

  test('a wall that a person declared, in the house’s own chain', async () => {
    await using house = await testStore()
    must(await declareWalls(house.store, WALLS))
    const wall = must(await declareWalls(house.store, WALLS))[0]
    if (!wall) throw new Error('there is no wall')
    const { session, subject, body: declared, tags, inReplyTo } = wall
    must(await house.store.append([{ id: 'forged', author: ADA, session, subject, body: declared, tags, inReplyTo }]))
    expect((await verifyChain(house.store, 'house')).violations).toEqual([
      notBy('forged', 'wall-declared', 'house', 'person ada'),
    ])
  })
})

describe('a step that was not approved is found', () => {
  const decision = 't1.14.decision'
  const intent = 't1.14.intent'
  const unapproved = (id: string, why: string) => violation(id, 'approval', `was not approved: ${why}`)

  planted([
    [
      'a command that a person is asked about',
      body(intent, { approval: undefined }),
      [unapproved(intent, 'deploy asks before such a command')],
    ],
    [
      'a call that asks for more',
      body('t1.6.intent', { approval: undefined }),
      [unapproved('t1.6.intent', 'it asked for more than edit opens')],
    ],
    [
      'a call that asks for more where there is no more',
      args('t1.0.intent', { escalate: { why: 'x' } }),
      [
        violation('t1.0.intent', 'approval', 'asked for more than explore opens, and it has no ceiling'),
        unapproved('t1.0.intent', 'it asked for more than explore opens'),
      ],
    ],
    ['a person said no', body(decision, { decision: 'denied' }), [unapproved(intent, 'a person said no')]],
    [
      'nobody was asked',
      without('t1.14.approval', decision),
      [violation(intent, 'approval', 'names an approval that nobody gave')],
    ],
    [
      'the answer to no question',
      entry(decision, { inReplyTo: 't1.13.outcome' }),
      [
        violation(decision, 'approval', 'decides what was not asked'),
        violation(intent, 'approval', 'names an approval that nobody gave'),
      ],
    ],
    [
      'the answer to another step',
      body(decision, { step: 't1.13' }),
      [
        violation(decision, 'approval', 'decides what was not asked'),
        violation(intent, 'approval', 'names an approval that nobody gave'),
      ],
    ],
    [
      'the approval of another step',
      body(intent, { approval: 't1.6.decision' }),
      [violation(intent, 'approval', 'names the approval of another call')],
    ],
    [
      'the approval of another call',
      all(
        args(intent, { argv: ['git', 'push', 'origin', 'release'] }),
        body('t1.14.outcome', { outcome: { run: { argv: ['git', 'push', 'origin', 'release'] } } }),
      ),
      [violation(intent, 'approval', 'names the approval of another call')],
    ],
    [
      'a role that may not approve',
      body(decision, { role: 'operator' }),
      [violation(decision, 'approval', 'is by the role operator, who may not approve')],
    ],
    [
      'no role at all',
      body(decision, { role: null }),
      [violation(decision, 'approval', 'is by the role null, who may not approve')],
    ],
    [
      'an answer that came too late',
      body('t1.14.approval', { until: '2026-01-02T03:04:04.999Z' }),
      [violation(decision, 'approval', 'came after 2026-01-02T03:04:04.999Z')],
    ],
    [
      'a second answer',
      behind(
        decision,
        signed(
          'again',
          ADA,
          {
            event: 'approval-decided',
            step: 't1.14',
            approval: 't1.14',
            decision: 'approved',
            role: 'admin',
            note: '',
          },
          't1.14.approval',
        ),
      ),
      [violation('again', 'approval', 'decides what was decided before')],
    ],
  ])

  test('an approval that was used before', async () => {
    const again: Change = (drafts) =>
      behind(
        't1.14.outcome',
        ...drafts
          .filter(({ id }) => ['t1.14.intent', 't1.14.outcome'].includes(id))
          .map((draft) => ({
            ...draft,
            id: `again.${draft.id}`,
            inReplyTo: draft.inReplyTo === 't1.14.intent' ? 'again.t1.14.intent' : draft.inReplyTo,
          })),
      )(drafts)
    expect(await violationsAfter(again)).toEqual([
      violation('again.t1.14.intent', 'order', 'takes step t1.14 a second time'),
      violation('again.t1.14.intent', 'approval', 'uses an approval a second time'),
    ])
  })

  test('whatever changes or runs something, where a wall always asks; and a tool that it asks about', async () => {
    const asking = { ...wallOf('edit'), approval: { policy: 'always' as const, tools: ['read' as const] } }
    const change = all(
      body('t1.4.peripheral', { spec: hashOf(asking) }),
      step('t1.5.outcome', 't1.5b', { tool: 'read', args: { path: 'src/a.ts' } }, { reads: ['src/a.ts'] }, ok()),
    )
    const anything = 'edit asks before anything is changed or run'
    expect(await violationsAfter(change, [...WALLS, asking])).toEqual([
      unapproved('t1.5.intent', anything),
      unapproved('t1.5b.intent', 'edit asks before each read'),
      unapproved('t1.7.intent', anything),
      unapproved('t1.8.check-lint.intent', anything),
    ])
  })
})

describe('and that the bodies of steps were let go before does not hide', () => {
  const walls = {
    of: (hash: string) => Wall.safeParse(WALLS.find((wall) => hashOf(wall) === hash)).data ?? null,
    since: () => null,
    pin: () => null,
    ended: () => null,
    deeds: { of: () => null, over: () => null, left: () => null },
    phaseAt: () => null,
  }
  const STEPS: readonly EventName[] = ['step-intended', 'step-ended', 'step-refused']

  const violationsWithoutSteps = async (change: Change): Promise<Violation[]> => {
    await using house = await testStore()
    const store = await written(house, change(richHistory()))
    const verifier = createVerifier('s-1', walls)
    for (const kept of await store.chain('s-1')) {
      verifier.take(STEPS.includes(kept.body.event) ? { ...kept, body: null as unknown as Body } : kept, true)
    }
    return verifier.verdict().violations
  }

  test.each<Row>([
    ['nothing, where nothing is wrong', all(), []],
    [
      'a fruit that does not let it go on',
      body('t1.10.stopped', { fruit: { tests: { result: 'fail' } } }),
      [violation('t1.10.stopped', 'hop', 'leaves test when pass, which its fruit does not show')],
    ],
    [
      'a hop that does not answer its stop',
      entry('t1.10.peripheral', { inReplyTo: 't1' }),
      [violation('t1.10.peripheral', 'hop', 'hops, and does not answer the stop it hops from')],
    ],
    [
      'an approval of somebody who may not',
      body('t1.14.decision', { role: 'viewer' }),
      [violation('t1.14.decision', 'approval', 'is by the role viewer, who may not approve')],
    ],
    [
      'a wall that was never declared',
      body('t2.peripheral', { spec: 'x' }),
      [violation('t2.peripheral', 'wall', 'started test, whose wall was never declared')],
    ],
    [
      'more steps than there may be',
      (drafts) => [
        ...drafts,
        ...begin('t5'),
        ...Array.from({ length: 41 }, (_, n) => stepOf(`t5.${n}`, READ, { reads: ['a'] }, ok())).flat(),
      ],
      [violation('t5.40.intent', 'budget', 'is step 41 of a turn that has 40')],
    ],
  ])('%s', async (_title, change, violations) => {
    expect(await violationsWithoutSteps(change)).toEqual(violations)
  })

  const READ = { tool: 'read', args: { path: 'a' } }

  /** A further turn, begun as the first one was. */
  const begin = (turn: string): Draft[] =>
    richHistory()
      .slice(1, 4)
      .map((draft) => ({
        ...draft,
        id: draft.id.replace('t1', turn),
        inReplyTo: draft.inReplyTo?.replace('t1', turn) ?? null,
        body: ('turn' in draft.body ? { ...draft.body, turn } : draft.body) as Body,
      }))
})
