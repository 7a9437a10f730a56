import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiPage } from '../../src/console/page.ts'
import { operations } from '../../src/operations/table.ts'
import { openApi } from '../../src/schema/openapi.ts'
import { mintFor } from '../support/agent-token.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse({ worker: false })
})
afterAll(() => house[Symbol.asyncDispose]())

const read = async (path: string, token = house.tokens.admin) => {
  const response = await fetch(new URL(path, house.url), { headers: { authorization: `Bearer ${token}` } })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

test('the API describes itself to programs, with the version of the instance', async () => {
  const { status, type, text } = await read('/api/openapi.json')
  expect([status, type, JSON.parse(text)]).toEqual([200, 'application/json', openApi('0.0.0-test')])
})

test('the API describes itself to people: every address, with a line to call it by', async () => {
  const { status, type, text } = await read('/api/docs')
  expect([status, type, text]).toEqual([200, 'text/html; charset=UTF-8', String(apiPage(openApi('0.0.0-test')))])
  const missing = operations.filter(({ name }) => !text.includes(`<article id="${name}">`)).map(({ name }) => name)
  expect(missing).toEqual([])
  expect(text).toContain(
    'curl -H &quot;Authorization: Bearer $TOKEN&quot; &quot;$BELLHOP/api/evidence?agent=claude-1&amp;tool=read&amp;since=2h&amp;limit=5&quot;',
  )
  expect(text).toContain(
    'curl -H &quot;Authorization: Bearer $TOKEN&quot; -d &#39;{&quot;to&quot;:&quot;diagnose&quot;}&#39; &quot;$BELLHOP/api/mode&quot;',
  )
})

test('the page needs no script, links only inside, and every link leads somewhere', async () => {
  const { text } = await read('/api/docs')
  expect(/<script|\son[a-z]+=|style=/i.exec(text)).toBe(null)
  const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link)
  const ids = new Set([...text.matchAll(/id="([^"]*)"/g)].map(([, id]) => `#${id}`))
  const outside = links.filter((link) => !link.startsWith('#'))
  expect([...new Set(outside)]).toEqual(['/icon.svg', '/room.css', '/api.css', '/api/openapi.json'])
  expect(links.filter((link) => link.startsWith('#') && !ids.has(link))).toEqual([])
})

test('what is shown is shown, and never interpreted', () => {
  const description = openApi('<b>1</b>')
  const shown = String(
    apiPage({ ...description, tags: [{ name: 'lines', description: '"><script>alert(1)</script>' }] }),
  )
  expect([shown.includes('<b>1</b>'), shown.includes('<script>'), shown.includes('&lt;script&gt;')]).toEqual([
    false,
    false,
    true,
  ])
})

test('an agent may read what it could do, too', async () => {
  const token = await mintFor(house, { agent: 'scout' })
  expect([(await read('/api/docs', token)).status, (await read('/api/openapi.json', token)).status]).toEqual([200, 200])
})
