import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { testWorkspace } from '../support/workspace.ts'

test('`up` tells no token to what is no terminal; the link that `link` prints opens a room where a line is answered, live', async () => {
  using workspace = testWorkspace()
  await using instance = await startUp({ workspace: workspace.path })
  await using browser = await openBrowser()
  const page = await browser.context.newPage()
  const failed: string[] = []
  page.on('response', (response) => response.status() >= 400 && failed.push(`${response.status()} ${response.url()}`))
  page.on('pageerror', (error) => failed.push(error.message))

  expect(instance.output().split('\n').slice(-3)).toEqual([
    `bellhop: the link that signs in: bellhop link --data ${instance.data}`,
    `ready  ${instance.url}`,
    '',
  ])
  expect(Object.values(instance.secrets).filter((secret) => instance.output().includes(secret))).toEqual([])
  const { stdout: link } = await bellhop(['link', '--data', instance.data])
  await page.goto(link)
  expect(page.url(), 'the token is gone from the address').toBe(`${instance.url}/`)

  await page.getByRole('textbox').fill('@codex where is boil defined?')
  await page.keyboard.press('Enter')
  await page.getByText('is defined at src/boil.py:3').waitFor()
  await page.getByText('codex-1', { exact: true }).last().waitFor()
  await page.getByText('grep', { exact: true }).first().waitFor()
  expect(failed).toEqual([])
})
