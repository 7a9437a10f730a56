import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { agentGrant } from '../support/grant.ts'
import { must } from '../support/store.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse({ worker: false })
})
afterAll(() => house[Symbol.asyncDispose]())

const call = async (path: string, token: string | null, body?: string) => {
  const answer = await fetch(new URL(path, house.url), {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { method: 'POST', body }),
  })
  await answer.text()
  return answer.status
}

/** What was refused since, as evidence: how often, by stage and code. */
const refusedSince = async (position: number): Promise<Record<string, number>> => {
  const { entries } = must(
    await house.store.query({ event: 'refused', cursor: position, order: 'oldest', limit: 1000 }),
  )
  const counts: Record<string, number> = {}
  for (const { body } of entries) {
    const what = body.event === 'refused' ? `${body.stage} ${body.refusal.code}` : ''
    counts[what] = (counts[what] ?? 0) + 1
  }
  return counts
}

test('an agent that tries what is for people is refused, and that is evidence at every door', async () => {
  const token = await house.mint(agentGrant({ agent: 'nosy' }))
  const before = await house.store.head()
  const paths = ['/api/evidence', '/api/tokens', '/api/tail', '/']
  for (const path of paths) expect(await call(path, token)).toBe(403)
  expect(await call('/rpc', token, '{}')).toBe(403)
  expect(await call('/api/mode', token, '{}')).toBe(403)
  expect(await refusedSince(before)).toEqual({ 'authenticate grant-exceeded': 5, 'rpc grant-exceeded': 1 })
})

test('a body that is nested too deeply is refused before anybody walks through it', async () => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  const token = await house.mint(agentGrant({ agent: 'deep' }))
  expect(await call('/api/act', token, `{"tool":"read","args":{"path":${deep}}}`)).toBe(400)
  expect(await call('/api/mode', house.tokens.admin, `{"to":${deep}}`)).toBe(400)
  expect(await call('/api/say', house.tokens.admin, `{"text":${deep}}`)).toBe(400)
})

test('strangers do not fill the store, however often they try', async () => {
  const before = await house.store.head()
  for (let i = 0; i < 30; i++) expect(await call('/api/say', null, '{}')).toBe(401)
  expect(await refusedSince(before)).toEqual({ 'authenticate unauthenticated': 10 })
  await house.stopGateway()
  const { entries } = must(await house.store.query({ event: 'refused', limit: 1 }))
  expect(entries.map(({ body }) => body.event === 'refused' && body.refusal.message)).toEqual([
    'no token, or not one of this instance, and 19 more like it',
  ])
})
