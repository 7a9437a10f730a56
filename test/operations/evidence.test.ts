import { describe, expect, test } from 'vitest'
import { createVerifier } from '../../src/evidence/verify.ts'
import { operationNamed } from '../../src/operations/table.ts'
import { Facet } from '../../src/shapes/query.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { receive } from '../../src/social/pipeline.ts'
import { line, type TestSocial, testSocial } from '../support/social.ts'
import { must } from '../support/store.ts'

/** What a line in the quiet room is answered. */
const ask = async (house: TestSocial, id: string, text: string): Promise<string | null> =>
  must(await receive(line({ id, text }), house.social)).answer

const AT = '2026-01-02 03:04:05'

describe('in a room', () => {
  test('evidence is a table: when, who, what, in a few words, and the id to ask further with', async () => {
    await using house = await testSocial()
    await receive(line({ id: 'm1', text: '@codex read\tit\u001b[31m' }), house.social)
    expect(await ask(house, 'm2', '/evidence session=s-n1 order=oldest')).toBe(
      [
        `${AT}  ada  session-opened  codex-1 in quiet [s-n1.opened]`,
        `${AT}  ada  accepted        explore: read it[31m [m1.codex-1]`,
      ].join('\n'),
    )
    expect(await ask(house, 'm3', '/evidence author=nobody')).toBe('nothing matches')
    expect(await ask(house, 'm4', '/evidence session=s-n1 limit=1')).toBe(
      `${AT}  ada  accepted  explore: read it[31m [m1.codex-1]\nmore: cursor=3`,
    )
  })

  test('a filter that is not there is refused with those that are', async () => {
    await using house = await testSocial()
    const answer = await receive(line({ text: '/evidence colour=red' }), house.social)
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'command-invalid' } })
  })

  test('a thread is a tree, with how it stands and what it waits for', async () => {
    await using house = await testSocial()
    await receive(line({ id: 'm1', text: '@codex read it' }), house.social)
    expect(await ask(house, 'm2', '/tree m1.codex-1')).toBe(
      [
        'm1: open, 4 entries',
        `${AT}  ada      message           @codex read it [m1]`,
        `${AT}  ada        session-opened  codex-1 in quiet [s-n1.opened]`,
        `${AT}  ada        accepted        explore: read it [m1.codex-1]`,
        `${AT}  bellhop    assigned        codex-1 in explore [m1.receipt]`,
        'waits for an answer: m1.codex-1',
      ].join('\n'),
    )
    expect(await ask(house, 'm3', '/replies m1.codex-1')).toBe(
      `${AT}  ada  message   @codex read it [m1]\n${AT}  ada  accepted  explore: read it [m1.codex-1]`,
    )
  })

  test('a question is open until somebody concludes or corrects it; a fork goes on elsewhere', async () => {
    await using house = await testSocial()
    expect(await ask(house, 'm1', '/claim question why is it slow?')).toBe('question m1.1 is written down')
    await ask(house, 'm2', '/claim conjecture the lease is too short about=m1.1 pattern=leases')
    await ask(house, 'm3', '/claim question and who changed it? fork=m1.1')
    expect(await ask(house, 'm4', '/questions')).toBe(
      [
        `${AT}  ada  asked     and who changed it? [m3.1]`,
        `${AT}  ada  supposed  the lease is too short [m2.1]`,
        `${AT}  ada  asked     why is it slow? [m1.1]`,
      ].join('\n'),
    )
    expect(await ask(house, 'm5', '/tree m1.1')).toBe(
      [
        'm1.1: forked, 2 entries',
        `${AT}  ada  asked       why is it slow? [m1.1]`,
        `${AT}  ada    supposed  the lease is too short [m2.1]`,
        'waits for an answer: m1.1',
        'waits for an answer: m2.1',
        'goes on from m1.1: m3.1',
      ].join('\n'),
    )
    await ask(house, 'm6', '/claim correction it is not about=m2.1')
    await ask(house, 'm7', '/claim conclusion the disk was full about=m1.1')
    expect(await ask(house, 'm8', '/questions')).toBe(`${AT}  ada  asked  and who changed it? [m3.1]`)
    expect((await ask(house, 'm9', '/tree m1.1'))?.split('\n')[0]).toBe('m1.1: closed, 4 entries')
    expect(await ask(house, 'm10', '/forks m1.1')).toBe(`${AT}  ada  asked  and who changed it? [m3.1]`)
    expect(await ask(house, 'm11', '/count pattern=leases conjecture=true')).toBe('1 entry')
    expect(await receive(line({ id: 'm12', text: '/claim question again about=nothing' }), house.social)).toEqual(
      refused(refusal('target-missing', 'entry m12.1 replies to nothing, which does not exist')),
    )
  })

  test('facets count what there is of each', async () => {
    await using house = await testSocial()
    await receive(line({ id: 'm1', text: 'hello' }), house.social)
    await receive(line({ id: 'm2', text: 'hello again' }), house.social)
    expect(await ask(house, 'm3', '/facets event author=ada')).toBe('       3  message')
    expect(await ask(house, 'm4', '/facets mission')).toBe('no evidence has a mission')
  })

  test('what happened last is there at once, and an entry whole', async () => {
    await using house = await testSocial()
    await receive(line({ id: 'm1', text: 'hello' }), house.social)
    expect(await ask(house, 'm2', '/recent limit=1')).toBe(`${AT}  ada  message  /recent limit=1 [m2]`)
    const shown = await ask(house, 'm3', '/show m1')
    const entry = await house.store.get('m1')
    expect(shown?.split('\n')).toEqual([
      'id: m1',
      'position: 1',
      'version: 2',
      'session: room-quiet',
      'seq: 1',
      'subject: {"type":"room","id":"quiet"}',
      'type: forum-post',
      'claim: observation',
      'author: {"kind":"person","id":"ada","face":"cli","via":null}',
      'at: 2026-01-02T03:04:05.000Z',
      'tags: ["room/quiet"]',
      'inReplyTo: null',
      'forkOf: null',
      'pattern: null',
      'conjecture: false',
      'ephemeral: false',
      `bodyHash: ${entry?.bodyHash}`,
      `prevHash: ${'0'.repeat(64)}`,
      `hash: ${entry?.hash}`,
      'body:',
      '  {',
      '    "event": "message",',
      '    "text": "hello"',
      '  }',
    ])
  })

  test('the head is where the store stands', async () => {
    await using house = await testSocial()
    const { position, root } = await house.store.tip()
    expect(await ask(house, 'm1', '/head')).not.toBe(`${position}:${root}`)
    expect(await ask(house, 'm1', '/head')).toMatch(/^1:[0-9a-f]{64}$/)
  })
})

test('a breakdown is how much matches, and every facet of it at once, each as it is by itself', async () => {
  await using house = await testSocial()
  await receive(line({ id: 'm1', text: '@codex read it' }), house.social)
  await receive(line({ id: 'm2', text: 'hello' }), house.social)
  const whole = must(await house.store.breakdown(Facet.options, { room: 'quiet' }))
  const each = await Promise.all(
    Facet.options.map(async (by) => ({ by, values: must(await house.store.facets(by, { room: 'quiet' })) })),
  )
  expect(whole).toEqual({ count: must(await house.store.count({ room: 'quiet' })), facets: each })
  expect(must(await house.store.breakdown(['event'], { room: 'nowhere' }))).toEqual({
    count: 0,
    facets: [{ by: 'event', values: [] }],
  })
  expect((await ask(house, 'm3', '/breakdown room=quiet event=message'))?.split('\n').slice(0, 3)).toEqual([
    '3 entries',
    'session: room-quiet 3',
    'subject: room/quiet 3',
  ])
})

test('an entry whose body is not kept any more is still in its place', async () => {
  await using house = await testSocial()
  await receive(line({ text: 'hello' }), house.social)
  const entries = must(await house.store.query({ order: 'oldest' })).entries.map((entry) => ({ ...entry, body: null }))
  expect(operationNamed('evidence')?.render({ entries, next: null, through: 2 })).toBe(
    `${AT}  ada      forum-post    (body not kept) [m1]\n${AT}  bellhop  coordination  (body not kept) [m1.receipt]`,
  )
})

test('a verdict says in words what is whole and what is not', () => {
  const verifier = createVerifier('s-1', {
    of: () => null,
    since: () => null,
    pin: () => null,
    ended: () => null,
    deeds: { of: () => null, over: () => null, left: () => null },
    phaseAt: () => null,
  })
  const verdict = { ...verifier.verdict(), entries: 3, steps: 1 }
  const broken = {
    ...verdict,
    session: 's-2',
    ok: false,
    dropped: 2,
    violations: [{ entry: 'e1', rule: 'hash', what: 'was changed after it was written' }],
    more: 7,
  }
  const store = {
    ok: false,
    position: 6,
    root: 'r',
    signed: 8,
    violations: [{ rule: 'truncated', what: 'two are missing' }],
  }
  expect(operationNamed('verify')?.render({ ok: false, verdicts: [verdict, broken], store })).toBe(
    [
      'BROKEN s-2: 3 entries, 1 step, 2 bodies not kept',
      '       hash: e1 was changed after it was written',
      '       and 7 more',
      'whole  s-1: 3 entries, 1 step',
      'BROKEN store: 6 entries, signed up to 8',
      '       truncated: two are missing',
      'NOT verified: see above',
    ].join('\n'),
  )
})
