import { describe, expect, test } from 'vitest'
import type { ToolCall } from '../../../src/shapes/peripheral.ts'
import { refusal } from '../../../src/shapes/refusal.ts'
import type { FileChange, RunResult, StepReport, TestReport } from '../../../src/shapes/turn.ts'
import { EXPLORE, placeAt, play } from './driver.ts'

const EDIT = placeAt('edit', 'read', 'list', 'glob', 'grep', 'edit', 'write', 'run', 'evidence', 'hop')
const TEST = placeAt('test', 'read', 'glob', 'grep', 'run', 'evidence', 'hop')
const DEPLOY = placeAt('deploy', 'read', 'run', 'evidence', 'advance', 'hop')
const REFLECT = placeAt('reflect', 'evidence', 'reflect', 'hop')
const CHAT = placeAt('chat', 'hop')

type Ok = Extract<StepReport, { kind: 'ok' }>

const ok = (output = '', more: Partial<Ok> = {}): Ok => ({ kind: 'ok', output, paths: [], cut: null, ...more })
const failed = (message: string): StepReport => ({ kind: 'failed', message })
const no = (...[code, message]: Parameters<typeof refusal>): StepReport => ({
  kind: 'refused',
  refusal: refusal(code, message),
})
const ran = (argv: string[], more: Partial<RunResult> = {}): RunResult => ({
  argv,
  for: 'test',
  exit: 0,
  ended: 'exit',
  report: null,
  commit: null,
  pushed: [],
  ...more,
})
const tested = (report: Partial<TestReport>): TestReport => ({
  runner: 'node',
  passed: 0,
  failed: 0,
  skipped: 0,
  failures: [],
  ...report,
})
const state = `100644 ${'a'.repeat(64)}`
const change = (path: string, more: Partial<FileChange> = {}): FileChange => ({
  path,
  before: state,
  after: state,
  added: 1,
  removed: 1,
  ...more,
})
const missing = failed('there is no file x')
const script = ok('{"scripts": {"test": "node --test"}}')

const read = (path: string): ToolCall => ({ tool: 'read', args: { path } })
const edit = (path: string, old: string, text: string, more = {}): ToolCall => ({
  tool: 'edit',
  args: { path, old, new: text, ...more },
})
const run = (...argv: string[]): ToolCall => ({ tool: 'run', args: { argv } })
const hop = (to: string): ToolCall => ({ tool: 'hop', args: { to } })
const signs = ['pytest.ini', 'pyproject.toml', 'Cargo.toml', 'go.mod'].map(read)

/** What is played: the steps, and the lines of the answer after the words that every answer begins with. */
const asked = (request: string, reports: readonly StepReport[], place = EDIT) => {
  const { steps, answer } = play(request, reports, place)
  return { steps, lines: answer?.replace(/^rehearsal, no model: /, '').split('\n') }
}

describe('a change', () => {
  test('is of a file that was read before, and is told with its lines', () => {
    expect(asked('replace "a" with "b" in x.js', [ok('a'), ok('', { files: [change('x.js')] })])).toEqual({
      steps: [[read('x.js')], [edit('x.js', 'a', 'b')]],
      lines: ['changed x.js (+1 -1).'],
    })
  })

  test('is everywhere where that is asked for', () => {
    expect(asked('replace a with b in x.js everywhere', [ok('a'), ok()])).toEqual({
      steps: [[read('x.js')], [edit('x.js', 'a', 'b', { all: true })]],
      lines: ['changed x.js.'],
    })
  })

  test('is not tried where the file cannot be read', () => {
    expect(asked('replace a with b in x.js', [missing])).toEqual({
      steps: [[read('x.js')]],
      lines: ['the step failed: there is no file x'],
    })
  })

  test('is tried in a peripheral that has no tool for it, and its refusal is told', () => {
    const refused = no('tool-not-allowed', 'explore has no tool edit')
    expect(asked('replace a with b in x.js', [ok('a'), refused], EXPLORE)).toEqual({
      steps: [[read('x.js')], [edit('x.js', 'a', 'b')]],
      lines: [
        'the step was refused (tool-not-allowed): explore has no tool edit; use one of the tools of the peripheral.',
      ],
    })
  })

  test('that touches several files is told with all of them', () => {
    const files = [
      change('a.js'),
      change('b.js', { before: null, added: 3, removed: 0 }),
      change('c.bin', { after: null, added: null, removed: null }),
    ]
    expect(asked('run npm run format', [ok('', { files, run: ran(['npm', 'run', 'format']) })]).lines).toEqual([
      'npm run format ended with exit 0.',
      '3 files changed, +4 -1:',
      '  changed a.js (+1 -1)',
      '  created b.js (+3)',
      '  removed c.bin',
    ])
  })
})

describe('a new file', () => {
  const write = { tool: 'write', args: { path: 'x.md', text: 'one\ntwo' } }
  const made = ok('', { files: [change('x.md', { before: null, added: 2, removed: 0 })] })

  test('is looked for first, and written where it is not there', () => {
    expect(asked('create x.md with "one\\ntwo"', [missing, made])).toEqual({
      steps: [[read('x.md')], [write]],
      lines: ['created x.md (+2).'],
    })
  })

  test('is written over where it is there and could be seen', () => {
    expect(asked('create x.md with "one\\ntwo"', [ok('old'), ok('', { changed: ['x.md'] })])).toEqual({
      steps: [[read('x.md')], [write]],
      lines: ['changed x.md.'],
    })
  })

  test('is not written where what is there could not be seen', () => {
    expect(asked('create x.md with "one\\ntwo"', [failed('x.md is not a text file')])).toEqual({
      steps: [[read('x.md')]],
      lines: ['the step failed: x.md is not a text file'],
    })
  })
})

describe('the tests', () => {
  test('are npm test where package.json has a script for them', () => {
    const report = tested({ passed: 5, skipped: 1 })
    expect(asked('run the tests', [script, ok('', { run: ran(['npm', 'test'], { report }) })], TEST)).toEqual({
      steps: [[read('package.json')], [run('npm', 'test')]],
      lines: ['the tests pass: 5 passed, 0 failed, 1 skipped (npm test).'],
    })
  })

  test.each<[string, StepReport, StepReport[], string[]]>([
    ['pytest.ini', missing, [ok(), missing, missing, missing], ['pytest']],
    ['pyproject.toml', missing, [missing, ok(), missing, missing], ['pytest']],
    ['Cargo.toml', ok('{"scripts": {}}'), [missing, missing, ok(), missing], ['cargo', 'test']],
    ['go.mod', ok('no JSON'), [missing, missing, missing, ok()], ['go', 'test', './...']],
    ['nothing', ok('null'), [missing, missing, missing, missing], ['node', '--test']],
    [
      'the script of npm that says there is none',
      ok('{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'),
      [missing],
      ['node', '--test'],
    ],
  ])('are found by %s, looked for side by side', (_, first, others, argv) => {
    const { steps } = asked('test it', [first, ...others], TEST)
    expect(steps).toEqual([[read('package.json')], signs, [run(...argv)]])
  })

  test('that fail are told with their names', () => {
    const report = tested({ passed: 4, failed: 1, failures: ['green tea steeps for less time'] })
    const wrong: StepReport = {
      ...failed('npm test exited with 1'),
      run: ran(['npm', 'test'], { exit: 1, report }),
      output: 'not shown',
    } as StepReport
    expect(asked('run the tests', [script, wrong], TEST).lines).toEqual([
      'the tests fail: 4 passed, 1 failed (npm test):',
      '  green tea steeps for less time',
    ])
  })

  test.each<[string, Partial<RunResult>, string[]]>([
    [
      'that nobody reported on are no success',
      {},
      ['npm test ended with exit 0, without a report of its tests.', '  said'],
    ],
    ['of which none was run are no success', { report: tested({ skipped: 2 }) }, ['no test was run (npm test).']],
    [
      'whose program failed are no success',
      { exit: 1, report: tested({ passed: 2 }) },
      ['the tests fail: 2 passed, 0 failed (npm test).'],
    ],
    [
      'that took too long are no success',
      { exit: null, ended: 'time', report: tested({ passed: 2 }) },
      ['npm test was ended by its limit of time.'],
    ],
  ])('%s', (_, more, lines) => {
    expect(asked('run the tests', [script, ok('said', { run: ran(['npm', 'test'], more) })], TEST).lines).toEqual(lines)
  })

  test('that may not run are told with the refusal', () => {
    expect(
      asked('run the tests', [script, no('command-not-allowed', 'explore may not run npm test')], EXPLORE).lines,
    ).toEqual([
      'the step was refused (command-not-allowed): explore may not run npm test; run one of the commands the message names.',
    ])
  })
})

describe('a part that comes with "then"', () => {
  const edited = ok('', { files: [change('x.js')] })
  const failing = ok('', { run: ran(['npm', 'test'], { exit: 1, report: tested({ failed: 1 }) }) })

  test('begins with a hop to where it is done', () => {
    const passing = ok('', { run: ran(['npm', 'test'], { report: tested({ passed: 5 }) }) })
    expect(asked('replace a with b in x.js, then run the tests', [ok('a'), edited, ok(), script, passing])).toEqual({
      steps: [[read('x.js')], [edit('x.js', 'a', 'b')], [hop('test')], [read('package.json')], [run('npm', 'test')]],
      lines: ['changed x.js (+1 -1).', 'hopped to test.', 'the tests pass: 5 passed, 0 failed (npm test).'],
    })
  })

  test('is not begun where the part before it did not work out', () => {
    const refused = no('path-held', 'claude-1 holds x.js until 12:00')
    expect(asked('replace a with b in x.js, then run the tests, then deploy', [ok('a'), refused])).toEqual({
      steps: [[read('x.js')], [edit('x.js', 'a', 'b')]],
      lines: [
        'the step was refused (path-held): claude-1 holds x.js until 12:00; work on something else, wait until the hold ends, or have a person say /release PATH.',
        'not begun: “run the tests”, “deploy”.',
      ],
    })
  })

  test('is not begun where the hop is refused', () => {
    const refused = no('hop-refused', 'edit leads to test only when something was changed')
    expect(asked('read x.js, then run the tests', [ok('a'), refused])).toEqual({
      steps: [[{ tool: 'read', args: { path: 'x.js', from: 1, lines: 61 } }], [hop('test')]],
      lines: [
        'x.js, lines 1-1:',
        '  1 | a',
        'no hop to test: the step was refused (hop-refused): edit leads to test only when something was changed; ' +
          'bring about what the message names, or hop where it says.',
        'not begun: “run the tests”.',
      ],
    })
  })

  test('is tried after tests that failed: it is for the wall to refuse it', () => {
    const refused = no('hop-refused', 'test leads to deploy only when all passed')
    expect(asked('run the tests, then deploy', [script, failing, refused], TEST)).toEqual({
      steps: [[read('package.json')], [run('npm', 'test')], [hop('deploy')]],
      lines: [
        'the tests fail: 0 passed, 1 failed (npm test).',
        'no hop to deploy: the step was refused (hop-refused): test leads to deploy only when all passed; ' +
          'bring about what the message names, or hop where it says.',
      ],
    })
  })

  test('stays where the peripheral has what it needs', () => {
    expect(asked('replace a with b in x.js, then find TODOs', [ok('a'), edited, ok()]).steps).toEqual([
      [read('x.js')],
      [edit('x.js', 'a', 'b')],
      [{ tool: 'grep', args: { pattern: 'TODO', literal: true } }],
      [{ tool: 'grep', args: { pattern: 'TODO', literal: true, ignoreCase: true } }],
    ])
  })

  test('begins with a hop even where it is the whole request', () => {
    expect(asked('then test', [ok(), script]).steps.slice(0, 2)).toEqual([[hop('test')], [read('package.json')]])
  })

  test('that is not understood is named, after the rest was done', () => {
    expect(asked('replace a with b in x.js, then fix it, then test', [ok('a'), edited])).toEqual({
      steps: [[read('x.js')], [edit('x.js', 'a', 'b')]],
      lines: ['changed x.js (+1 -1).', 'I could not make anything of “fix it”.', 'not begun: “test”.'],
    })
  })

  test('leads from an edit to a push in twelve steps', () => {
    const pushed = ok('', { run: ran(['git', 'push'], { pushed: ['refs/heads/main'] }) })
    const committed = ok('', { run: ran(['git', 'commit'], { commit: 'c0ffee'.repeat(6) }) })
    const passing = ok('', { run: ran(['npm', 'test'], { report: tested({ passed: 5 }) }) })
    const release = ok('', { phase: 'release' })
    const reports = [
      ok('a'),
      edited,
      ok(),
      script,
      passing,
      ok(),
      ok(' M x.js\n'),
      ok(' x.js | 2 +-\n'),
      release,
      ok(),
      committed,
      pushed,
    ]
    expect(asked('replace a with b in x.js, then test, then commit "Less time", then push', reports)).toEqual({
      steps: [
        [read('x.js')],
        [edit('x.js', 'a', 'b')],
        [hop('test')],
        [read('package.json')],
        [run('npm', 'test')],
        [hop('deploy')],
        [run('git', 'status', '--short')],
        [run('git', 'diff', '--stat')],
        [{ tool: 'advance', args: { outputs: { summary: 'Less time\n x.js | 2 +-' } } }],
        [run('git', 'add', '-A')],
        [run('git', 'commit', '-m', 'Less time')],
        [run('git', 'push')],
      ],
      lines: [
        'changed x.js (+1 -1).',
        'hopped to test.',
        'the tests pass: 5 passed, 0 failed (npm test).',
        'hopped to deploy.',
        'committed c0ffeec0ffee, “Less time”: 1 path.',
        'pushed refs/heads/main.',
      ],
    })
  })

  test('beyond the twelfth step is told that it is one too many', () => {
    const { steps, lines } = asked('test it, then test it, then test it', [missing], TEST)
    expect(steps.flat().length).toBe(6)
    expect(lines?.at(-1)).toBe('not begun: “test it”, “test it”.')
    const passing = ok('', { run: ran(['a'], { report: tested({ passed: 5 }) }) })
    const found = [missing, missing, missing, missing, missing, passing]
    const more = asked('test it, then test it, then test it', [...found, ...found], TEST)
    expect(more.steps.flat().length).toBe(12)
    expect(more.lines?.at(-1)).toBe('the step failed: a rehearsal takes at most 12 steps a turn')
  })
})

describe('in deploy', () => {
  test('a push is made after a look', () => {
    expect(asked('push', [ok(), ok('', { phase: 'release' }), no('approval-denied', 'not today')], DEPLOY)).toEqual({
      steps: [
        [run('git', 'status', '--short')],
        [{ tool: 'advance', args: { outputs: { summary: 'push what is committed' } } }],
        [run('git', 'push')],
      ],
      lines: ['the step was refused (approval-denied): not today; do it another way, or ask the person who said no.'],
    })
  })

  test('a commit ends with the first step that does not work out', () => {
    const wrong = ok('fatal: not a git repository', { run: ran(['git', 'status', '--short'], { exit: 128 }) })
    expect(asked('commit "x"', [wrong], DEPLOY)).toEqual({
      steps: [[run('git', 'status', '--short')]],
      lines: ['git status --short ended with exit 128.', '  fatal: not a git repository'],
    })
  })

  test('elsewhere there is no review to leave, and the wall answers', () => {
    const refused = no('command-not-allowed', 'edit may not run git add')
    expect(asked('commit "x"', [ok(), ok(), refused]).steps).toEqual([
      [run('git', 'status', '--short')],
      [run('git', 'diff', '--stat')],
      [run('git', 'add', '-A')],
    ])
  })
})

describe('a call by hand', () => {
  test('is exactly that call, and its refusal is the answer', () => {
    const args = { path: '.git/hooks/pre-commit', text: '#!/bin/sh\nid' }
    const refused = no('out-of-scope', '.git/hooks/pre-commit is denied')
    expect(asked(`@codex use write ${JSON.stringify(args)}`, [refused])).toEqual({
      steps: [[{ tool: 'write', args }]],
      lines: [
        'the step was refused (out-of-scope): .git/hooks/pre-commit is denied; stay inside the scope of the peripheral.',
      ],
    })
  })

  test('is made whatever the tool and the arguments are, also where there is nothing but talk', () => {
    expect(asked('use rm {"-rf": ["/", {}]}', [ok()], CHAT).steps).toEqual([
      [{ tool: 'rm', args: { '-rf': ['/', {}] } }],
    ])
  })

  test('is told with all that the report has', () => {
    const report = ok('one\n  two', {
      cut: 'cut after 2 lines',
      spill: 'spill/1',
      files: [change('x.js')],
      run: ran(['npm', 'test'], { report: tested({ passed: 2 }) }),
      phase: 'release',
    })
    expect(asked('use run {"argv": ["npm", "test"]}', [report]).lines).toEqual([
      'npm test ended with exit 0: 2 passed, 0 failed.',
      'changed x.js (+1 -1).',
      'the phase is now release.',
      '  one',
      '    two',
      '(cut: cut after 2 lines)',
      '(all of it: spill/1)',
    ])
  })

  test('that failed is told with its hint and the end of its output', () => {
    const output = Array.from({ length: 22 }, (_, at) => `line ${at}`).join('\n')
    const report: StepReport = { kind: 'failed', message: 'it went wrong', hint: 'try less', output }
    expect(asked('use run {"argv": ["x"]}', [report]).lines).toEqual([
      'the step failed: it went wrong (try less)',
      '  (2 lines before these)',
      ...Array.from({ length: 20 }, (_, at) => `  line ${at + 2}`),
    ])
  })

  test('without a JSON object is no call', () => {
    expect(asked('use write {path: x}', [])).toEqual({
      steps: [],
      lines: ['the arguments of a tool are a JSON object: use read {"path": "README.md"}.'],
    })
  })
})

describe('files that are asked for together', () => {
  test('are read side by side', () => {
    expect(asked('read a.js and b.js', [ok('one\n'), missing])).toEqual({
      steps: [['a.js', 'b.js'].map((path) => ({ tool: 'read', args: { path, from: 1, lines: 31 } }))],
      lines: ['a.js, lines 1-1:', '  1 | one', 'b.js: the step failed: there is no file x'],
    })
  })

  test('are listed by the tool for that where there is one', () => {
    expect(asked('list src', [ok('a.js\nlib/')])).toEqual({
      steps: [[{ tool: 'list', args: { path: 'src' } }]],
      lines: ['src:', '  a.js', '  lib/'],
    })
    expect(asked('list src', [ok('src/a.js', { paths: ['src/a.js'] })], EXPLORE)).toEqual({
      steps: [[{ tool: 'glob', args: { pattern: '**', path: 'src' } }]],
      lines: ['1 file in src:', '  src/a.js'],
    })
  })
})

test('a page of the web is shown, its beginning', () => {
  expect(asked('fetch https://docs.rs/', [ok('# Docs')], EXPLORE)).toEqual({
    steps: [[{ tool: 'web-fetch', args: { url: 'https://docs.rs/' } }]],
    lines: ['https://docs.rs/ says:', '  # Docs'],
  })
})

describe('looking back', () => {
  const evidence = { tool: 'evidence', args: {} }

  test('shows the evidence', () => {
    expect(asked('what did you do?', [ok('1 read a.js')])).toEqual({
      steps: [[evidence]],
      lines: ['the evidence says:', '  1 read a.js'],
    })
  })

  test('is a review with words made from the reports', () => {
    const words = {
      worked: '3 lines of evidence, 2 of them without trouble',
      didNot: '2 write refused out-of-scope',
      next: 'look at what did not work',
    }
    expect(
      asked('review the session', [ok('1 read ok\n2 write refused out-of-scope\n3 run ok\n'), ok()], REFLECT),
    ).toEqual({
      steps: [[evidence], [{ tool: 'reflect', args: words }]],
      lines: [
        'reviewed the session.',
        `  worked: ${words.worked}`,
        `  did not: ${words.didNot}`,
        `  next: ${words.next}`,
      ],
    })
  })

  test('comes with a hop after something else, and asks for no evidence where there is none', () => {
    expect(asked('list src, then reflect', [ok('a.js')], EDIT).steps.map(([call]) => call?.tool)).toEqual([
      'list',
      'hop',
      'evidence',
      'reflect',
    ])
    expect(asked('reflect', [ok()], placeAt('reflect', 'reflect')).steps.map(([call]) => call?.tool)).toEqual([
      'reflect',
    ])
  })
})

describe('in chat', () => {
  const offer =
    'Here I can only talk, and without a model that is soon over. Ask for work, and I hop to where it is done: ' +
    'explore (read, list and find), edit (replace and create), test (run the tests), deploy (commit and push), ' +
    'reflect (review the session). Say help for all I understand.'

  test.each([
    ['hello there', 'hello.'],
    ['good morning!', 'hello.'],
    ['thanks a lot', 'you are welcome.'],
    ['bye', 'goodbye.'],
    ['is it raining?', 'I have nothing to say to “is it raining?”.'],
  ])('%s is answered, and no step is taken', (request, reply) => {
    expect(asked(request, [], CHAT)).toEqual({ steps: [], lines: [`${reply} ${offer}`] })
  })

  test.each<[string, string]>([
    ['find TODOs', 'explore'],
    ['read x.js', 'explore'],
    ['run ls', 'explore'],
    ['replace a with b in x.js', 'edit'],
    ['run the tests', 'test'],
    ['commit "x"', 'deploy'],
    ['reflect', 'reflect'],
    ['what did you do?', 'reflect'],
    ['hop to edit', 'edit'],
  ])('%s begins with a hop to %s', (request, to) => {
    expect(asked(request, [ok()], CHAT).steps[0]).toEqual([hop(to)])
  })

  test('work is done after the hop', () => {
    expect(asked('replace a with b in x.js', [ok(), ok('a'), ok('', { files: [change('x.js')] })], CHAT)).toEqual({
      steps: [[hop('edit')], [read('x.js')], [edit('x.js', 'a', 'b')]],
      lines: ['hopped to edit.', 'changed x.js (+1 -1).'],
    })
  })
})
