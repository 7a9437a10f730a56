import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CDPSession, Page } from 'playwright-core'
import { begin, pour } from '../console-pages/many.ts'
import { openBrowser } from '../support/browser.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'

const MANY = 10_000
const TARGETS = { load: 1000, bytes: 150_000, task: 50 }

/** A page as bare as can be: it counts what the same stream sends, and shows the last of it. */
const BARE = `<!doctype html><title>bare</title><p id="n">0</p><script>
let n = 0
const stream = new EventSource('/api/tail?session=s-1&cursor=0')
stream.addEventListener('entry', ({ data }) => { n += 1; document.getElementById('n').textContent = n + ' ' + JSON.parse(data).id })
</script>`

/** How soon pages are there, and what becomes of one that is open while much happens. Targets are printed, and not asserted. */
export const consoleBench = async (): Promise<void> => {
  await using house = await startTestHouse({ worker: false, before: begin })
  await using browser = await openBrowser()
  const page = await browser.context.newPage()
  const wire = await browser.context.newCDPSession(page)
  await page.goto(`${house.url}/?token=${house.tokens.admin}`)
  await loads(house, page, wire)

  console.log(`${MANY} entries into an open page (target: no task over ${TARGETS.task} ms)`)
  const rows = `document.querySelector('[role=option]')?.getAttribute('aria-setsize')`
  for (const path of ['/session?id=s-1&show=all', '/evidence?session=s-1']) {
    await page.goto(house.url + path)
    await page.getByText('live', { exact: true }).waitFor()
    const before = Number(await page.evaluate(rows))
    await poured(path, { house, page, isThere: `Number(${rows}) >= ${before + MANY}` })
  }
  await using bare = await startBare(house)
  await page.goto(bare.url)
  const seen = `parseInt(document.getElementById('n').textContent)`
  await eventually('what was there before', () => page.evaluate<boolean>(`${seen} >= ${entries}`))
  await poured('a bare page with the same stream', { house, page, isThere: `${seen} >= ${entries + MANY}` })
}

let entries = 1

const loads = async (house: TestHouse, page: Page, wire: CDPSession): Promise<void> => {
  console.log(
    `The first load with nothing kept (targets: ${TARGETS.bytes} bytes, interactive after ${TARGETS.load} ms)`,
  )
  await wire.send('Network.enable')
  let bytes = 0
  wire.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  for (const path of ['/now', '/', '/sessions', '/evidence', '/missions', '/peripherals']) {
    await wire.send('Network.clearBrowserCache')
    bytes = 0
    const began = performance.now()
    await page.goto(house.url + path)
    // It can be used once it has said who one is and what there is.
    await eventually('it to be usable', () =>
      page.evaluate<boolean>("document.querySelector('.you')?.textContent !== ''"),
    )
    const usable = performance.now() - began
    await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => {})
    console.log(`  ${path.padEnd(14)} ${String(bytes).padStart(7)} bytes  ${usable.toFixed(0).padStart(5)} ms`)
  }
}

/** Notes each task over 50 ms and each frame that came late. */
const WATCH = `{
  const seen = (globalThis.seen = { longest: 0, long: 0, frames: 0, late: 0 })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      seen.long += 1
      seen.longest = Math.max(seen.longest, duration)
    }
  }).observe({ type: 'longtask' })
  let last = performance.now()
  const frame = (now) => {
    seen.frames += 1
    seen.late += Math.max(0, Math.round((now - last) / (1000 / 60)) - 1)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}`

type Seen = { longest: number; long: number; frames: number; late: number; heap: number; elements: number }

type Pouring = { house: TestHouse; page: Page; isThere: string }

const poured = async (name: string, { house, page, isThere }: Pouring): Promise<void> => {
  await page.evaluate(WATCH)
  const began = performance.now()
  await pour(house.store, entries, MANY)
  const written = performance.now() - began
  entries += MANY
  await eventually('all of it to be there', () => page.evaluate<boolean>(isThere), 120_000)
  const took = performance.now() - began
  const seen: Seen = await page.evaluate(
    '({ ...seen, heap: performance.memory.usedJSHeapSize, elements: document.querySelectorAll("*").length })',
  )
  console.log(
    `  ${name}: written in ${written.toFixed(0)} ms, shown after ${took.toFixed(0)} ms; ` +
      `${seen.long} tasks over 50 ms, the longest ${seen.longest.toFixed(0)} ms; ${seen.late} frames late of ${seen.frames + seen.late}; ` +
      `${(seen.heap / 1e6).toFixed(0)} MB, ${seen.elements} elements`,
  )
}

/** The bare page beside the house's stream, which it passes on as it comes. */
const startBare = async (house: TestHouse) => {
  const server = createServer(async (request, response) => {
    if (!request.url?.startsWith('/api/')) return response.writeHead(200, { 'content-type': 'text/html' }).end(BARE)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const headers = { authorization: `Bearer ${house.tokens.admin}` }
    const stream = await fetch(house.url + request.url, { headers, signal: gone.signal })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    try {
      for await (const chunk of stream.body ?? []) response.write(chunk)
    } catch {
      // The page was closed.
    }
    return response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
