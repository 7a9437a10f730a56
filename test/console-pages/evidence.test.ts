import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roomDraft } from '../../src/evidence/drafts.ts'
import { openBrowser } from '../support/browser.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { ADA, must } from '../support/store.ts'
import { listIn, PATIENT, rowsIn, rowsOf, TRAP, visit, work } from './visit.ts'

let house: TestHouse
let browser: Awaited<ReturnType<typeof openBrowser>>

const say = (id: string, text: string) =>
  roomDraft({ id, room: 'quiet', author: ADA, body: { event: 'message', text } })

beforeAll(async () => {
  house = await startTestHouse()
  browser = await openBrowser()
  await work(house, 'looked', '@claude read README.md')
  await work(house, 'wrote', '@codex use write {"path": "a.txt", "text": "x"}')
  await work(house, 'barred', '@claude use write {"path": "x.txt", "text": "x"}')
  must(await house.store.append([say('trap', `zanzibar ${TRAP}`)]))
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await house[Symbol.asyncDispose]()
})

const open = async (query = '') => {
  const visited = await visit(browser.context, house, house.tokens.operator)
  await visited.page.goto(`${house.url}/evidence${query}`)
  return visited
}

const LOOKED = 'write done | a.txt +1 −0 | codex-1'
const BEGUN = 'write begun | path: a.txt, text: x | codex-1'
const BARRED = expect.stringMatching(/^write refused \| explore has no tool write/)

describe('the evidence', () => {
  test('is narrowed by facets that say how much there is of each; the way back is the browser’s', async () => {
    await using visited = await open()
    const { page, wrong } = visited
    const tools = page.getByRole('list', { name: 'By tool' })
    await tools.getByRole('link', { name: 'write 3' }).click()
    await expect.poll(() => rowsOf(page), PATIENT).toEqual([BARRED, LOOKED, BEGUN])
    await page.getByText('3 entries', { exact: true }).waitFor()
    await page.getByRole('list', { name: 'By outcome' }).getByRole('link', { name: 'refused 1' }).click()
    await expect.poll(() => rowsOf(page), PATIENT).toEqual([BARRED])
    expect(new URL(page.url()).search).toBe('?tool=write&outcome=refused')
    const chips = page.getByRole('list', { name: 'Narrowed to' })
    await expect
      .poll(() => chips.getByRole('listitem').allTextContents(), PATIENT)
      .toEqual(['tool: write ×', 'outcome: refused ×', 'Clear all'])
    await chips.getByRole('link', { name: 'tool write: remove' }).click()
    expect(new URL(page.url()).search).toBe('?outcome=refused')
    await page.goBack()
    await page.goBack()
    await expect.poll(() => rowsOf(page), PATIENT).toEqual([BARRED, LOOKED, BEGUN])
    expect(wrong).toEqual([])
  })

  test('is searched by words, and one entry is shown whole, as text', async () => {
    await using visited = await open()
    const { page, wrong } = visited
    await page.keyboard.press('/')
    await page.keyboard.type('zanz*')
    await page.keyboard.press('Enter')
    await expect.poll(() => rowsOf(page), PATIENT).toEqual([`line | zanzibar ${TRAP} | ada`])
    await rowsIn(page).click()
    const pane = page.getByRole('region', { name: 'The entry' })
    await pane.getByText(`zanzibar ${TRAP}`).first().waitFor()
    await pane.getByText('The whole entry').click()
    await pane.getByText('forum-post').waitFor()
    await pane.getByText('Hashes').click()
    await pane
      .getByText((await house.store.get('trap'))?.hash ?? '', { exact: true })
      .first()
      .waitFor()
    expect([new URL(page.url()).search, new URL(page.url()).hash]).toEqual(['?text=zanz*', '#trap'])
    expect([await page.title(), wrong]).toEqual(['Evidence · Bellhop', []])
  })

  test('leads to an entry that the search does not have', async () => {
    await using visited = await open('?tool=read#trap')
    const { page } = visited
    await page
      .getByRole('region', { name: 'The entry' })
      .getByText(/^zanzibar/)
      .first()
      .waitFor()
  })

  test('says what is wrong with a filter, and what there is', async () => {
    await using visited = await open('?colour=red')
    const { page } = visited
    await page
      .getByRole('alert')
      .getByText(/colour/)
      .waitFor()
  })

  test('that is found is a file: a line for each entry', async () => {
    await using visited = await open('?tool=write')
    const { page } = visited
    await expect.poll(() => rowsOf(page), PATIENT).toHaveLength(3)
    const coming = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export' }).click()
    const download = await coming
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const found = must(await house.store.query({ tool: 'write', order: 'oldest' })).entries
    expect([download.suggestedFilename(), lines]).toEqual([
      'bellhop-evidence.jsonl',
      [
        { bellhop: 'evidence', version: 1, after: 0, filters: { tool: 'write' } },
        ...found,
        { end: true, entries: 3, position: found.at(-1)?.position, more: false },
      ],
    ])
  })
})

test('what is written comes by itself, unless one looks at what was', async () => {
  await using visited = await open('?room=quiet&event=message')
  const { page } = visited
  await expect.poll(() => rowsOf(page), PATIENT).toHaveLength(1)
  must(await house.store.append([say('live-1', 'first')]))
  await expect.poll(() => rowsOf(page), PATIENT).toEqual(['line | first | ada', `line | zanzibar ${TRAP} | ada`])
  await page.getByText('2 entries', { exact: true }).waitFor()
  await page.getByLabel('Live').uncheck()
  expect(new URL(page.url()).searchParams.get('live')).toBe('off')
  must(await house.store.append([say('live-2', 'second')]))
  // Whoever follows has heard of it; who does not, has not, until they ask.
  await using other = await open('?room=quiet&event=message')
  await expect.poll(async () => (await rowsOf(other.page))[0], PATIENT).toBe('line | second | ada')
  expect((await rowsOf(page))[0]).toBe('line | first | ada')
  await page.getByRole('button', { name: 'Find' }).click()
  await expect.poll(async () => (await rowsOf(page))[0], PATIENT).toBe('line | second | ada')
})

test('ten thousand entries come in while somebody looks: a few rows are on the page, and nobody loses their place', async () => {
  await using visited = await open('?room=quiet&event=message')
  const { page, wrong } = visited
  await listIn(page)
    .getByRole('option', { name: /zanzibar/ })
    .click()
  const list = listIn(page)
  const before = must(await house.store.count({ room: 'quiet', event: 'message' }))
  for (let start = 0; start < 10_000; start += 500) {
    must(await house.store.append(Array.from({ length: 500 }, (_, n) => say(`many-${start + n}`, `line ${start + n}`))))
  }
  const size = () => rowsIn(page).first().getAttribute('aria-setsize')
  await expect.poll(size, PATIENT).toBe(String(before + 10_000))
  expect((await rowsOf(page))[0]).toBe('line | line 9999 | ada')
  expect(await rowsIn(page).count()).toBeLessThan(60)
  // What was chosen stays chosen, however far away it is now.
  await page.getByRole('heading', { level: 2, name: 'line' }).waitFor()
  expect(new URL(page.url()).hash).toBe('#trap')
  await list.press('k')
  await page.getByText('line 0', { exact: true }).first().waitFor()
  await list.press('Home')
  await expect.poll(() => new URL(page.url()).hash, PATIENT).toBe('#many-9999')
  await list.press('End')
  await expect.poll(() => new URL(page.url()).hash, PATIENT).toBe('#trap')
  expect(wrong).toEqual([])
})
