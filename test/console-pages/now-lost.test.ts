import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { roomDraft } from '../../src/evidence/drafts.ts'
import { eventually } from '../support/poll.ts'
import { ADA, must } from '../support/store.ts'
import { keepLongWaits } from '../support/waits.ts'
import { openPages, PATIENT } from './page.ts'
import { rowsOf } from './visit.ts'

/** Works until it is told that it is enough. */
const SLOW = `import { existsSync } from 'node:fs'
const timer = setInterval(() => existsSync('enough') && clearInterval(timer), 50)
`

let pages: Awaited<ReturnType<typeof openPages>>
beforeAll(async () => {
  pages = await openPages({ inWorkspace: (folder) => writeFileSync(join(folder, 'slow.mjs'), SLOW) })
})
afterAll(() => pages[Symbol.asyncDispose]())

/** A line that is written down without a gateway. */
const write = async (id: string, text: string) =>
  must(
    await pages.house.store.append([roomDraft({ id, room: 'lobby', author: ADA, body: { event: 'message', text } })]),
  )

const linkOf = (page: Page) => page.locator('.link').textContent()
const isLive = (page: Page) => expect.poll(() => linkOf(page), PATIENT).toBe('live')
const isLost = (page: Page) => expect.poll(() => linkOf(page), PATIENT).toBe('reconnecting…')
const timesIn = async (page: Page, text: string): Promise<number> =>
  (await rowsOf(page)).filter((row) => row.includes(text)).length
const streamsOf = (page: Page) =>
  page.evaluate('navigator.locks.query().then(({ held }) => held.map(({ name }) => name).sort())')

describe('pages whose house is gone', () => {
  let now: Page
  let room: Page
  let session: Page
  let evidence: Page
  const banner = () => room.locator('#banner').textContent()

  test('say so, come back by themselves, and have all that was written meanwhile, once', async () => {
    const client = createClient({ url: pages.house.url, token: pages.house.tokens.admin, face: 'cli' })
    must(await client.say({ id: 'long', room: 'lobby', text: '/edit @codex use run {"argv":["node","slow.mjs"]}' }))
    const turn = await eventually('the turn', () => pages.house.store.get('long.codex-1.started'))
    now = await pages.open('/now')
    room = await pages.open('/')
    session = await pages.open(`/session?id=${turn.session}`)
    evidence = await pages.open('/evidence?room=lobby')
    await expect.poll(() => now.locator('.step:visible').allTextContents(), PATIENT).toEqual(['run node slow.mjs'])
    for (const page of [now, session, evidence]) await isLive(page)
    await room.getByText('slow.mjs').first().waitFor()

    await pages.house.stopGateway()
    for (const page of [now, session, evidence]) await isLost(page)
    await expect.poll(banner, PATIENT).toBe('reconnecting…')
    writeFileSync(join(pages.house.settings.workspace, 'enough'), '')
    await eventually('the turn to end', () => pages.house.store.get('long.codex-1.ended'))
    await write('away', 'said while nobody heard')

    await pages.house.startGateway()
    for (const page of [now, session, evidence]) await isLive(page)
    await expect.poll(banner, PATIENT).toBe('')
    await expect.poll(() => now.locator('.agent .state').nth(1).textContent(), PATIENT).toBe('idle')
    await expect.poll(() => timesIn(session, 'answer done'), PATIENT).toBe(1)
    expect(await timesIn(session, 'run done')).toBe(1)
    await expect.poll(() => timesIn(evidence, 'said while nobody heard'), PATIENT).toBe(1)
    expect(await timesIn(evidence, 'answer done')).toBe(1)
    await room.getByText('said while nobody heard').waitFor()
    expect(await room.getByText('said while nobody heard').count()).toBe(1)
    expect(await room.locator('.answer').count()).toBe(1)
  })

  test('do the same after their own network was gone', async () => {
    const context = now.context()
    await context.setOffline(true)
    await isLost(now)
    await write('offline', 'said while they were off')
    await context.setOffline(false)
    for (const page of [now, session, evidence]) await isLive(page)
    await expect.poll(() => timesIn(evidence, 'said while they were off'), PATIENT).toBe(1)
    await room.getByText('said while they were off').waitFor()
    await write('after', 'said after that')
    await expect.poll(() => timesIn(evidence, 'said after that'), PATIENT).toBe(1)
    expect([
      await timesIn(evidence, 'said while they were off'),
      await room.getByText('said while they were off').count(),
    ]).toEqual([1, 1])
  })

  test('leave their stream to others while nobody looks at them, and go on where they were', async () => {
    const ALL = ['stream-1', 'stream-2', 'stream-3', 'stream-4']
    await expect.poll(() => streamsOf(now), PATIENT).toEqual(ALL)
    const turn = (hidden: boolean) =>
      `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true }), document.dispatchEvent(new Event('visibilitychange')), null`
    await evidence.evaluate(turn(true))
    await expect.poll(async () => ((await streamsOf(now)) as string[]).length, PATIENT).toBe(3)
    await write('unseen', 'said while nobody looked')
    await room.getByText('said while nobody looked').waitFor()
    expect(await timesIn(evidence, 'said while nobody looked')).toBe(0)
    await evidence.evaluate(turn(false))
    await expect.poll(() => timesIn(evidence, 'said while nobody looked'), PATIENT).toBe(1)
    for (const page of [now, room, session, evidence]) await page.close()
  })

  test('give up a stream that never opens, and try again', async () => {
    const page = await pages.open('/')
    const waits = await keepLongWaits(page)
    await page.route('**/api/tail**', () => {})
    const asked = page.waitForRequest('**/api/tail**')
    await page.goto(`${pages.house.url}/evidence?room=lobby`)
    await asked
    await waits.end()
    await isLost(page)
    await page.unroute('**/api/tail**')
    await isLive(page)
    await page.close()
  })

  test('are eight at once, and each hears everything once', async () => {
    const tabs: Page[] = []
    for (let n = 0; n < 8; n++) {
      const page = await pages.open('/evidence?room=lobby')
      await isLive(page)
      tabs.push(page)
    }
    await write('eight', 'said to all eight')
    for (const page of tabs) await expect.poll(() => timesIn(page, 'said to all eight'), PATIENT).toBe(1)
    // A quiet stream is told from a dead one by its pings.
    const [first] = tabs
    const hearsPing = `new Promise((done) => {
      const stream = new EventSource('/api/tail')
      stream.addEventListener('ping', () => { stream.close(); done(true) })
    })`
    expect(await first?.evaluate(hearsPing)).toBe(true)
    expect(pages.failed).toEqual([])
  })
})
