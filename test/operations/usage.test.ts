import { expect, test } from 'vitest'
import { createBook } from '../../src/evidence/usage.ts'
import type { Context } from '../../src/operations/operation.ts'
import { usage } from '../../src/operations/usage.ts'
import { Profile } from '../../src/shapes/profile.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { NOTHING } from '../../src/shapes/spending.ts'
import { receive } from '../../src/social/pipeline.ts'
import { acceptedIn, notedIn } from '../evidence/noted.ts'
import { agentConfig } from '../support/agent.ts'
import { BULLETINS, line, type TestSocial, testSocial } from '../support/social.ts'
import { must } from '../support/store.ts'

const CONFIG: Context['config'] = {
  agents: [
    agentConfig({ id: 'claude-1', type: 'claude', peripheral: 'explore', budget: { day: { usd: 1 } } }),
    agentConfig({ id: 'codex-1', type: 'codex', peripheral: 'explore', budget: { turn: { tokens: 50 } } }),
  ],
  profiles: { careful: Profile.parse({ summary: 'slowly', budget: { room: { tokens: 50_000 } } }) },
  profile: null,
  prices: { asOf: '2025-12-01', models: {} },
  networks: {},
  people: {},
  bulletins: BULLETINS,
}

const TURNS = [
  { turn: 't1', agent: 'claude-1', room: 'lobby' },
  { turn: 't2', agent: 'codex-1', room: 'lobby' },
  { turn: 't3', agent: 'claude-1', room: 'quiet' },
] as const

/** Three turns: claude for ada with two models, codex for grace without a price, and claude the day before. */
const house = async (config = CONFIG): Promise<TestSocial> => {
  const given = await testSocial()
  const { contextFor } = given.social
  const { store, clock } = given
  const book = createBook({ store, clock: () => clock.now })
  const social = {
    ...given.social,
    contextFor: (...who: Parameters<typeof contextFor>) => ({ ...contextFor(...who), config, book }),
  }
  const [t1, t2, t3] = TURNS
  const today = clock.now
  clock.now = today - 86_400_000
  must(await store.append([...acceptedIn(t3), notedIn(t3, 0, { usage: { output: 20 }, model: 'odd' })]))
  clock.now = today
  must(
    await store.append([
      ...acceptedIn(t1),
      ...acceptedIn(t2, 'grace'),
      notedIn(t1, 0, { usage: { input: 1000, cached: 9000, written: 500, output: 250 }, usd: 0.75 }),
      notedIn(t1, 1, { usage: { input: 10, output: 5 }, usd: 0.25, model: 'haiku' }),
      notedIn(t2, 0, { usage: { input: 70_000, output: 900 }, model: null, person: 'grace' }),
    ]),
  )
  return { ...given, social, [Symbol.asyncDispose]: () => given[Symbol.asyncDispose]() }
}

let said = 0
const ask = async ({ social }: TestSocial, text: string) =>
  receive(line({ id: `m${++said}`, text, credential: { token: 'token-of-eve', as: null } }), social)
const answer = async (given: TestSocial, text: string) => must(await ask(given, text)).answer?.split('\n')

test('the rows stand under one another, with the total, the day of the prices, and what is used of budgets', async () => {
  await using it = await house()
  expect(await answer(it, '/usage')).toEqual([
    'agent     requests      in  cached    out  cost',
    'codex-1          1  70,000       0    900  no price',
    'claude-1         3   1,510   9,000    275  $1.00, and no price for 20 tokens',
    'total            4  71,510   9,000  1,175  $1.00, and no price for 70,920 tokens',
    'prices as of 2025-12-01',
    'claude-1 has used $1.00 of the $1.00 of its day',
  ])
})

test.each([
  ['/usage by=person', ['person  requests      in  cached    out', 'grace', 'ada', 'total']],
  ['/usage by=room', ['room   requests      in  cached    out', 'lobby', 'quiet', 'total']],
  ['/usage by=day', ['day         requests      in  cached    out', '2026-01-02', '2026-01-01', 'total']],
  ['/usage by=model', ['model      requests      in  cached    out', 'not named', 'opus', 'odd', 'haiku', 'total']],
  ['/usage by=turn', ['turn   requests      in  cached    out', 't2', 't1', 't3', 'total']],
])('%s has a row for each', async (text, [head = '', ...names]) => {
  await using it = await house()
  const lines = (await answer(it, text)) ?? []
  expect(
    lines.slice(0, names.length + 1).map((row, i) => (i === 0 ? row.slice(0, head.length) : row.split(/ {2,}/)[0])),
  ).toEqual([head, ...names])
})

test.each([
  ['agent=codex-1', 70_900],
  ['agent=claude-1', 10_785],
  ['person=grace', 70_900],
  ['room=quiet', 20],
  ['room=lobby agent=claude', 10_765],
  ['turn=t1', 10_765],
  ['turn=t1 person=grace', 0],
  ['since=2026-01-01', 81_685],
  ['since=2026-01-02', 81_665],
  ['since=2026-01-03', 0],
  ['since=0d', 81_665],
  ['since=1d', 81_685],
  ['since=1d agent=claude-1 room=quiet by=turn', 20],
])('/usage %s counts what that names, and nothing else', async (filters, tokens) => {
  await using it = await house()
  const outputs: unknown[] = []
  const social = { ...it.social, heard: (output: unknown) => outputs.push(output) }
  must(await receive(line({ text: `/usage ${filters}` }), social))
  const { total } = usage.output.parse(outputs[0]) as { total: typeof NOTHING }
  expect(total.input + total.cached + total.written + total.output).toBe(tokens)
})

test('a program is answered with everything: the sums of each row, of all, and how budgets stand', async () => {
  await using it = await house({ ...CONFIG, profile: 'careful' })
  const outputs: unknown[] = []
  must(
    await receive(line({ text: '/usage turn=t2 by=model' }), { ...it.social, heard: (output) => outputs.push(output) }),
  )
  const spent = { ...NOTHING, requests: 1, input: 70_000, output: 900, unpriced: 70_900 }
  expect(outputs).toEqual([
    {
      by: 'model',
      asOf: '2025-12-01',
      rows: [{ name: null, spent }],
      more: 0,
      total: spent,
      budgets: [
        { agent: 'codex-1', room: 'lobby', of: 'turn', unit: 'tokens', used: 70_900, limit: 50, unpriced: 70_900 },
        { agent: 'codex-1', room: 'lobby', of: 'room', unit: 'tokens', used: 81_665, limit: 50_000, unpriced: 70_900 },
      ],
    },
  ])
})

test('what is too much for one look is counted, and the total is of everything', async () => {
  await using it = await house()
  expect((await answer(it, '/usage by=turn limit=1'))?.slice(0, 4)).toEqual([
    'turn   requests      in  cached    out  cost',
    't2            1  70,000       0    900  no price',
    'total         4  71,510   9,000  1,175  $1.00, and no price for 70,920 tokens',
    'and 2 more',
  ])
})

test('where nothing was used, that is said; where budgets bound a room, once for all', async () => {
  await using it = await testSocial()
  expect(must(await receive(line({ text: '/usage' }), it.social)).answer).toBe('nothing was used')
  await using bounded = await house({
    ...CONFIG,
    agents: [...CONFIG.agents].map((one) => ({ ...one, budget: {} })),
    profile: 'careful',
  })
  expect((await answer(bounded, '/usage room=lobby'))?.slice(-1)).toEqual([
    'the turns in lobby have used 81,665 of their 50,000 tokens',
  ])
})

test('what a program calls its model is shown on one line, and not obeyed', async () => {
  await using it = await house()
  const [where] = TURNS
  must(await it.store.append([notedIn(where, 2, { model: 'a\n\u001b[2Jb'.padEnd(99, 'x'), usage: { input: 1 } })]))
  const lines = await answer(it, '/usage turn=t1 by=model')
  expect(lines?.[3]?.split(/ {2,}/)[0]).toBe(`a [2Jb${'x'.repeat(53)}…`)
})

test('a turn that is not there, and a time that is none, are refused', async () => {
  await using it = await house()
  expect(await ask(it, '/usage turn=t9')).toEqual(refused(refusal('turn-unknown', 'there is no turn t9')))
  expect(await ask(it, '/usage since=lately')).toMatchObject({
    ok: false,
    refusal: {
      code: 'command-invalid',
      message: expect.stringContaining('since: expected a day such as 2026-01-02, or a number of days such as 7d'),
    },
  })
})
