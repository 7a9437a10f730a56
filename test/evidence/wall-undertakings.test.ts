import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import type { Draft, Entry } from '../../src/shapes/evidence.ts'
import type { Violation } from '../../src/shapes/verdict.ts'
import { cycleTo, openProving, stated } from '../support/proving.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { must, testStore } from '../support/store.ts'
import { all, body, by, type Change, entry, outcomeOf, without } from './planted.ts'

const CHAIN = 'undertaking~P-sum'

let server: TestRedis
let history: Entry[] = []
beforeAll(async () => {
  server = await startTestRedis()
  history = await written(server)
})
afterAll(() => server[Symbol.asyncDispose]())

/** A history of every kind, as the product writes it: two sessions, all modes, gates, a way back, a licence, a refutation. */
const written = async (redis: TestRedis): Promise<Entry[]> => {
  await using it = await openProving(redis, { approval: { policy: 'never', tools: [] } })
  const one = await it.sit(1)
  await stated(one)
  await one.well('ledger-upsert', { item: 'C-3', text: 'it holds for more' })
  await one.well('proof-statement', { text: 'the sum of the first n odd numbers is n*n', why: 'plainer' })
  await one.well('proof-mode', { to: 'FALSIFY' })
  await cycleTo(one, 'setup', { item: 'C-3', status: 'false', basis: 'counterexample', why: 'at 7' })
  await one.well('proof-mode', { to: 'CONSTRUCT' })
  await cycleTo(one, 'validate', { item: 'C-1', approach: 'a bare hand' })
  await one.leave()
  const other = await it.sit(2)
  await other.well('proof-load', { problem: 'P-sum' })
  await other.well('cycle-back', { to: 'propose', why: 'not so' })
  await other.well('cycle-end', { why: 'it was nothing' })
  for (const approach of ['two', 'three'])
    await other.well('approach-failed', { item: 'C-1', approach, why: 'it does not close' })
  const licence = {
    item: 'C-1',
    bottleneck: 'the step',
    lever: 'a word',
    witness: 'it closes',
    stop: 'a split',
    minutes: 9,
  }
  await other.well('proof-licence', licence)
  await other.well('proof-mode', { to: 'VERIFY' })
  await cycleTo(other, 'setup', { item: 'C-1', approach: 'with care', status: 'proved', why: '' })
  await cycleTo(other, 'setup', { item: 'C-2', approach: 'with more', status: 'proved', why: '' })
  await other.well('ledger-upsert', { item: 'C-1', text: 'it holds for one' })
  await other.leave()
  const entries: Entry[] = []
  for await (const page of it.store.pages(null)) entries.push(...page)
  return entries.filter(({ body: of }) => of.event !== 'verified')
}

const draftOf = ({ id, session, subject, author, body: of, tags, inReplyTo, ephemeral }: Entry): Draft => ({
  id,
  session,
  subject,
  author,
  body: of,
  tags,
  inReplyTo,
  ephemeral,
})

/** The history written anew, with a lie in it; and what is found wrong with one of its chains. */
const found = async (change: Change, chain = CHAIN): Promise<Violation[]> => {
  await using house = await testStore()
  must(await house.store.append(change(history.map(draftOf))))
  return (await verifyChain(house.store, chain)).violations
}

/** The entry of an event, by how many of its kind come before it. */
const idOf = (event: string, nth = 0): string => {
  const one = history.filter(({ body: of, session }) => session === CHAIN && of.event === event)[nth]
  if (!one) throw new Error(`there is no ${event} ${nth}`)
  return one.id
}

const stepOf = (id: string): string => {
  const one = history.find((each) => each.id === id)
  return one && 'step' in one.body ? String(one.body.step) : ''
}

test('a history of every kind is honest, in each of its chains', async () => {
  const kinds = new Set(history.filter(({ session }) => session === CHAIN).map(({ body: of }) => of.event))
  expect(kinds.size).toBe(13)
  for (const chain of ['s-1', 's-2', CHAIN]) expect(await found((drafts) => drafts, chain)).toEqual([])
})

type Row = [title: string, change: () => Change, rules: string[]]

/** Which rules are broken, each once, in their order. */
const rules = (violations: readonly Violation[]): string[] => [...new Set(violations.map(({ rule }) => rule))]

describe('is found', () => {
  test.each<Row>([
    ['an entry that has the number of another', () => entry(idOf('item-set'), { id: `${CHAIN}.999` }), ['number']],
    [
      'an undertaking that begins in its middle',
      () => without(idOf('undertaking-opened')),
      ['number', 'order', 'hold', 'ledger', 'saved', 'phase'],
    ],
    [
      'an entry by somebody else',
      () => by(idOf('item-set'), { kind: 'agent', id: 'codex-9', face: 'rehearsal', via: null }),
      ['deed'],
    ],
    ['an entry of a step that is none', () => body(idOf('item-set'), { step: 't1.99' }), ['deed']],
    ["an entry of another tool's step", () => body(idOf('item-set'), { step: 't1.1' }), ['deed']],
    [
      'an entry whose step did not end well',
      () => outcomeOf(`${stepOf(idOf('item-set'))}.outcome`, { kind: 'failed', message: 'no' }),
      ['deed'],
    ],
    ['an entry whose step did not end', () => without(`${stepOf(idOf('licence-given'))}.outcome`), ['deed']],
    [
      'an entry of a session that had not taken it up',
      () => without(idOf('undertaking-taken', 1)),
      ['number', 'hold', 'saved'],
    ],
    ['that it was taken up while somebody was at it', () => without('t1.stopped', 't1.ended'), ['hold']],
    [
      'that it was taken up for another',
      () => body(idOf('undertaking-taken', 1), { session: 's-1' }),
      ['hold', 'validation'],
    ],
    ['a phase that does not follow', () => body(idOf('cycle-moved', 0), { to: 'execute' }), ['phase', 'saved']],
    ['a phase that was left from elsewhere', () => body(idOf('cycle-moved', 1), { from: 'observe' }), ['phase']],
    ['a way back that leads on', () => body(idOf('cycle-moved', 3), { why: 'so' }), ['phase', 'honesty', 'ledger']],
    [
      'a second cycle at the same time',
      () => without(idOf('cycle-ended', 0)),
      ['number', 'phase', 'mode', 'scope', 'honesty', 'ledger', 'approach', 'gate'],
    ],
    [
      'a cycle with another number',
      () => body(idOf('cycle-begun', 0), { n: 4 }),
      ['number', 'phase', 'saved', 'honesty', 'ledger'],
    ],
    ['a cycle on what is settled', () => body(idOf('cycle-begun', 2), { item: 'C-3' }), ['phase', 'scope', 'honesty']],
    ['a cycle in another mode', () => body(idOf('cycle-begun', 0), { mode: 'VERIFY' }), ['mode']],
    [
      'a gate that was closed',
      () => body(idOf('cycle-ended', 0), { gates: [{ gate: 'scope', ok: false, why: 'so' }] }),
      ['gate'],
    ],
    [
      'a cycle that was completed before its time',
      () => body(idOf('cycle-ended', 1), { outcome: 'completed' }),
      ['phase'],
    ],
    [
      'a cycle that was given up through the gates',
      () => body(idOf('cycle-ended', 0), { outcome: 'given-up', gates: [], paths: [] }),
      ['phase', 'honesty', 'ledger', 'saved'],
    ],
    ['a way that is not how it came to that', () => body(idOf('cycle-ended', 0), { paths: [] }), ['ledger']],
    [
      'an item that is proved without a cycle',
      () =>
        body(idOf('item-set', 0), {
          item: { status: 'proved', basis: 'argument', artifacts: [{ path: 'a', state: 'b' }], runs: ['t1.1'] },
        }),
      ['honesty', 'phase', 'ledger'],
    ],
    ['an item that was not classified', () => without(idOf('item-classified', 1)), ['number', 'honesty', 'saved']],
    [
      'an item that is more than was classified',
      () => body(idOf('item-set', 4), { item: { why: 'surely' } }),
      ['honesty', 'ledger'],
    ],
    [
      'numbers that prove',
      () =>
        all(
          body(idOf('item-classified', 1), { classified: { basis: 'numbers' } }),
          body(idOf('item-set', 4), { item: { basis: 'numbers' } }),
        ),
      ['honesty', 'ledger'],
    ],
    [
      'what is found in a mode that does not find it',
      () => body(idOf('item-classified', 0), { classified: { status: 'proved', basis: 'argument' } }),
      ['mode', 'honesty', 'ledger'],
    ],
    [
      'what is proved on something open',
      () => body(idOf('item-set', 4), { item: { status: 'partial', why: 'half' } }),
      ['honesty', 'ledger', 'phase'],
    ],
    [
      'a refutation that was undone',
      () => body(idOf('item-set', 5), { item: { id: 'C-3', status: 'open', basis: null, artifacts: [], runs: [] } }),
      ['honesty', 'ledger', 'gate'],
    ],
    ['a circle', () => body(idOf('item-set', 0), { item: { dependsOn: ['C-1'] } }), ['ledger', 'honesty']],
    [
      'what depends on nothing that there is',
      () => body(idOf('item-set', 0), { item: { dependsOn: ['C-9'] } }),
      ['ledger', 'honesty'],
    ],
    ['what fell and was not said to', () => body(idOf('item-set', 6), { shaken: [] }), ['ledger']],
    [
      'a run that ended badly',
      () => body(`${validationOf(0)}.outcome`, { outcome: { run: { exit: 1 } } }),
      ['validation'],
    ],
    [
      'a validation that is no run',
      () => body(moveTo('classify'), { outputs: { validation: ['t1.1'] } }),
      ['validation', 'honesty', 'ledger'],
    ],
    [
      'a validation by what has nothing to do with it',
      () => body(`${validationOf(0)}.outcome`, { outcome: { run: { argv: ['python3', 'other.py'] } } }),
      ['validation'],
    ],
    ['a look that was none', () => body(idOf('cycle-moved', 0), { outputs: { observed: ['t1.1'] } }), ['validation']],
    [
      'a file that no step left so',
      () =>
        body(moveTo('validate'), {
          artifacts: [{ path: 'proofs/sum/argument.md', state: `100644 ${'a'.repeat(64)}` }],
        }),
      ['artifact', 'validation', 'honesty', 'ledger'],
    ],
    [
      'a file that was changed after it was validated',
      () =>
        body(changeBefore(moveTo('classify')), {
          outcome: {
            files: [
              { path: 'proofs/sum/check.py', before: null, after: `100644 ${'c'.repeat(64)}`, added: 1, removed: 0 },
            ],
          },
        }),
      ['validation'],
    ],
    [
      'changes that are misreported',
      () => body(moveTo('commit'), { outputs: { changes: ['C-1', 'C-3'] } }),
      ['ledger'],
    ],
    [
      'an approach that was tried before',
      () => body(idOf('approach-failed', 1), { failed: { approach: 'With Care' } }),
      ['approach'],
    ],
    [
      'a failed approach that is another',
      () => body(idOf('approach-failed', 0), { failed: { approach: 'a firm hand' } }),
      ['approach'],
    ],
    ['a failed approach that was not kept', () => without(idOf('approach-failed', 0)), ['number', 'approach', 'saved']],
    ['a mode that was skipped', () => body(idOf('proof-mode-moved', 0), { to: 'VERIFY' }), ['mode']],
    [
      'a mode that nothing was done in',
      () => all(without(idOf('cycle-ended', 0))),
      ['number', 'phase', 'mode', 'scope', 'honesty', 'ledger', 'approach', 'gate'],
    ],
    ['a cycle without its licence', () => without(idOf('licence-given', 0)), ['number', 'licence', 'saved']],
    [
      'a licence that had run out',
      () => body(idOf('licence-given', 0), { licence: { until: '2020-01-01T00:00:00.000Z' } }),
      ['licence'],
    ],
    ['a licence that ends and was not there', () => body(idOf('licence-ended', 0), { item: 'C-2' }), ['licence']],
    ['a statement under another hash', () => body(idOf('statement-set', 0), { hash: 'f'.repeat(64) }), ['ledger']],
    ['a statement that was left out', () => body(idOf('statement-set', 1), { version: 4 }), ['number']],
    [
      'a file that was not saved',
      () => body(idOf('undertaking-saved', 0), { file: { state: `100644 ${'a'.repeat(64)}` } }),
      ['saved'],
    ],
    ['a file that was saved too early', () => body(idOf('undertaking-saved', 0), { through: 1 }), ['saved', 'gate']],
    ['an entry in the chain of another', () => body(idOf('item-set'), { undertaking: 'P-other' }), ['order']],
  ])('%s', async (_title, change, broken) => {
    expect(rules(await found(change())).sort()).toEqual([...broken].sort())
  })
})

const moveTo = (phase: string, nth = 0): string => {
  const moves = history.filter(({ body: of }) => of.event === 'cycle-moved' && of.to === phase && of.why === undefined)
  const one = moves[nth]
  if (!one) throw new Error(`nothing leads to ${phase}`)
  return one.id
}

/** The step that the first move to classify names. */
const validationOf = (nth: number): string => {
  const one = history.find(({ id }) => id === moveTo('classify', nth))
  const said = one?.body.event === 'cycle-moved' ? one.body.outputs['validation'] : undefined
  return [said ?? []].flat()[0] ?? ''
}

/** The outcome of the step before a move: the run itself. */
const changeBefore = (_move: string): string => `${validationOf(0)}.outcome`

describe('is found in a session', () => {
  test('that it went into another phase than what it took up was in', async () => {
    const load = history.find(({ session, body: of }) => session === 's-2' && of.event === 'step-ended')
    expect(await found(body(load?.id ?? '', { outcome: { phase: 'commit' } }), 's-2')).toMatchObject([
      { entry: load?.id, rule: 'phase', what: 'entered commit by proof-load, and P-sum was in validate' },
      { rule: 'phase' },
      { rule: 'phase' },
    ])
  })

  test('that it has taken up two', async () => {
    const second = history.filter(({ session, body: of }) => session === 's-2' && of.event === 'step-ended')[2]
    expect(rules(await found(body(second?.id ?? '', { outcome: { undertaking: 'P-other' } }), 's-2'))).toEqual([
      'phase',
    ])
  })
})
