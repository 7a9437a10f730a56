import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { openBrowser } from '../support/browser.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { listIn, PATIENT, rowsIn, rowsOf, TRAP, visit, work } from './visit.ts'

let house: TestHouse
let browser: Awaited<ReturnType<typeof openBrowser>>
let session: string

const use = (tool: string, args: object) => `@codex use ${tool} ${JSON.stringify(args)}`

/** A turn is looked at once more after its end, and what comes next does not wait for that. */
const judged = (message: string) =>
  eventually('the verdict', () => house.store.get(`${message}.codex-1.stopped.verified`))

beforeAll(async () => {
  house = await startTestHouse()
  browser = await openBrowser()
  await work(house, 'wrote', use('write', { path: 'a.txt', text: `${TRAP}\n` }))
  await judged('wrote')
  await work(house, 'edited', use('edit', { path: 'README.md', old: 'pours', new: 'poured' }))
  await judged('edited')
  await work(house, 'barred', use('read', { path: '../../secret' }))
  await judged('barred')
  session = (await house.store.get('wrote.codex-1'))?.session ?? ''
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await house[Symbol.asyncDispose]()
})

const open = async (rest = '', token = house.tokens.operator) => {
  const visited = await visit(browser.context, house, token)
  await visited.page.goto(`${house.url}/session?id=${session}${rest}`)
  await rowsIn(visited.page).first().waitFor()
  return visited
}

const STORY = [
  expect.stringMatching(/^session opened \| codex-1 in lobby \| /),
  expect.stringMatching(/^request \| use write /),
  'write done | a.txt +1 −0 | codex-1',
  expect.stringMatching(/^answer done \| rehearsal, no model: write is done\. \| codex-1$/),
  'verified whole | 1 step read, 1 file looked up | bellhop',
  expect.stringMatching(/^request \| use edit /),
  'edit done | README.md +1 −1 | codex-1',
  expect.stringMatching(/^answer done \| /),
  'verified whole | 2 steps read, 1 file looked up | bellhop',
  expect.stringMatching(/^request \| use read /),
  expect.stringMatching(/^read refused \| \.\.\/\.\.\/secret is outside of what edit may touch/),
  expect.stringMatching(/^answer done \| /),
  'verified whole | 2 steps read, 0 files looked up | bellhop',
]

describe('a session', () => {
  test('is its chain as a timeline, each step once; the rest is there for who wants it', async () => {
    await using visited = await open()
    const { page, wrong } = visited
    await expect.poll(() => rowsOf(page), PATIENT).toEqual(STORY)
    await page.getByRole('heading', { level: 1, name: 'codex-1 · lobby' }).waitFor()
    await page.getByText(/^open · 26 entries, 2 steps, 1 refused · began /).waitFor()
    await page.getByLabel('Show').selectOption('steps')
    await expect.poll(() => rowsOf(page), PATIENT).toEqual([STORY[2], STORY[6], STORY[10]])
    await page.getByLabel('Show').selectOption('refused')
    await expect.poll(() => rowsOf(page), PATIENT).toEqual([STORY[10]])
    expect(new URL(page.url()).searchParams.get('show')).toBe('refused')
    expect(wrong).toEqual([])
  })

  test('shows all of an entry: arguments as text, whatever they are, the change, and why it was refused', async () => {
    await using visited = await open('#wrote.codex-1.0.outcome')
    const { page, wrong } = visited
    const pane = page.getByRole('region', { name: 'The entry' })
    await pane.getByRole('heading', { level: 2, name: 'write done' }).waitFor()
    await pane.getByText(TRAP).first().waitFor()
    await pane.getByRole('button', { name: 'Show the changes' }).click()
    await pane.getByRole('cell', { name: TRAP }).waitFor()
    await listIn(page)
      .getByRole('option', { name: /^⊘?\s*read refused/ })
      .click()
    await pane.getByText('stay inside the scope of the peripheral').waitFor()
    await pane.getByText('out-of-scope').waitFor()
    expect(new URL(page.url()).hash).toBe('#barred.codex-1.0.outcome')
    expect([await page.title(), wrong]).toEqual(['codex-1 in lobby · Bellhop', []])
  })

  test('has a link to each entry, also to one that the story leaves out', async () => {
    await using visited = await open('#wrote.codex-1.snapshot')
    const { page } = visited
    await page.getByRole('heading', { level: 2, name: 'snapshot taken' }).waitFor()
    expect(await page.getByLabel('Show').inputValue()).toBe('all')
  })

  test('is walked through by keys, and verified by one: every check is told', async () => {
    await using visited = await open()
    const { page } = visited
    const title = page.getByRole('region', { name: 'The entry' }).getByRole('heading', { level: 2 })
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key)
    await expect.poll(() => title.textContent(), PATIENT).toBe('write done')
    await page.keyboard.press('k')
    await expect.poll(() => title.textContent(), PATIENT).toBe('request')
    await page.keyboard.press('v')
    await expect.poll(() => title.textContent(), PATIENT).toBe('Verify Whole')
    expect(new URL(page.url()).hash).toBe('#verify')
    const checks = page.getByRole('region', { name: 'The entry' }).getByRole('listitem')
    expect((await checks.allTextContents()).slice(0, 8)).toEqual([
      '✓Each entry follows the one before it26 entries',
      '✓Everything happened in its order26 entries',
      '✓No entry was changed26 entries',
      '✓No body was changed or lost26 entries',
      '✓Each entry is a whole one of its kind26 entries',
      '✓Each was written by who may write it26 entries',
      '✓The chain ends where its head says1 entry',
      '✓Every step was within its wall7 entries',
    ])
    expect(await checks.count()).toBe(16)
  })

  test('shows what an entry answers and what answers it, as a tree', async () => {
    await using visited = await open('#edited.codex-1.0.outcome')
    const { page } = visited
    await page.getByText('What it answers, and what answers it', { exact: true }).click()
    const here = page.getByRole('link', { name: /^edit README.md \+1 −1/ })
    await here.waitFor()
    expect(await here.getAttribute('aria-current')).toBe('true')
    await page.getByRole('link', { name: /^request use edit/ }).click()
    await page.getByRole('heading', { level: 2, name: 'request' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#edited.codex-1')
  })

  test('that is not there is said to be none', async () => {
    await using visited = await visit(browser.context, house, house.tokens.operator)
    const { page } = visited
    await page.goto(`${house.url}/session?id=s-none`)
    await page.getByRole('alert').getByText('There is no session s-none. Sessions: /sessions.').waitFor()
  })

  test('fits a phone: the list, then the entry, then back', async () => {
    await using visited = await open()
    const { page } = visited
    await page.setViewportSize({ width: 390, height: 844 })
    await listIn(page)
      .getByRole('option', { name: /edit done/ })
      .click()
    await page.getByRole('heading', { level: 2, name: 'edit done' }).waitFor()
    expect(await listIn(page).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await listIn(page).waitFor()
    expect([new URL(page.url()).hash, await page.evaluate('document.body.scrollWidth <= innerWidth')]).toEqual([
      '',
      true,
    ])
  })
})

test('a viewer sees all of it, and has no button that changes something', async () => {
  const token = await house.mint({ kind: 'person', name: 'bob', role: 'viewer' })
  await using visited = await open('#edited.codex-1.0.outcome', token)
  const { page } = visited
  await page.getByRole('heading', { level: 2, name: 'edit done' }).waitFor()
  expect(await page.getByRole('button', { name: 'Rewind to before this step' }).count()).toBe(0)
})

test('a thread can be forked from a turn, and goes on in a room of its own', async () => {
  const client = createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
  const thread = must(await client.command('new', { agent: 'codex-1', name: 'tea' })).output?.thread.id ?? ''
  await work(house, 'threaded', 'read README.md', thread)
  const chain = (await house.store.get('threaded.codex-1'))?.session ?? ''
  await using visited = await visit(browser.context, house, house.tokens.operator)
  const { page } = visited
  await page.goto(`${house.url}/session?id=${chain}#threaded.codex-1.ended`)
  await page.getByRole('button', { name: 'Fork from this turn' }).click()
  const made = page.getByRole('region', { name: 'The entry' }).getByRole('link', { name: /^t-/ })
  await made.waitFor()
  const { threads } = must(await client.ask('threads'))
  const forked = threads.find(({ id }) => id !== thread)
  expect([await made.textContent(), forked?.from]).toEqual([forked?.id, { thread, turn: 'threaded.codex-1' }])
})

test('what comes is there without a reload, also after the gateway was away', async () => {
  await using visited = await open()
  const { page } = visited
  await page.getByText('live', { exact: true }).waitFor()
  await house.stopGateway()
  await page.getByText('reconnecting…', { exact: true }).waitFor()
  await house.startGateway()
  await work(house, 'later', use('read', { path: 'README.md' }))
  await listIn(page)
    .getByRole('option', { name: /read done/ })
    .waitFor()
  await page.getByText(/^open · 3\d entries, 3 steps, 1 refused/).waitFor()
})

test('files are put back to before a step, once it was shown what that comes to', async () => {
  await using visited = await open('#wrote.codex-1.0.outcome')
  const { page } = visited
  const file = (name: string) => join(house.settings.workspace, name)
  await page.getByRole('button', { name: 'Rewind to before this step' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rewind' })
  await dialog.getByText('a.txt goes').waitFor()
  await dialog.getByText('README.md changes back').waitFor()
  expect(existsSync(file('a.txt'))).toBe(true)
  await dialog.getByRole('button', { name: 'Put back' }).click()
  await dialog.getByText('2 files put back.').waitFor()
  expect([existsSync(file('a.txt')), readFileSync(file('README.md'), 'utf8')]).toEqual([
    false,
    '# teapot\n\nIt pours.\n',
  ])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await listIn(page)
    .getByRole('option', { name: /restored/ })
    .waitFor()
})

test('a chain that was tampered with is BROKEN, by which rule, and where', async () => {
  const entry = must(await house.store.query({ session, event: 'turn-ended', order: 'oldest', limit: 1 })).entries[0]
  const body = JSON.stringify({ ...entry?.body, answer: 'all is well' })
  await sql`drop trigger body_fixed`.execute(house.store.engine.db)
  await house.store.engine.db
    .updateTable('body')
    .set({ json: body })
    .where('position', '=', entry?.position ?? 0)
    .execute()
  await using visited = await open('#verify')
  const { page } = visited
  await page.getByRole('heading', { level: 2, name: 'Verify BROKEN' }).waitFor()
  await page.getByText('✗No body was changed or lostbroken once').waitFor()
  await page.getByRole('link', { name: 'wrote.codex-1.ended' }).click()
  await page.getByRole('region', { name: 'The entry' }).getByText('all is well').waitFor()
})
