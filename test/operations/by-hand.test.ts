import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { step } from '../../src/operations/by-hand.ts'
import { inputFrom, words } from '../../src/operations/parse.ts'
import { argsFrom } from '../../src/operations/step-words.ts'
import { takenText } from '../../src/operations/taken.ts'
import { jsonSchemaOf, singleTyped } from '../../src/shapes/json-schema.ts'
import type { ToolName } from '../../src/shapes/peripheral.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import { tools } from '../../src/tools/table.ts'
import { anyText } from '../support/social.ts'

/** What is made of a line after `/step`, up to the arguments of the tool. */
const read = (line: string) => {
  const input = inputFrom(step, words(line))
  if (!input.ok) return input
  const { tool, args } = input.value as { tool: ToolName; args: string[] }
  const schema = singleTyped(jsonSchemaOf(tools[tool].args, 'input'))
  return argsFrom(args, { tool, schema, help: tools[tool].help })
}

describe('a line becomes the arguments of a tool', () => {
  test.each<[string, Record<string, unknown>]>([
    ['read path=README.md', { path: 'README.md' }],
    ['read README.md from=3 lines=20', { path: 'README.md', from: 3, lines: 20 }],
    ['read path="with a blank.md"', { path: 'with a blank.md' }],
    ['list', {}],
    ['grep TODO path=src literal=true', { pattern: 'TODO', path: 'src', literal: true }],
    ['grep two words path=src', { pattern: 'two words', path: 'src' }],
    ['grep pattern="x=1 y"', { pattern: 'x=1 y' }],
    [
      'edit path=a.txt old="It pours." new="It pours well."',
      { path: 'a.txt', old: 'It pours.', new: 'It pours well.' },
    ],
    ['write a.txt text="one\ntwo"', { path: 'a.txt', text: 'one\ntwo' }],
    ['run npm test', { argv: ['npm', 'test'] }],
    ['run git commit -m "two words"', { argv: ['git', 'commit', '-m', 'two words'] }],
    ['run terminal=dev npm start --port=80 path=x', { argv: ['npm', 'start', '--port=80', 'path=x'], terminal: 'dev' }],
    ['run CI=1 npm test', { argv: ['CI=1', 'npm', 'test'] }],
    ['run argv=npm argv=test', { argv: ['npm', 'test'] }],
    ['run argv=["npm","test"]', { argv: ['npm', 'test'] }],
    [
      'run escalate.why="it is elsewhere" cargo fetch',
      { argv: ['cargo', 'fetch'], escalate: { why: 'it is elsewhere' } },
    ],
    ['multi-edit a.txt edits=[{"old":"a","new":"b"}]', { path: 'a.txt', edits: [{ old: 'a', new: 'b' }] }],
    ['evidence tool=read limit=5', { tool: 'read', limit: 5 }],
    ['advance outputs.plan="first this" outputs.risk=none', { outputs: { plan: 'first this', risk: 'none' } }],
    ['hop test', { to: 'test' }],
  ])('%s', (line, args) => {
    expect(read(line)).toEqual(ok(args))
  })

  test.each<[string, string]>([
    ['read path=a.md pth=b.md', `read takes no pth: ${tools.read.help}`],
    ['read path=a.md path=b.md', `path: is given twice; ${tools.read.help}`],
    ['read a.md lines=many', `lines: expected a number, not "many"; ${tools.read.help}`],
    ['grep x literal=perhaps', `literal: expected true or false; ${tools.grep.help}`],
    ['run escalate.when=now cargo fetch', `escalate.when: there is no when in escalate; ${tools.run.help}`],
    ['run escalate={why} cargo fetch', `escalate: expected JSON; ${tools.run.help}`],
  ])('%s does not, and is told what the tool takes', (line, message) => {
    expect(read(line)).toEqual(refused(refusal('command-invalid', message)))
  })

  test('a line without a tool is told the usage', () => {
    const usage = expect.stringContaining('usage: /step TOOL [args]') as unknown as string
    expect(inputFrom(step, [])).toEqual(refused(refusal('command-invalid', usage)))
  })

  test('whatever is typed is a call or a refusal, and nothing but own keys of the tool', () => {
    const word = fc.oneof(anyText, fc.constantFrom('__proto__=x', 'constructor=x', 'escalate.__proto__=x', 'argv=['))
    fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(tools) as ToolName[])), fc.array(word), (tool, given) => {
        const schema = singleTyped(jsonSchemaOf(tools[tool].args, 'input'))
        const args = argsFrom(given, { tool, schema, help: tools[tool].help })
        const keys = args.ok ? Object.keys(args.value) : []
        expect(keys.filter((key) => !Object.hasOwn(schema.properties ?? {}, key))).toEqual([])
        expect(({} as Record<string, unknown>)['x']).toBeUndefined()
      }),
    )
  })
})

describe('what came of a step is said', () => {
  const said = (report: StepReport | null, waits?: string) =>
    takenText({ step: 'm.by-hand.1', report, ...(waits === undefined ? {} : { waits }) })
  const done = (output: string): StepReport => ({ kind: 'ok', output, paths: [], cut: null })

  test.each<[string, string]>([
    ['It pours.', said(done('It pours.\n'))],
    ['done', said(done(''))],
    [
      'failed: npm exited with 1\n1 failed',
      said({ kind: 'failed', message: 'npm exited with 1', output: '1 failed\n' }),
    ],
    ['interrupted: its worker died', said({ kind: 'interrupted', message: 'its worker died' })],
    ['it is running: m.by-hand.1', said(null)],
    ['it waits for an approval: /approve k7f2q lets m.by-hand.1 go on', said(null, 'k7f2q')],
    [
      'refused: explore has no tool write [tool-not-allowed]\nuse one of the tools of the peripheral',
      said({ kind: 'refused', refusal: refusal('tool-not-allowed', 'explore has no tool write') }),
    ],
  ])('%s', (expected, text) => {
    expect(text).toBe(expected)
  })

  test('a long output is cut at a whole character, and the rest can be asked for', () => {
    // Three bytes each, and one before them, so that the bound falls into the middle of a character.
    const text = said(done(`x${'水'.repeat(5000)}`))
    expect(text).toBe(`x${'水'.repeat(2047)}\n… more: /show m.by-hand.1.outcome`)
    expect(said(done('水'.repeat(2048)))).toBe('水'.repeat(2048))
  })
})
