import type { Locator, Page } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { startTestHouse } from '../support/gateway.ts'

type Options = NonNullable<Parameters<typeof startTestHouse>[0]>

/** A house and a browser that is signed in to it; what fails in a page is kept. */
export const openPages = async (options: Options) => {
  const house = await startTestHouse(options)
  const browser = await openBrowser()
  const failed: string[] = []
  const open = async (path: string, { token = house.tokens.admin, phone = false } = {}): Promise<Page> => {
    const page = await browser.context.newPage()
    if (phone) await page.setViewportSize({ width: 390, height: 844 })
    page.on('pageerror', (error) => failed.push(error.message))
    page.on('dialog', async (dialog) => {
      failed.push(`a dialog: ${dialog.message()}`)
      await dialog.dismiss()
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(house.url)) failed.push(`asked elsewhere: ${request.url()}`)
    })
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) failed.push(message.text())
    })
    await page.goto(new URL(`/?token=${token}`, house.url).href)
    await page.goto(new URL(path, house.url).href)
    return page
  }
  return {
    house,
    open,
    /** What went wrong in pages: errors, scripts that ran, requests to others. */
    failed,
    [Symbol.asyncDispose]: async () => {
      await browser[Symbol.asyncDispose]()
      await house[Symbol.asyncDispose]()
    },
  }
}

export const PATIENT = { timeout: 60_000, interval: 50 }

/** Whether a page is wider than its window. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/** What elements say, each line by line. */
export const linesIn = async (found: Locator): Promise<string[][]> =>
  (await found.allInnerTexts()).map((text) => text.split('\n').filter((line) => line !== ''))
