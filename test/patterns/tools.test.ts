import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import type { PeripheralSpec, ToolCall } from '../../src/shapes/peripheral.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import { entry, openWorkshop, request, SESSION, type Workshop } from '../peripherals/workshop.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'
import { ADA } from '../support/store.ts'
import { skill } from './patterns.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const NEVER = new AbortController().signal

/** The wall as it is shipped, with a tool that does something: so that there is something to judge by. */
const shipped = loadPeripherals(join(import.meta.dirname, '../../config/peripherals'), null, {
  checks: {},
  deploys: {},
})
const spec = (): PeripheralSpec => {
  const found = shipped.get('discipline')
  if (!found) throw new Error('there is no discipline')
  return {
    ...found,
    tools: [...found.tools, 'read'],
    scope: { ...found.scope, read: ['**'] },
    exit: [],
    entry: ['user-request'],
    context: [],
  }
}

const FILES = {
  'patterns/pour/SKILL.md': skill('pour', 'Pour tea without a drip.', 'Tilt the pot.'),
  'patterns/stir/SKILL.md': skill('stir', 'Stir tea until it is sweet.', 'Use a spoon.'),
}

const open = async () => {
  const { tools: _tools, ...wall } = spec()
  const tools = spec().tools.filter((tool) => tool !== 'hop')
  const it = await openWorkshop(server, { spec: { ...wall, tools }, files: FILES })
  await it.accept('work')
  await it.enter()
  it.runSteps()
  let n = 0
  /** What comes of a call, in a line. */
  const use = async (tool: string, args: ToolCall['args'] = {}): Promise<string> =>
    lineOf(await it.steps.ask(request(n++, { tool, args }), NEVER))
  return { it, use, [Symbol.asyncDispose]: () => it[Symbol.asyncDispose]() }
}

const lineOf = (report: StepReport | null): string => {
  if (report === null) return 'nothing'
  if (report.kind === 'refused') return `refused: ${report.refusal.code}`
  return report.kind === 'ok' ? (report.output.split('\n')[0] ?? '') : `failed: ${report.message.split(' [')[0]}`
}

const written = async (it: Workshop) =>
  (await it.chain()).filter(({ body }) => body.event.startsWith('pattern-')).map(({ body, pattern }) => [pattern, body])

const whole = async (it: Workshop) => (await it.verdict()).violations

test('a pattern is found, read, chosen with reasons, and judged by a step; all of it is evidence that holds', async () => {
  await using house = await open()
  const { it, use } = house
  expect([
    await use('pattern-search', { query: 'sweet tea' }),
    await use('pattern-read', { pattern: 'stir' }),
    await use('pattern-select', { pattern: 'stir', why: 'it is bitter', over: [{ pattern: 'pour', why: 'no drip' }] }),
    await use('read', { path: 'a.txt' }),
    await use('pattern-outcome', {
      pattern: 'stir',
      outcome: 'worked',
      why: 'it is sweet',
      steps: ['t1.3.outcome', 't1.3'],
    }),
    await use('pattern-search', { query: 'sweet tea' }),
    await use('pattern-punctuate', { worked: 'stirring', didNot: 'nothing', surprises: 'none', next: 'drink' }),
  ]).toEqual([
    'stir: Stir tea until it is sweet. (never chosen)',
    'stir: Stir tea until it is sweet.',
    'goes by stir (never chosen); say with pattern-outcome what came of it, and which steps show it',
    'one',
    'stir worked: it is in its record',
    'stir: Stir tea until it is sweet. (chosen 1 time: 1 worked, 0 failed; in lobby; last 2026-01-02)',
    'the stretch is ended, and what was learnt is kept',
  ])
  const step = (n: number) => ({ turn: 't1', step: `t1.${n}` })
  expect(await written(it)).toEqual([
    [
      'stir',
      {
        event: 'pattern-selected',
        ...step(2),
        pattern: 'stir',
        why: 'it is bitter',
        over: [{ pattern: 'pour', why: 'no drip' }],
      },
    ],
    [
      'stir',
      { event: 'pattern-outcome', ...step(4), pattern: 'stir', outcome: 'worked', why: 'it is sweet', steps: ['t1.3'] },
    ],
    [
      null,
      {
        event: 'pattern-punctuated',
        ...step(6),
        worked: 'stirring',
        didNot: 'nothing',
        surprises: 'none',
        next: 'drink',
        solution: null,
      },
    ],
  ])
  expect(await whole(it)).toEqual([])
})

describe('what is not honest is refused, and nothing of it is written', () => {
  test('a choice: of what is not there, over what is not there, over itself, twice, or without words', async () => {
    await using house = await open()
    const { it, use } = house
    const why = 'it fits'
    expect([
      await use('pattern-select', { pattern: 'puor', why, over: [] }),
      await use('pattern-select', { pattern: 'POUR', why, over: [] }),
      await use('pattern-select', { pattern: 'pour', why, over: [{ pattern: 'elephants', why }] }),
      await use('pattern-select', { pattern: 'pour', why, over: [{ pattern: 'pour', why }] }),
      await use('pattern-select', {
        pattern: 'pour',
        why,
        over: [
          { pattern: 'stir', why },
          { pattern: 'stir', why },
        ],
      }),
      await use('pattern-select', { pattern: 'pour', why: ' ... ', over: [] }),
      await use('pattern-select', { pattern: 'pour', why, over: [{ pattern: 'stir', why: '' }] }),
      await use('pattern-select', { pattern: 'pour', why }),
    ]).toEqual([
      'failed: there is no pattern puor; did you mean pour?',
      'failed: there is no pattern POUR; did you mean pour?',
      'failed: there is no pattern elephants; look for one by its words',
      'failed: pour is the one that is chosen: name others, or none',
      'failed: stir is named twice',
      'refused: arguments-invalid',
      'refused: arguments-invalid',
      'refused: arguments-invalid',
    ])
    expect([await written(it), await whole(it)]).toEqual([[], []])
  })

  test('an outcome: of what was not chosen, or is over; by steps that are not there, of before, or of another session', async () => {
    await using house = await open()
    const { it, use } = house
    const worked = (pattern: string, ...steps: string[]) =>
      use('pattern-outcome', { pattern, outcome: 'worked', why: 'it did', steps })
    await it.record({
      ...entry('x.0.outcome', ADA, { event: 'message', text: 'no step' }, 't1'),
      session: 'room-lobby',
      subject: { type: 'room', id: 'lobby' },
    })
    expect([
      await worked('pour', 't1.0'),
      await use('read', { path: 'a.txt' }),
      await use('pattern-select', { pattern: 'pour', why: 'it drips', over: [] }),
      await worked('stir', 't1.1'),
      await worked('pour'),
      await worked('pour', 't1.1'),
      await worked('pour', 't1.99'),
      await worked('pour', 'x.0'),
      await worked('pour', 't1.8'),
    ]).toEqual([
      'failed: this session does not go by pour: choose it with pattern-select first',
      'one',
      'goes by pour (never chosen); say with pattern-outcome what came of it, and which steps show it',
      'failed: this session does not go by stir: choose it with pattern-select first',
      'failed: that it worked is shown by a step that did something and ended well; there is none since it was chosen',
      'failed: the step t1.1 was taken before the pattern was chosen',
      'failed: t1.99 is no step of this session',
      'failed: x.0 is no step of this session',
      'failed: t1.8 is no step of this session',
    ])
    expect((await written(it)).length).toBe(1)
  })

  test('that it worked: by saying so, by steps that failed or were refused, or by steps that only talk', async () => {
    await using house = await open()
    const { it, use } = house
    const worked = (...steps: string[]) =>
      use('pattern-outcome', { pattern: 'pour', outcome: 'worked', why: 'I am sure of it', steps })
    await use('pattern-select', { pattern: 'pour', why: 'it drips', over: [] })
    expect([
      await use('read', { path: 'nowhere.txt' }),
      await use('read', { path: '.env' }),
      await use('pattern-read', { pattern: 'pour' }),
      await use('evidence', {}),
    ]).toEqual([
      'failed: there is no file nowhere.txt',
      'refused: out-of-scope',
      'pour: Pour tea without a drip.',
      expect.stringContaining('t1'),
    ])
    const shown = 'failed: that it worked is shown by a step that did something and ended well; there is '
    expect([await worked('t1.0'), await worked('t1.1', 't1.2'), await worked('t1.3', 't1.4')]).toEqual([
      `${shown}none since it was chosen`,
      `${shown}none since it was chosen`,
      `${shown}none since it was chosen`,
    ])
    await use('read', { path: 'a.txt' })
    expect([await worked(), await worked('t1.1', 't1.8')]).toEqual([
      `${shown}t1.8 (read)`,
      'pour worked: it is in its record',
    ])
    expect([(await written(it)).length, await whole(it)]).toEqual([2, []])
  })

  test('a pivot: from what was not chosen, to itself, to what is not there, or to nothing without a word for it', async () => {
    await using house = await open()
    const { it, use } = house
    const why = 'it drips'
    const pivot = (from: string, to: string | null, more: object = {}) =>
      use('pattern-pivot', { from, to, why, ...more })
    expect([
      await pivot('pour', 'stir'),
      await use('pattern-select', { pattern: 'pour', why, over: [] }),
      await pivot('pour', 'pour'),
      await pivot('pour', 'elephants'),
      await pivot('pour', null),
      await pivot('pour', 'stir', { instead: 'a spoon' }),
      await use('pattern-punctuate', { worked: 'all', didNot: 'nothing', surprises: 'none', next: 'more' }),
      await pivot('pour', 'stir'),
      await pivot('pour', 'stir'),
      await use('pattern-select', { pattern: 'stir', why, over: [] }),
      await pivot('stir', null, { instead: 'drink water' }),
    ]).toEqual([
      'failed: this session does not go by pour: choose it with pattern-select first',
      'goes by pour (never chosen); say with pattern-outcome what came of it, and which steps show it',
      'failed: this session goes by pour already: say what came of it',
      'failed: there is no pattern elephants; look for one by its words',
      'failed: say what is done instead, where no pattern says it',
      'failed: what is done instead is what stir says: leave it out, or name none',
      'failed: say first what came of pour',
      'left pour; goes by stir',
      'failed: this session does not go by pour: choose it with pattern-select first',
      'failed: this session goes by stir already: say what came of it',
      'left stir for what no pattern says; name it again when the stretch ends',
    ])
    expect([
      (await written(it)).map(([name, body]) => [name, (body as { event: string }).event]),
      await whole(it),
    ]).toEqual([
      [
        ['pour', 'pattern-selected'],
        ['pour', 'pattern-pivoted'],
        ['stir', 'pattern-selected'],
        ['stir', 'pattern-pivoted'],
      ],
      [],
    ])
    expect(await use('pattern-record', {})).toBe(
      'pour: chosen 1 time: 0 worked, 1 failed (1 left for another way); in lobby; last 2026-01-02',
    )
  })
})

/** Decides what waits, as soon as it does. */
const decide = async (it: Workshop, step: string, decision: 'approved' | 'denied'): Promise<void> => {
  const asked = await eventually('a person to be asked', () => it.store.get(`${step}.approval`))
  if (asked.body.event !== 'approval-asked') throw new Error('expected a question')
  const { approval } = asked.body
  const body = { event: 'approval-decided', step, approval, decision, role: 'approver', note: 'no' } as const
  await it.record(entry(`${step}.decision`, ADA, body, `${step}.approval`))
  await it.wake(SESSION)
}

describe('a new pattern', () => {
  const WORDS = { description: 'Warm the pot first.', text: '# Warm\n\n1. hot water' }

  test('waits for a person, is written as a file that is read at once, and never overwrites one', async () => {
    await using house = await open()
    const { it, use } = house
    const path = 'patterns/warm/SKILL.md'
    const made = use('pattern-new', { path, words: WORDS })
    await decide(it, 't1.0', 'approved')
    expect([await made, it.text(path)]).toEqual([
      'Made patterns/warm/SKILL.md, 8 lines.',
      '---\nname: warm\ndescription: "Warm the pot first."\n---\n\n# Warm\n\n1. hot water\n',
    ])
    const again = use('pattern-new', { path, words: WORDS })
    await decide(it, 't1.1', 'approved')
    const shadow = use('pattern-new', { path: 'patterns/read-before-edit/SKILL.md', words: WORDS })
    await decide(it, 't1.2', 'approved')
    expect([await again, await shadow, await use('pattern-search', { query: 'warm' })]).toEqual([
      'failed: patterns/warm/SKILL.md is there already: a pattern is never overwritten',
      'failed: there is a pattern read-before-edit already: give the new one another name; do first what the message names, and say what the evidence shows',
      'warm: Warm the pot first. (never chosen)',
    ])
    expect([await written(it), await whole(it)]).toEqual([
      [['warm', { event: 'pattern-added', turn: 't1', step: 't1.0', pattern: 'warm', path, evidence: [] }]],
      [],
    ])
  })

  test('is not made where a person says no, where files may not be changed, in another place, or of nothing that was proposed', async () => {
    await using house = await open()
    const { it, use } = house
    const denied = use('pattern-new', { path: 'patterns/warm/SKILL.md', words: WORDS })
    await decide(it, 't1.0', 'denied')
    it.room.mode = 'diagnose'
    const closed = use('pattern-new', { path: 'patterns/warm/SKILL.md', words: WORDS })
    await decide(it, 't1.1', 'approved')
    const said = await closed
    it.room.mode = 'execute'
    const elsewhere = use('pattern-new', { path: 'docs/patterns/warm/SKILL.md', words: WORDS })
    await decide(it, 't1.2', 'approved')
    const unknown = use('pattern-new', { path: 'patterns/warm/SKILL.md' })
    await decide(it, 't1.3', 'approved')
    expect([
      await denied,
      said,
      await elsewhere,
      await unknown,
      await use('pattern-new', { path: '.claude/skills/warm/SKILL.md', words: WORDS }),
      await use('pattern-new', { path: 'patterns/warm/../../README.md', words: WORDS }),
    ]).toEqual([
      'refused: approval-denied',
      'failed: the room is in diagnose: files are changed in execute, say /mode execute',
      'failed: docs/patterns/warm/SKILL.md is no pattern: expected patterns/NAME/SKILL.md',
      'failed: nothing is proposed under warm; proposed is nothing; say /patterns for those that there are',
      'refused: out-of-scope',
      'refused: out-of-scope',
    ])
    expect([it.has('patterns/warm/SKILL.md'), await written(it)]).toEqual([false, []])
  })
})

test('a pattern is retired with an approval: it is no longer offered or chosen, its file stays, and it can come back', async () => {
  await using house = await open()
  const { it, use } = house
  const why = 'the pot has another spout'
  const retire = async (n: number, args: object) => {
    const done = use('pattern-retire', { pattern: 'pour', why, ...args })
    await decide(it, `t1.${n}`, 'approved')
    return done
  }
  expect([
    await retire(0, {}),
    await use('pattern-search', { query: 'drip' }),
    await use('pattern-select', { pattern: 'pour', why, over: [] }),
    await use('pattern-read', { pattern: 'pour' }),
    await retire(4, {}),
    await retire(5, { back: true }),
    await use('pattern-search', { query: 'drip' }),
    it.has('patterns/pour/SKILL.md'),
  ]).toEqual([
    'pour is no longer offered; its file stays as it is',
    'no pattern has one of these words',
    'failed: pour is retired: choose another one',
    'pour [retired: it is no longer offered]: Pour tea without a drip.',
    'failed: pour is retired already',
    'pour is offered again',
    'pour: Pour tea without a drip. (never chosen)',
    true,
  ])
  expect(await whole(it)).toEqual([])
})
