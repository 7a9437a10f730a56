import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { openRichPages } from './rich.ts'
import { viewOf } from './views.ts'

/** What may come over the wire for the first look at a page. */
const MOST_BYTES = 150_000

const PAGES = [
  'now',
  'the room',
  'sessions',
  'a session',
  'evidence',
  'missions',
  'peripherals, at rest',
  'the page about the API',
]

let it: Awaited<ReturnType<typeof openRichPages>>
let page: Page
let wire: CDPSession
beforeAll(async () => {
  it = await openRichPages()
  page = await it.open('/now')
  wire = await page.context().newCDPSession(page)
  await wire.send('Network.enable')
})
afterAll(() => it[Symbol.asyncDispose]())

/** Loads a view with all that is on it: the bytes as they were sent, and its files by how the house answered for them. */
const load = async (name: string) => {
  const { path, ready } = viewOf(name)
  const addresses = new Map<string, string>()
  const answers = new Map<string, number>()
  const open = new Set<string>()
  let shown = ''
  let bytes = 0
  const hears = {
    'Network.requestWillBeSent': (sent: { requestId: string; loaderId: string; request: { url: string } }) => {
      // The page that was there before may still be asking.
      if (sent.requestId === sent.loaderId) shown = sent.loaderId
      if (sent.loaderId !== shown) return
      addresses.set(sent.requestId, new URL(sent.request.url).pathname)
      open.add(sent.requestId)
    },
    'Network.responseReceivedExtraInfo': (sent: { requestId: string; statusCode: number }) =>
      answers.set(sent.requestId, sent.statusCode),
    'Network.loadingFinished': (sent: { requestId: string; encodedDataLength: number }) => {
      bytes += sent.encodedDataLength
      open.delete(sent.requestId)
    },
    'Network.loadingFailed': (sent: { requestId: string }) => open.delete(sent.requestId),
  } as const
  const each = Object.entries(hears) as [keyof typeof hears, (sent: never) => void][]
  for (const [event, heard] of each) wire.on(event, heard as never)
  await page.goto(it.house.url + path(it.session))
  await ready(page).waitFor({ state: 'attached' })
  // All that ends has ended: streams do not.
  await eventually('what was asked for', () =>
    [...open].every((id) => ['/api/tail', '/api/follow'].includes(addresses.get(id) ?? '')),
  )
  for (const [event, heard] of each) wire.off(event, heard as never)
  const files = [...addresses].filter(([, path]) => /\.(js|css)$/.test(path))
  return { bytes, sent: files.filter(([id]) => answers.get(id) === 200).map(([, path]) => path), files: files.length }
}

test.each(PAGES)('%s is light: the first load is under 150 KB as it is sent', async (name) => {
  await wire.send('Network.clearBrowserCache')
  const { bytes, sent, files } = await load(name)
  expect([bytes > 1000, bytes < MOST_BYTES, sent.length > 0, sent.length]).toEqual([true, true, true, files])
})

test.each(PAGES)('%s is loaded again without sending its files again', async (name) => {
  await load(name)
  expect((await load(name)).sent).toEqual([])
})

test('nothing failed in a page, and nothing was asked of anybody else', () => {
  expect(it.failed).toEqual([])
})
