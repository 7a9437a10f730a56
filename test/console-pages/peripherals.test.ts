import { afterAll, beforeAll, expect, test } from 'vitest'
import { isTooWide, linesIn, openPages, PATIENT } from './page.ts'

let it: Awaited<ReturnType<typeof openPages>>
beforeAll(async () => {
  it = await openPages({ worker: false })
})
afterAll(() => it[Symbol.asyncDispose]())

test('the walls are a graph of hops, each a way to its spec', async () => {
  const page = await it.open('/peripherals')
  const drawing = page.getByRole('group', { name: 'Peripherals, and where each leads' })
  const explore = drawing.getByRole('link', {
    name: /^explore read-only, 13 tools; leads to edit \(found-target\)/,
  })
  await explore.click()
  await page.waitForURL(/\/peripherals\?id=explore$/)
  await page.getByRole('heading', { level: 1, name: 'explore' }).waitFor()
  await page.close()
})

test('a wall is shown whole: tools with what they take, commands, phases, ways out with their conditions, limits', async () => {
  const page = await it.open('/peripherals?id=deploy')
  const texts = async (name: string) => (await linesIn(page.getByRole('region', { name })))[0]
  await page.getByRole('heading', { level: 1, name: 'deploy' }).waitFor()
  expect(await texts('Phases')).toEqual([
    'Phases',
    'review read, run, evidence, advance, hop; to go on, say summary',
    'release read, run, evidence, hop',
  ])
  expect(await texts('Ways out')).toEqual([
    'Ways out',
    'explore when something was pushed or deployed',
    'edit when the last step did not succeed',
    'reflect, chat always',
  ])
  expect(await texts('Commands')).toContain('git push\tgit\tnetwork, a person is asked, only in release')
  const tools = page.getByRole('region', { name: 'Tools' })
  await tools.getByText('leaves this peripheral for another').click()
  const takes = tools.getByRole('table', { name: 'What hop takes' })
  expect(await takes.getByRole('row').allInnerTexts()).toEqual(['Argument\tType\tAbout', 'to\tstring\t'])
  await page.close()
})

test('a call is tried against the gate, and what it decides is told with its rule', async () => {
  const page = await it.open('/peripherals?id=edit')
  const trial = page.getByRole('region', { name: 'Try a call' })
  const decision = trial.getByRole('status')
  await trial.getByLabel('Tool', { exact: true }).selectOption('write')
  await trial.getByLabel('Arguments (JSON)').fill('{"path": "../out.txt", "text": "x"}')
  await trial.getByRole('button', { name: 'Ask the gate' }).click()
  await expect
    .poll(() => linesIn(decision), PATIENT)
    .toEqual([
      [
        'It would be refused',
        'Rule 11 of 15: every path, as it really is, lies in the workspace and in the scope',
        'Why',
        '../out.txt is outside of what edit may touch: the workspace out-of-scope',
        'What to do',
        'stay inside the scope of the peripheral',
        'Taken for granted: the turn has just begun: nothing is spent, nothing has failed, nobody stopped it; the room is in execute; who asked is an admin.',
      ],
    ])
  // What was tried is in the address: whoever is sent it sees the same.
  const again = await it.open(new URL(page.url()).pathname + new URL(page.url()).search)
  await again.getByText('It would be refused').waitFor()
  expect(await again.getByLabel('Arguments (JSON)').inputValue()).toBe('{"path": "../out.txt", "text": "x"}')
  await again.close()

  await trial.getByLabel('Arguments (JSON)').fill('{"path": "new.txt", "text": "x"}')
  await trial.getByLabel('Arguments (JSON)').press('Control+Enter')
  await decision.getByRole('heading', { name: 'It would pass' }).waitFor()
  await trial.getByLabel('Room').selectOption('porch')
  await trial.getByRole('button', { name: 'Ask the gate' }).click()
  await decision.getByText('the room is in discuss; edit needs execute').waitFor()
  await page.close()
})

test('trying leaves nothing behind: no file, no hold, no entry', async () => {
  const before = await it.house.store.head()
  const page = await it.open(
    '/peripherals?id=edit&tool=write&args=%7B%22path%22%3A%22kept.txt%22%2C%22text%22%3A%22x%22%7D',
  )
  await page.getByText('It would pass').waitFor()
  const holds = await page.evaluate("fetch('/api/holds').then((answer) => answer.json())")
  expect([await it.house.store.head(), holds]).toEqual([before, { holds: [] }])
  await page.close()
})

test('examples are tried by a press, and come out as their wall says', async () => {
  const page = await it.open('/peripherals?id=edit')
  const decision = page.getByRole('region', { name: 'Try a call' }).getByRole('status')
  await page.getByRole('button', { name: 'Try: packages with an approval' }).click()
  await decision.getByRole('heading', { name: 'A person would be asked' }).waitFor()
  await page.getByRole('button', { name: 'Try: a shell' }).click()
  await decision.getByRole('heading', { name: 'It would be refused' }).waitFor()
  expect(await page.getByLabel('Tool', { exact: true }).inputValue()).toBe('run')
  await page.close()
})

test('what is no JSON is said at once, and what names no tool is for the gate to refuse', async () => {
  const page = await it.open('/peripherals?id=explore')
  const trial = page.getByRole('region', { name: 'Try a call' })
  await page.getByRole('heading', { level: 1, name: 'explore' }).waitFor()
  await page.keyboard.press('t')
  await expect.poll(() => page.evaluate('document.activeElement.id'), PATIENT).toBe('trial-tool')
  await trial.getByLabel('Arguments (JSON)').fill('{"path": ')
  await trial.getByRole('button', { name: 'Ask the gate' }).click()
  await trial.getByText('The arguments are no JSON object').waitFor()
  const trap = await it.open(`/peripherals?id=explore&tool=${encodeURIComponent('<img src=x onerror=alert(1)>')}`)
  await trap.getByText('explore has no tool <img src=x onerror=alert(1)>').waitFor()
  await trap.close()
  await page.close()
})

test('a wall that there is not is said, with those that there are', async () => {
  const page = await it.open('/peripherals?id=cellar')
  await page.getByText('there is no peripheral cellar; there is alfworld, chat, deploy').waitFor()
  await page.close()
})

test('on a phone nothing is wider than it, and who only looks may try, too', async () => {
  const token = await it.house.mint({ kind: 'person', name: 'bob', role: 'viewer' })
  for (const path of ['/peripherals', '/peripherals?id=edit']) {
    const page = await it.open(path, { token, phone: true })
    await page.getByRole('heading', { level: 2, name: 'The way from wall to wall' }).waitFor()
    expect([path, await isTooWide(page)]).toEqual([path, false])
    await page.close()
  }
})

test('nothing failed in a page, and nothing was asked of anybody else', () => {
  expect(it.failed).toEqual([])
})
