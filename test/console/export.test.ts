import { afterAll, beforeAll, expect, test } from 'vitest'
import { roomDraft } from '../../src/evidence/drafts.ts'
import { openStore } from '../../src/evidence/store.ts'
import { importFrom } from '../../src/evidence/transfer/import.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { ADA, must } from '../support/store.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse({ worker: false })
  const drafts = Array.from({ length: 1200 }, (_, n) =>
    roomDraft({ id: `n-${n}`, room: 'quiet', author: ADA, body: { event: 'message', text: `line ${n}` } }),
  )
  must(await house.store.append(drafts))
})
afterAll(() => house[Symbol.asyncDispose]())

const read = (path: string, token = house.tokens.operator) =>
  fetch(new URL(path, house.url), { headers: { authorization: `Bearer ${token}` } })

const linesOf = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('what is found is a file with a header that says by what, every entry in order, and an end', async () => {
  const response = await read('/api/export?room=quiet&event=message')
  const found = (await house.store.chain('room-quiet')).filter(({ body }) => body.event === 'message')
  expect([response.status, response.headers.get('content-type'), response.headers.get('content-disposition')]).toEqual([
    200,
    'application/x-ndjson; charset=utf-8',
    'attachment; filename="bellhop-evidence.jsonl"',
  ])
  expect(linesOf(await response.text())).toEqual([
    { bellhop: 'evidence', version: 1, after: 0, filters: { room: 'quiet', event: 'message' } },
    ...found,
    { end: true, entries: 1200, position: found.at(-1)?.position, more: false },
  ])
})

test('without a filter it is everything, as another store takes it in', async () => {
  const response = await read('/api/export')
  const { position } = await house.store.tip()
  const other = await openStore({ url: ':memory:', clock: systemClock })
  const { Readable } = await import('node:stream')
  const taken = must(await importFrom(other, Readable.from([Buffer.from(await response.text())]), { dryRun: false }))
  expect([taken.added, (await other.tip()).root]).toEqual([position, (await house.store.tip()).root])
  await other.close()
})

test('a part cannot be taken in for the whole', async () => {
  const text = await (await read('/api/export?room=quiet')).text()
  const other = await openStore({ url: ':memory:', clock: systemClock })
  const { Readable } = await import('node:stream')
  const refused = await importFrom(other, Readable.from([Buffer.from(text)]), { dryRun: false }).catch(() => null)
  expect([refused?.ok ?? false, (await other.tip()).position]).toEqual([false, 0])
  await other.close()
})

test.each([
  ['colour=red', /colour/],
  ['room=quiet&limit=5', /^limit: a file of what is found has none/],
  ['room=quiet&cursor=5', /^cursor: a file of what is found has none/],
  ['room=quiet&order=newest', /^order: a file of what is found has none/],
])('%s is refused before anything is sent', async (query, detail) => {
  const response = await read(`/api/export?${query}`)
  expect([response.status, response.headers.get('content-disposition'), await response.json()]).toEqual([
    400,
    null,
    expect.objectContaining({ code: 'query-invalid', detail: expect.stringMatching(detail) }),
  ])
})
