import { expect, test } from 'vitest'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import { authenticate } from '../../src/social/authenticate.ts'
import { OWNERS } from '../support/social.ts'

const by = (token: string, as: string | null = null, owners = OWNERS) =>
  authenticate({ face: 'cli', credential: { token, as } }, owners)

const NOBODY = refused(refusal('unauthenticated', 'no token, or not one of this instance'))

test('each token is its owner, in the role of the owner and through the face it came', () => {
  expect(OWNERS.map(({ token }) => by(token))).toEqual([
    ok({ name: 'ada', role: 'admin', face: 'cli', via: null }),
    ok({ name: 'bob', role: 'operator', face: 'cli', via: null }),
    ok({ name: 'eve', role: 'viewer', face: 'cli', via: null }),
  ])
})

test.each([
  ['no token', ''],
  ['another one', 'token-of-mallory'],
  ['the beginning of one', 'token-of-ad'],
  ['one with something after it', 'token-of-ada '],
  ['one in other letters', 'TOKEN-OF-ADA'],
  ['one of the same length in other bytes', 'token-of-adá'],
])('%s is nobody', (_what, token) => {
  expect(by(token)).toEqual(NOBODY)
})

test('without owners, and with an owner whose token got lost, everybody is nobody', () => {
  expect([by('token-of-ada', null, []), by('', null, [{ token: '', name: 'ada', role: 'admin' }])]).toEqual([
    NOBODY,
    NOBODY,
  ])
})

test('an admin may speak as somebody else, and both names are kept', () => {
  expect(by('token-of-ada', 'grace')).toEqual(ok({ name: 'grace', role: 'admin', face: 'cli', via: 'ada' }))
})

test('nobody else may speak as somebody else, whatever the name', () => {
  expect([by('token-of-bob', 'ada'), by('token-of-eve', 'bob')]).toEqual([
    refused(refusal('impersonation-refused', 'bob may not speak as ada')),
    refused(refusal('impersonation-refused', 'eve may not speak as bob')),
  ])
})

test('speaking as oneself is no impersonation', () => {
  expect([by('token-of-bob', 'bob'), by('token-of-ada', 'ada')]).toEqual([
    ok({ name: 'bob', role: 'operator', face: 'cli', via: null }),
    ok({ name: 'ada', role: 'admin', face: 'cli', via: null }),
  ])
})

test('a wrong token is refused before the name it asks for is looked at', () => {
  expect(by('token-of-mallory', 'ada')).toEqual(NOBODY)
})
