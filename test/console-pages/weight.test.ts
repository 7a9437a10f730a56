import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { openPages } from './page.ts'

/** What may come over the wire for the first look at a page. */
const MOST_BYTES = 150_000

const PAGES = ['/now', '/', '/sessions', '/session?id=s-none', '/evidence', '/missions', '/peripherals', '/api/docs']

let it: Awaited<ReturnType<typeof openPages>>
let page: Page
let wire: CDPSession
beforeAll(async () => {
  it = await openPages({ worker: false })
  page = await it.open('/now')
  wire = await page.context().newCDPSession(page)
  await wire.send('Network.enable')
}, 60_000)
afterAll(() => it[Symbol.asyncDispose]())

/** Loads a page, and answers what came over the wire until it was quiet: bytes as they were sent, and files by how they were answered. */
const load = async (path: string) => {
  const answered: { url: string; status: number }[] = []
  let bytes = 0
  const hear = ({ encodedDataLength }: { encodedDataLength: number }) => {
    bytes += encodedDataLength
  }
  const note = (response: { url: () => string; status: () => number }) =>
    answered.push({ url: response.url(), status: response.status() })
  wire.on('Network.loadingFinished', hear)
  page.on('response', note)
  await page.goto(it.house.url + path)
  await page.waitForLoadState('load')
  // What modules load comes before the load of the page; what the page asks for comes after it has said who one is.
  const isKnown = "!document.querySelector('.you') || document.querySelector('.you').textContent !== ''"
  await eventually('it to say who one is', () => page.evaluate<boolean>(isKnown))
  wire.off('Network.loadingFinished', hear)
  page.off('response', note)
  const isFile = ({ url }: { url: string }) => /\.(js|css)$/.test(url)
  return { bytes, files: answered.filter(isFile).map(({ status }) => status) }
}

test.each(PAGES)('%s is light: the first load is under 150 KB as it is sent', async (path) => {
  await wire.send('Network.clearBrowserCache')
  const { bytes, files } = await load(path)
  expect([bytes > 1000, bytes < MOST_BYTES, new Set(files)]).toEqual([true, true, new Set([200])])
})

test.each(PAGES)('%s is loaded again without sending its files again', async (path) => {
  await load(path)
  const { bytes, files } = await load(path)
  // Asked whether they still hold, and told so: or not even that.
  expect([bytes < MOST_BYTES / 2, files.filter((status) => status !== 200 && status !== 304)]).toEqual([true, []])
})

test('nothing failed in a page, and nothing was asked of anybody else', () => {
  expect(it.failed).toEqual([])
})
