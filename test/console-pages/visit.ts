import type { BrowserContext, Locator, Page } from 'playwright-core'
import { createClient } from '../../src/client/client.ts'
import type { TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

export const PATIENT = { timeout: 60_000, interval: 50 }

/** What would run if it were taken for markup. */
export const TRAP = '<img src=/x onerror="document.title=1"><script>document.title=2</script>'

/** A page of the console, as somebody who is signed in sees it; and everything that went wrong in it. */
export const visit = async (context: BrowserContext, house: TestHouse, token: string) => {
  await context.clearCookies()
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENT.timeout)
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
  await page.goto(`${house.url}/?token=${token}`)
  return { page, wrong, [Symbol.asyncDispose]: () => page.close() }
}

/** Says a line in a room, and waits for the turn it makes. */
export const work = async (house: TestHouse, id: string, text: string, room = 'lobby'): Promise<void> => {
  const client = createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
  const { assignments } = must(await client.say({ id, room, text }))
  for (const { turn } of assignments) await eventually(`${turn} to end`, () => house.store.get(`${turn}.ended`))
}

/** The list of a page: what is chosen from by a select is none. */
export const listIn = (page: Page): Locator => page.getByRole('listbox', { name: /first$/ })

/** The rows of a list that are on the page. */
export const rowsIn = (page: Page): Locator => listIn(page).getByRole('option')

/** The rows of a list in sight, in their order: what each is, what it says, and who. */
export const rowsOf = (page: Page): Promise<string[]> =>
  rowsIn(page).evaluateAll((rows) =>
    rows
      .sort((a, b) => Number(a.getAttribute('aria-posinset')) - Number(b.getAttribute('aria-posinset')))
      .map((row) => ['.first', '.summary', '.who'].map((part) => row.querySelector(part)?.textContent).join(' | ')),
  )
