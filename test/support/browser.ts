import { type BrowserContext, chromium } from 'playwright-core'
import { scratch } from './folder.ts'

/** Nothing of it calls home: the network of a test ends at the loopback. */
const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-smooth-scrolling'

/** A real Chromium with a profile of its own, and further flags: `await using browser = await openBrowser()`. */
export const openBrowser = async (
  flags: readonly string[] = [],
): Promise<{ context: BrowserContext } & AsyncDisposable> => {
  const profile = scratch()
  const context = await chromium.launchPersistentContext(profile.path, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: [...FLAGS.split(' '), ...flags],
  })
  return {
    context,
    [Symbol.asyncDispose]: async () => {
      await context.close()
      profile[Symbol.dispose]()
    },
  }
}
