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

/** Takes entries out of the chain as if they had never been: those that are left are numbered anew. */
const gone =
  (...ids: string[]): Change =>
  (drafts) => {
    let n = 0
    return without(...ids)(drafts).map((draft) =>
      draft.session === CHAIN ? { ...draft, id: `${CHAIN}.${++n}` } : draft,
    )
  }

type Row = [title: string, change: () => Change, first: string]

/** The first that is wrong: what follows from it may be wrong, too. */
const first = ([one]: readonly Violation[]): string => (one ? `${one.rule}: ${one.what}` : 'nothing')

describe('is found', () => {
  test.each<Row>([
    [
      'an entry that has the number of another',
      () => entry(idOf('item-set'), { id: `${CHAIN}.999` }),
      'number: is number 4 of undertaking~P-sum under another id',
    ],
    [
      'an undertaking that begins in its middle',
      () => gone(idOf('undertaking-opened')),
      'order: is undertaking-taken in a chain that is not of P-sum',
    ],
    [
      'an entry by somebody else',
      () => by(idOf('item-set'), { kind: 'agent', id: 'codex-9', face: 'rehearsal', via: null }),
      'deed: says that it was done in t1.3, which is not its step',
    ],
    [
      'an entry of a step that is none',
      () => body(idOf('item-set'), { step: 't1.99' }),
      'deed: was done in t1.99, which is no step',
    ],
    [
      "an entry of another tool's step",
      () => body(idOf('item-set'), { step: 't1.1' }),
      'deed: was done by proof-load, which does no such thing',
    ],
    [
      'an entry whose step did not end well',
      () => outcomeOf(`${stepOf(idOf('item-set'))}.outcome`, { kind: 'failed', message: 'no' }),
      'deed: was done in t1.3, which did not end well',
    ],
    [
      'an entry whose step did not end',
      () => without(`${stepOf(idOf('licence-given'))}.outcome`),
      'deed: was done in t2.6, which did not end well',
    ],
    [
      'an entry of a session that had not taken it up',
      () => gone(idOf('undertaking-taken', 1)),
      'hold: is by s-2, which had not taken it up',
    ],
    [
      'that it was taken up while somebody was at it',
      () => without('t1.stopped', 't1.ended'),
      'hold: takes it up while s-1 is still at it',
    ],
    [
      'that it was taken up for another',
      () => body(idOf('undertaking-taken', 1), { session: 's-1' }),
      'hold: is by s-2, which had not taken it up',
    ],
    [
      'a phase that does not follow',
      () => body(idOf('cycle-moved', 0), { to: 'execute' }),
      'phase: leaves observe for execute, which does not follow',
    ],
    [
      'a phase that was left from elsewhere',
      () => body(idOf('cycle-moved', 1), { from: 'observe' }),
      'phase: leaves observe for execute, and was not there',
    ],
    [
      'a way back that leads on',
      () => body(idOf('cycle-moved', 3), { why: 'so' }),
      'phase: goes back from validate to classify, which was not before it',
    ],
    [
      'a second cycle at the same time',
      () => gone(idOf('cycle-ended', 2)),
      'phase: begins a cycle while cycle 3 is under way',
    ],
    [
      'a mode that changes in a cycle',
      () => gone(idOf('cycle-ended', 0)),
      'mode: goes from FALSIFY to CONSTRUCT, where FALSIFY does not lead',
    ],
    ['a cycle with another number', () => body(idOf('cycle-begun', 0), { n: 4 }), 'number: is cycle 4 after 0'],
    [
      'a cycle on what is settled',
      () => body(idOf('cycle-begun', 2), { item: 'C-3' }),
      'phase: begins a cycle on C-3, which is not what there was to do',
    ],
    [
      'a cycle in another mode',
      () => body(idOf('cycle-begun', 0), { mode: 'VERIFY' }),
      'mode: is in VERIFY, and not in FALSIFY',
    ],
    [
      'a gate that was closed',
      () => body(idOf('cycle-ended', 0), { gates: [{ gate: 'scope', ok: false, why: 'so' }] }),
      'gate: completes cycle 1 with scope, evidence, status, acyclic, dangling, saved closed',
    ],
    [
      'a cycle that was completed before its time',
      () => body(idOf('cycle-ended', 1), { outcome: 'completed' }),
      'phase: completes cycle 2 in propose',
    ],
    [
      'a cycle that was given up through the gates',
      () => body(idOf('cycle-ended', 0), { outcome: 'given-up', gates: [], paths: [] }),
      'phase: gives cycle 1 up, which is not under way',
    ],
    [
      'a way that is not how it came to that',
      () => body(idOf('cycle-ended', 0), { paths: [] }),
      'ledger: says another way than how cycle 1 came to what it did',
    ],
    [
      'an item that is proved without a cycle',
      () =>
        body(idOf('item-set', 0), {
          item: {
            status: 'proved',
            basis: 'argument',
            artifacts: [{ path: 'a', state: `100644 ${'a'.repeat(64)}` }],
            runs: ['t1.1'],
          },
        }),
      'honesty: makes C-1 proved without a cycle',
    ],
    [
      'an item that was not classified',
      () => gone(idOf('item-classified', 1)),
      'honesty: leaves classify, and C-1 was not classified',
    ],
    [
      'an item that is more than was classified',
      () => body(idOf('item-set', 4), { item: { why: 'surely' } }),
      'honesty: makes C-1 something else than was classified',
    ],
    [
      'numbers that prove',
      () =>
        all(
          body(idOf('item-classified', 1), { classified: { basis: 'numbers' } }),
          body(idOf('item-set', 4), { item: { basis: 'numbers' } }),
        ),
      'honesty: says that C-1 is proved on numbers',
    ],
    [
      'what is found in a mode that does not find it',
      () => body(idOf('item-classified', 0), { classified: { status: 'proved', basis: 'argument' } }),
      'mode: finds C-3 to be proved in FALSIFY',
    ],
    [
      'what is proved on something open',
      () =>
        all(
          body(idOf('item-classified', 1), { classified: { status: 'partial', why: 'half' } }),
          body(idOf('item-set', 4), { item: { status: 'partial', why: 'half' } }),
          body(idOf('cycle-ended', 2), { paths: [{ ...pathOf(2), status: 'partial' }] }),
        ),
      'honesty: says that C-2 is proved on C-1',
    ],
    [
      'a refutation that was undone',
      () => body(idOf('item-set', 6), { item: { id: 'C-3', text: 'it holds for more' }, shaken: [] }),
      'honesty: makes C-3 open, which was false for ever',
    ],
    ['a circle', () => body(idOf('item-set', 0), { item: { dependsOn: ['C-1'] } }), 'ledger: has C-1 depend on itself'],
    [
      'what depends on nothing that there is',
      () => body(idOf('item-set', 0), { item: { dependsOn: ['C-9'] } }),
      'ledger: has C-1 depend on C-9, which there is not',
    ],
    [
      'what fell and was not said to',
      () => body(idOf('item-set', 6), { shaken: [] }),
      'ledger: says that nothing is open again, not C-2',
    ],
    [
      'a run that ended badly',
      () => body(`${validationOf(0)}.outcome`, { outcome: { run: { exit: 1 } } }),
      'validation: says that it was validated by t1.17, which is not so',
    ],
    [
      'a validation that is no run',
      () => body(moveTo('classify'), { outputs: { validation: ['t1.1'] } }),
      'validation: says that it was validated by t1.1, which is not so',
    ],
    [
      'a validation by what has nothing to do with it',
      () => body(`${validationOf(0)}.outcome`, { outcome: { run: { argv: ['python3', 'other.py'] } } }),
      'validation: was validated by what has nothing to do with what was made',
    ],
    [
      'a look that was none',
      () => body(idOf('cycle-moved', 0), { outputs: { observed: ['t1.1'] } }),
      'validation: says that it has looked at something in t1.1, which is not so',
    ],
    [
      'a file that no step left so',
      () =>
        body(moveTo('validate'), {
          artifacts: ['argument.md', 'check.py'].map((name) => ({
            path: `proofs/sum/${name}`,
            state: `100644 ${'a'.repeat(64)}`,
          })),
        }),
      'artifact: says that proofs/sum/argument.md was made, and no step of the cycle left it so',
    ],
    [
      'a file that was changed after it was validated',
      () =>
        body(`${validationOf(0)}.outcome`, {
          outcome: {
            files: [
              { path: 'proofs/sum/check.py', before: null, after: `100644 ${'c'.repeat(64)}`, added: 1, removed: 0 },
            ],
          },
        }),
      'validation: was validated, and proofs/sum/check.py was changed since',
    ],
    [
      'changes that are misreported',
      () => body(moveTo('commit'), { outputs: { changes: ['C-1', 'C-3'] } }),
      'ledger: says that C-1, C-3 has changed, and it was C-3',
    ],
    [
      'an approach that was tried before',
      () => body(moveTo('execute', 2), { outputs: { approach: ' TWO!' } }),
      'approach: proposes for C-1 what has failed before',
    ],
    [
      'a failed approach that is another',
      () => body(idOf('approach-failed', 0), { failed: { approach: 'a firm hand' } }),
      'approach: keeps another approach than what was tried on C-1',
    ],
    [
      'a failed approach that was not kept',
      () => gone(idOf('approach-failed', 0)),
      'approach: leaves what was tried on C-1 without keeping that it failed',
    ],
    [
      'a mode that was skipped',
      () => body(idOf('proof-mode-moved', 0), { to: 'VERIFY' }),
      'mode: goes from SPEC to VERIFY, where SPEC does not lead',
    ],
    [
      'a mode that nothing was done in',
      () => gone(...cycleOf(0)),
      'mode: goes from FALSIFY to CONSTRUCT, with nothing done in FALSIFY',
    ],
    [
      'a cycle without its licence',
      () => gone(idOf('licence-given', 0)),
      'licence: begins a cycle on C-1, where 3 approaches had failed',
    ],
    [
      'a licence that had run out',
      () => body(idOf('licence-given', 0), { licence: { until: '2020-01-01T00:00:00.000Z' } }),
      'licence: begins a cycle on C-1, where 3 approaches had failed',
    ],
    [
      'a licence that ends and was not there',
      () => body(idOf('licence-ended', 0), { item: 'C-2' }),
      'licence: ends a licence for C-2, which there is not',
    ],
    [
      'a statement under another hash',
      () => body(idOf('statement-set', 0), { hash: 'f'.repeat(64) }),
      'ledger: has the statement under the hash of another',
    ],
    [
      'a statement that was left out',
      () => body(idOf('statement-set', 1), { version: 4 }),
      'number: is version 4 of the statement',
    ],
    [
      'a file that was not saved',
      () => body(idOf('undertaking-saved', 0), { file: { state: `100644 ${'a'.repeat(64)}` } }),
      'saved: says that proofs/P-sum.md was saved as what no step left there',
    ],
    [
      'a file that was saved too early',
      () => body(idOf('undertaking-saved', 0), { through: 1 }),
      'saved: says that it was saved up to 1, not 16',
    ],
    [
      'an entry in the chain of another',
      () => body(idOf('item-set'), { undertaking: 'P-other' }),
      'order: is item-set in a chain that is not of P-other',
    ],
  ])('%s', async (_title, change, what) => {
    expect(first(await found(change()))).toBe(what)
  })
})

const moveTo = (phase: string, nth = 0): string => {
  const moves = history.filter(({ body: of }) => of.event === 'cycle-moved' && of.to === phase && of.why === undefined)
  const one = moves[nth]
  if (!one) throw new Error(`nothing leads to ${phase}`)
  return one.id
}

/** All entries of a cycle, by how many come before it. */
const cycleOf = (nth: number): string[] => {
  const chain = history.filter(({ session }) => session === CHAIN).map(({ id }) => id)
  return chain.slice(chain.indexOf(idOf('cycle-begun', nth)), chain.indexOf(idOf('cycle-ended', nth)) + 1)
}

/** The way that a cycle says it came to what it did. */
const pathOf = (nth: number) => {
  const one = history.find(({ id }) => id === idOf('cycle-ended', nth))
  return one?.body.event === 'cycle-ended' ? one.body.paths[0] : undefined
}

/** The step that a move to classify names. */
const validationOf = (nth: number): string => {
  const one = history.find(({ id }) => id === moveTo('classify', nth))
  const said = one?.body.event === 'cycle-moved' ? one.body.outputs['validation'] : undefined
  return [said ?? []].flat()[0] ?? ''
}

describe('is found in a session', () => {
  const outcomes = () => history.filter(({ session, body: of }) => session === 's-2' && of.event === 'step-ended')

  test('that it went into another phase than what it took up was in', async () => {
    const id = outcomes()[0]?.id ?? ''
    expect((await found(body(id, { outcome: { phase: 'commit' } }), 's-2'))[0]).toEqual({
      entry: id,
      rule: 'phase',
      what: 'entered commit by proof-load, and P-sum was in validate',
    })
  })

  test('that it has taken up two', async () => {
    const id = outcomes()[2]?.id ?? ''
    expect((await found(body(id, { outcome: { undertaking: 'P-other' } }), 's-2'))[0]).toEqual({
      entry: id,
      rule: 'phase',
      what: 'took up P-other beside P-sum',
    })
  })
})
