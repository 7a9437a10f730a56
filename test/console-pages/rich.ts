import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../../src/client/client.ts'
import type { TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { writeHistory } from './history.ts'
import { openPages } from './page.ts'

const TEAPOT = join(import.meta.dirname, '../../docs/demo/teapot')

/** One agent with a budget: what it has used is known from the evidence. */
const CONFIG = `
agents:
  - { id: claude-1, type: claude, runner: rehearsal, peripheral: explore, budget: { day: { usd: 20 } } }
  - { id: codex-1, type: codex, runner: rehearsal, peripheral: edit }
  - { id: tickle-1, type: tickle, runner: rehearsal, peripheral: mission-control, peripherals: [mission-control, explore, test, reflect, chat] }
prices:
  asOf: 2026-11-16
  models: { "claude-sonnet-*": { input: 3, cached: 0.3, output: 15 } }
`

/**
 * A house in which something of every kind has happened on a small repository: searches, a change with its diff, tests, a
 * failed step, a refusal, hops, a mission with obligations, a proof, two weeks of history; and an approval that waits, with
 * a turn behind it. The words are always the same.
 */
export const openRichPages = async () => {
  const it = await openPages({
    config: CONFIG,
    inWorkspace: (folder) => cpSync(TEAPOT, folder, { recursive: true }),
    before: (_store, url) => writeHistory(url),
  })
  const { house } = it
  const token = await house.mint({ kind: 'person', name: 'ada', role: 'admin' })
  const client = createClient({ url: house.url, token, face: 'cli' })
  await eventually('the agents to be ready', async () =>
    must(await client.ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  const say = createSay(house, client)
  await say('lobby', '/mission focus M-green')
  await say('lobby', '@claude where is the retry logic?')
  await say('lobby', '@claude read docs/brewing.md')
  await say('lobby', '@codex replace "green: 4" with "green: 2" in src/brew.js, then run the tests')
  await say('lobby', '@codex use read {"path": "../../etc/passwd"}')
  await say('quiet', `/mission @claude ${stepsOf(OWED)}`)
  await say('quiet', `/proof @claude ${stepsOf(PROOF)}`)
  await say('lobby', '/mc review')

  const asked = { argv: ['npm', 'install', 'zod'], escalate: { why: 'brew.js is to check its leaves with zod' } }
  must(await client.say({ id: 'wants', room: 'lobby', text: `@codex use run ${JSON.stringify(asked)}` }))
  await eventually('the approval', async () => must(await client.ask('approvals')).approvals.length === 1)
  must(await client.say({ id: 'waits', room: 'lobby', text: '@codex run git status --short' }))
  const session = (await house.store.get('wants.codex-1'))?.session ?? ''
  return { ...it, token, session }
}

type Call = [tool: string, args: object]

const OWED: Call[] = [
  ['mission-load', { mission: 'M-menu' }],
  ['ledger-upsert', { item: 'O-2', text: 'the minutes of each tea', dependsOn: ['O-1'] }],
  ['ledger-upsert', { item: 'O-3', text: 'a test reads the menu', dependsOn: ['O-1', 'O-2'] }],
]

const PROOF: Call[] = [
  ['proof-load', { problem: 'P-sum', title: 'sums of odd numbers' }],
  ['proof-statement', { text: 'the sum of the first n odd numbers is n^2' }],
  ['ledger-upsert', { item: 'C-1', text: 'it holds for 1' }],
  ['ledger-upsert', { item: 'C-2', text: 'it goes on from n to n+1', dependsOn: ['C-1'] }],
  ['ledger-upsert', { item: 'C-3', text: 'it holds for every n', dependsOn: ['C-1', 'C-2'] }],
]

const stepsOf = (calls: Call[]): string =>
  calls.map(([tool, args]) => `use ${tool} ${JSON.stringify(args)}`).join(' then ')

/** Says one line after the other, each when the turns of the one before are over. */
const createSay = (house: TestHouse, client: ReturnType<typeof createClient>) => {
  let n = 0
  return async (room: string, text: string): Promise<void> => {
    n += 1
    const { assignments } = must(await client.say({ id: `line-${n}`, room, text }))
    for (const { turn } of assignments)
      await eventually(`${turn} to end`, () => house.store.get(`${turn}.ended`), 60_000)
  }
}
