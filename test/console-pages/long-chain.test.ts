import { expect, test } from 'vitest'
import { BELLHOP, sessionDraft } from '../../src/evidence/drafts.ts'
import type { Body, Draft } from '../../src/shapes/evidence.ts'
import { openBrowser } from '../support/browser.ts'
import { startTestHouse } from '../support/gateway.ts'
import { ADA, must } from '../support/store.ts'
import { listIn, PATIENT, rowsIn, visit } from './visit.ts'

const SESSION = { session: 's-1', room: 'lobby', agent: 'codex-1' }
const draft = (id: string, author: Draft['author'], body: Body): Draft => sessionDraft({ ...SESSION, id, author, body })
const note = (n: number): Draft =>
  draft(`n-${n}`, BELLHOP, { event: 'turn-noted', turn: 't', about: 'slow', text: `note ${n}` })

/** As many as a page reads by itself, and some. */
const MANY = 10_600

test('a chain of any length: as much is read as anybody looks at, and the rest when it is wanted', async () => {
  await using house = await startTestHouse({ worker: false })
  await using browser = await openBrowser()
  must(
    await house.store.append([draft('s-1.opened', ADA, { event: 'session-opened', agent: 'codex-1', room: 'lobby' })]),
  )
  for (let n = 1; n < MANY; n += 400)
    must(await house.store.append(Array.from({ length: Math.min(400, MANY - n) }, (_, k) => note(n + k))))
  await using visited = await visit(browser.context, house, house.tokens.operator)
  const { page, wrong } = visited
  const pane = page.getByRole('region', { name: 'The entry' })

  await page.goto(`${house.url}/session?id=s-1#n-9900`)
  await listIn(page)
    .getByRole('option', { name: /note 9900/, selected: true })
    .waitFor()
  // Without one it is the end that is seen; of what was read, here.
  await page.goto(`${house.url}/session?id=s-1`)
  await listIn(page)
    .getByRole('option', { name: /note 9999/ })
    .waitFor()

  // What a link leads to may lie beyond.
  await page.goto(`${house.url}/session?id=s-1#n-10590`)
  await pane.getByText('note 10590', { exact: true }).waitFor()
  const more = page.getByRole('button', { name: 'The first 10,000 entries are here. Read on' })
  await more.click()
  await page.getByText('live', { exact: true }).waitFor()
  await page.getByText(/^open · 10600 entries, 0 steps · began /).waitFor()
  expect([await more.count(), (await rowsIn(page).count()) < 60]).toEqual([0, true])
  await listIn(page).press('End')
  await expect.poll(() => new URL(page.url()).hash, PATIENT).toBe('#n-10599')
  await listIn(page).press('Home')
  await expect.poll(() => new URL(page.url()).hash, PATIENT).toBe('#s-1.opened')
  expect(wrong).toEqual([])
})
