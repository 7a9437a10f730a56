import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isTooWide } from './page.ts'
import { openRichPages } from './rich.ts'
import { VIEWS, type View } from './views.ts'

/** Everything that WCAG 2.2 asks for at A and AA and that can be told by a program, and what is good besides. No rule is off. */
const ALL = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Those of its rules that are about colours. */
const COLOURS = ['color-contrast', 'link-in-text-block']

/** Whether everything that is pressed is large enough for a finger. */
const TARGETS = ['target-size']

let it: Awaited<ReturnType<typeof openRichPages>>
let page: Page
beforeAll(async () => {
  it = await openRichPages()
  page = await it.open('/now')
})
afterAll(() => it[Symbol.asyncDispose]())

const look = async ({ path, ready, prepare }: View): Promise<void> => {
  // From elsewhere: an address that differs in its fragment alone would leave the page as it is.
  await page.goto(`${it.house.url}/?token=${it.token}`)
  await page.goto(it.house.url + path(it.session))
  await ready(page).waitFor({ state: 'attached' })
  await prepare?.(page)
}

/** What is wrong by these rules, and where. */
const wrongBy = async (rules: string[]): Promise<string[]> => {
  await page.evaluate(axe.source)
  const asked = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] })
  return page.evaluate(
    `axe.run(document, ${asked}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`,
  )
}

test.each(VIEWS)('$name: nothing is wrong by axe, light and dark, and text of twice the size fits', async (view) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await look(view)
  const light = await wrongBy(ALL)
  await page.emulateMedia({ colorScheme: 'dark' })
  // In the dark, only colours are others.
  const dark = await wrongBy(COLOURS)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.evaluate("document.documentElement.style.fontSize = '200%'")
  expect([light, dark, await isTooWide(page)]).toEqual([[], [], false])
})

test.each(VIEWS)('$name: on a phone nothing is wrong by axe, and on the smallest all of it fits, too', async (view) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await look(view)
  const wrong = [...(await wrongBy(ALL)), await isTooWide(page)]
  await page.setViewportSize({ width: 320, height: 640 })
  expect([wrong, await wrongBy(TARGETS), await isTooWide(page)]).toEqual([[false], [], false])
})

test('nothing failed in a page, and nothing was asked of anybody else', () => {
  expect(it.failed).toEqual([])
})
