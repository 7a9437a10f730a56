import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { openMission, TEA } from './mission-bench.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

test('a mission is carried from its file to done, and its file says so, byte for byte but for boxes and status', async () => {
  await using it = await openMission(server)
  await it.well('mission-load', { mission: 'm-TEA' })
  expect(await it.statuses()).toEqual({ 'O-1': 'open', 'O-2': 'open', 'O-3': 'open' })
  await it.well('ledger-upsert', { item: 'O-3', dependsOn: ['O-1', 'O-2'] })
  await it.done('O-1')
  expect(it.text('missions/M-tea.md')).toBe(
    TEA.replace('Status: ready', 'Status: in-progress').replace('- [ ] boil', '- [x] boil'),
  )
  await it.done('O-2')
  await it.done('O-3')
  expect(it.text('missions/M-tea.md')).toBe(TEA.replace('Status: ready', 'Status: complete').replaceAll('[ ]', '[x]'))
  // Whoever carries it on next can save it, too: only what it has made is still with claude-1.
  expect((await it.holds.all()).map(({ path }) => path)).toEqual(['src/O-1.js', 'src/O-2.js', 'src/O-3.js'])
  expect(await it.says('mission-audit')).toBe('the file says what the evidence shows')
  expect((await it.mission()).cycles.map(({ n, item, outcome }) => [n, item, outcome])).toEqual([
    [1, 'O-1', 'completed'],
    [2, 'O-2', 'completed'],
    [3, 'O-3', 'completed'],
  ])
  expect(await it.violations()).toEqual([])
})
