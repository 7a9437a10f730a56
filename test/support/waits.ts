import type { Page } from 'playwright-core'

/** Waits of so long or longer are kept, to be ended when a test says so. A string: it runs in the page. */
const KEEP = `{
  const [begin, end] = [setTimeout, clearTimeout]
  const waits = new Map()
  window.setTimeout = (run, ms, ...rest) => {
    const id = begin(run, ms, ...rest)
    if (ms >= 20000) waits.set(id, run)
    return id
  }
  window.clearTimeout = (id) => {
    waits.delete(id)
    end(id)
  }
  window.endLongWaits = () => {
    for (const [id, run] of [...waits]) {
      window.clearTimeout(id)
      run()
    }
  }
}`

/** Long waits of this page alone: the clock of a browser's context would be that of every page after it, too. */
export const keepLongWaits = async (page: Page): Promise<{ end: () => Promise<unknown> }> => {
  await page.addInitScript(KEEP)
  await page.evaluate(KEEP)
  return { end: () => page.evaluate('endLongWaits()') }
}
