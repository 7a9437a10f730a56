import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { startUp } from '../support/instance.ts'
import { testWorkspace } from '../support/workspace.ts'

test('the link that `up` prints opens a room where a line is answered, live', async () => {
  using workspace = testWorkspace()
  await using instance = await startUp({ workspace: workspace.path })
  await using browser = await openBrowser()
  const page = await browser.context.newPage()
  const failed: string[] = []
  page.on('response', (response) => response.status() >= 400 && failed.push(`${response.status()} ${response.url()}`))
  page.on('pageerror', (error) => failed.push(error.message))

  const [, link] = /^ready {2}(\S+)$/m.exec(instance.output()) ?? []
  await page.goto(link ?? '')
  expect(page.url(), 'the token is gone from the address').toBe(`${instance.url}/`)

  await page.getByRole('textbox').fill('@codex where is boil defined?')
  await page.keyboard.press('Enter')
  await page.getByText('is defined at src/boil.py:3').waitFor()
  await page.getByText('codex-1', { exact: true }).last().waitFor()
  await page.getByText('grep', { exact: true }).first().waitFor()
  expect(failed).toEqual([])
})
