import { expect, test } from 'vitest'
import { begin, pour } from './many.ts'
import { openPages, PATIENT } from './page.ts'
import { rowsIn } from './visit.ts'

const MANY = 10_000

test('10,000 entries that come while two pages look on are all there, and few of them are on a page', async () => {
  await using it = await openPages({ worker: false, before: begin })
  const evidence = await it.open('/evidence?session=s-1')
  const session = await it.open('/session?id=s-1')
  for (const page of [evidence, session]) await page.getByText('live', { exact: true }).waitFor()
  await pour(it.house.store, 1, MANY)

  await expect.poll(() => rowsIn(evidence).first().getAttribute('aria-setsize'), PATIENT).toBe(String(MANY + 1))
  await rowsIn(evidence)
    .filter({ hasText: `note ${MANY}` })
    .waitFor()
  await session.getByText(`${MANY + 1} entries`).waitFor()
  await session.getByLabel('Show').selectOption('all')
  await rowsIn(session)
    .filter({ hasText: `note ${MANY}` })
    .waitFor()
  expect([(await rowsIn(evidence).count()) < 100, (await rowsIn(session).count()) < 100]).toEqual([true, true])

  // How many there are is said; but a screen reader is not told again and again.
  const count = evidence.getByText(`${MANY + 1} entries`)
  await count.waitFor()
  expect([await count.getAttribute('aria-live'), it.failed]).toEqual(['off', []])
})
