import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { codeFor, KNOWN } from '../support/code.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { isTooWide, PATIENT } from './page.ts'

let house: TestHouse
let browser: Awaited<ReturnType<typeof openBrowser>>
const failed: string[] = []
beforeAll(async () => {
  house = await startTestHouse({ worker: false, config: KNOWN })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await house?.[Symbol.asyncDispose]()
})

/** A page that nobody is signed in on; what is against its policy is kept. */
const arrive = async (path: string, { phone = false } = {}): Promise<Page> => {
  await browser.context.clearCookies()
  return open(path, { phone })
}

const open = async (path: string, { phone = false } = {}): Promise<Page> => {
  const page = await browser.context.newPage()
  page.setDefaultTimeout(PATIENT.timeout)
  if (phone) await page.setViewportSize({ width: 390, height: 844 })
  page.on('pageerror', (error) => failed.push(error.message))
  page.on('console', (message) => message.text().includes('Content Security Policy') && failed.push(message.text()))
  await page.goto(new URL(path, house.url).href)
  return page
}

const field = (page: Page) => page.getByLabel('Token, or the code of /pair')
const send = (page: Page) => page.getByRole('button', { name: 'Sign in' })
const who = (page: Page) => page.locator('.you')

const operator = (name: string) => house.mint({ kind: 'person', name, role: 'operator' })

test('a wrong token says why; the right one leads to where one wanted to go, and nowhere is it to be read', async () => {
  await using page = await arrive('/evidence?event=token-minted#later')
  await field(page).fill('bhp_nonsense')
  await send(page).click()
  await expect
    .poll(() => page.getByRole('alert').textContent(), PATIENT)
    .toMatch(/^no token, or not one of this instance: /)
  const token = await operator('ada')
  await field(page).fill(token)
  await send(page).click()
  await expect.poll(() => who(page).textContent(), PATIENT).toMatch(/^ada · operator/)
  expect(page.url()).toBe(`${house.url}/evidence?event=token-minted#later`)
  expect(await page.evaluate('document.cookie + location.href + document.documentElement.innerHTML')).not.toContain(
    token,
  )
})

test('with the keyboard alone, by a code: in, and out again', async () => {
  await using page = await arrive('/now')
  await expect.poll(() => page.evaluate('document.activeElement?.id'), PATIENT).toBe('with')
  await page.keyboard.type(await codeFor(house.store, 'grace'))
  await page.keyboard.press('Enter')
  await expect.poll(() => who(page).textContent(), PATIENT).toMatch(/^grace · operator/)
  await page.getByRole('button', { name: 'Sign out' }).focus()
  await page.keyboard.press('Enter')
  await field(page).waitFor()
  expect([page.url(), await browser.context.cookies()]).toEqual([`${house.url}/sign-in`, []])
  await page.goto(`${house.url}/now`)
  await field(page).waitFor()
})

test('on a phone nothing is cut off, however long a name is, and one signs in from the page for it', async () => {
  const name = 'm'.repeat(64)
  await using page = await arrive('/sign-in', { phone: true })
  expect(await isTooWide(page)).toBe(false)
  await field(page).fill(await operator(name))
  await send(page).click()
  await expect.poll(() => who(page).textContent(), PATIENT).toContain(`${name} · operator`)
  expect([page.url(), await isTooWide(page)]).toEqual([`${house.url}/now`, false])
})

/** A site of somebody else's with links to the house. */
const elsewhere = async (links: Record<string, string>) => {
  const page = Object.entries(links).map(([text, href]) => `<a href="${href}">${text}</a>`)
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(page.join(' '))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/`,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('a link on another site leads somebody who is signed in to the page; one with a token asks first', async () => {
  const [mine, theirs] = [await operator('ada'), await operator('mallory')]
  using site = await elsewhere({
    page: `${house.url}/evidence?event=token-minted#later`,
    token: `${house.url}/?token=${theirs}&room=lobby`,
  })
  await using page = await arrive(`/?token=${mine}`)
  await page.goto(site.url)
  await page.getByRole('link', { name: 'page' }).click()
  await expect.poll(() => who(page).textContent(), PATIENT).toMatch(/^ada · operator/)
  expect(page.url()).toBe(`${house.url}/evidence?event=token-minted#later`)

  await page.goto(site.url)
  await page.getByRole('link', { name: 'token' }).click()
  await page.getByText('A link on another page brought a token along.').waitFor()
  expect(page.url()).toBe(`${house.url}/?room=lobby`)
  expect((await browser.context.cookies()).map(({ value }) => value)).toEqual([mine])
  await send(page).click()
  await page.locator('#line').waitFor()
  expect((await browser.context.cookies()).map(({ value }) => value)).toEqual([theirs])
})

test('a page that was told to wait waits, and then shows what it has', async () => {
  await using page = await arrive(`/?token=${await operator('ada')}`)
  let turned = 0
  await page.route('**/api/whoami', (route) => {
    turned += 1
    if (turned > 2) return route.continue()
    const body = JSON.stringify({ code: 'rate-exceeded', detail: 'too many', remedy: 'wait' })
    return route.fulfill({
      status: 429,
      headers: { 'retry-after': '1' },
      contentType: 'application/problem+json',
      body,
    })
  })
  await page.goto(`${house.url}/now`)
  await expect.poll(() => who(page).textContent(), PATIENT).toMatch(/^ada · operator/)
  expect(turned).toBe(3)
})

test('no page is against the policy it comes with', async () => {
  await using _ = await arrive(`/?token=${house.tokens.admin}`)
  for (const path of ['/', '/now', '/sessions', '/session', '/evidence', '/missions', '/peripherals', '/api/docs']) {
    await using page = await open(path)
    await page.waitForLoadState('load')
  }
  expect(failed).toEqual([])
})
