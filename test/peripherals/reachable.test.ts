import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { judgeHop } from '../../src/peripherals/hops.ts'
import { unreachable } from '../../src/peripherals/reachable.ts'
import type { Fruit } from '../../src/shapes/fruit.ts'
import { type CommandRule, ExitCondition, type PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { wall } from '../support/explore.ts'
import { fruits } from './fruits.ts'

const OURS = join(import.meta.dirname, '../../config/peripherals')
const COMMANDS = { checks: { tests: ['./run-tests'] }, deploys: { staging: ['./deploy'] } }
const SHIPPED = loadPeripherals(OURS, null, { checks: {}, deploys: {} })

test('nothing that is shipped can never come true, with commands in the config or without', () => {
  expect([unreachable(SHIPPED), unreachable(loadPeripherals(OURS, null, COMMANDS))]).toEqual([[], []])
})

const rule = (argv: string, part: Partial<CommandRule> = {}): CommandRule => ({
  argv: argv.split(' '),
  for: 'look',
  network: false,
  approve: false,
  ...part,
})

/** A wall that reads, and in which all can come true. */
const odd = (part: Partial<PeripheralSpec> = {}): PeripheralSpec => wall({ id: 'odd', tools: ['read'], ...part })

const scope = (part: Partial<PeripheralSpec['scope']>): PeripheralSpec['scope'] => ({ ...odd().scope, ...part })

/** What is said of the shipped walls with one more, and some of them changed. */
const said = (spec: PeripheralSpec, changes: Record<string, Partial<PeripheralSpec>> = {}): string[] => {
  const shipped = [...SHIPPED.values()].map((one) => ({ ...one, ...changes[one.id] }))
  return unreachable(new Map([...shipped, spec].map((one) => [one.id, one])))
}

test('a wall in which all can come true is said nothing of', () => {
  expect(said(odd())).toEqual([])
})

test('what only an approval can bring about can come true', () => {
  const ceiling = { sandbox: 'workspace-write' as const, network: false, write: [], commands: [] }
  const spec = odd({
    tools: ['read', 'run', 'hop'],
    commands: [rule('make test', { for: 'test', approve: true })],
    entry: ['user-request', 'from-odd'],
    exit: [
      { when: 'changed', to: ['odd'] },
      { when: 'pass', to: ['odd'] },
    ],
    ceiling,
  })
  expect([
    said({ ...spec, approval: { policy: 'on-request', tools: [] } }),
    said({ ...spec, approval: { policy: 'never', tools: [] } }),
  ]).toEqual([
    [],
    [
      'odd: run can do nothing: no command may run',
      'odd: it can never be left when changed: nothing here brings that about',
      'odd: it can never be left when pass: nothing here brings that about',
    ],
  ])
})

describe('what is declared and can never come true is said in one sentence', () => {
  const phased = (phases: PeripheralSpec['phases'], part: Partial<PeripheralSpec> = {}) =>
    odd({ tools: ['read', 'advance'], phases, ...part })
  type Phase = PeripheralSpec['phases'][number]
  const look: Phase = { id: 'look', tools: ['read', 'advance'], outputs: [] }
  const write: Phase = { id: 'write', tools: ['read'], outputs: [] }
  const asking = { policy: 'on-request' as const, tools: [] }
  const ceiling = (part: Partial<NonNullable<PeripheralSpec['ceiling']>>) => ({
    ceiling: { sandbox: 'read-only' as const, network: false, write: [], commands: [], ...part },
    approval: asking,
  })

  const planted: (readonly [PeripheralSpec, string])[] = [
    // tools
    [odd({ scope: scope({ read: [] }) }), 'read can do nothing: nothing may be read'],
    [odd({ tools: ['list'], scope: scope({ read: [] }) }), 'list can do nothing: nothing may be read'],
    [odd({ tools: ['glob'], scope: scope({ read: [] }) }), 'glob can do nothing: nothing may be read'],
    [odd({ tools: ['grep'], scope: scope({ read: [] }) }), 'grep can do nothing: nothing may be read'],
    [odd({ tools: ['edit'] }), 'edit can do nothing: nothing may be written'],
    [odd({ tools: ['multi-edit'] }), 'multi-edit can do nothing: nothing may be written'],
    [odd({ tools: ['apply-patch'] }), 'apply-patch can do nothing: nothing may be written'],
    [odd({ tools: ['write'] }), 'write can do nothing: nothing may be written'],
    [odd({ tools: ['read', 'run'] }), 'run can do nothing: no command may run'],
    [
      odd({ tools: ['read', 'run'], commands: [rule('ls', { approve: true })] }),
      'run can do nothing: no command may run',
    ],
    [odd({ tools: ['read', 'terminal'] }), 'terminal can do nothing: run is missing, which starts one'],
    [odd({ tools: ['read', 'web-fetch'] }), 'web-fetch can do nothing: no host is open'],
    [odd({ tools: ['read', 'evidence'] }), 'evidence can do nothing: no evidence may be asked for'],
    [odd({ tools: ['read', 'advance'] }), 'advance can do nothing: there are no phases to advance through'],
    [odd({ tools: ['read', 'hop'] }), 'hop can do nothing: there is no exit'],
    [
      odd({ approval: { policy: 'never', tools: ['read'] } }),
      'read can do nothing: it needs an approval, and nobody is asked for one',
    ],
    // approvals
    [odd({ approval: { policy: 'on-request', tools: ['read', 'write'] } }), 'it asks before write, which it has not'],
    // commands
    [odd({ commands: [rule('ls')] }), 'it has commands, and no tool run'],
    [
      odd({ tools: ['run'], commands: [rule('ls <file>')] }),
      'the command ls <file>: "<file>" is not known; there are <path>, <word>, <rev>, <text>, <number> and <this|that>',
    ],
    [
      odd({ tools: ['run'], commands: [rule('git show <word>')] }),
      'the command git show <word>: a command of git has <rev> where others have <word>',
    ],
    [
      odd({ tools: ['run'], commands: [rule('ls', { sandbox: 'workspace-write' })] }),
      'the command ls has the sandbox workspace-write, wider than read-only',
    ],
    [odd({ tools: ['run'], commands: [rule('ls', { phases: ['look'] })] }), 'the command ls: there is no phase look'],
    [odd({ tools: ['run'], commands: [rule('ls', { phases: [] })] }), 'the command ls is for no phase'],
    [
      phased([look, { ...write, tools: ['run', 'read'] }], {
        tools: ['read', 'run', 'advance'],
        commands: [rule('ls', { phases: ['look'] })],
      }),
      'the command ls: the phase look has no tool run',
    ],
    // ceilings
    [odd(ceiling({})), 'its ceiling opens nothing that it has not'],
    [odd(ceiling({ commands: [rule('ls')] })), 'its ceiling has commands, and it has no tool run'],
    [
      odd({ tools: ['run'], commands: [rule('ls')], ...ceiling({ commands: [rule('curl', { network: true })] }) }),
      'the command curl has the network, and its ceiling has not',
    ],
    [
      odd({ tools: ['run'], commands: [rule('ls')], ...ceiling({ commands: [rule('make', { sandbox: 'full' })] }) }),
      'the command make has the sandbox full, wider than read-only',
    ],
    [
      odd({ tools: ['run'], sandbox: 'full', commands: [rule('ls')], ...ceiling({ network: true }) }),
      'its ceiling has the sandbox read-only, below its own full',
    ],
    // phases
    [phased([look, { ...write, tools: ['advance'] }]), 'write has advance, and no phase comes after it'],
    [phased([look, { ...write, outputs: ['notes'] }]), 'write is to bring notes, and no phase comes after it'],
    [phased([look, write, { ...write, id: 'rest' }]), 'nobody gets to the phase rest: write has no advance'],
    [phased([look, { ...write, id: 'look' }]), 'two phases are called look'],
    [phased([look, { ...write, tools: ['grep'] }]), 'write has grep, which is not its tool'],
    [phased([look, write], { tools: ['read', 'advance', 'glob'] }), 'glob is in none of the phases'],
    // scopes
    [odd({ scope: scope({ read: ['src/[a'] }) }), 'src/[a is no pattern; expected one such as src/**'],
    [odd({ scope: scope({ deny: ['{a'] }) }), '{a is no pattern; expected one such as src/**'],
    [odd(ceiling({ write: ['**', 'a}'] })), 'a} is no pattern; expected one such as src/**'],
    [
      odd({ scope: scope({ web: { hosts: ['docs.rs/x'], private: false } }) }),
      'docs.rs/x is no host; expected one such as docs.rs or *.python.org',
    ],
    // conditions and hops
    ...(['changed', 'pass', 'fail', 'flaky', 'deployed', 'reviewed', 'cycle-completed'] as const).map(
      (when) =>
        [
          odd({ tools: ['read', 'hop'], exit: [{ when, to: ['odd'] }], entry: ['user-request', 'from-odd'] }),
          `it can never be left when ${when}: nothing here brings that about`,
        ] as const,
    ),
    [
      odd({ tools: ['hop'], exit: [{ when: 'found-target', to: ['odd'] }], entry: ['user-request', 'from-odd'] }),
      'it can never be left when found-target: nothing here brings that about',
    ],
    [
      odd({ tools: ['read', 'hop'], exit: [{ when: 'always', to: ['away'] }] }),
      'it leads to away, which there is not; there is alfworld, chat, deploy, discipline, edit, explore, mission-control, mission, proof, reflect, test, odd',
    ],
    [
      odd({ tools: ['read', 'hop'], exit: [{ when: 'always', to: ['chat'] }] }),
      'it leads to chat, which does not let it in',
    ],
    [
      odd({ exit: [{ when: 'always', to: ['odd'] }], entry: ['user-request', 'from-odd'] }),
      'it has exits, and no tool hop',
    ],
    // entries and context
    [odd({ entry: ['user-request', 'from-away'] }), 'it lets in from-away, from where nothing leads here'],
    [odd({ entry: ['user-request', 'from-chat'] }), 'it lets in from-chat, from where nothing leads here'],
    [odd({ context: ['review'] }), 'it takes over review, which nothing that leads here has'],
    // examples
    [
      odd({ examples: { allowed: [], refused: [{ why: 'outside', tool: 'read', args: {}, phase: 'look' }] } }),
      'the example "outside": there is no phase look',
    ],
  ]

  test.each(planted.map(([spec, sentence]) => [sentence, spec] as const))('%s', (sentence, spec) => {
    expect(said(spec)).toEqual([`odd: ${sentence}`])
  })

  test('a hop between walls that no mode opens together', () => {
    const spec = odd({ tools: ['read', 'hop'], modes: ['discuss'], exit: [{ when: 'always', to: ['test'] }] })
    const changes = { test: { entry: [...(SHIPPED.get('test')?.entry ?? []), 'from-odd' as const] } }
    expect(said(spec, changes)).toEqual(['odd: it leads to test, and no mode opens both'])
  })

  test('tests that let in where nothing runs any', () => {
    const spec = odd({ entry: ['user-request', 'tests-passed'] })
    expect(unreachable(new Map([['odd', spec]]))).toEqual(['odd: it lets in tests-passed, and nothing runs tests'])
  })

  test('two walls that only lead to each other', () => {
    const [one, other] = ['one', 'other'].map((id) =>
      odd({
        id,
        tools: ['read', 'hop'],
        entry: [id === 'one' ? 'from-other' : 'from-one'],
        exit: [{ when: 'always', to: [id === 'one' ? 'other' : 'one'] }],
        // Carried from the one to the other for ever, and made by none.
        context: ['commit'],
      }),
    )
    if (!one || !other) throw new Error('expected two walls')
    expect(
      unreachable(
        new Map([
          ['one', one],
          ['other', other],
        ]),
      ),
    ).toEqual([
      'one: nobody ever gets in',
      'one: it takes over commit, which nothing that leads here has',
      'other: nobody ever gets in',
      'other: it takes over commit, which nothing that leads here has',
    ])
  })
})

/** What can be true of a fruit, said a second time. */
const truths: Record<ExitCondition, (fruit: Fruit) => boolean> = {
  always: () => true,
  'found-target': (fruit) => fruit.found[0] !== undefined,
  changed: (fruit) => (fruit.changed ?? []).length > 0 && !(fruit.checks ?? []).some(({ ok }) => !ok),
  blocked: (fruit) => fruit.blocked === true,
  pass: (fruit) => fruit.tests !== undefined && fruit.tests.result === 'pass',
  fail: (fruit) => fruit.tests !== undefined && fruit.tests.result === 'fail',
  flaky: (fruit) => fruit.tests !== undefined && fruit.tests.result === 'flaky',
  deployed: (fruit) => [...(fruit.deploy?.pushed ?? []), ...(fruit.deploy?.ran ?? [])].length > 0,
  reviewed: (fruit) => fruit.review !== undefined && fruit.review !== null,
  won: (fruit) => fruit.world?.won[0] !== undefined,
  stuck: (fruit) => fruit.world !== undefined && fruit.world.idle > 4,
  'cycle-completed': (fruit) => fruit.cycles !== undefined,
}

/** Every hop there is: from where, to where, and on which conditions. All others are illegal. */
const HOPS: Record<string, Record<string, ExitCondition[]>> = {
  chat: {
    explore: ['always'],
    edit: ['always'],
    reflect: ['always'],
    'mission-control': ['always'],
    discipline: ['always'],
    alfworld: ['always'],
  },
  discipline: { chat: ['always'], explore: ['always'], edit: ['always'], reflect: ['always'] },
  explore: { edit: ['found-target'], reflect: ['always'], chat: ['always'], discipline: ['always'] },
  edit: { test: ['changed'], explore: ['always'], reflect: ['always'], chat: ['always'], discipline: ['always'] },
  test: {
    deploy: ['pass'],
    edit: ['pass', 'fail', 'flaky'],
    reflect: ['always'],
    chat: ['always'],
    discipline: ['always'],
  },
  deploy: { explore: ['deployed'], edit: ['blocked'], reflect: ['always'], chat: ['always'] },
  reflect: {
    explore: ['reviewed'],
    edit: ['reviewed'],
    chat: ['always'],
    'mission-control': ['always'],
    discipline: ['always'],
  },
  'mission-control': { chat: ['always'], explore: ['always'], reflect: ['always'] },
  alfworld: { chat: ['won', 'stuck', 'always'], reflect: ['won', 'stuck', 'always'] },
  proof: { explore: ['always'], reflect: ['cycle-completed'], chat: ['always'] },
  mission: { explore: ['always'], reflect: ['always'], chat: ['always'] },
}

describe('every hop of the shipped peripherals', () => {
  const names = [...SHIPPED.keys(), 'house', 'discipline', '']
  const pairs = [...SHIPPED.values()].flatMap((from) => names.map((to) => [from.id, to] as const))
  const all = fruits()
  const judge = (from: string, to: string, fruit: Fruit) => {
    const spec = SHIPPED.get(from)
    if (!spec) throw new Error(`there is no ${from}`)
    return judgeHop(spec, to, fruit, SHIPPED)
  }

  test('is in the table, with a fruit for each condition and for its contrary', () => {
    expect(Object.keys(HOPS).sort()).toEqual([...SHIPPED.keys()].sort())
    const oneSided = ExitCondition.options.filter((when) => !all.some(truths[when]) || all.every(truths[when]))
    expect([all.length, oneSided]).toEqual([25_920, ['always']])
  })

  test.each(pairs)('from %s to %s is legal with just the fruits that the table says', (from, to) => {
    const conditions = HOPS[from]?.[to] ?? []
    const wrong = all.filter((fruit) => judge(from, to, fruit).ok !== conditions.some((when) => truths[when](fruit)))
    expect(wrong).toEqual([])
  })

  test.each(pairs.filter(([from, to]) => HOPS[from]?.[to]))(
    'from %s to %s is made on a condition that is true, and refused with the one that is missing',
    (from, to) => {
      const conditions = HOPS[from]?.[to] ?? []
      const wrong = all.flatMap((fruit) => {
        const verdict = judge(from, to, fruit)
        const rightly = verdict.ok
          ? conditions.includes(verdict.when) && truths[verdict.when](fruit)
          : verdict.why.startsWith(`${from} leads to ${to} only when `)
        return rightly ? [] : [{ fruit, verdict }]
      })
      expect(wrong).toEqual([])
    },
  )

  test('that there is not is refused with those that are open', () => {
    const [empty] = all
    if (!empty) throw new Error('expected a fruit')
    const found: Fruit = { ...empty, found: ['a.ts'] }
    expect([
      judge('explore', 'deploy', empty),
      judge('explore', 'deploy', found),
      judge('chat', 'test', empty),
    ]).toEqual([
      { ok: false, why: 'explore does not lead to deploy; it leads to reflect, chat, discipline' },
      { ok: false, why: 'explore does not lead to deploy; it leads to edit, reflect, chat, discipline' },
      {
        ok: false,
        why: 'chat does not lead to test; it leads to explore, edit, reflect, mission-control, discipline, alfworld',
      },
    ])
  })

  test('needs both sides: an exit that its destination does not let in leads nowhere', () => {
    const [fruit] = all
    const chat = SHIPPED.get('chat')
    const explore = SHIPPED.get('explore')
    if (!fruit || !chat || !explore) throw new Error('expected chat and explore')
    const closed = new Map([...SHIPPED, ['explore', { ...explore, entry: ['user-request' as const] }]])
    expect(judgeHop(chat, 'explore', fruit, closed).ok).toBe(false)
  })
})
