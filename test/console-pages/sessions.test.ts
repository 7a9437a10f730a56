import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { openBrowser } from '../support/browser.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { ADA, must } from '../support/store.ts'
import { PATIENT, TRAP, visit, work } from './visit.ts'

let house: TestHouse
let browser: Awaited<ReturnType<typeof openBrowser>>

beforeAll(async () => {
  house = await startTestHouse()
  browser = await openBrowser()
  await work(house, 'one', '@claude read README.md')
  await work(house, 'two', `@codex use read {"path": "${TRAP.replaceAll('"', "'")}"}`)
  await work(house, 'three', '@codex read README.md', 'quiet')
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await house[Symbol.asyncDispose]()
})

test('sessions are there with agent, room, what was asked and how they stand; filters are in the address', async () => {
  await using visited = await visit(browser.context, house, house.tokens.operator)
  const { page, wrong } = visited
  await page.goto(`${house.url}/sessions`)
  const rows = () =>
    page
      .getByRole('table', { name: 'Sessions, the latest first' })
      .getByRole('row')
      .evaluateAll((all) => all.slice(1).map((row) => [...row.children].slice(0, 4).map((cell) => cell.textContent)))
  const ONE = ['claude-1', 'lobby', 'read README.md', 'open, done']
  const TWO = ['codex-1', 'lobby', `use read {"path": "${TRAP.replaceAll('"', "'")}"}`, 'open, done']
  const THREE = ['codex-1', 'quiet', 'read README.md', 'open, done']
  await expect.poll(rows, PATIENT).toEqual([THREE, TWO, ONE])
  await page.getByLabel('Agent').selectOption('codex-1')
  await expect.poll(rows, PATIENT).toEqual([THREE, TWO])
  await page.getByLabel('Room').selectOption('lobby')
  await expect.poll(rows, PATIENT).toEqual([TWO])
  expect(page.url()).toBe(`${house.url}/sessions?agent=codex-1&room=lobby`)
  await page.reload()
  await expect.poll(rows, PATIENT).toEqual([TWO])
  await page.getByLabel('Standing').selectOption('closed')
  await page.getByText('No session matches.').waitFor()
  await page.goto(`${house.url}/sessions`)
  await expect.poll(rows, PATIENT).toEqual([THREE, TWO, ONE])
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/session\?id=s-/)
  await page.getByRole('heading', { level: 1, name: 'codex-1 · lobby' }).waitFor()
  expect(wrong).toEqual([])
})

test('a session that is opened meanwhile comes by itself; beyond a page there is more', async () => {
  await using visited = await visit(browser.context, house, house.tokens.operator)
  const { page } = visited
  await page.goto(`${house.url}/sessions`)
  await page.getByRole('row').nth(3).waitFor()
  await work(house, 'four', '@claude read README.md', 'quiet')
  await expect.poll(() => page.getByRole('row').count(), PATIENT).toBe(5)
  const opened = (n: number) =>
    sessionDraft({
      id: `s-0${n}.opened`,
      session: `s-0${n}`,
      room: `r-${n}`,
      agent: 'codex-1',
      author: ADA,
      body: { event: 'session-opened', agent: 'codex-1', room: `r-${n}` },
    })
  must(await house.store.append(Array.from({ length: 60 }, (_, n) => opened(100 + n))))
  await page.reload()
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => page.getByRole('row').count(), PATIENT).toBe(1 + 4 + 60)
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
})
