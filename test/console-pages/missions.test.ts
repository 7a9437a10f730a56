import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { isTooWide, linesIn, openPages, PATIENT } from './page.ts'

const TRAP = '<img src=x onerror=alert(1)>'

const FILES: Record<string, string> = {
  'M-store': '# M-store: Keep what was said\n\nStatus: complete\nOwner: ada\n\n- [x] find out\n',
  'M-retry':
    '# M-retry: Try again\n\nStatus: in-progress\nOwner: grace\n\n## Phase 1: find out\n\n- [x] which\n- [ ] how long\n',
  'M-queue': '# M-queue: Survive a restart\n\nStatus: ready\nBlocked by: M-retry\n\n- [ ] write it down\n',
  'M-tea': `# M-tea: ${TRAP}\n\nStatus: dnoe\nOwner: ${TRAP}\n`,
}

let it: Awaited<ReturnType<typeof openPages>>
beforeAll(async () => {
  it = await openPages({
    inWorkspace: (folder) => {
      mkdirSync(join(folder, 'missions'))
      for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, 'missions', `${name}.md`), text)
    },
  })
  const { house } = it
  const client = createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
  await eventually('the agents to be ready', async () =>
    must(await client.ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  must(await client.say({ id: 'focus', room: 'lobby', text: '/mission focus M-retry' }))
  await eventually('the focus', () => house.store.get('focus.tickle-1.ended'))
  must(await client.say({ id: 'work', room: 'lobby', text: '@claude read README.md' }))
  await eventually('the work', () => house.store.get('work.claude-1.ended'))
})
afterAll(() => it[Symbol.asyncDispose]())

test('the board has a column for each way to stand, and a card for each mission with what is known of it', async () => {
  const page = await it.open('/missions')
  const board = page.getByRole('region', { name: 'Board', exact: true })
  await expect
    .poll(() => board.getByRole('heading', { level: 3 }).allTextContents(), PATIENT)
    .toEqual(['In progress 1', 'Blocked 1', 'Complete 1', 'Unknown 1'])
  const cards = (name: string) => board.getByRole('list', { name }).getByRole('listitem')
  expect(await linesIn(cards('In progress 1'))).toEqual([
    [
      'M-retry',
      'Try again',
      '1 of 2 boxes',
      'owner grace',
      expect.stringMatching(/^1 turn, 1 step, last \d+ \w+ ago$/),
      'in focus of lobby',
    ],
  ])
  expect(await linesIn(cards('Blocked 1'))).toEqual([
    ['M-queue', 'Survive a restart', '0 of 1 boxes', 'no owner', 'waits for M-retry', 'no work in the evidence'],
  ])
  expect(await linesIn(cards('Complete 1'))).toEqual([
    [
      'M-store',
      'Keep what was said',
      '1 of 1 boxes',
      'owner ada',
      'no work in the evidence',
      'says complete, and the evidence has no work on it',
    ],
  ])
  expect(await linesIn(cards('Unknown 1'))).toEqual([
    ['M-tea', TRAP, `owner ${TRAP}`, 'no work in the evidence', '1 complaint'],
  ])
  await page.close()
})

test('what next is told with what each reason counts, and what waits for what is a drawing and a list', async () => {
  const page = await it.open('/missions')
  const next = page.getByRole('region', { name: 'What next, and why' })
  await expect
    .poll(() => next.locator('.ranked > li').allInnerTexts(), PATIENT)
    .toEqual([
      '22\nM-retry in-progress\n+10 unlocks 1 mission\n+6 is begun\n+5 1 of 2 boxes are done\n+1 1 turn went into it',
    ])
  const drawing = page.getByRole('group', { name: 'Missions, and what waits for what' })
  const links = drawing.getByRole('link')
  expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual([
    'M-retry Try again, in-progress; leads to M-queue',
    'M-queue Survive a restart, blocked; comes from M-retry',
  ])
  // Arrow keys go along the edges.
  await links.first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/missions\?id=M-queue$/)
  await page.close()
})

test('activity is drawn, and is in a table, too; how many days is in the address', async () => {
  const page = await it.open('/missions')
  const plot = page.getByRole('img', { name: /^Turns: 2 turns$/ })
  await expect.poll(() => plot.locator('canvas').count(), PATIENT).toBe(1)
  const figure = page.getByRole('figure', { name: 'Turns 2 turns' })
  await figure.getByText('The same as a table').click()
  const today = new Date().toISOString().slice(0, 10)
  expect(await figure.getByRole('row').allInnerTexts()).toEqual(['Day\tTurns\tfailed', `${today}\t2\t0`])
  await page.getByRole('navigation', { name: 'Days' }).getByRole('link', { name: '7 days' }).click()
  await page.waitForURL(/\/missions\?days=7$/)
  await page.close()
})

test('a mission that changes is shown as it is, without a reload; and a review says what changed', async () => {
  const page = await it.open('/missions')
  const changed = page.getByRole('region', { name: 'What changed' })
  await changed.getByText('There is no review yet').waitFor()
  await changed.getByRole('button', { name: 'Review now' }).click()
  await changed.getByText('Since the last review').waitFor()
  writeFileSync(
    join(it.house.settings.workspace, 'missions/M-store.md'),
    '# M-store: Keep what was said\n\nStatus: complete\nOwner: ada\n\n- [x] find out\n- [x] and do it\n',
  )
  await expect
    .poll(() => changed.getByRole('listitem').allInnerTexts(), PATIENT)
    .toEqual(['M-store complete boxes 1/1 → 2/2'])
  await page.close()
})

test('one mission is shown whole, with the way to its evidence', async () => {
  const page = await it.open('/missions?id=M-retry')
  await page.getByRole('heading', { level: 1, name: 'Try again' }).waitFor()
  expect(await linesIn(page.getByRole('region', { name: 'Phases' }))).toEqual([
    ['Phases', '1 of 2 boxes', '1: find out: 1 of 2'],
  ])
  const evidence = page.getByRole('region', { name: 'What the evidence has of it' })
  expect(await evidence.getByRole('link', { name: 'Evidence' }).getAttribute('href')).toBe('/evidence?mission=M-retry')
  expect((await evidence.getByRole('definition').allInnerTexts()).slice(0, 5)).toEqual([
    '1: 1 done, 0 failed',
    '1',
    '0',
    'none',
    '0',
  ])
  await page.close()
})

test('a mission that there is not is said, and the page stays connected', async () => {
  const page = await it.open('/missions?id=M-none')
  await page.getByText('There is no mission M-none.').waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  await page.close()
})

test('after a restart the page goes on by itself, and shows what happened meanwhile', async () => {
  const page = await it.open('/missions')
  await page.getByText('live', { exact: true }).waitFor()
  await it.house.stopGateway()
  await page.getByText('reconnecting…').waitFor()
  await page.getByRole('alert').getByText('The house cannot be reached').waitFor()
  writeFileSync(join(it.house.settings.workspace, 'missions/M-new.md'), '# M-new: Just begun\n\nStatus: deferred\n')
  await it.house.startGateway()
  await page.getByRole('list', { name: 'Deferred 1' }).getByRole('link', { name: 'M-new Just begun' }).waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.close()
})

test('what a mission owes is drawn once somebody carries it on, and before that nothing is', async () => {
  const page = await it.open('/missions?id=M-retry')
  await page.getByRole('heading', { level: 1, name: 'Try again' }).waitFor()
  expect(await page.getByRole('region', { name: 'Obligations' }).count()).toBe(0)
  const graph = {
    nodes: [
      { id: 'O-1', text: TRAP, status: 'done' },
      { id: 'O-2', text: 'give up', status: 'open' },
    ],
    edges: [{ from: 'O-1', to: 'O-2', kind: 'feeds' }],
  }
  await page.route('**/api/obligations?mission=M-retry', (route) => route.fulfill({ json: { graph } }))
  await page.reload()
  const drawing = page.getByRole('group', { name: 'What M-retry owes, and what feeds what' })
  await drawing.waitFor()
  expect(await drawing.getByRole('img').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual(
    [`O-1 ${TRAP}, done; leads to O-2 (feeds)`, 'O-2 give up, open; comes from O-1'],
  )
  await page.close()
})

test('who only looks has no button to review by; and on a phone nothing is wider than it', async () => {
  const token = await it.house.mint({ kind: 'person', name: 'bob', role: 'viewer' })
  const page = await it.open('/missions', { token, phone: true })
  await page
    .getByRole('region', { name: 'Board', exact: true })
    .getByRole('link', { name: /^M-retry/ })
    .first()
    .waitFor()
  expect([await page.getByRole('button', { name: 'Review now' }).count(), await isTooWide(page)]).toEqual([0, false])
  await page.close()
})

test('nothing that a file says is more than a text, and nothing is asked of anybody else', () => {
  expect(it.failed).toEqual([])
})
