import { expect, test } from 'vitest'
import { steerDraft } from '../../src/evidence/steers.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { createReach } from '../../src/evidence/wall/reach.ts'
import { Wall } from '../../src/evidence/wall/wall.ts'
import type { Author } from '../../src/shapes/evidence.ts'
import { tools } from '../../src/tools/table.ts'
import { ADA, must } from '../support/store.ts'
import { reachOf, wall } from '../tools/run-bench.ts'
import { openStage } from './stage.ts'

const TICKLE: Author = { kind: 'house', id: 'tickle-1', face: 'house', via: null }
const CODEX: Author = { kind: 'agent', id: 'codex-1', face: 'rehearsal', via: null }

/** What verifying says of a session in which somebody added a line, as a page or not. */
const rulesFor = async (author: Author, page?: string): Promise<string[]> => {
  await using stage = await openStage()
  must(await stage.says('/edit @codex-1 fix it'))
  const turn = await stage.store.turn('m1.codex-1')
  if (!turn) throw new Error('there is no turn')
  const { draft } = steerDraft(turn, { n: 0, text: 'are you there', author, ...(page === undefined ? {} : { page }) })
  must(await stage.store.append([draft]))
  return (await verifyChain(stage.store, turn.session)).violations.map(({ rule, what }) => `${rule}: ${what}`)
}

test('a page in a session is the house’s, and a line that is added a person’s: anything else does not verify', async () => {
  expect([
    await rulesFor(TICKLE, 'page-1'),
    await rulesFor(ADA),
    await rulesFor(ADA, 'page-1'),
    await rulesFor(TICKLE),
    await rulesFor(CODEX, 'page-1'),
  ]).toEqual([
    [],
    [],
    ['author: is by person ada, and steered is for a house'],
    ['author: is by house tickle-1, and steered is for a person'],
    ['author: is by an agent, who may not write steered'],
  ])
})

const CALLS = [
  ['tickle-scan', {}],
  ['tickle-page', { agent: 'codex-1', why: 'are you there' }],
  ['tickle-cycle', {}],
] as const

test.each(CALLS)(
  '%s is for a wall that opens everybody’s evidence: the gate and the proof say so, each by itself',
  (tool, args) => {
    const judged = (['all', 'room', 'none'] as const).map((evidence) => {
      const spec = wall({ tools: [tool], scope: { evidence } })
      const reach = reachOf(tools[tool], args, spec)
      const intent = {
        event: 'step-intended',
        turn: 't1',
        step: 't1.0',
        call: { tool, args },
        reads: [],
        writes: [],
      } as const
      const found = createReach(Wall.parse(spec)).intended(
        { ...intent, reads: [], writes: [] },
        { phase: null, isSpill: () => false },
      )
      return ['code' in reach ? reach.code : 'let through', found.map(({ what }) => what)]
    })
    expect(judged).toEqual([
      ['let through', []],
      ['out-of-scope', ['looked after everybody, which test does not open']],
      ['out-of-scope', ['looked after everybody, which test does not open']],
    ])
  },
)
