import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { openBrowser } from '../../support/browser.ts'
import { startTestHouse, type TestHouse } from '../../support/gateway.ts'
import { must, said } from '../../support/store.ts'

/** More than the page begins with, and more than it keeps. */
const LINES = 620

let house: TestHouse
let browser: Awaited<ReturnType<typeof openBrowser>>
let page: Page | null = null

beforeAll(async () => {
  const lines = Array.from({ length: LINES }, (_, index) => said(`m${index}`, `line ${index}`))
  house = await startTestHouse({ worker: false, before: async (store) => must(await store.append(lines)) })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await house[Symbol.asyncDispose]()
})
afterEach(async () => {
  await page?.close()
  page = null
})

const open = async (link: string): Promise<Page> => {
  page = await browser.context.newPage()
  await page.goto(`${house.url}${link}`)
  await page.locator('#composer[data-link=online]').waitFor()
  return page
}
const poll = (look: () => unknown) => expect.poll(look, { timeout: 60_000, interval: 25 })

/** What is marked, and whether it is in sight. It runs in the page. */
const MARKED = `[...document.querySelectorAll('.linked')].map((marked) => {
  const { top, bottom } = marked.getBoundingClientRect()
  const sight = document.getElementById('scroller').getBoundingClientRect()
  return [marked.querySelector('.text').textContent, top >= sight.top && bottom <= sight.bottom]
})`

test('a link to a post opens the page there, however far back it is, and marks it', async () => {
  const opened = await open(`/?token=${house.tokens.operator}&room=lobby#post-m5`)
  await opened.getByText(`line ${LINES - 1}`, { exact: true }).waitFor()
  await poll(() => opened.evaluate(MARKED)).toEqual([['line 5', true]])
  expect(opened.url()).toBe(`${house.url}/?room=lobby#post-m5`)

  await opened.getByRole('button', { name: 'New messages' }).click()
  await poll(() => opened.evaluate(`${MARKED}[0][1]`)).toBe(false)
  expect(await opened.getByText(`line ${LINES - 1}`, { exact: true }).isVisible()).toBe(true)
})

test('a link to one of the last posts leaves the reader there as more is said', async () => {
  const opened = await open(`/?room=lobby#post-m${LINES - 1}`)
  await poll(() => opened.evaluate(MARKED)).toEqual([[`line ${LINES - 1}`, true]])
  const client = createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
  for (let count = 0; count < 20; count++) must(await client.say({ text: '/rooms' }))
  await poll(() => opened.getByText('/rooms', { exact: true }).count()).toBe(20)
  expect(await opened.evaluate(MARKED)).toEqual([[`line ${LINES - 1}`, true]])
})

test('another link in the same page leads on, and one to what is not in this room says so', async () => {
  const opened = await open('/?room=lobby#post-m7')
  await poll(() => opened.evaluate(MARKED)).toEqual([['line 7', true]])
  await opened.evaluate(`location.hash = '#post-nothing'`)
  await poll(() => opened.locator('.notice').last().textContent()).toBe('What the link leads to is not in this room.')
  expect(await opened.evaluate(MARKED)).toEqual([])

  await opened.goto(`${house.url}/?room=porch#post-m7`)
  await poll(() => opened.locator('.notice').last().textContent()).toBe('What the link leads to is not in this room.')
})
