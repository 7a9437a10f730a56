import type { Page } from 'playwright-core'
import type { Capabilities } from '../../../src/chat/port.ts'
import { createScriptedHouse } from '../../chat-conformance/house.ts'
import { conformance, type Someone } from '../../chat-conformance/suite.ts'
import { openBrowser } from '../../support/browser.ts'
import { openFront } from './front.ts'

/** What the page can do. It is no program of the house: so it stands here, where it is held to it. */
const capabilities: Capabilities = {
  edits: true,
  threads: true,
  buttons: true,
  whispers: true,
  files: false,
  most: null,
}

const THREAD = `t-${'0123456789'.repeat(2)}abcdef`

conformance('the web page, in Chromium', async () => {
  const house = createScriptedHouse()
  const front = await openFront(house, THREAD)
  const browser = await openBrowser()
  const alarms: string[] = []
  const enter = async (room: string): Promise<Page> => {
    const page = await browser.context.newPage()
    page.on('dialog', (dialog) => {
      alarms.push(dialog.message())
      void dialog.dismiss()
    })
    page.on('pageerror', (error) => alarms.push(error.message))
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) alarms.push(message.text())
    })
    await page.goto(`${front.url}/?room=${room}`)
    await page.locator('#composer[data-link=online]').waitFor()
    return page
  }
  const [here, beside, there] = [await enter(house.room), await enter(house.room), await enter(THREAD)]
  // What is not in front is drawn seldom, and so are its buttons.
  await here.bringToFront()
  return {
    capabilities,
    house,
    person: someoneAt('ada', here),
    other: someoneAt('grace', beside),
    thread: { room: THREAD, says: someoneAt('ada', there).says },
    breaks: async () => {
      await front.kill()
      await here.locator('#composer[data-link=offline]').waitFor()
    },
    heals: front.listen,
    alarms: () => alarms,
    close: async () => {
      await browser[Symbol.asyncDispose]()
      await front.close()
      await house.close()
    },
  }
})

const someoneAt = (name: string, page: Page): Someone => ({
  name,
  says: async (text) => {
    const line = page.getByLabel('Say something in the room')
    await line.fill(text)
    await line.press('Enter')
  },
  sees: () => page.evaluate<string[]>(READ),
  presses: async (button) => {
    const found = page.getByRole('button', { name: button, disabled: false })
    if ((await found.count()) === 0) throw new Error(`there is no button ${button}`)
    await found.last().click()
  },
})

/** What stands in the page, part by part: a line, what was answered to it, the work of an agent. It runs in the page. */
const READ = `[...document.querySelectorAll('#banner, #transcript > *, #outbox > *')].flatMap((part) => {
  const textOf = (element) => {
    const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const texts = []
    while (walk.nextNode()) texts.push(walk.currentNode.data)
    return texts.join(' ')
  }
  return (part.matches('.exchange') ? [...part.children] : [part]).map(textOf).filter((text) => text.trim() !== '')
})`
