import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { begin, pour } from './many.ts'
import { openPages, PATIENT } from './page.ts'
import { listIn } from './visit.ts'

const PUBLIC = join(import.meta.dirname, '../../adapters/web/public')

let it: Awaited<ReturnType<typeof openPages>>
let page: Page
beforeAll(async () => {
  it = await openPages({
    worker: false,
    before: async (store) => {
      await begin(store)
      await pour(store, 1, 20)
    },
  })
  page = await it.open('/now')
  // What fades in is there at once.
  await page.emulateMedia({ reducedMotion: 'reduce' })
})
afterAll(() => it[Symbol.asyncDispose]())

const focused = (what: string): Promise<string> => page.evaluate(`document.activeElement.${what}`)

/**
 * Where the focus is: its place among all elements, and whether it is seen there, since something looks otherwise without
 * it. A box of a graph and the line of the room have their ring around something else.
 */
const FOCUS = `(() => {
  const element = document.activeElement
  if (element === document.body) return null
  const around = [element, element.querySelector(':scope > rect'), element.closest('form')].filter((one) => one)
  const looks = () => JSON.stringify(around.map((one) => {
    const { outlineStyle, outlineWidth, borderColor, boxShadow, stroke, strokeWidth } = getComputedStyle(one)
    return [outlineStyle, outlineWidth, borderColor, boxShadow, stroke, strokeWidth]
  }))
  const focused = looks()
  element.blur()
  const seen = looks() !== focused
  element.focus()
  return { at: [...document.querySelectorAll('*')].indexOf(element), seen, what: element.outerHTML.slice(0, 120) }
})()`

type Focus = { at: number; seen: boolean; what: string }

test.each(['/now', '/sessions', '/session?id=s-1', '/evidence', '/missions', '/peripherals', '/peripherals?id=edit'])(
  '%s is gone through by Tab from its beginning to its end, and the focus is seen everywhere',
  async (path) => {
    await page.goto(it.house.url + path)
    await page.getByText('live', { exact: true }).waitFor()
    const passed: Focus[] = []
    for (let n = 0; n < 400; n += 1) {
      await page.keyboard.press('Tab')
      const focus: Focus | null = await page.evaluate(FOCUS)
      // After the last comes nothing of the page, or the first again.
      if (focus === null || focus.at === passed[0]?.at) break
      passed.push(focus)
    }
    const places = passed.map(({ at }) => at)
    expect(passed.filter(({ seen }) => !seen).map(({ what }) => what)).toEqual([])
    expect([passed.length > 8 && passed.length < 400, places]).toEqual([true, [...places].sort((a, b) => a - b)])
  },
)

test('the first stop on a page leads past what all pages have', async () => {
  await page.goto(`${it.house.url}/evidence`)
  await listIn(page).waitFor()
  await page.keyboard.press('Tab')
  expect(await focused('textContent')).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  await expect.poll(() => focused('id'), PATIENT).toBe('main')
  await page.keyboard.press('Tab')
  expect(await focused("getAttribute('aria-label')")).toBe('Words')
})

test('a link to an entry that there is not says so', async () => {
  await page.goto(`${it.house.url}/evidence#n-none`)
  await page.getByText('There is no entry n-none.').waitFor()
})

test('the list of keys opens by one, closes by Escape, and gives the focus back', async () => {
  await page.goto(`${it.house.url}/evidence`)
  await listIn(page).focus()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keys' })
  await dialog.getByText('live on or off').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  expect(await focused("getAttribute('role')")).toBe('listbox')
})

test('one goes from page to page, finds and opens something, without a mouse', async () => {
  await page.goto(`${it.house.url}/now`)
  await page.getByText('live', { exact: true }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.waitForURL(/\/evidence$/)
  await listIn(page).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('note 7')
  await page.keyboard.press('Enter')
  await page.getByText('1 entry', { exact: true }).waitFor()
  await page.locator('main').focus()
  await page.keyboard.press('j')
  await page.keyboard.press('o')
  await page.getByRole('heading', { level: 2 }).first().waitFor()
  expect(new URL(page.url()).hash).toBe('#n-7')
  expect(await focused("getAttribute('aria-label')")).toBe('The entry')
  await page.keyboard.press('Escape')
  expect(await focused("getAttribute('role')")).toBe('listbox')
})

test('in the room all letters are the line’s, until Escape leaves it', async () => {
  await page.goto(`${it.house.url}/?room=lobby`)
  const line = page.getByLabel('Say something in the room')
  await expect.poll(() => focused('id'), PATIENT).toBe('line')
  await page.keyboard.type('g n')
  expect(await line.inputValue()).toBe('g n')
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.waitForURL(/\/now$/)
})

test('whatever moves by itself stands still for those who want that', () => {
  const sheets = [PUBLIC, join(PUBLIC, 'console')].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.css'))
      .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') })),
  )
  const moving = sheets.filter(({ text }) => /\b(animation|transition):/.test(text))
  const kept = moving.filter(({ text }) => !text.includes('prefers-reduced-motion: reduce'))
  expect([moving.length > 0, kept.map(({ name }) => name)]).toEqual([true, []])
})

test('nothing failed in a page', () => {
  expect(it.failed).toEqual([])
})
