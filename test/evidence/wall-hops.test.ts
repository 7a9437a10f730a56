import { describe, expect, test } from 'vitest'
import { hashOf } from '../../src/evidence/hash.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { ADA } from '../support/store.ts'
import {
  all,
  args,
  behind,
  body,
  type Change,
  entry,
  outcomeOf,
  planted,
  step,
  violation,
  violationsAfter,
  without,
} from './planted.ts'
import { changeOf, changing, ok, ranOf, signed, WALLS, wallOf } from './rich.ts'

describe('a hop that no wall leads to is found', () => {
  const stop = 't1.10.stopped'
  const start = 't1.10.peripheral'

  planted([
    [
      'a start that does not answer its stop',
      entry(start, { inReplyTo: 't1.10.outcome' }),
      [violation(start, 'hop', 'hops, and does not answer the stop it hops from')],
    ],
    [
      'a start that answers an earlier stop',
      entry(start, { inReplyTo: 't1.8.stopped' }),
      [violation(start, 'hop', 'hops, and does not answer the stop it hops from')],
    ],
    [
      'a start elsewhere than the stop leads',
      body(stop, { to: 'reflect' }),
      [violation(start, 'hop', 'hops to deploy, and test was not left for it')],
    ],
    [
      'a start by a step that did not ask for it',
      body(start, { hop: 't1.9' }),
      [violation(start, 'hop', 'hops by t1.9, which did not ask for deploy')],
    ],
    [
      'a step that asked to go elsewhere',
      args('t1.10.intent', { to: 'reflect' }),
      [violation(start, 'hop', 'hops by t1.10, which did not ask for deploy')],
    ],
    [
      'a condition that is no exit',
      body(stop, { when: 'always' }),
      [violation(stop, 'hop', 'leaves test for deploy when always, which is no exit of it')],
    ],
    [
      'a condition that leads elsewhere',
      body(stop, { when: 'fail', fruit: { tests: { result: 'fail' } } }),
      [violation(stop, 'hop', 'leaves test for deploy when fail, which is no exit of it')],
    ],
    [
      'a destination without a condition',
      body(stop, { when: undefined }),
      [violation(stop, 'hop', 'leaves test for deploy when undefined, which is no exit of it')],
    ],
    [
      'an entry that the destination has not',
      body(start, { entry: 'from-edit' }),
      [violation(start, 'hop', 'enters deploy from test, which is not among its entries')],
    ],
    [
      'context that the destination does not take',
      body(start, { context: { commit: 'y', 'target-files': ['x'] } }),
      [violation(start, 'hop', 'carries commit, target-files, which deploy does not take')],
    ],
    [
      'an entry by a hop that there was not',
      body('t2.peripheral', { entry: 'from-edit' }),
      [violation('t2.peripheral', 'hop', 'enters test by from-edit, which is not how it may begin')],
    ],
    [
      'an entry by nothing',
      body('t2.peripheral', { entry: undefined }),
      [violation('t2.peripheral', 'hop', 'enters test by nothing, which is not how it may begin')],
    ],
    [
      'an entry that a person cannot ask for',
      body('t4.peripheral', { entry: 'user-request' }),
      [violation('t4.peripheral', 'hop', 'enters deploy by user-request, which is not how it may begin')],
    ],
    [
      'an entry by tests that failed',
      all(
        body('t3.0.outcome', { outcome: { run: { exit: 1 } } }),
        body('t3.stopped', { fruit: { tests: { result: 'fail' } } }),
      ),
      [violation('t4.peripheral', 'hop', 'enters deploy by passed tests, and none passed on what is there')],
    ],
    [
      'an entry by tests that passed before something was put back',
      behind(
        't3.ended',
        signed('undo2', ADA, undoBody('restoring')),
        signed('undone2', ADA, undoBody('restored'), 'undo2'),
      ),
      [violation('t4.peripheral', 'hop', 'enters deploy by passed tests, and none passed on what is there')],
    ],
    [
      'another peripheral than was asked for',
      body('t3', { peripheral: 'explore' }),
      [violation('t3.peripheral', 'hop', 'begins in test, and the person asked for explore')],
    ],
    [
      'a person whose role is too low, wherever the work goes',
      body('t1', { role: 'viewer' }),
      ['explore', 'edit', 'test', 'deploy', 'reflect'].map((id, i) =>
        violation(
          ['t1', 't1.4', 't1.8', 't1.10', 't1.15'][i]?.concat('.peripheral') ?? '',
          'hop',
          `starts ${id}, which needs the role operator, for a viewer`,
        ),
      ),
    ],
  ])

  const conditions: [at: string, when: string, fruit: Record<string, unknown>][] = [
    ['t1.4', 'found-target', { found: [] }],
    ['t1.8', 'changed', { changed: [] }],
    ['t1.8', 'changed', { checks: [{ name: 'lint', ok: false, said: 'exit 1' }] }],
    ['t1.10', 'pass', { tests: { result: 'none' } }],
    ['t1.10', 'pass', { tests: { result: 'fail' } }],
    ['t1.10', 'pass', { tests: { result: 'flaky' } }],
    ['t1.10', 'pass', { tests: undefined }],
    ['t1.15', 'deployed', { deploy: { pushed: [] } }],
    ['t1.15', 'deployed', { deploy: undefined }],
  ]
  test.each(conditions)('a condition that the fruit does not show: %s %s %j', async (at, when, fruit) => {
    const from = { 't1.4': 'explore', 't1.8': 'edit', 't1.10': 'test', 't1.15': 'deploy' }[at]
    expect(await violationsAfter(body(`${at}.stopped`, { fruit }))).toEqual([
      violation(`${at}.stopped`, 'hop', `leaves ${from} when ${when}, which its fruit does not show`),
    ])
  })

  test.each(['always', 'blocked', 'fail', 'flaky', 'reviewed', 'later'])(
    'a condition of every other kind that is not true: %s',
    async (when) => {
      const odd = { ...wallOf('explore'), exit: [{ when: when as 'always', to: ['edit'] }] }
      const change = all(body('t1.peripheral', { spec: hashOf(odd) }), body('t1.4.stopped', { when }))
      const wrong = violation('t1.4.stopped', 'hop', `leaves explore when ${when}, which its fruit does not show`)
      expect(await violationsAfter(change, [...WALLS, odd])).toEqual(when === 'always' ? [] : [wrong])
    },
  )
})

const undoBody = (event: 'restoring' | 'restored'): Body => {
  const files = [changeOf('src/a.ts', 'b', 'a')]
  return event === 'restoring'
    ? { event, what: 'x', steps: [], files }
    : { event, what: 'x', steps: [], files, failed: null }
}

describe('a fruit that no step bore is found', () => {
  const says = (id: string, what: string) => violation(id, 'fruit', `says ${what}, and no step shows it`)
  const testRun = (argv: string[], exit: number, n: number): Change =>
    step(
      't1.9.outcome',
      `t1.9${'abc'[n]}`,
      { tool: 'run', args: { argv } },
      {},
      exit === 0
        ? ok([], { run: ranOf(argv, 'test') })
        : { kind: 'failed', message: 'no', run: ranOf(argv, 'test', { exit }) },
    )

  planted([
    [
      'a file that nothing found',
      body('t1.4.stopped', { fruit: { found: ['src/a.ts', 'src/z.ts'] } }),
      [says('t1.4.stopped', 'that src/z.ts was found')],
    ],
    [
      'a file that nothing changed',
      body('t1.10.stopped', { fruit: { changed: [changeOf('src/z.ts', 'a', 'b')] } }),
      [says('t1.10.stopped', 'that src/z.ts was changed')],
    ],
    [
      'a file that is something else',
      body('t1.8.stopped', { fruit: { changed: [changeOf('src/a.ts', 'a', 'f')] } }),
      [says('t1.8.stopped', 'that src/a.ts is what it says')],
    ],
    [
      'a file that was changed back',
      all(
        step(
          't1.7.outcome',
          't1.7b',
          { tool: 'edit', args: { path: 'src/a.ts' } },
          { writes: ['src/a.ts'] },
          changing(changeOf('src/a.ts', 'b', 'a')),
        ),
      ),
      [says('t1.8.stopped', 'that src/a.ts was changed')],
    ],
    [
      'a check that did not pass',
      body('t1.8.check-lint.outcome', { outcome: { run: { exit: 2 } } }),
      [says('t1.8.stopped', 'that lint passed')],
    ],
    [
      'a check that nobody made',
      body('t1.8.stopped', { fruit: { checks: [{ name: 'types', ok: true, said: '' }] } }),
      [says('t1.8.stopped', 'that types passed')],
    ],
    [
      'tests that nobody ran',
      without('t1.9.intent', 't1.9.outcome'),
      [says('t1.10.stopped', 'that tests came to pass')],
    ],
    [
      'tests that failed',
      body('t1.9.outcome', { outcome: { run: { exit: 1 } } }),
      [says('t1.10.stopped', 'that tests came to pass')],
    ],
    [
      'tests that failed, as the report says',
      body('t1.9.outcome', { outcome: { run: { report: { failed: 1 } } } }),
      [says('t1.10.stopped', 'that tests came to pass')],
    ],
    [
      'tests that were ended',
      body('t1.9.outcome', { outcome: { run: { ended: 'time' } } }),
      [says('t1.10.stopped', 'that tests came to pass')],
    ],
    [
      'a runner that found no tests',
      body('t1.9.outcome', { outcome: { run: { report: { passed: 0 } } } }),
      [says('t1.10.stopped', 'that tests came to pass')],
    ],
    [
      'tests of which others failed',
      testRun(['npm', 'test', 'src/b.test.ts'], 1, 0),
      [says('t1.10.stopped', 'that tests came to pass')],
    ],
    [
      'tests that passed and failed',
      all(testRun(['npm', 'test', 'src/a.test.ts'], 1, 0)),
      [says('t1.10.stopped', 'that tests came to pass')],
    ],
    [
      'tests that failed and say to be flaky',
      all(body('t2.stopped', { fruit: { tests: { result: 'flaky' } } })),
      [says('t2.stopped', 'that tests came to flaky')],
    ],
    [
      'a commit that was not made',
      body('t1.15.stopped', { fruit: { deploy: { commits: ['c0ffee', 'decaf'] } } }),
      [says('t1.15.stopped', 'that decaf was committed')],
    ],
    [
      'a push that was not made',
      body('t1.14.outcome', { outcome: { run: { pushed: [] } } }),
      [says('t1.15.stopped', 'that refs/heads/main was pushed')],
    ],
    [
      'a deploy that did not run',
      body('t1.15.stopped', { fruit: { deploy: { ran: ['./deploy.sh now 1'] } } }),
      [says('t1.15.stopped', 'that ./deploy.sh now 1 ran')],
    ],
    ['a review that there is not', without('t1.17.review'), [says('t1.stopped', 'that there is a review')]],
    [
      'a last step that went well',
      body('t3.stopped', { fruit: { blocked: true } }),
      [says('t3.stopped', 'that its last step did not succeed')],
    ],
  ])

  test('but not one that says less than there was, or anything worse', async () => {
    const change = all(
      body('t1.8.stopped', { fruit: { changed: [changeOf('src/b.ts', 'd', 'e')] } }),
      body('t3.stopped', { fruit: { tests: { result: 'flaky' } } }),
      without(
        't4',
        't4.started',
        't4.peripheral',
        't4.0.intent',
        't4.0.outcome',
        't4.stopped',
        't4.ended',
        't4.verified',
      ),
    )
    expect(await violationsAfter(change)).toEqual([])
  })

  test('but not tests that failed before something was changed', async () => {
    const spec = { ...wallOf('test'), sandbox: 'workspace-write' as const }
    const argv = ['npm', 'test', 'src/a.test.ts']
    const failure: StepOutcome = { kind: 'failed', message: 'no', run: ranOf(argv, 'test', { exit: 1 }) }
    const failing = all(
      ...['t1.8', 't2', 't3'].map((at) => body(`${at}.peripheral`, { spec: hashOf(spec) })),
      step('t1.8.peripheral', 't1.8b', { tool: 'run', args: { argv } }, {}, failure),
    )
    const mended = { ...changing(changeOf('src/snap', null, 'a')), run: ranOf(argv, 'test') } as StepOutcome
    expect(await violationsAfter(failing, [...WALLS, spec])).toEqual([says('t1.10.stopped', 'that tests came to pass')])
    expect(await violationsAfter(all(failing, outcomeOf('t1.9.outcome', mended)), [...WALLS, spec])).toEqual([])
  })
})
