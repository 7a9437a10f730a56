import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { converse } from '../../src/client/converse.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { skill } from '../patterns/patterns.ts'
import { OWNER, startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

let house: TestHouse

beforeAll(async () => {
  house = await startTestHouse({
    inWorkspace: (folder) => {
      mkdirSync(join(folder, 'patterns/pour-slowly'), { recursive: true })
      writeFileSync(
        join(folder, 'patterns/pour-slowly/SKILL.md'),
        skill('pour-slowly', 'Pour without a drip. Use it when it drips.', '1. tilt the pot'),
      )
      mkdirSync(join(folder, 'patterns/odd'))
      writeFileSync(join(folder, 'patterns/odd/SKILL.md'), 'no front matter\n')
    },
  })
})
afterAll(() => house[Symbol.asyncDispose]())

const client = () => createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })

/** What a line is answered by the agent that it went to. */
const ask = async (text: string, room = 'quiet'): Promise<string> => {
  const { replies } = must(await converse(client(), { room, text }, AbortSignal.timeout(20_000)))
  return replies.map((reply) => reply.text).join('\n')
}

/** What comes of a step that Claude takes in discipline. */
const use = (tool: string, args: object, room = 'quiet') =>
  ask(`/discipline @claude use ${tool} ${JSON.stringify(args)}`, room)

/** The last step of a session that read a file. */
const lastRead = async (): Promise<string> => {
  const { entries } = must(await house.store.query({ event: 'step-ended', tool: 'read', limit: 1 }))
  const [last] = entries
  return last?.body.event === 'step-ended' ? last.body.step : ''
}

/** Says yes to what waits, as soon as it does. */
const approve = async (): Promise<void> => {
  const waiting = await eventually('an approval to wait', async () => {
    const { approvals } = must(await client().ask('approvals', {}))
    return approvals[0] ?? null
  })
  must(await client().say({ room: 'quiet', text: `/approve ${waiting.approval}` }))
}

describe('a pattern that is chosen, fails and is left', () => {
  test('is judged by what was done, and in no other way', async () => {
    const over = [{ pattern: 'read-before-edit', why: 'nothing is edited' }]
    expect(await use('pattern-select', { pattern: 'pour-slowly', why: 'it drips', over })).toContain(
      'goes by pour-slowly',
    )
    expect(
      await use('pattern-outcome', { pattern: 'pour-slowly', outcome: 'worked', why: 'I say so', steps: [] }),
    ).toContain(
      'that it worked is shown by a step that did something and ended well; there is none since it was chosen',
    )
    expect(
      await use('pattern-pivot', { from: 'pour-slowly', to: 'read-before-edit', why: 'it drips still' }),
    ).toContain('left pour-slowly; goes by read-before-edit')
    await ask('@claude read src/pour.ts')
    const step = await lastRead()
    expect(
      await use('pattern-outcome', {
        pattern: 'read-before-edit',
        outcome: 'worked',
        why: 'the drip is there',
        steps: [step],
      }),
    ).toContain('read-before-edit worked: it is in its record')
  })

  test('shows its record to the next session, which finds it', async () => {
    const first = (await house.store.openSession('quiet', 'claude-1'))?.id
    must(await client().say({ room: 'quiet', text: '/reset claude-1' }))
    const found = await use('pattern-search', { query: 'it drips' })
    const second = (await house.store.openSession('quiet', 'claude-1'))?.id
    expect([found, first === second]).toEqual([
      expect.stringContaining(
        'pour-slowly: Pour without a drip. Use it when it drips. (chosen 1 time: 0 worked, 1 failed (1 left for another way); in quiet',
      ),
      false,
    ])
    expect(
      await use('pattern-outcome', { pattern: 'pour-slowly', outcome: 'failed', why: 'again', steps: [] }),
    ).toContain('this session does not go by pour-slowly: choose it with pattern-select first')
  })

  test('is told by /pattern with the reasons that were given in the room, and in another room without', async () => {
    const [head, ...lines] = (await ask('/pattern record pour-slowly')).split('\n')
    expect(head).toContain('pour-slowly: chosen 1 time: 0 worked, 1 failed (1 left for another way); in quiet')
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}\S+ claude-1: it drips \[\S+\.selected\]; left: it drips still \[\S+\.pivoted\]$/),
    ])
    const elsewhere = await ask('/pattern record pour-slowly', 'lobby')
    expect(elsewhere).toMatch(/^pour-slowly: chosen 1 time: .*; in 1 other room; last \S+$/)
    expect((await ask('/pattern show pour-slowly')).split('\n').at(-1)).toBe('1. tilt the pot')
    expect(await ask('/pattern find')).toContain(
      'Complaints:\n  patterns/odd/SKILL.md:1: has no front matter; begin with a line "---"',
    )
  })

  test('is data over HTTP, with the best first; and /patterns is what a room reads of it', async () => {
    const { patterns, complaints, proposals } = must(await client().ask('patterns', { words: 'drips' }))
    expect([patterns, complaints.length, proposals]).toEqual([
      [
        {
          id: 'pour-slowly',
          description: 'Pour without a drip. Use it when it drips.',
          home: 'workspace',
          path: 'patterns/pour-slowly/SKILL.md',
          retired: false,
          record: {
            selected: 1,
            worked: 0,
            failed: 1,
            left: 1,
            open: 0,
            last: expect.any(String),
            where: [{ room: 'quiet', selected: 1, worked: 0, failed: 1 }],
            elsewhere: 0,
          },
        },
      ],
      1,
      [],
    ])
    expect(must(await client().ask('patterns', {})).patterns.length).toBe(10)
    const { answer } = must(await client().say({ room: 'quiet', text: '/patterns drips' }))
    expect(answer?.split('\n')[0]).toBe(
      'pour-slowly: Pour without a drip. Use it when it drips. (chosen 1, worked 0, failed 1)',
    )
  })

  test('is found in the evidence by its name', async () => {
    const { entries } = must(await house.store.query({ pattern: 'pour-slowly', order: 'oldest' }))
    expect(entries.map(({ body, author }) => [body.event, author.id])).toEqual([
      ['pattern-selected', 'claude-1'],
      ['pattern-pivoted', 'claude-1'],
    ])
  })
})

describe('what is proposed', () => {
  const SAID = ['Warm the pot with hot water', 'warm the pot, hot water in it', 'Warming the pot with hot water']
  const path = (name: string) => join(house.settings.workspace, name)

  /** Three sessions come to the same solution. */
  const found = async (words: readonly string[]): Promise<void> => {
    for (const solution of words) {
      await use('pattern-punctuate', { worked: 'it', didNot: 'nothing', surprises: 'none', next: 'tea', solution })
      must(await client().say({ room: 'quiet', text: '/reset claude-1' }))
    }
  }

  test('is a solution that three sessions came to; a person accepts it, and it is a pattern', async () => {
    await found(SAID)
    expect(await ask('/pattern proposals')).toMatch(
      /^new warm-pot-hot-water: "Warm the pot with hot water"; 3 sessions came to it without a pattern \[s-\S+, s-\S+, s-\S+\]\nsay \/pattern accept NAME, or \/pattern decline NAME why$/,
    )
    const accepted = ask('/pattern accept warm-pot-hot-water')
    await approve()
    expect(await accepted).toMatch(/^Made patterns\/warm-pot-hot-water\/SKILL\.md, \d+ lines\.$/)
    expect(readFileSync(path('patterns/warm-pot-hot-water/SKILL.md'), 'utf8').split('\n').slice(0, 4)).toEqual([
      '---',
      'name: warm-pot-hot-water',
      'description: "Warm the pot with hot water"',
      '---',
    ])
    expect([await ask('/pattern proposals'), await ask('/pattern find warm pot')]).toEqual([
      'Nothing is proposed.',
      expect.stringContaining('warm-pot-hot-water: Warm the pot with hot water (never chosen)'),
    ])
  })

  test('is not proposed again once a person declined it', async () => {
    await found(['Put a spoon into the spout', 'a spoon put into the spout', 'put the spoon into a spout'])
    expect(await ask('/pattern decline put-spoon-spout we have no spoons')).toBe(
      'new put-spoon-spout is declined: it is not proposed again for what it was proposed for',
    )
    const { entries } = must(await house.store.query({ event: 'pattern-declined' }))
    expect(entries.map(({ author, body }) => [author.kind, author.id, author.via, body])).toEqual([
      [
        'person',
        OWNER,
        'tickle-1',
        {
          event: 'pattern-declined',
          kind: 'new',
          pattern: 'put-spoon-spout',
          evidence: expect.any(Array),
          why: 'we have no spoons',
          by: OWNER,
        },
      ],
    ])
    expect(await ask('/pattern proposals')).toBe('Nothing is proposed.')
  })

  test('is that a pattern is retired that failed three times; a person accepts it, and it is no longer offered', async () => {
    for (const why of ['it drips', 'it still drips']) {
      await use('pattern-select', { pattern: 'pour-slowly', why, over: [] })
      await use('pattern-outcome', { pattern: 'pour-slowly', outcome: 'failed', why, steps: [] })
    }
    const retired = ask('/pattern accept pour-slowly')
    await approve()
    expect([
      await retired,
      await ask('/pattern find drips'),
      existsSync(path('patterns/pour-slowly/SKILL.md')),
    ]).toEqual(['pour-slowly is no longer offered; its file stays as it is', 'no pattern has one of these words', true])
    const restored = ask('/pattern restore pour-slowly the spout was mended')
    await approve()
    expect([await restored, await ask('/pattern proposals')]).toEqual([
      'pour-slowly is offered again',
      'Nothing is proposed.',
    ])
  })

  test('is only what there is: nobody is asked for anything else', async () => {
    expect([
      await ask('/pattern accept elephants'),
      await ask('/pattern retire pour-slowly'),
      await ask('/pattern show'),
    ]).toEqual([
      'nothing is proposed under elephants; proposed is nothing [pattern-unknown]; say /patterns for those that there are',
      expect.stringContaining('I do not understand "pattern retire pour-slowly"; say /pattern find [words]'),
      expect.stringContaining('I do not understand "pattern show"; say /pattern find [words]'),
    ])
  })
})

test('all that was written down of it holds: every chain is whole, and each entry is by whom it may be', async () => {
  const verdicts = await Promise.all((await house.store.chains()).map((chain) => verifyChain(house.store, chain)))
  expect(verdicts.filter(({ ok }) => !ok)).toEqual([])
})
