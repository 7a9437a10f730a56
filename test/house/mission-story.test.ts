import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { converse } from '../../src/client/converse.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

const TEA = `# M-tea: Tea for everybody

Status: ready

- [ ] fill the pot
- [ ] boil the water
- [ ] pour it
`
const FILE = 'missions/M-tea.md'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse({
    inWorkspace: (folder) => {
      mkdirSync(join(folder, 'missions'))
      writeFileSync(join(folder, FILE), TEA)
    },
  })
})
afterAll(() => house[Symbol.asyncDispose]())

const client = () => createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
const textOf = (path: string) => readFileSync(join(house.settings.workspace, path), 'utf8')

type Call = [string, Record<string, unknown>]
let n = 0

/** A turn of an agent behind the wall of missions: it takes the mission up where it was left, and makes these calls. */
const turn = async (agent: 'claude' | 'codex', ...calls: Call[]): Promise<string> => {
  const id = `turn-${++n}`
  const said = [['mission-load', { mission: 'M-tea' }] as Call, ...calls].map(
    ([tool, args]) => `use ${tool} ${JSON.stringify(args)}`,
  )
  must(await client().say({ id, room: 'quiet', text: `/mission @${agent} ${said.join(' then ')}` }))
  const ended = await eventually(`${id} to end`, () => house.store.get(`${id}.${agent}-1.ended`), 60_000)
  return ended.body.event === 'turn-ended' ? ended.body.answer : ''
}

/** The step that the next turn of an agent takes as its nth call; the first loads the mission. */
const step = (agent: string, nth: number): string => `turn-${n + 1}.${agent}-1.${nth}`

/** A whole cycle, in as many turns as it takes. */
const cycle = async (agent: 'claude' | 'codex', item: string, path: string): Promise<string> => {
  await turn(
    agent,
    ['cycle-begin', { item }],
    ['ledger-query', {}],
    ['advance', { outputs: { observed: [step(agent, 2)] } }],
    ['advance', { outputs: { approach: `write ${path}`, items: [item] } }],
    ['write', { path, text: `// ${item}\n` }],
  )
  await turn(
    agent,
    ['advance', { outputs: { artifacts: [path] } }],
    ['run', { argv: ['node', path] }],
    ['advance', { outputs: { validation: [step(agent, 2)] } }],
    ['classify', { item, status: 'done', basis: 'artifact' }],
    ['advance', { outputs: { classification: 'it runs' } }],
  )
  return turn(
    agent,
    ['ledger-upsert', { item, status: 'done' }],
    ['advance', { outputs: { rationale: 'it was run', changes: [item] } }],
    ['mission-save', { path: FILE }],
    ['advance', { outputs: { saved: FILE } }],
    ['advance', { outputs: {} }],
  )
}

const ask = async (text: string): Promise<string> => {
  const { replies } = must(await converse(client(), { room: 'quiet', text }, AbortSignal.timeout(60_000)))
  return replies.map((reply) => reply.text).join('\n')
}
const statuses = async () => {
  const { obligations } = must(await client().ask('obligations', { mission: 'M-tea' }))
  return obligations.map(({ id, status }) => `${id} ${status}`)
}

test('a mission goes from its file to done by two agents, with a blocked obligation, a bell and a restart in the middle', async () => {
  expect(must(await client().ask('obligations', { mission: 'M-tea' })).begun).toBe(false)
  await ask('/mc review')

  // claude-1 begins, and gets as far as it can.
  await turn('claude', ['ledger-upsert', { item: 'O-3', dependsOn: ['O-1', 'O-2'] }])
  expect(await cycle('claude', 'O-1', 'src/pot.js')).toContain('cycle 1 is completed: O-1 is done')
  await turn(
    'claude',
    ['cycle-begin', { item: 'O-2' }],
    ['ledger-query', {}],
    ['advance', { outputs: { observed: [step('claude', 2)] } }],
    ['advance', { outputs: { approach: 'boil it on the stove', items: ['O-2'] } }],
    ['cycle-end', { why: 'there is no kettle' }],
  )
  await turn(
    'claude',
    ['ledger-upsert', { item: 'O-2', status: 'blocked', why: 'codex is to write src/kettle.js first' }],
    ['mission-save', { path: FILE }],
    ['bell', { to: 'codex', text: 'use write {"path": "src/kettle.js", "text": "// a kettle"}', act: 'request' }],
  )
  expect(await turn('claude', ['cycle-begin', { item: 'O-2' }])).toContain(
    'O-2 is blocked: codex is to write src/kettle.js first; once it is not, say that it is open with ledger-upsert',
  )
  expect(textOf(FILE)).toBe(TEA.replace('ready', 'blocked by O-2').replace('- [ ] fill', '- [x] fill'))
  expect(await statuses()).toEqual(['O-1 done', 'O-2 blocked', 'O-3 open'])
  expect(await ask('/mission show M-tea')).toContain(
    '  obligations: 1 done, 1 blocked, 1 open; O-2 is blocked: codex is to write src/kettle.js first',
  )
  await eventually('the kettle', () => textOf('src/kettle.js') === '// a kettle')

  // What a restart must bring back is in the evidence.
  await eventually('all turns to end', async () => (await house.store.unfinishedTurns()).length === 0)
  await house.stopWorker()
  await house.stopGateway()
  await house.redis.redis.flushall()
  await house.startGateway()
  await house.startWorker()

  // codex-1 takes it up where it was left: what has failed is told, and not tried again.
  await turn('codex', ['ledger-upsert', { item: 'O-2', status: 'open', why: 'there is a kettle' }])
  const begun = await turn(
    'codex',
    ['cycle-begin', { item: 'O-2' }],
    ['ledger-query', {}],
    ['advance', { outputs: { observed: [step('codex', 2)] } }],
    ['advance', { outputs: { approach: 'Boil it, on the stove!', items: ['O-2'] } }],
  )
  expect(begun).toContain('what has failed on it:\n  - cycle 2: boil it on the stove (there is no kettle)')
  expect(begun).toContain('approach: this approach has failed in cycle 2: there is no kettle')
  await turn('codex', ['cycle-end', { why: 'begin again, with the kettle' }])
  expect(await cycle('codex', 'O-2', 'src/boil.js')).toContain('is completed: O-2 is done')
  expect(await cycle('codex', 'O-3', 'src/pour.js')).toContain('is completed: O-3 is done')

  expect(textOf(FILE)).toBe(TEA.replace('ready', 'complete').replaceAll('[ ]', '[x]'))
  expect(await statuses()).toEqual(['O-1 done', 'O-2 done', 'O-3 done'])
  const { audit, cycles, failed, path } = must(await client().ask('obligations', { mission: 'm-tea' }))
  expect({ audit, path, failed: failed.map(({ approach }) => approach) }).toEqual({
    audit: [],
    path: FILE,
    failed: ['boil it on the stove'],
  })
  expect(cycles.map(({ n: at, item, outcome }) => `${at} ${item} ${outcome}`)).toEqual([
    '1 O-1 completed',
    '2 O-2 given-up',
    '3 O-2 given-up',
    '4 O-2 completed',
    '5 O-3 completed',
  ])

  // Mission control sees it: in coverage, though no room was ever focused on it, in its review, and in what changed since.
  expect(await ask('/mc coverage M-tea')).toMatch(
    /^M-tea: \d+ turns \(\d+ done, 0 failed\), \d+ steps, 4 files changed/,
  )
  await ask('/mc review')
  expect(await ask('/mc diff')).toBe(
    [
      'Portfolio diff (since last review):',
      '  ~ M-tea [ready → complete] boxes 0/3 → 3/3',
      '  Summary: 1 mission (was 1)',
    ].join('\n'),
  )
  const verdicts = await Promise.all((await house.store.chains()).map((chain) => verifyChain(house.store, chain)))
  expect(verdicts.flatMap(({ violations }) => violations)).toEqual([])
})

test('the example of the docs can be typed as it stands there', async () => {
  const docs = readFileSync(join(import.meta.dirname, '../../docs/missions.md'), 'utf8')
  const lines = docs.split('### An example to type')[1]?.match(/^ {4}\/mission .*$/gm) ?? []
  // In a house of its own: there is no M-tea yet.
  await using fresh = await startTestHouse()
  const door = createClient({ url: fresh.url, token: fresh.tokens.admin, face: 'cli' })
  let before = ''
  for (const [i, line] of lines.entries()) {
    const said = must(await door.say({ id: `line-${i}`, room: 'quiet', text: line.trim().replaceAll('TURN', before) }))
    before = said.assignments[0]?.turn ?? ''
    const ended = `${before}.ended`
    await eventually(`${line} to be done`, () => fresh.store.get(ended))
  }
  const { obligations, audit, cycles } = must(await door.ask('obligations', { mission: 'M-tea' }))
  expect([lines.length, obligations.map(({ id, status, basis }) => `${id} ${status} by ${basis}`), audit]).toEqual([
    6,
    ['O-1 done by run'],
    [],
  ])
  expect(cycles.map(({ outcome }) => outcome)).toEqual(['completed'])
  const text = readFileSync(join(fresh.settings.workspace, FILE), 'utf8')
  expect([text.includes('Status: complete'), text.includes('- [x] the first thing to do')]).toEqual([true, true])
})

test('while one is at a mission, another in another room is told who, and to wait', async () => {
  const held =
    'use mission-load {"mission": "M-tea"} then use whistle {"to": "tickle-1", "text": "read README.md", "seconds": 600}'
  must(await client().say({ room: 'quiet', text: '/pause tickle-1' }))
  must(await client().say({ id: 'holds', room: 'quiet', text: `/mission @claude ${held}` }))
  await eventually('claude-1 to have it', () => house.store.get('holds.claude-1.1.parked'))
  must(
    await client().say({ id: 'wants', room: 'lobby', text: '/mission @codex use mission-load {"mission": "M-tea"}' }),
  )
  const refused = await eventually('codex-1 to be told', () => house.store.get('wants.codex-1.ended'))
  expect(refused.body.event === 'turn-ended' && refused.body.answer).toMatch(/is at M-tea: wait until it has left/)
  must(await client().say({ room: 'quiet', text: '/resume tickle-1' }))
  await eventually('claude-1 to be done', () => house.store.get('holds.claude-1.ended'))
})
