import { expect, test } from 'vitest'
import type { Role } from '../../src/shapes/person.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { receive } from '../../src/social/pipeline.ts'
import { agentGrant } from '../support/grant.ts'
import { line, type TestSocial, testSocial } from '../support/social.ts'
import { must } from '../support/store.ts'

let made = 0
const HASH = () => (++made).toString(16).padStart(64, '0')

const mint = ({ social }: TestSocial, input: Record<string, unknown>, token = 'token-of-ada') =>
  receive(
    line({
      id: `m${made}`,
      text: '/mint',
      command: { name: 'mint', input: { hash: HASH(), ...input } },
      credential: { token, as: null },
    }),
    social,
  )

/** What the tokens that were made are good for. */
const grants = async ({ store }: TestSocial) =>
  must(await store.query({ event: 'token-minted', order: 'oldest' })).entries.map(({ body }) =>
    body.event === 'token-minted' ? body.grant : null,
  )

const SCOUT = agentGrant({ peripherals: ['explore'] })

test('what is not said is not opened: an agent is in explore alone, a person an operator, a reader a viewer', async () => {
  await using house = await testSocial()
  must(await mint(house, { agent: 'scout' }))
  must(await mint(house, { agent: 'scout', room: 'quiet', type: 'looker', role: 'viewer', session: 's-1' }))
  must(await mint(house, { person: 'bob' }))
  must(await mint(house, { person: 'bob', role: 'approver' }))
  must(await mint(house, { readonly: true }))
  must(await mint(house, { readonly: true, person: 'bob' }))
  must(await mint(house, { readonly: true, agent: 'scout' }))
  expect(await grants(house)).toEqual([
    SCOUT,
    { ...SCOUT, room: 'quiet', type: 'looker', role: 'viewer', session: 's-1' },
    { kind: 'person', name: 'bob', role: 'operator' },
    { kind: 'person', name: 'bob', role: 'approver' },
    { kind: 'person', name: 'reader', role: 'viewer' },
    { kind: 'person', name: 'bob', role: 'viewer' },
    { ...SCOUT, role: 'viewer' },
  ])
})

test.each([
  ['for nobody', {}, 'say for whom it is: an agent, or a person'],
  ['for two', { agent: 'scout', person: 'bob' }, 'say for whom it is: an agent, or a person'],
  ['for a person in a peripheral', { person: 'bob', peripheral: 'explore' }, 'peripheral is for the token of an agent'],
  ['only to read, for an admin', { readonly: true, role: 'admin' }, 'readonly is the role viewer, and not admin'],
  [
    'for an agent that approves',
    { agent: 'scout', role: 'approver' },
    'an agent is an operator or a viewer, and no approver',
  ],
])('one %s is not made', async (_what, input, complaint) => {
  await using house = await testSocial()
  expect(await mint(house, input)).toEqual(refused(refusal('command-invalid', complaint)))
  expect(await grants(house)).toEqual([])
})

test.each([
  ['a peripheral there is not', { agent: 'scout', peripherals: 'explore,edit' }, 'peripheral-unknown'],
  ['a room there is not', { agent: 'scout', room: 'attic' }, 'room-unknown'],
  ['the name of an agent of the house', { agent: 'claude-1' }, 'agent-taken'],
  ['the kind of an agent of the house', { agent: 'scout', type: 'codex' }, 'agent-taken'],
])('nor is one for %s', async (_what, input, code) => {
  await using house = await testSocial()
  expect(await mint(house, input)).toMatchObject({ ok: false, refusal: { code } })
  expect(await grants(house)).toEqual([])
})

test.each<[Role, string]>([
  ['operator', 'token-of-bob'],
  ['viewer', 'token-of-eve'],
])('by %s, none is made', async (_role, token) => {
  await using house = await testSocial()
  expect(await mint(house, { person: 'mallory', role: 'admin' }, token)).toMatchObject({
    ok: false,
    refusal: { code: 'role-too-low' },
  })
})

test('the same token is made once', async () => {
  await using house = await testSocial()
  const hash = 'f'.repeat(64)
  must(await mint(house, { hash, person: 'bob' }))
  expect(await mint(house, { hash, person: 'bob', role: 'admin' })).toEqual(
    refused(refusal('id-conflict', 'there is such a token already')),
  )
})
