import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { roomDraft } from '../../src/evidence/drafts.ts'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { backupTo } from '../../src/evidence/transfer/backup.ts'
import { restoreFrom } from '../../src/evidence/transfer/restore.ts'
import { folderAt } from '../../src/house/folder.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { scratch } from '../support/folder.ts'
import { ADA, must } from '../support/store.ts'
import { openPages, PATIENT } from './page.ts'

/** Lines that are written down without a gateway. */
const write = async (store: Store, ...texts: string[]) =>
  must(
    await store.append(
      texts.map((text) =>
        roomDraft({ id: text.replaceAll(' ', '-'), room: 'lobby', author: ADA, body: { event: 'message', text } }),
      ),
    ),
  )

/** What a page shows of what the tests wrote. */
const shown = async (page: Page): Promise<string[]> =>
  [...new Set((await page.locator('body').allInnerTexts()).join().match(/line \w+ of \w+/g) ?? [])].sort()

const linesOf = (name: string) => ['one', 'three', 'two'].map((count) => `line ${count} of ${name}`)

test.each([
  ['ends before what they saw', []],
  ['has come as far again', [...linesOf('now'), ...linesOf('later')]],
])('pages that were open while a backup was restored begin anew, where the evidence %s', async (_how, more) => {
  await using pages = await openPages({ worker: false })
  const { house } = pages
  const url = folderAt(house.settings.data).store
  using out = scratch()
  const file = join(out.path, 'it.db')
  await write(house.store, ...linesOf('before'))
  await backupTo(house.store, file)
  await write(house.store, ...linesOf('after'))
  const [room, evidence] = [await pages.open('/?room=lobby'), await pages.open('/evidence')]
  const pagesShow = async (...lines: string[]) => {
    for (const page of [room, evidence]) await expect.poll(() => shown(page), PATIENT).toEqual(lines.sort())
  }
  await pagesShow(...linesOf('before'), ...linesOf('after'))
  await write(house.store, 'line last of after')
  await pagesShow(...linesOf('before'), ...linesOf('after'), 'line last of after')
  await room.locator('#line').fill('half a thought')

  await house.stopGateway()
  await restoreFrom(file, url, { clock: systemClock, replace: true })
  const restored = await openStore({ url, clock: systemClock })
  if (more.length > 0) await write(restored, ...more)
  await house.startGateway()
  await pagesShow(...linesOf('before'), ...more)
  expect(await room.locator('#line').inputValue()).toBe('half a thought')
  await write(restored, 'line last of all')
  await pagesShow(...linesOf('before'), ...more, 'line last of all')
  await restored.close()
  expect(pages.failed).toEqual([])
})
