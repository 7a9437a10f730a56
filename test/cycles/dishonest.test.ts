import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { entry } from '../peripherals/workshop.ts'
import { eventually } from '../support/poll.ts'
import { cycleTo, openProving, type Prover, stated } from '../support/proving.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { ADA } from '../support/store.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const ARGUMENT = 'proofs/sum/argument.md'
const CHECK = 'proofs/sum/check.py'
/** A problem with two claims, taken to a phase of a cycle on the first. */
const at = async (phase: string, plan: Partial<Parameters<typeof cycleTo>[2]> = {}) => {
  // Nobody is asked for a licence here: what the machine says of one is looked at.
  const it = await openProving(server, { approval: { policy: 'never', tools: [] } })
  const prover = await it.sit(1)
  await stated(prover)
  const steps = phase === 'setup' ? {} : await cycleTo(prover, phase, { item: 'C-1', ...plan })
  return { ...it, ...prover, steps, [Symbol.asyncDispose]: it[Symbol.asyncDispose] }
}

const advancing = (outputs: Record<string, unknown>) => ['advance', { outputs }] as const

/** Through the modes up to one, with a cycle in each that asks for it. */
const toMode = async (prover: Prover, mode: string): Promise<void> => {
  const modes = ['FALSIFY', 'CONSTRUCT', 'VERIFY']
  for (const to of modes.slice(0, modes.indexOf(mode) + 1)) {
    await prover.well('proof-mode', { to })
    if (to !== mode) await cycleTo(prover, 'setup', { item: 'C-2', approach: `a look in ${to}` })
  }
}

describe('what a phase is left with', () => {
  test('is a step of this phase that looked at something', async () => {
    await using it = await at('observe')
    const before = await it.store.get('t1.1.outcome')
    expect(before?.body.event).toBe('step-ended')
    expect(await it.fails(...advancing({ observed: ['t1.1'] }))).toBe(
      'observed: t1.1 is no step of this phase that ended well',
    )
    expect(await it.fails(...advancing({ observed: [] }))).toBe('to leave observe, say observed')
    expect(await it.fails(...advancing({ observed: ['t1.1'], items: ['C-1'] }))).toBe(
      'items is not what observe is left with; say observed',
    )
  })

  test('is an approach that has not failed, on items that there are', async () => {
    await using it = await at('propose')
    await it.well('cycle-end', { why: 'nothing yet' })
    await it.well('approach-failed', { item: 'C-1', approach: 'By Cases!', why: 'there are too many' })
    await cycleTo(it, 'propose', { item: 'C-1' })
    expect(await it.fails(...advancing({ approach: '  by   cases', items: ['C-1'] }))).toBe(
      'approach: this approach has failed in cycle 1: there are too many',
    )
    expect(await it.fails(...advancing({ approach: 'another', items: ['C-9'] }))).toBe(
      'items: there is no C-9 in the ledger',
    )
    expect(await it.fails(...advancing({ approach: 'another', items: ['C-2'] }))).toBe(
      'items: the cycle is on C-1, which is not among them',
    )
    expect(await it.fails(...advancing({ approach: ['a', 'list'], items: ['C-1'] }))).toBe(
      'approach takes words, not a list',
    )
  })

  test('is a file that is there, that this cycle has made, and that says something', async () => {
    await using it = await at('execute')
    const artifacts = (...paths: string[]) => it.fails(...advancing({ artifacts: paths }))
    expect(await artifacts('proofs/none.md')).toBe('artifacts: there is no file proofs/none.md')
    expect(await artifacts('a.txt')).toBe('artifacts: no step of this cycle has made or changed a.txt')
    expect(await artifacts('proofs/../a.txt')).toBe('artifacts: there is no file proofs/../a.txt')
    await it.well('write', { path: ARGUMENT, text: 'by induction\n' })
    it.add(ARGUMENT, 'and so on\n')
    expect(await artifacts(ARGUMENT)).toBe(`artifacts: ${ARGUMENT} is not what the last step left there`)
    rmSync(join(it.root, ARGUMENT))
    expect(await artifacts(ARGUMENT)).toBe(`artifacts: there is no file ${ARGUMENT}`)
    await it.well('write', { path: 'proofs/sum/blank.md', text: ' \n\t\n' })
    expect(await artifacts('proofs/sum/blank.md')).toBe('artifacts: proofs/sum/blank.md says nothing')
    expect(await artifacts('proofs')).toBe('artifacts: there is no file proofs')
  })

  test('is no file of the cycle before', async () => {
    await using it = await at('validate')
    await it.well('cycle-end', { why: 'too hasty' })
    await cycleTo(it, 'execute', { item: 'C-1', approach: 'again' })
    expect(await it.fails(...advancing({ artifacts: [ARGUMENT] }))).toBe(
      `artifacts: no step of this cycle has made or changed ${ARGUMENT}`,
    )
  })

  test('is a run of this phase that ended with exit 0, on what was made', async () => {
    await using it = await at('execute')
    await it.well('write', { path: CHECK, text: 'assert True\n' })
    await it.well('write', { path: 'proofs/sum/wrong.py', text: 'assert False\n' })
    const early = await it.well('run', { argv: ['python3', CHECK] })
    await it.well(...advancing({ artifacts: [CHECK] }))
    const validation = (...steps: string[]) => it.fails(...advancing({ validation: steps }))
    expect(await validation(early)).toBe(
      `validation: ${early} ran before there was anything to validate: run it in this phase`,
    )
    const looked = await it.well('read', { path: CHECK })
    expect(await validation(looked)).toBe(`validation: ${looked} is no run of a program that ended well`)
    const { step: wrong } = await it.take('run', { argv: ['python3', 'proofs/sum/wrong.py'] })
    expect(await validation(wrong)).toBe(`validation: ${wrong} is no run of a program that ended well`)
    expect(await validation('t9.1')).toBe('validation: t9.1 is no step of this cycle')
    it.write('other.py', 'pass\n')
    const other = await it.well('run', { argv: ['python3', 'other.py'] })
    expect(await validation(other)).toBe(`validation: none of these runs has to do with ${CHECK}`)
    const run = await it.well('run', { argv: ['python3', `./${CHECK}`] })
    it.add(CHECK, '# later\n')
    expect(await validation(run)).toBe(`validation: ${CHECK} is not what it was when execute was left`)
  })

  test('is no run before the last edit, and none of another cycle', async () => {
    await using it = await at('classify')
    const { run = '' } = it.steps
    await it.well('cycle-back', { to: 'execute', why: 'a gap' })
    await it.well('edit', { path: CHECK, old: 'range(100)', new: 'range(200)' })
    await it.well(...advancing({ artifacts: [CHECK] }))
    expect(await it.fails(...advancing({ validation: [run] }))).toBe(
      `validation: ${run} ran before there was anything to validate: run it in this phase`,
    )
    await it.well('cycle-end', { why: 'another time' })
    await cycleTo(it, 'validate', { item: 'C-1', approach: 'another' })
    expect(await it.fails(...advancing({ validation: [run] }))).toBe(`validation: ${run} is no step of this cycle`)
  })

  test('is all that has changed in the ledger, and no more', async () => {
    await using it = await at('integrate')
    await it.well('ledger-upsert', { item: 'C-1' })
    await it.well('ledger-upsert', { item: 'C-3', text: 'and a lemma' })
    const changes = (...ids: string[]) => it.fails(...advancing({ rationale: 'so it is', changes: ids }))
    expect(await changes('C-1')).toBe('changes: the ledger has changed in C-3, too')
    expect(await changes('C-1', 'C-2', 'C-3')).toBe('changes: the ledger has not changed in C-2')
    expect(await changes()).toBe('changes: the ledger has changed in C-1, C-3, too')
  })

  test('is what was classified', async () => {
    await using it = await at('classify')
    expect(await it.fails(...advancing({ classification: 'done' }))).toBe('classification: C-1 was not classified yet')
    await it.well('classify', { item: 'C-1', status: 'partial', basis: 'argument', why: 'half' })
    await it.well(...advancing({ classification: 'partial' }))
    expect(await it.fails('ledger-upsert', { item: 'C-1', status: 'proved' })).toBe(
      'C-1 was classified as partial, not as proved',
    )
    expect(await it.fails('ledger-upsert', { item: 'C-2', status: 'proved' })).toBe(
      'C-2 was not classified in this cycle',
    )
    expect(await it.fails('ledger-upsert', { item: 'C-1', text: 'less' })).toBe(
      'what C-1 says and depends on changes between cycles, not in one',
    )
    expect(await it.fails(...advancing({ rationale: 'none', changes: [] }))).toBe(
      'changes: C-1 was classified as partial, and the ledger does not say so',
    )
  })

  test('is what was saved, as it was saved', async () => {
    await using it = await at('commit')
    const saved = (path: string) => it.fails(...advancing({ saved: path }))
    expect(await saved('proofs/P-sum.md')).toBe('saved: proofs/P-sum.md was not saved')
    await it.well('proof-save', { path: 'proofs/P-sum.md' })
    expect(await saved('proofs/other.md')).toBe('saved: proofs/other.md was not saved')
    it.add('proofs/P-sum.md', 'C-1 is proved, believe me\n')
    expect(await saved('proofs/P-sum.md')).toBe('saved: proofs/P-sum.md is not what was saved')
    expect(await it.fails('proof-save', { path: 'proofs/P-sum.md' })).toBe(
      'proofs/P-sum.md is not what was saved last: read it, so that nothing of it is lost unseen',
    )
    expect(await it.fails('proof-save', { path: 'proofs/P-other.md' })).toBe('this proof is saved as proofs/P-sum.md')
  })
})

describe('what an item is worth', () => {
  test('is not said without a cycle', async () => {
    await using it = await at('setup')
    expect(await it.fails('ledger-upsert', { item: 'C-1', status: 'proved', basis: 'argument' })).toBe(
      'C-1 cannot be proved just so: that comes of a cycle that shows it',
    )
    expect(
      await it.fails('ledger-upsert', { item: 'C-3', text: 'new', status: 'false', basis: 'counterexample' }),
    ).toBe('C-3 cannot be false just so: that comes of a cycle that shows it')
    expect(await it.fails('ledger-upsert', { item: 'C-1', status: 'done', basis: 'run' })).toBe(
      'a proof has no done; it has open, partial, proved, false, numerically-verified',
    )
    expect(await it.fails('ledger-upsert', { item: 'C-1', status: 'partial' })).toBe(
      'C-1 cannot be partial on nothing: it takes assertion or argument or numbers',
    )
  })

  test('does not go in a circle, nor rest on what there is not', async () => {
    await using it = await at('setup')
    expect(await it.fails('ledger-upsert', { item: 'C-1', dependsOn: ['C-2'] })).toBe(
      'that would go in a circle: C-1 on C-2 on C-1',
    )
    expect(await it.fails('ledger-upsert', { item: 'C-1', dependsOn: ['C-1'] })).toBe(
      'that would go in a circle: C-1 on C-1',
    )
    expect(await it.fails('ledger-upsert', { item: 'C-1', dependsOn: ['C-9'] })).toBe(
      'there is no C-9 to depend on: add it first',
    )
  })

  test('is not proved by numbers, nor on what is open, nor in a mode that does not prove', async () => {
    await using it = await at('setup')
    await toMode(it, 'VERIFY')
    await cycleTo(it, 'classify', { item: 'C-2', approach: 'all at once' })
    const classify = (status: string, basis: string | null, why = '') =>
      it.fails('classify', { item: 'C-2', status, basis, why })
    expect(await classify('proved', 'numbers')).toBe('C-2 cannot be proved on numbers: it takes argument')
    expect(await classify('proved', 'assertion')).toBe('C-2 cannot be proved on assertion: it takes argument')
    expect(await classify('proved', null)).toBe('C-2 cannot be proved on nothing: it takes argument')
    expect(await classify('proved', 'argument')).toBe(
      'C-2 cannot be proved: it depends on what is not proved: C-1 is open',
    )
    expect(await classify('false', 'counterexample')).toBe('C-2 cannot be false: say why')
    expect(await it.fails('classify', { item: 'C-1', status: 'partial', basis: 'argument', why: 'so' })).toBe(
      'the approach did not say that it is about C-1',
    )
  })

  test('stays false for ever', async () => {
    await using it = await at('setup')
    await toMode(it, 'FALSIFY')
    await cycleTo(it, 'setup', { item: 'C-2', status: 'false', basis: 'counterexample', why: 'at 7' })
    expect(await it.fails('cycle-begin', { item: 'C-2' })).toBe('C-2 is false: nothing is left to do')
    for (const wish of [{ status: 'open' }, { text: 'it goes on, mostly' }, { dependsOn: [] }, { why: 'at 8' }])
      expect(await it.fails('ledger-upsert', { item: 'C-2', ...wish })).toBe('C-2 is false, and that is final')
  })

  test('falls with what it rests on', async () => {
    await using it = await at('setup')
    await toMode(it, 'VERIFY')
    for (const item of ['C-1', 'C-2'])
      await cycleTo(it, 'setup', { item, approach: `proof of ${item}`, status: 'proved', why: '' })
    expect(await it.says('ledger-upsert', { item: 'C-1', text: 'it holds for 0' })).toBe('C-1 is open; open again: C-2')
    expect(await it.says('ledger-query')).toBe(
      ['- C-1 [open] it holds for 0', '- C-2 [open] it goes on from n to n+1 <- C-1'].join('\n'),
    )
    expect((await verifyChain(it.store, 'undertaking~P-sum')).violations).toEqual([])
  })
})

describe('a cycle', () => {
  test('is not completed with a gate that is closed', async () => {
    await using it = await at('gate-review')
    it.add(ARGUMENT, 'or not\n')
    it.add('proofs/P-sum.md', 'C-2 is proved, too\n')
    expect(await it.fails(...advancing({}))).toBe(
      'the cycle does not get through: saved: proofs/P-sum.md is not what was saved; go back with cycle-back, or give it up',
    )
    expect(await it.says('gate-check')).toBe(
      [
        'open scope',
        'open evidence',
        'open status',
        'open acyclic',
        'open dangling',
        'CLOSED saved: proofs/P-sum.md is not what was saved',
      ].join('\n'),
    )
  })

  test('is not completed where a file was swapped after it was validated', async () => {
    await using it = await at('setup')
    await toMode(it, 'FALSIFY')
    await cycleTo(it, 'gate-review', { item: 'C-1', status: 'numerically-verified', basis: 'numbers' })
    it.write(CHECK, 'pass\n')
    expect(await it.fails(...advancing({}))).toBe(
      `the cycle does not get through: evidence: C-1 rests on ${CHECK}, which is not what it was; go back with cycle-back, or give it up`,
    )
  })

  test('that is given up leaves the ledger as it was, and what was tried for ever', async () => {
    await using it = await at('commit')
    await it.well('cycle-end', { why: 'a flaw' })
    expect(await it.says('ledger-query', { item: 'C-1' })).toBe(
      [
        '- C-1 [open] it holds for 1',
        'it holds for 1',
        'what has failed on it:',
        '- cycle 1: by writing it down (a flaw)',
      ].join('\n'),
    )
    await cycleTo(it, 'propose', { item: 'C-1' })
    expect(await it.fails(...advancing({ approach: 'By writing it down.', items: ['C-1'] }))).toBe(
      'approach: this approach has failed in cycle 1: a flaw',
    )
  })

  test('takes back what it has put into the ledger where it goes back before that', async () => {
    await using it = await at('gate-review')
    await it.well('cycle-back', { to: 'execute', why: 'the check is too weak' })
    expect((await it.says('cycle-get')).split('\n').slice(-3)).toEqual([
      'ledger: 2 open',
      '- C-1 [open] it holds for 1',
      '- C-2 [open] it goes on from n to n+1 <- C-1',
    ])
    expect((await verifyChain(it.store, 'undertaking~P-sum')).violations).toEqual([])
  })

  test('has the statement, the mode and other cycles wait', async () => {
    await using it = await at('observe')
    for (const [tool, args] of [
      ['proof-statement', { text: 'something easier', why: 'it is easier' }],
      ['proof-mode', { to: 'FALSIFY' }],
      ['cycle-begin', { item: 'C-2' }],
      ['ledger-upsert', { item: 'C-1', text: 'x' }],
    ] as const)
      expect((await it.take(tool, args)).report).toMatchObject({ kind: 'refused', refusal: { code: 'phase-forbids' } })
  })

  test('goes back only where its phase leads', async () => {
    await using it = await at('execute')
    expect(await it.fails('cycle-back', { to: 'observe', why: 'more' })).toBe(
      'execute does not lead back to observe; it leads to propose',
    )
    expect(await it.fails('cycle-back', { to: 'validate', why: 'on' })).toBe(
      'execute does not lead back to validate; it leads to propose',
    )
  })
})

describe('a mode', () => {
  test('is not skipped', async () => {
    await using it = await at('setup')
    expect(await it.fails('proof-mode', { to: 'VERIFY' })).toBe('SPEC does not lead to VERIFY; it leads to FALSIFY')
    await it.well('proof-mode', { to: 'FALSIFY' })
    expect(await it.fails('proof-mode', { to: 'CONSTRUCT' })).toBe(
      'nobody has tried to refute anything yet: go through a cycle in FALSIFY first',
    )
  })
})

describe('a licence', () => {
  const LICENCE = {
    bottleneck: 'the step',
    lever: 'a stronger claim',
    witness: 'it closes',
    stop: 'a split',
    minutes: 10,
  }

  /** A claim on which three approaches have failed. */
  const stuck = async () => {
    const it = await at('setup')
    for (const approach of ['one', 'two', 'three'])
      await it.well('approach-failed', { item: 'C-1', approach, why: 'it does not close' })
    return it
  }

  test('is needed after three failures, and ends', async () => {
    await using it = await stuck()
    expect(await it.fails('cycle-begin', { item: 'C-1' })).toBe(
      '3 approaches have failed on C-1: to go on takes a licence, ask for one with proof-licence',
    )
    await it.well('proof-licence', { item: 'C-1', ...LICENCE })
    expect(await it.fails('proof-licence', { item: 'C-2', ...LICENCE })).toBe(
      'there is a licence already, for C-1 until 2026-01-02T03:14:05.000Z',
    )
    await cycleTo(it, 'execute', { item: 'C-1', approach: 'four' })
    it.time.now += 10 * 60_000
    await it.well('write', { path: ARGUMENT, text: 'nearly there\n' })
    expect(await it.fails(...advancing({ artifacts: [ARGUMENT] }))).toBe(
      'the time of the licence is up: give the cycle up with cycle-end',
    )
    await it.well('cycle-end', { why: 'no time' })
    expect(await it.fails('cycle-begin', { item: 'C-1' })).toBe(
      'the licence for C-1 has run out: ask for another, with another lever',
    )
    expect(await it.fails('proof-licence', { item: 'C-1', ...LICENCE })).toBe(
      'a licence for C-1 was given with this lever before: say what is new',
    )
    await it.well('proof-licence', { item: 'C-1', ...LICENCE, lever: 'a weaker claim' })
    await cycleTo(it, 'setup', { item: 'C-1', approach: 'five' })
    expect((await verifyChain(it.store, 'undertaking~P-sum')).violations).toEqual([])
  })

  test('is asked of a person, and given where one says so', async () => {
    await using it = await openProving(server)
    const { well, take } = await it.sit(1)
    await stated({ well })
    const asking = take('proof-licence', { item: 'C-1', ...LICENCE })
    const { id, body } = await eventually('a person to be asked', () => it.store.get('t1.5.approval'))
    if (body.event !== 'approval-asked') throw new Error('nobody was asked')
    expect([body.call.tool, (await it.chain('undertaking~P-sum')).length]).toEqual(['proof-licence', 5])
    await it.record(
      entry(
        't1.5.decision',
        ADA,
        {
          event: 'approval-decided',
          step: 't1.5',
          approval: body.approval,
          decision: 'approved',
          role: 'approver',
          note: '',
        },
        id,
      ),
    )
    await it.wake('s-1')
    expect((await asking).report).toMatchObject({
      kind: 'ok',
      output: 'C-1 may be tried until 2026-01-02T03:14:05.000Z',
    })
    expect((await verifyChain(it.store, 'undertaking~P-sum')).violations).toEqual([])
  })
})

describe('two at once', () => {
  test('only one of them has it, and a run of the other shows nothing', async () => {
    await using it = await at('validate')
    const other = await it.sit(2)
    expect(await other.fails('proof-load', { problem: 'P-sum' })).toBe('s-1 is at P-sum: wait until it has left')
    expect(await other.fails('ledger-query')).toBe('nothing is taken up yet: load one with proof-load')
    const theirs = await other.well('run', { argv: ['python3', CHECK] })
    expect(await it.fails(...advancing({ validation: [theirs] }))).toBe(
      `validation: ${theirs} is no step of this cycle`,
    )
    await it.leave()
    await other.well('proof-load', { problem: 'P-sum' })
    const run = await other.well('run', { argv: ['python3', CHECK] })
    await other.well(...advancing({ validation: [run] }))
    for (const chain of ['s-1', 's-2', 'undertaking~P-sum'])
      expect((await verifyChain(it.store, chain)).violations).toEqual([])
  })

  test('of two that begin the same, one is told that it came too late', async () => {
    await using it = await openProving(server)
    const [one, other] = [await it.sit(1), await it.sit(2)]
    const reports = await Promise.all(
      [one, other].map(async ({ take }) => (await take('proof-load', { problem: 'P-sum', title: 'sums' })).report),
    )
    expect(reports.map((report) => report?.kind).sort()).toEqual(['failed', 'ok'])
    for (const chain of ['s-1', 's-2', 'undertaking~P-sum'])
      expect((await verifyChain(it.store, chain)).violations).toEqual([])
  })

  test('one stay carries on one', async () => {
    await using it = await at('setup')
    expect(await it.fails('proof-load', { problem: 'P-other', title: 'another' })).toBe(
      'this stay carries P-sum on, and carries on one: take P-other up in another turn',
    )
    await it.well('proof-load', { problem: 'P-sum' })
  })
})

test('what reads like a secret is not kept, and nothing comes of it', async () => {
  await using it = await at('setup')
  const secret = `ghp_${'a1B2'.repeat(9)}`
  expect(await it.fails('ledger-upsert', { item: 'C-3', text: `the key is ${secret}` })).toBe(
    'something in it reads like a secret, and would not be kept: say it otherwise',
  )
})
