import { expect, test } from 'vitest'
import { hashOfToken, mintToken, readToken } from '../../src/evidence/tokens.ts'
import { enterWith, leaveWith, roleOfGrant } from '../../src/operations/entering.ts'
import type { Person } from '../../src/shapes/person.ts'
import { must } from '../support/store.ts'
import { type Asking, atHome, openAsking, sender } from './asking.ts'

const PEOPLE = {
  ada: { role: 'approver', accounts: ['libera/ada'] },
  root: { role: 'admin', accounts: ['libera/root'] },
  grace: { roles: { lobby: 'operator' }, accounts: ['libera/grace'] },
  bob: { accounts: ['libera/bob'] },
}
const START = Date.parse('2026-01-02T03:04:05Z')
const UNKNOWN = 'pair-unknown: there is no such code, or it was used, or its time is up'

/** Addresses that no other test has used: wrong codes are counted by them. */
let addresses = 0
const anAddress = (): string => {
  addresses += 1
  return `192.0.2.${addresses}`
}

const codeFor = async (it: Asking, person: Person): Promise<string> => {
  const said = await it.whisper('pair', person)
  return /^say \/pair ([a-z]{5}-[a-z]{5}) as your other account/.exec(said ?? '')?.[1] ?? ''
}

const enter = async (it: Asking, code: string, { from = anAddress(), now = START } = {}): Promise<string> => {
  const entered = await enterWith(code, from, { store: it.store, people: it.known, now: () => now })
  return entered.ok ? entered.value : `${entered.refusal.code}: ${entered.refusal.message}`
}

/** What a token is good for, and what it was made for. */
const grantOf = async (it: Asking, token: string, now = START) => {
  const minted = await readToken(it.store, token, now)
  if (minted?.grant.kind !== 'person') return null
  return { ...minted.grant, now: await roleOfGrant(minted.grant, it.known) }
}

const onIrc = (it: Asking, account: string) => it.fromNetwork(sender({ account }), 'lobby')

const minted = async (it: Asking) => must(await it.store.query({ event: 'token-minted' })).entries

test('somebody known on a network comes in as what they are; who came in, and by which token, is in the evidence', async () => {
  await using it = await openAsking({ people: PEOPLE })
  const token = await enter(it, await codeFor(it, await onIrc(it, 'ada')))
  expect(await grantOf(it, token)).toEqual({
    kind: 'person',
    name: 'ada',
    role: 'approver',
    account: 'libera/ada',
    now: 'approver',
  })
  const { entries } = must(await it.store.query({ order: 'oldest' }))
  const ada = { kind: 'person', id: 'ada', face: 'web', via: 'libera/ada' }
  const name = hashOfToken(token).slice(0, 12)
  expect(entries.slice(1).map(({ author, body, inReplyTo }) => [author, body, inReplyTo])).toEqual([
    [ada, { event: 'signed-in', person: 'ada', role: 'approver', name }, entries[0]?.id],
    [
      ada,
      {
        event: 'token-minted',
        name,
        label: 'signed in on the web',
        grant: { kind: 'person', name: 'ada', role: 'approver', account: 'libera/ada' },
        expires: '2026-02-01T03:04:05.000Z',
      },
      null,
    ],
  ])
  expect(JSON.stringify(entries)).not.toContain(token)
})

test.each([
  ['an admin of the config', 'root', 'approver'],
  ['somebody with a role in one room', 'grace', 'role-too-low'],
  ['somebody whom the config names and gives no role', 'bob', 'role-too-low'],
])('a code gives nobody more than they have everywhere, and nobody an admin: %s', async (_who, account, came) => {
  await using it = await openAsking({ people: PEOPLE })
  const token = await enter(it, await codeFor(it, await onIrc(it, account)))
  expect((await grantOf(it, token))?.role ?? token.split(':')[0]).toBe(came)
})

test('a code that was asked for with a token signs nobody in, and is not used up by it: it would outlive the token', async () => {
  await using it = await openAsking()
  const code = await codeFor(it, atHome('eve', 'approver'))
  expect(await enter(it, code)).toBe(
    'pair-unknown: that code was given to eve for a token, and only one for an account signs in here',
  )
  expect(await minted(it)).toEqual([])
  const eve = await it.fromNetwork(sender({ account: 'eve' }), 'lobby')
  expect(await it.answer(`pair ${code}`, eve, 'lobby')).toBe('libera/eve is eve')
})

test('who came in by a code gets no further one there that holds without the account', async () => {
  await using it = await openAsking({ people: PEOPLE })
  await enter(it, await codeFor(it, await onIrc(it, 'ada')))
  expect(await enter(it, await codeFor(it, { ...atHome('ada', 'approver'), face: 'web' }))).toBe(
    'pair-unknown: that code was given to ada for a token, and only one for an account signs in here',
  )
})

test('a guest has no code to come in with', async () => {
  await using it = await openAsking({ people: PEOPLE })
  expect(await it.whisper('pair', await onIrc(it, 'mallory'))).toBe('pair-unknown')
})

test('a token goes with the account it was asked for by: unpaired, the code and the token are good for nothing', async () => {
  await using it = await openAsking()
  const account = sender({ account: 'eve' })
  await it.answer(
    `pair ${await codeFor(it, atHome('eve', 'operator'))}`,
    await it.fromNetwork(account, 'lobby'),
    'lobby',
  )
  const eve = await it.fromNetwork(account, 'lobby')
  const token = await enter(it, await codeFor(it, eve))
  const late = await codeFor(it, eve)
  expect((await grantOf(it, token))?.now).toBe('operator')
  await it.answer('unpair libera/eve', eve, 'lobby')
  expect([(await grantOf(it, token))?.now, await enter(it, late)]).toEqual([
    null,
    'role-too-low: eve has no role that holds everywhere, as one on the web does',
  ])
})

test('a code is good once, also for many who say it at the same moment; the others get no token', async () => {
  await using it = await openAsking({ people: PEOPLE })
  const code = await codeFor(it, await onIrc(it, 'ada'))
  const came = await Promise.all(Array.from({ length: 8 }, () => enter(it, code)))
  expect(came.filter((one) => one.startsWith('bhp_')).length).toBe(1)
  expect(came.filter((one) => one.startsWith('pair-unknown: ')).length).toBe(7)
  expect((await minted(it)).length).toBe(1)
  expect(await enter(it, code)).toBe(UNKNOWN)
})

test('used as an account, a code signs nobody in; used to sign in, it pairs nothing', async () => {
  await using it = await openAsking({ people: PEOPLE })
  const discord = sender({ network: 'guild', account: '300000000000000001', nick: 'Ada L' })
  const [paired, entered] = [await codeFor(it, await onIrc(it, 'ada')), await codeFor(it, await onIrc(it, 'ada'))]
  await it.answer(`pair ${paired}`, await it.fromNetwork(discord, 'lobby'), 'lobby')
  await enter(it, entered)
  expect([
    await enter(it, paired),
    await it.answer(`pair ${entered}`, await it.fromNetwork(discord, 'lobby'), 'lobby'),
  ]).toEqual([UNKNOWN, UNKNOWN])
})

test('after ten minutes a code is none', async () => {
  await using it = await openAsking({ people: PEOPLE })
  const code = await codeFor(it, await onIrc(it, 'ada'))
  expect(await enter(it, code, { now: START + 600_000 })).toBe(UNKNOWN)
  expect(await enter(it, code, { now: START + 599_000 })).toMatch(/^bhp_/)
})

test('after twenty wrong codes an address waits, also with a right one; others do not', async () => {
  await using it = await openAsking({ people: PEOPLE })
  const from = anAddress()
  const code = await codeFor(it, await onIrc(it, 'ada'))
  for (let n = 0; n < 20; n++) expect(await enter(it, 'wrong-codes', { from })).toBe(UNKNOWN)
  expect(await enter(it, code, { from })).toBe('pair-unknown: too many wrong codes: wait ten minutes')
  expect(await enter(it, code)).toMatch(/^bhp_/)
})

test('who goes out ends the token that was made for the code, and no other', async () => {
  await using it = await openAsking({ people: PEOPLE })
  const ada = { kind: 'person', id: 'ada', face: 'cli', via: null } as const
  const own = 'bhp_own'
  const grant = { kind: 'person', name: 'ada', role: 'operator' } as const
  must(await mintToken(it.store, { hash: hashOfToken(own), grant, label: 'hers', expires: null }, ada))
  const made = await enter(it, await codeFor(it, await onIrc(it, 'ada')))
  for (const token of [own, made, 'nonsense', '']) await leaveWith(token, { store: it.store, now: () => START })
  expect([await grantOf(it, own), await grantOf(it, made)]).toEqual([{ ...grant, now: 'operator' }, null])
})
