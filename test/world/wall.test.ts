import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { createHarvest } from '../../src/evidence/wall/harvest.ts'
import { createStay } from '../../src/evidence/wall/stay.ts'
import { Wall } from '../../src/evidence/wall/wall.ts'
import { atBest } from '../../src/peripherals/examples.ts'
import { fruitOf } from '../../src/peripherals/fruit.ts'
import { emptyLedger, note } from '../../src/peripherals/ledger.ts'
import type { Draft, Entry } from '../../src/shapes/evidence.ts'
import type { PeripheralSpec, ToolCall } from '../../src/shapes/peripheral.ts'
import type { WorldStep } from '../../src/shapes/world.ts'
import { gate } from '../../src/tools/gate.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { scratch } from '../support/folder.ts'
import { must, testStore } from '../support/store.ts'
import { openGames } from './games.ts'

const OURS = join(import.meta.dirname, '../../config/peripherals')

const alfworld = (scope: Partial<PeripheralSpec['scope']> = {}): PeripheralSpec => {
  const spec = loadPeripherals(OURS, null, { checks: {}, deploys: {} }).get('alfworld')
  if (!spec) throw new Error('there is no alfworld')
  return { ...spec, scope: { ...spec.scope, ...scope } }
}

/** What the judge of chains finds wrong with a step, which knows nothing of the gate. */
const found = (spec: PeripheralSpec, call: ToolCall): string[] => {
  const start = { event: 'peripheral-started', turn: 't', peripheral: spec.id, tools: spec.tools, spec: 'x' } as const
  const stay = createStay(start, Wall.parse(JSON.parse(JSON.stringify(spec))))
  const intent = { event: 'step-intended', turn: 't', step: 't.0', call, reads: [], writes: [] } as const
  return stay.intended({ ...intent, reads: [], writes: [] }, () => false).map(({ rule, what }) => `${rule}: ${what}`)
}

/** What the gate makes of a call. */
const judged = async (spec: PeripheralSpec, call: ToolCall): Promise<string> => {
  using folder = scratch()
  const verdict = await gate(call, atBest(spec, await openWorkspace(folder.path, [])))
  return verdict.ok ? verdict.value.kind : verdict.refusal.code
}

const acts = (action: string): ToolCall => ({ tool: 'world-act', args: { action } })

describe('gate and judge', () => {
  test.each([acts('look'), { tool: 'world-reset', args: {} }, { tool: 'world-state', args: {} }])(
    'let $tool through only where the evidence of the room is open',
    async (call) => {
      expect([await judged(alfworld(), call), found(alfworld(), call)]).toEqual(['passed', []])
      const own = alfworld({ evidence: 'session' })
      expect([await judged(own, call), found(own, call)]).toEqual([
        'out-of-scope',
        ["scope: played in the room's world, whose evidence alfworld does not open"],
      ])
    },
  )

  test.each([
    ['go to fridge 1', true],
    ['  Take Mug 1   from shelf 2 ', true],
    ['put mug 1 in/on shelf 2', true],
    ['put mug 1 on shelf 2', true],
    ['clean mug 1 with sinkbasin 1', true],
    ['heat mug 1 with microwave 1', true],
    ['cool mug 1 with fridge 1', true],
    ['examine mug 1', true],
    ['inventory', true],
    ['look', true],
    ['dance', false],
    ['look around', false],
    ['go to fridge', false],
    ['go to fridge 1 and look', false],
    ['take mug 1', false],
  ] as const)('agree on %j', async (action, allowed) => {
    const call = acts(action)
    expect([await judged(alfworld(), call), found(alfworld(), call)]).toEqual(
      allowed
        ? ['passed', []]
        : ['arguments-invalid', [`scope: did "${action}" in a world, which is nothing that can be done there`]],
    )
  })
})

const moved = (step: Partial<WorldStep>): Extract<Entry['body'], { event: 'step-ended' }> => ({
  event: 'step-ended',
  turn: 't',
  step: `t.${step.n}`,
  tool: 'world-act',
  outcome: {
    kind: 'ok',
    output: '',
    paths: [],
    cut: null,
    world: { game: 'lobby-1', n: 1, changed: true, score: 0, won: false, ...step },
  },
})

/** What is left behind by these moves, and what the judge makes of a fruit after them. */
const stayOf = (...steps: Partial<WorldStep>[]) => {
  const ledger = emptyLedger()
  const start = { event: 'peripheral-started', turn: 't', peripheral: 'alfworld', tools: [], spec: 'x' } as const
  note(ledger, { seq: 1, id: 't.peripheral', body: { ...start, tools: [] } } as unknown as Entry)
  const harvest = createHarvest()
  for (const [i, step] of steps.entries()) {
    const body = moved({ n: i + 1, ...step })
    note(ledger, { seq: i + 2, id: `${body.step}.outcome`, body } as unknown as Entry)
    harvest.ended(body)
  }
  if (!ledger.stay) throw new Error('there is no stay')
  return { fruit: fruitOf(ledger.stay), judge: harvest.judge }
}

describe('the fruit of a stay in a world', () => {
  test('has what its moves came to, and the judge agrees', () => {
    const { fruit, judge } = stayOf(
      {},
      { changed: false },
      { score: 0.5 },
      { score: 1, won: true },
      { changed: false, score: 1 },
    )
    expect([fruit.world, judge(fruit)]).toEqual([{ moves: 5, won: ['lobby-1'], score: 1, idle: 1 }, []])
  })

  test('says nothing of a world where nothing was played', () => {
    expect(stayOf().fruit).toEqual({ steps: 0, found: [] })
  })

  test.each([
    [{ won: ['lobby-1'] }, 'that lobby-1 was won'],
    [{ moves: 3 }, 'that 3 moves were made'],
    [{ score: 1 }, 'that the score is 1'],
    [{ idle: 2 }, 'that the last 2 moves changed nothing'],
  ])('that says more than the steps show is found: %j', (more, what) => {
    const { fruit, judge } = stayOf({ score: 0.5 }, { changed: false, score: 0.5 })
    const world = { moves: 2, won: [], score: 0.5, idle: 1, ...more }
    expect([judge(fruit), judge({ ...fruit, world })]).toEqual([
      [],
      [{ rule: 'fruit', what: `says ${what}, and no step shows it` }],
    ])
  })

  test.each([
    ['by a move that changed nothing', { score: 1, won: true, changed: false }, 'world-act'],
    ['with something left to do', { score: 0.5, won: true }, 'world-act'],
    ['by another tool', { score: 1, won: true }, 'world-state'],
  ])('that says a game was won %s is found, whatever the outcome says', (_what, step, tool) => {
    const harvest = createHarvest()
    harvest.ended({ ...moved(step), tool })
    const world = { moves: 0, won: ['lobby-1'], score: 0, idle: 0 }
    expect(harvest.judge({ steps: 1, found: [], world })).toEqual([
      { rule: 'fruit', what: 'says that lobby-1 was won, and no step shows it' },
    ])
  })
})

describe('a chain of a game', () => {
  /** What verifying finds in a game of two moves, after which these were written by somebody who went around the games. */
  const planted = async (...drafts: ((last: Entry) => Partial<Omit<Draft, 'body'>> & Pick<Draft, 'body'>)[]) => {
    await using kept = await testStore()
    await using games = await openGames(kept.store)
    must(await games.reset('claude-1', { kind: 'clean-then-place', seed: 11 }))
    must(await games.act('claude-1', 'look'))
    must(await games.act('codex-1', 'look'))
    for (const draft of drafts) {
      const last = (await kept.store.chain('world-lobby-1')).at(-1)
      if (!last) throw new Error('there is no game')
      const { session, subject, author, tags, inReplyTo, id } = last
      must(await kept.store.append([{ session, subject, author, tags, inReplyTo, id: `${id}x`, ...draft(last) }]))
    }
    return (await verifyChain(kept.store, 'world-lobby-1')).violations.map(({ rule, what }) => `${rule}: ${what}`)
  }
  const move = { event: 'world-moved', game: 'lobby-1', player: 'codex-1', action: 'look', turn: 't' } as const
  const stepOf = ({ inReplyTo }: Entry): string => (inReplyTo ?? '').replace(/\.intent$/, '')

  test('is right as it is written', async () => {
    expect(await planted()).toEqual([])
  })

  test('has no gap, and no second move of a step', async () => {
    expect(await planted((last) => ({ body: { ...move, n: 4, step: stepOf(last) } }))).toEqual([
      'world: is move 4, where 3 was next',
      expect.stringMatching(/^world: is a second move of step codex-1-/),
    ])
  })

  test('has no move that is another agent’s, or nobody’s', async () => {
    expect(
      await planted((last) => ({ body: { ...move, player: 'claude-1', n: 3, step: `${stepOf(last)}y` } })),
    ).toEqual([
      expect.stringMatching(/^author: is by an agent, who may not write world-moved$/),
      "author: is by agent codex-1, and is claude-1's",
      expect.stringMatching(/^world: does not answer the step/),
    ])
  })

  test('is won by a move that there is, once, and then nobody moves', async () => {
    const house = { kind: 'house', id: 'bellhop', face: 'house', via: null } as const
    const won = { event: 'world-won', game: 'lobby-1', n: 7, player: 'codex-1', task: 'x' } as const
    expect(
      await planted(
        () => ({ author: house, body: won }),
        () => ({ author: house, body: { ...won, n: 2 } }),
        (last) => ({
          author: { kind: 'agent', id: 'codex-1', face: 'rehearsal', via: null },
          body: { ...move, n: 3, step: stepOf(last) },
        }),
      ),
    ).toEqual([
      'world: says that move 7 of codex-1 won, and there is none',
      'world: wins the game a second time',
      'world: is move 3, after the game was won',
      expect.stringMatching(/^world: is a second move of step/),
    ])
  })
})
