import { describe, expect, test } from 'vitest'
import { houseDraft } from '../../src/evidence/drafts.ts'
import { createTries } from '../../src/operations/tries.ts'
import type { Sender } from '../../src/shapes/network.ts'
import type { Person, Role } from '../../src/shapes/person.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { linesOf } from '../support/social.ts'
import { ADA, must } from '../support/store.ts'
import { type Asking, atHome, openAsking, sender } from './asking.ts'

const PEOPLE = {
  ada: { role: 'approver', accounts: ['libera/ada'] },
  grace: { roles: { ops: 'admin' }, accounts: ['libera/grace'] },
}
const UNKNOWN = 'pair-unknown: there is no such code, or it was used, or its time is up'

const ON_DISCORD = sender({ network: 'guild', account: '300000000000000001', nick: 'Ada L' })

/** The code that somebody is whispered, as they would copy it. */
const codeFor = async (it: Asking, person: Person): Promise<string> => {
  const said = await it.whisper('pair', person)
  const [, code = ''] = /^say \/pair ([a-km-z]{5}-[a-km-z]{5}) as your other account/.exec(said ?? '') ?? []
  expect(code).not.toBe('')
  return code
}

const use = async (it: Asking, code: string, who: Sender): Promise<string> =>
  it.answer(`pair ${code}`, await it.fromNetwork(who, 'lobby'), 'lobby')

describe('a code', () => {
  test('makes somebody the same person elsewhere: there is a trace of it, and the code is in none', async () => {
    await using it = await openAsking({ people: PEOPLE })
    const ada = await it.fromNetwork(sender({ account: 'ada' }), 'lobby')
    const code = await codeFor(it, ada)
    expect(await use(it, code, ON_DISCORD)).toBe('guild/300000000000000001 is ada')
    expect(await it.known.standingOf(ON_DISCORD, 'lobby')).toEqual({
      name: 'ada',
      role: 'approver',
      guest: false,
      person: 'ada',
    })
    const { entries } = must(await it.store.query({ order: 'oldest' }))
    expect(
      entries.map(({ session, author, body, inReplyTo }) => [session, author.id, author.via, body, inReplyTo]),
    ).toEqual([
      [
        'house',
        'ada',
        'libera/ada',
        { event: 'pair-offered', person: 'ada', role: 'viewer', expires: '2026-01-02T03:14:05.000Z' },
        null,
      ],
      [
        'house',
        'Ada L@guild'.replace(' ', ''),
        'guild/300000000000000001',
        { event: 'paired', person: 'ada', role: 'viewer', identity: 'guild/300000000000000001' },
        entries[0]?.id,
      ],
    ])
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`${code}|${code.replace('-', '')}`))
    expect(entries.map(({ id }) => id)).toEqual([
      expect.stringMatching(/^pair\.[0-9a-f]{64}$/),
      expect.stringMatching(/^pair\.[0-9a-f]{64}\.used$/),
    ])
  })

  test('is not what the room reads', async () => {
    await using it = await openAsking({ people: PEOPLE })
    expect(await it.answer('pair', atHome('root', 'operator'))).toBe(
      'a code for root is on its way to whoever asked: said as the other account within 10 minutes, it pairs the two',
    )
  })

  test.each([
    ['in capital letters', (code: string) => code.toUpperCase()],
    ['without the dash', (code: string) => code.replace('-', '')],
  ])('can be said %s', async (_how, written) => {
    await using it = await openAsking()
    const code = await codeFor(it, atHome('root', 'operator'))
    expect(await use(it, written(code), ON_DISCORD)).toBe('guild/300000000000000001 is root')
  })

  test('is good for one account, once', async () => {
    await using it = await openAsking()
    const code = await codeFor(it, atHome('root', 'operator'))
    expect([
      await use(it, code, ON_DISCORD),
      await use(it, code, ON_DISCORD),
      await use(it, code, sender({ account: 'eve' })),
    ]).toEqual(['guild/300000000000000001 is root', UNKNOWN, UNKNOWN])
  })

  test('of two who say it at the same moment is the first one’s', async () => {
    await using it = await openAsking()
    const code = await codeFor(it, atHome('root', 'operator'))
    const said = await Promise.all([
      use(it, code, sender({ account: 'one' })),
      use(it, code, sender({ account: 'two' })),
    ])
    expect(said.filter((answer) => answer.endsWith(' is root'))).toHaveLength(1)
    expect(must(await it.store.query({ event: 'paired' })).entries).toHaveLength(1)
  })

  test('is good for ten minutes', async () => {
    await using it = await openAsking()
    const [early, late] = [await codeFor(it, atHome('root', 'operator')), await codeFor(it, atHome('root', 'operator'))]
    it.clock.now += 599_999
    expect(await use(it, early, sender({ account: 'early' }))).toBe('libera/early is root')
    it.clock.now += 1
    expect(await use(it, late, sender({ account: 'late' }))).toBe(UNKNOWN)
  })

  test('pairs a visit, where the network knows only names, for as long as it lasts', async () => {
    await using it = await openAsking()
    const visit = sender({ visit: 'v-9', nick: 'root' })
    expect(await use(it, await codeFor(it, atHome('root', 'operator')), visit)).toBe('libera/~v-9 is root')
    const standings = [visit, { ...visit, visit: 'v-10' }].map((who) => it.known.standingOf(who, 'lobby'))
    expect((await Promise.all(standings)).map(({ name, role, guest }) => [name, role, guest])).toEqual([
      ['root', 'operator', false],
      ['~root@libera', 'viewer', true],
    ])
  })

  test.each<[what: string, who: Sender | null, answer: string]>([
    [
      'by somebody whom the network does not vouch for',
      sender({ nick: 'eve' }),
      'pair-unknown: libera does not say who eve is: sign in to an account there, and get a new code',
    ],
    [
      'by an account that the config gives to another person',
      sender({ account: 'grace' }),
      'impersonation-refused: the config says that libera/grace is grace',
    ],
    [
      'at home',
      null,
      'command-invalid: a code is for the account it is to be paired with: get a new one, and say it there',
    ],
  ])('that was said %s is refused, and good for nobody any more', async (_what, who, answer) => {
    await using it = await openAsking({ people: PEOPLE })
    const code = await codeFor(it, atHome('root', 'operator'))
    const said = who ? await use(it, code, who) : await it.answer(`pair ${code}`)
    expect([said, await use(it, code, sender({ account: 'reader' }))]).toEqual([answer, UNKNOWN])
    // Whoever says it next may be heard by another process: that it is spoilt is in the evidence, without the code.
    const [offered, spoilt, ...more] = must(await it.store.query({ order: 'oldest' })).entries
    expect([spoilt?.id, spoilt?.author.id, spoilt?.inReplyTo, spoilt?.body.event, more]).toEqual([
      `${offered?.id}.used`,
      'bellhop',
      offered?.id,
      'refused',
      [],
    ])
  })

  test('cannot be found out: after five wrong ones, an account has to wait', async () => {
    await using it = await openAsking()
    const eve = sender({ account: `eve-${it.clock.now}` })
    for (let i = 0; i < 5; i++) expect(await use(it, 'aaaaa-aaaaa', eve)).toBe(UNKNOWN)
    const right = await codeFor(it, atHome('root', 'operator'))
    expect(await use(it, right, eve)).toBe(
      `pair-unknown: too many wrong codes by libera/${eve.account}: wait 10 minutes`,
    )
    it.clock.now += 600_000
    expect(await use(it, await codeFor(it, atHome('root', 'operator')), eve)).toBe(`libera/${eve.account} is root`)
  })
})

describe('an offer', () => {
  test.each<[who: string, role: Role, offered: Role | null]>([
    ['root', 'viewer', null],
    ['root', 'operator', 'operator'],
    ['root', 'admin', 'admin'],
    ['ada', 'operator', null],
    ['ada', 'approver', 'viewer'],
    ['grace', 'approver', null],
    ['grace', 'admin', 'viewer'],
  ])('by %s at home, with a token for %s, carries %s', async (who, role, offered) => {
    await using it = await openAsking({ people: PEOPLE })
    const answer = await it.ask('pair', atHome(who, role))
    const bodies = must(await it.store.query({ event: 'pair-offered' })).entries.map(({ body }) => body)
    expect([answer.ok || answer.refusal.code, bodies]).toEqual(
      offered === null
        ? ['role-too-low', []]
        : [true, [{ event: 'pair-offered', person: who, role: offered, expires: '2026-01-02T03:14:05.000Z' }]],
    )
  })

  test('needs a person: an account that nobody knows has nobody to be elsewhere', async () => {
    await using it = await openAsking({ people: PEOPLE })
    const strangers = [sender({ account: 'eve' }), sender({ nick: 'ada' }), sender({ visit: 'v-1' })]
    const answers = strangers.map(async (who) => it.answer('pair', await it.fromNetwork(who, 'lobby'), 'lobby'))
    const nobody = (name: string) =>
      `pair-unknown: nobody knows here who ${name} is, so there is nobody to be elsewhere, too`
    expect(await Promise.all(answers)).toEqual([nobody('eve@libera'), nobody('~ada@libera'), nobody('~ada@libera')])
    expect(await linesOf(it.store)).toEqual([])
  })

  test('by somebody who was paired carries what that gave, and not what another network gives to everybody', async () => {
    await using it = await openAsking()
    const discord = sender({ ...ON_DISCORD, groups: ['200000000000000002'] })
    await use(it, await codeFor(it, atHome('root', 'operator')), discord)
    const there = await it.fromNetwork(discord, 'lobby')
    expect(there.role).toBe('approver')
    expect(await use(it, await codeFor(it, there), sender({ account: 'root' }))).toBe('libera/root is root')
    expect(await it.known.standingOf(sender({ account: 'root' }), 'lobby')).toMatchObject({ role: 'operator' })
  })

  test('by one account of somebody carries what that one may, and not what another one of theirs was given', async () => {
    await using it = await openAsking()
    await use(it, await codeFor(it, atHome('root', 'operator')), sender({ account: 'low' }))
    await use(it, await codeFor(it, atHome('root', 'admin')), sender({ account: 'high' }))
    await use(it, await codeFor(it, await it.fromNetwork(sender({ account: 'low' }), 'lobby')), ON_DISCORD)
    const accounts = [sender({ account: 'low' }), sender({ account: 'high' }), ON_DISCORD]
    const roles = accounts.map(async (who) => (await it.known.standingOf(who, 'lobby')).role)
    expect(await Promise.all(roles)).toEqual(['operator', 'approver', 'operator'])
  })
})

describe('an account', () => {
  const paired = async (it: Asking) => {
    await use(it, await codeFor(it, atHome('ada', 'admin')), ON_DISCORD)
    await use(it, await codeFor(it, atHome('root', 'operator')), sender({ account: 'root' }))
  }

  test('is unpaired by its person, or by an admin, and then it is nobody’s', async () => {
    await using it = await openAsking({ people: PEOPLE })
    await paired(it)
    expect([
      await it.answer('unpair guild/300000000000000001', await it.fromNetwork(sender({ account: 'ada' }), 'lobby')),
      await it.answer('unpair libera/root', atHome('grace', 'admin')),
    ]).toEqual(['guild/300000000000000001 is no longer ada', 'libera/root is no longer root'])
    expect([await it.known.personOf('guild/300000000000000001'), await it.known.personOf('libera/root')]).toEqual([
      null,
      null,
    ])
  })

  test('of somebody else’s, of nobody’s, or of the config’s is not', async () => {
    await using it = await openAsking({ people: PEOPLE })
    await paired(it)
    const eve = await it.fromNetwork(sender({ account: 'ada@libera' }), 'lobby')
    expect([
      await it.answer('unpair libera/root', await it.fromNetwork(sender({ account: 'ada' }), 'lobby')),
      await it.answer('unpair libera/root', { ...eve, name: 'root' }),
      await it.answer('unpair libera/nobody', atHome('grace', 'admin')),
      await it.answer('unpair libera/ada', atHome('ada', 'admin')),
    ]).toEqual([
      'pair-unknown: libera/root is not paired with you',
      'pair-unknown: libera/root is not paired with you',
      'pair-unknown: libera/nobody is not paired with you',
      'command-invalid: the config says that libera/ada is ada: take it out under people there',
    ])
    expect(must(await it.store.query({ event: 'unpaired' })).entries).toEqual([])
  })
})

test('people are shown with their roles in this room, and to admins with their accounts', async () => {
  await using it = await openAsking({ people: PEOPLE })
  const body = { event: 'paired', person: 'root', role: 'operator', identity: 'libera/root' } as const
  must(await it.store.append([houseDraft('pair.1', body, [], ADA)]))
  expect([
    await it.answer('people', atHome('ada', 'admin'), 'ops'),
    await it.answer('people', atHome('ada', 'approver'), null),
  ]).toEqual([
    'ada: approver, libera/ada\ngrace: admin, libera/grace\nroot: operator, libera/root',
    'ada: approver\ngrace: no role here\nroot: operator',
  ])
  await using empty = await openAsking()
  expect(await empty.answer('people')).toBe('the config names nobody, and nobody has paired an account')
})

test('what is not an account is not asked about', async () => {
  await using it = await openAsking()
  expect(await it.ask('unpair ada')).toEqual(
    refused(refusal('command-invalid', 'identity: expected an account such as "libera/ada"; usage: /unpair IDENTITY')),
  )
})

test('tries are forgotten after a while, and the oldest where there are too many', () => {
  const tries = createTries({ most: 2, ms: 100 })
  tries.count('a', 0)
  expect(tries.isOver('a', 1)).toBe(false)
  tries.count('a', 50)
  expect([tries.isOver('a', 99), tries.isOver('a', 100), tries.isOver('b', 99)]).toEqual([true, false, false])
  tries.count('a', 99)
  for (let i = 0; i < 1000; i++) tries.count(`other-${i}`, 99)
  tries.count('other-0', 99)
  expect([tries.isOver('a', 99), tries.isOver('other-0', 99)]).toEqual([false, true])
})
