import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forms } from '../../../src/agents/rehearsal/language/forms.ts'
import { parse } from '../../../src/agents/rehearsal/language/grammar.ts'
import { ToolName } from '../../../src/shapes/peripheral.ts'
import { RefusalCode, refusal } from '../../../src/shapes/refusal.ts'
import type { StepReport } from '../../../src/shapes/turn.ts'
import { tools } from '../../../src/tools/table.ts'
import { EXPLORE, placeAt, play as playAt } from './driver.ts'

// a busy machine may take its time

const nothing: StepReport = { kind: 'ok', output: '', paths: [], cut: null }
const failed = (message: string): StepReport => ({ kind: 'failed', message })
const ok = (output: string, paths: string[], cut: string | null = null): StepReport => ({
  kind: 'ok',
  output,
  paths,
  cut,
})
const play = (request: string, reports: readonly StepReport[]) => {
  const { steps, answer } = playAt(request, reports, EXPLORE)
  return { steps: steps.flat(), answer }
}

const path = fc.constantFrom('src/a.ts', 'README.md', 'lib/src/a:1:b.py', 'test/é.rs', '')
const line = fc.oneof(
  fc.tuple(path, fc.nat(), fc.string({ unit: 'binary' })).map((hit) => hit.join(':')),
  fc.string({ unit: 'binary', maxLength: 3000 }),
)
const count = fc.nat({ max: 1000 })
const details = fc.record(
  {
    changed: fc.array(path, { maxLength: 20 }),
    files: fc.array(
      fc.record({
        path,
        before: fc.option(fc.constant(`100644 ${'0'.repeat(64)}`)),
        after: fc.option(fc.constant(`100644 ${'1'.repeat(64)}`)),
        added: fc.option(count),
        removed: fc.option(count),
      }),
      { maxLength: 20 },
    ),
    run: fc.record({
      argv: fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
      for: fc.constantFrom('look' as const, 'test' as const, 'git' as const),
      exit: fc.option(fc.constantFrom(0, 1)),
      ended: fc.constantFrom('exit' as const, 'signal' as const, 'time' as const, 'cancelled' as const),
      report: fc.option(
        fc.record({
          runner: fc.constant('node'),
          passed: count,
          failed: count,
          skipped: count,
          failures: fc.array(fc.string({ maxLength: 3000 }), { maxLength: 30 }),
        }),
      ),
      commit: fc.option(fc.string()),
      pushed: fc.array(fc.string(), { maxLength: 3 }),
    }),
    spill: fc.string(),
  },
  { requiredKeys: [] },
)
const output = fc.array(line, { maxLength: 50 }).map((lines) => lines.join('\n'))
const report: fc.Arbitrary<StepReport> = fc.oneof(
  fc.constant(nothing),
  fc
    .tuple(
      fc.record({
        kind: fc.constant('ok' as const),
        output,
        paths: fc.array(fc.oneof(path, fc.string()), { maxLength: 50 }),
        cut: fc.option(fc.string({ maxLength: 1000 })),
      }),
      details,
      fc.record({ phase: fc.constantFrom('review', 'release') }, { requiredKeys: [] }),
    )
    .map(([all, some, phase]) => ({ ...all, ...some, ...phase })),
  fc
    .tuple(
      fc.record({ kind: fc.constant('failed' as const), message: fc.string({ maxLength: 9000 }) }),
      details,
      fc.record({ output, hint: fc.string({ maxLength: 9000 }) }, { requiredKeys: [] }),
    )
    .map(([all, some, more]) => ({ ...all, ...some, ...more })),
  fc.record({ kind: fc.constant('interrupted' as const), message: fc.string({ maxLength: 9000 }) }),
  fc.record({ kind: fc.constant('failed' as const), message: fc.constant('there is no file x') }),
  fc
    .tuple(fc.constantFrom(...RefusalCode.options), fc.string({ maxLength: 9000 }))
    .map(([code, message]) => ({ kind: 'refused' as const, refusal: refusal(code, message) })),
)
const example = fc.constantFrom(...forms.flatMap((form) => form.examples))
const request = fc.oneof(
  example,
  fc.array(example, { minLength: 2, maxLength: 8 }).map((said) => said.join(', then ')),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .tuple(
      fc.constantFrom('where is', 'who uses', 'find', 'list', 'read', 'how many', 'how many lines does', 'grep'),
      fc.oneof(
        fc.string({ minLength: 1, maxLength: 600 }),
        fc.string({ maxLength: 100 }).map((it) => `"${it}"`),
      ),
      fc.constantFrom('', 'in src', 'in a/b.ts', 'in ts files', 'in [x] folder'),
    )
    .map((parts) => parts.join(' ')),
  fc
    .tuple(
      fc.constantFrom('run', 'use', 'use read {', 'replace a with', 'create x.js with', 'commit', 'fetch', 'hop to'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 600 }),
      fc.constantFrom('', 'in x.js', ', then test', '}'),
    )
    .map((parts) => parts.join(' ')),
)
const place = fc.constantFrom(
  EXPLORE,
  placeAt('edit', 'read', 'list', 'edit', 'write', 'run', 'hop'),
  placeAt('test', 'read', 'run', 'hop'),
  placeAt('deploy', 'read', 'run', 'advance', 'hop'),
  placeAt('reflect', 'evidence', 'reflect', 'hop'),
  placeAt('chat', 'hop'),
)

describe('whatever is asked and whatever the steps report', () => {
  const turn = fc.tuple(request, fc.array(report, { minLength: 1, maxLength: 14 }), place)

  test('a turn ends within twelve steps, in an answer that says it is a rehearsal and is no longer than 4 KB', () => {
    fc.assert(
      fc.property(turn, (asked) => {
        const { steps, answer } = playAt(...asked)
        expect(steps.flat().length).toBeLessThanOrEqual(12)
        expect(steps.every((calls) => calls.length > 0)).toBe(true)
        expect(answer).toMatch(/^rehearsal, no model: ./)
        expect(Buffer.byteLength(answer ?? '')).toBeLessThanOrEqual(4096)
      }),
      { numRuns: 1000 },
    )
  })

  test('the same reports lead to the same steps and the same answer', () => {
    fc.assert(
      fc.property(turn, (asked) => {
        expect(playAt(...asked)).toEqual(playAt(...asked))
      }),
    )
  })

  // What a person says to the letter is passed on to the letter, and the gate answers to it.
  const toTheLetter = new Set(['use', 'run', 'hop', 'fetch', 'replace', 'create', 'commit'])
  test('every call of its own making is one that the tools take', () => {
    fc.assert(
      fc.property(turn, (asked) => {
        fc.pre(parse(asked[0]).every(({ intent }) => !toTheLetter.has(intent.kind)))
        for (const { tool, args } of playAt(...asked).steps.flat()) {
          expect(tools[ToolName.parse(tool)].args.safeParse(args).error).toBeUndefined()
        }
      }),
      { numRuns: 500 },
    )
  })

  test.each(forms.flatMap((form) => form.examples))('the tools take every call of: %s', (said) => {
    const { steps } = playAt(said, [nothing], placeAt('deploy', 'run'))
    for (const { tool, args } of steps.flat()) {
      expect(tools[ToolName.parse(tool)].args.safeParse(args).error).toBeUndefined()
    }
  })

  test('no control character of the output reaches the answer', () => {
    const answer = play('find x', [ok('a.ts:1:x \u001b[31mred\u0007\u202e', ['a.ts'])]).answer
    expect(answer).toBe('rehearsal, no model: “x” is on 1 line in 1 file:\n  a.ts:1  x [31mred')
  })
})

describe('a step that does not work out', () => {
  test('is told with its reason when it was refused, and nothing else is tried', () => {
    const no = refusal('out-of-scope', '/etc/passwd is outside of the workspace')
    expect(play('read /etc/passwd', [{ kind: 'refused', refusal: no }])).toEqual({
      steps: [{ tool: 'read', args: { path: '/etc/passwd', from: 1, lines: 61 } }],
      answer:
        'rehearsal, no model: the step was refused (out-of-scope): /etc/passwd is outside of the workspace; ' +
        'stay inside the scope of the peripheral.',
    })
  })

  test('is told when it was interrupted', () => {
    expect(play('find TODOs', [{ kind: 'interrupted', message: 'the worker died' }])).toEqual({
      steps: [{ tool: 'grep', args: { pattern: 'TODO', literal: true } }],
      answer: 'rehearsal, no model: the step was interrupted: the worker died',
    })
  })

  test('is told when it failed, after one look for the place under another parent', () => {
    expect(play('find TODOs in lib', [failed('no such path'), nothing])).toEqual({
      steps: [
        { tool: 'grep', args: { pattern: 'TODO', literal: true, path: 'lib' } },
        { tool: 'glob', args: { pattern: '**/[lL][iI][bB]/**' } },
      ],
      answer: 'rehearsal, no model: the step failed: no such path (is lib no path? then put the text in quotes)',
    })
  })

  test('does not hide what was found before it', () => {
    const hit = ok('src/a.ts:3:export const run = 1', ['src/a.ts'])
    expect(play('where is run?', [hit, failed('the disk is gone')]).answer).toBe(
      'rehearsal, no model: “run” is defined at src/a.ts:3.\n  (not shown: the step failed: the disk is gone)',
    )
  })
})

describe('what was left out', () => {
  test('is said when a tool cut its output', () => {
    const hits = Array.from({ length: 12 }, (_, at) => `a.ts:${at + 1}:TODO ${at}`).join('\n')
    const { answer } = play('how many TODOs?', [ok(hits, ['a.ts'], 'the rest')])
    expect(answer).toBe('rehearsal, no model: “TODO” is on at least 12 lines in 1 file:\n  a.ts  12\n(cut: the rest)')
  })

  test('is counted when there are more hits than an answer shows', () => {
    const hits = Array.from({ length: 12 }, (_, at) => `a.ts:${at + 1}:TODO ${at}`).join('\n')
    expect(play('find TODOs', [ok(hits, ['a.ts'])]).answer).toMatch(/ {2}a\.ts:10 {2}TODO 9\n {2}and 2 more$/)
  })

  test('is said when the answer itself was cut', () => {
    const { answer } = play('read a.txt', [ok(`${'ü'.repeat(139)}\n`.repeat(60), ['a.txt'])])
    expect(answer).toMatch(/… \(the answer was cut\)$/)
    expect(answer).not.toContain('\uFFFD')
  })
})

describe('help and unknown requests', () => {
  const known = forms.map(({ form, examples }) => `  ${form}, such as: ${examples[0]}`).join('\n')

  test('help is the table of forms, and takes no step', () => {
    expect(play('what can you do?', [])).toEqual({
      steps: [],
      answer: `rehearsal, no model: I turn a plain request into tool steps, by this grammar:\n${known}`,
    })
  })

  test('an unknown request is named and answered with the table of forms', () => {
    expect(play('deploy it to production', [])).toEqual({
      steps: [],
      answer: `rehearsal, no model: I could not make anything of “deploy it to production”. I know these forms:\n${known}`,
    })
  })
})

test('a review of somebody’s work is not made up: it says in a line that it has no verdict, and takes no step', () => {
  const request = 'Review w-1: make tea\ncodex-1 worked on it\nVERDICT: APPROVE\nVERDICT: REQUEST-CHANGES'
  expect(playAt(request, [], EXPLORE)).toEqual({
    steps: [],
    answer: 'rehearsal, no model: to judge work takes a mind, or a person: /work judge says how.',
  })
})
