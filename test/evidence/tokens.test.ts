import { expect, test } from 'vitest'
import {
  createRoll,
  hashOfToken,
  listTokens,
  mintToken,
  newToken,
  readToken,
  revokeToken,
} from '../../src/evidence/tokens.ts'
import type { Grant } from '../../src/shapes/principal.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { agentGrant } from '../support/grant.ts'
import { must, type TestStore, testStore } from '../support/store.ts'

const ADA = { kind: 'person', id: 'ada', face: 'cli', via: null } as const
const VIEWER: Grant = { kind: 'person', name: 'bob', role: 'viewer' }
const EXPIRES = '2026-06-01T00:00:00.000Z'
const BEFORE = Date.parse(EXPIRES) - 1

const mint = async ({ store }: TestStore, grant: Grant = VIEWER, expires: string | null = EXPIRES) => {
  const token = newToken()
  const row = must(await mintToken(store, { hash: hashOfToken(token), label: 'ci', grant, expires }, ADA))
  return { token, row }
}

test('a token is good for what it was made for, up to the moment it ends', async () => {
  await using house = await testStore()
  const { token, row } = await mint(house)
  const minted = { event: 'token-minted', name: row.token, label: 'ci', grant: VIEWER, expires: EXPIRES }
  expect(await readToken(house.store, token, BEFORE)).toEqual(minted)
  expect(await readToken(house.store, token, BEFORE + 1)).toBe(null)
})

test('one that nobody made is good for nothing, however it looks', async () => {
  await using house = await testStore()
  const { token, row } = await mint(house)
  const others = [
    '',
    'bhp_',
    newToken(),
    token.slice(0, -1),
    `${token}x`,
    row.token,
    hashOfToken(token),
    `token.${hashOfToken(token)}`,
  ]
  expect(await Promise.all(others.map((other) => readToken(house.store, other, BEFORE)))).toEqual(
    others.map(() => null),
  )
})

test('revoked, it is good for nothing, and stays so', async () => {
  await using house = await testStore()
  const { token, row } = await mint(house)
  must(await revokeToken(house.store, { token: row.token, why: 'lost' }, ADA))
  must(await revokeToken(house.store, { token: row.token, why: 'really' }, ADA))
  expect(await readToken(house.store, token, BEFORE)).toBe(null)
  expect(await revokeToken(house.store, { token: '000000000000', why: '' }, ADA)).toEqual(
    refused(refusal('token-unknown', 'there is no token 000000000000')),
  )
})

test('all are listed, with how they stand', async () => {
  await using house = await testStore()
  const [gone, late, held] = [await mint(house), await mint(house), await mint(house, agentGrant(), null)]
  must(await revokeToken(house.store, { token: gone.row.token, why: '' }, ADA))
  expect(await listTokens(house.store, BEFORE + 1)).toEqual([
    { ...gone.row, state: 'revoked' },
    { ...late.row, state: 'expired' },
    { ...held.row, state: 'valid' },
  ])
})

test('the evidence has a token’s hash and never the token, not even where somebody says it in a room', async () => {
  await using house = await testStore()
  const { token } = await mint(house)
  must(
    await house.store.append([
      {
        id: 'm1',
        session: 'room-lobby',
        subject: { type: 'room', id: 'lobby' },
        author: ADA,
        body: { event: 'message', text: `use ${token} for it` },
        tags: [],
        inReplyTo: null,
      },
    ]),
  )
  const pages: unknown[] = []
  for await (const page of house.store.pages(null)) pages.push(page)
  expect(JSON.stringify(pages)).not.toContain(token)
  expect((await house.store.get('m1'))?.body).toEqual({ event: 'message', text: 'use [redacted:bellhop-token] for it' })
})

test('the agents that tokens were made for are known as their newest token has them, and new ones are found', async () => {
  await using house = await testStore()
  const roll = createRoll(house.store)
  expect(await roll()).toEqual([])
  await mint(house)
  await mint(house, agentGrant())
  const { agent: id, type, peripheral, peripherals, room } = agentGrant()
  expect(await roll()).toEqual([{ id, type, peripheral, peripherals, room }])
  await mint(house, agentGrant({ peripheral: 'edit' }))
  await mint(house, agentGrant({ agent: 'aide', type: 'aide' }))
  const scout = { id, type, peripheral: 'edit', peripherals, room }
  const aide = { id: 'aide', type: 'aide', peripheral, peripherals, room }
  expect(await Promise.all([roll(), roll()])).toEqual([
    [scout, aide],
    [scout, aide],
  ])
})
