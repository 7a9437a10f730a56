import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import type { TestReport } from '../../src/shapes/turn.ts'
import { readReport } from '../../src/tools/reports.ts'
import { scratch } from '../support/folder.ts'

const report = (runner: string, counts: [number, number, number], failures: string[] = []): TestReport => ({
  runner,
  passed: counts[0],
  failed: counts[1],
  skipped: counts[2],
  failures,
})

/** What a program said, as the sandbox has it: standard error after output. */
const said = async (program: string, args: string[], cwd: string): Promise<{ output: string; exit: number }> => {
  const env = { PATH: process.env['PATH'] ?? '', FORCE_COLOR: '1' }
  const { stdout, stderr, exitCode } = await execa(program, args, { cwd, env, extendEnv: false, reject: false })
  return { output: `${stdout}\n${stderr}`, exit: exitCode ?? -1 }
}

describe('what a runner really says is read:', () => {
  const NODE = `
    import { describe, test } from 'node:test'
    test('adds', () => { console.log('# tests 9\\n# pass 9\\n# fail 0') })
    test('breaks', () => { throw new Error('no') })
    test('later', { skip: true }, () => {})
    test('some day', { todo: true }, () => {})
    describe('outer', () => { describe('inner', () => {
      test('deep one breaks', () => { throw new Error('no') })
      test('deep one holds', () => {})
    }) })`

  test.each(['spec', 'tap'])('node:test as %s', async (reporter) => {
    using folder = scratch()
    folder.write('a.test.mjs', NODE)
    const { output, exit } = await said('node', ['--test', `--test-reporter=${reporter}`], folder.path)
    expect(readReport(output, exit)).toEqual(report('node:test', [2, 2, 2], ['breaks', 'deep one breaks']))
  })

  test('vitest, with a file that cannot be loaded', async () => {
    using folder = scratch()
    folder.write(
      'a.test.ts',
      `import { describe, expect, test } from 'vitest'
       test('adds', () => { console.log(' Test Files  9 passed (9)') })
       describe('outer', () => {
         test('breaks', () => expect(1).toBe(2))
         test.skip('later', () => {})
         test.todo('some day')
       })`,
    )
    folder.write('b.test.ts', `throw new Error('at import')`)
    const vitest = `${process.cwd()}/node_modules/.bin/vitest`
    const { output, exit } = await said(vitest, ['run', '--root', folder.path], folder.path)
    expect(readReport(output, exit)).toEqual(
      report('vitest', [1, 2, 2], ['b.test.ts [ b.test.ts ]', 'a.test.ts > outer > breaks']),
    )
  })

  test('vitest, when all is well', async () => {
    using folder = scratch()
    folder.write('a.test.ts', `import { test } from 'vitest'\ntest('adds', () => {})`)
    const vitest = `${process.cwd()}/node_modules/.bin/vitest`
    const { output, exit } = await said(vitest, ['run', '--root', folder.path], folder.path)
    expect(readReport(output, exit)).toEqual(report('vitest', [1, 0, 0]))
  })
})

const JEST = `FAIL src/sum.test.js
  ● Console

    console.log
      Tests:       9 passed, 9 total

  ● sum › adds › negative numbers

    expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: 4

      at Object.toBe (src/sum.test.js:5:15)

FAIL src/broken.test.js
  ● Test suite failed to run

    Cannot find module './nothing' from 'src/broken.test.js'

PASS src/other.test.js

Summary of all failing tests
FAIL src/sum.test.js
  ● sum › adds › negative numbers

Test Suites: 2 failed, 1 passed, 3 total
Tests:       1 failed, 1 skipped, 1 todo, 4 passed, 7 total
Snapshots:   0 total
Time:        1.204 s
Ran all test suites.
`

const MOCHA = `

  sum
    ✔ adds
    1) adds negative numbers
    - later

  2) is at the top

  3 passing (12ms)
  1 pending
  2 failing

  1) sum
       with signs
         adds negative numbers:

      AssertionError [ERR_ASSERTION]: 1 == 2
      + expected - actual

      at Context.<anonymous> (test/sum.js:9:14)

  2) is at the top:
     Error: no
      at Context.<anonymous> (test/sum.js:14:9)
`

const PYTEST = `============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.3, pluggy-1.6.0
rootdir: /tmp/py
collected 5 items

test_a.py .FsxE                                                          [100%]

==================================== ERRORS ====================================
__________________________ ERROR at setup of test_err __________________________
E   ValueError: x

test_a.py:9: ValueError
=================================== FAILURES ===================================
___________________________________ test_bad ___________________________________
>   def test_bad(): assert 1 == 2
E   assert 1 == 2

test_a.py:3: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_bad - assert 1 == 2
ERROR test_a.py::test_err - ValueError: x
========== 1 failed, 1 passed, 1 skipped, 1 xfailed, 1 error in 0.71s ==========
`

const PYTEST_QUIET = `.F                                                                       [100%]
=========================== short test summary info ============================
FAILED test_a.py::test_bad[a b] - assert 1 == 2
1 failed, 1 passed, 2 warnings in 65.09s (0:01:05)
`

const UNITTEST = `F.sxu
======================================================================
FAIL: test_bad (__main__.A.test_bad)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/tmp/ut.py", line 4, in test_bad
AssertionError: 1 != 2

======================================================================
UNEXPECTED SUCCESS: test_y (__main__.A.test_y)
----------------------------------------------------------------------
Ran 5 tests in 0.001s

FAILED (failures=1, skipped=1, expected failures=1, unexpected successes=1)
`

const CARGO = `
running 3 tests
test tests::fine ... ok
test tests::later ... ignored
test tests::broken ... FAILED

failures:

---- tests::broken stdout ----

thread 'tests::broken' (7295) panicked at src/lib.rs:6:56:
assertion \`left == right\` failed
  left: 1
 right: 2

failures:
    tests::broken

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.16s


running 1 test
test whole ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 1 test
test src/lib.rs - a (line 1) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.11s

   Compiling sample v0.1.0 (/tmp/rs)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 1.77s
     Running unittests src/lib.rs (target/debug/deps/sample-e6daf73c296d6df0)
error: test failed, to rerun pass \`--lib\`
`

const GO = `--- FAIL: TestSum (0.00s)
    --- FAIL: TestSum/negative (0.00s)
        sum_test.go:12: got 1, want 2
FAIL
FAIL\texample.org/app/sum\t0.003s
ok  \texample.org/app/web\t0.004s
ok  \texample.org/app/store\t(cached)
ok  \texample.org/app/empty\t0.001s [no tests to run]
?   \texample.org/app/types\t[no test files]
# example.org/app/broken
broken/a_test.go:5:2: undefined: x
FAIL\texample.org/app/broken [build failed]
FAIL
`

const GO_VERBOSE = `=== RUN   TestSum
=== RUN   TestSum/small
=== RUN   TestSum/large
--- PASS: TestSum (0.00s)
    --- PASS: TestSum/small (0.00s)
    --- PASS: TestSum/large (0.00s)
=== RUN   TestLater
    sum_test.go:20: later
--- SKIP: TestLater (0.00s)
=== RUN   TestWeb
--- PASS: TestWeb (0.10s)
PASS
ok  \texample.org/app/sum\t0.104s
`

const GO_JSON = [
  { Action: 'start', Package: 'example.org/a' },
  { Action: 'run', Package: 'example.org/a', Test: 'TestSum' },
  { Action: 'output', Package: 'example.org/a', Test: 'TestSum', Output: '--- FAIL: TestSum (0.00s)\n' },
  { Action: 'fail', Package: 'example.org/a', Test: 'TestSum/negative', Elapsed: 0 },
  { Action: 'fail', Package: 'example.org/a', Test: 'TestSum', Elapsed: 0 },
  { Action: 'pass', Package: 'example.org/a', Test: 'TestWeb', Elapsed: 0.1 },
  { Action: 'skip', Package: 'example.org/a', Test: 'TestLater', Elapsed: 0 },
  { Action: 'fail', Package: 'example.org/a', Elapsed: 0.1 },
  { Action: 'pass', Package: 'example.org/none', Elapsed: 0 },
  { Action: 'fail', Package: 'example.org/broken', Elapsed: 0 },
]
  .map((event) => JSON.stringify({ Time: '2026-01-02T03:04:05.6Z', ...event }))
  .join('\n')

const TAP = `TAP version 14
1..5
ok 1 - adds
# Subtest: outer
    1..2
    not ok 1 - breaks
    ok 2 - holds
not ok 2 - outer
ok 3 - later # SKIP no time
not ok 4 - some day # TODO
`

const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="all" tests="5" failures="1" errors="1" skipped="1" time="0.5">
  <testsuite name="sum" tests="5" failures="1" errors="1" skipped="1">
    <testcase name="adds" classname="sum" time="0.1"/>
    <testcase name="adds &lt;negative&gt; numbers" classname="sum" time="0.1"><failure message="1 != 2">at a</failure></testcase>
    <testcase name="divides" classname="sum"><error type="ZeroDivision"/></testcase>
    <testcase name="later" classname="sum"><skipped/></testcase>
    <testcase name="prints" classname="sum"><system-out>fine</system-out></testcase>
  </testsuite>
</testsuites>`

const DOTNET = `  Determining projects to restore...
  App.Tests -> /app/bin/Debug/net8.0/App.Tests.dll
Test run for /app/bin/Debug/net8.0/App.Tests.dll (.NETCoreApp,Version=v8.0)
Starting test execution, please wait...
A total of 1 test files matched the specified pattern.
  Failed App.Tests.Sum.Adds_negative(a: 1, b: -2) [12 ms]
  Error Message:
   Assert.Equal() Failure

Failed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 20 ms - App.Tests.dll (net8.0)
Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 8 ms - Web.Tests.dll (net8.0)
`

const DOTNET_9 = `  App.Tests test net9.0 failed with 1 error(s) (1.2s)
    failed App.Tests.Sum.Adds (3ms)
Test summary: total: 4, failed: 1, succeeded: 2, skipped: 1, duration: 1.2s
Build failed with 1 error(s) in 2.4s
`

const VSTEST = `  Failed App.Tests.Sum.Adds [12 ms]
Total tests: 4
     Passed: 2
     Failed: 1
    Skipped: 1
 Total time: 1.2 Seconds
`

const RSPEC = `.F*

Pending: (Failures listed here are expected and do not affect your suite's status)

  1) Sum later

Failures:

  1) Sum adds negative numbers
     Failure/Error: expect(1).to eq(2)

Finished in 0.01 seconds (files took 0.1 seconds to load)
4 examples, 1 failure, 1 pending, 1 error occurred outside of examples

Failed examples:

rspec ./spec/sum_spec.rb:3 # Sum adds negative numbers
`

const PHPUNIT = `PHPUnit 11.5.2 by Sebastian Bergmann and contributors.

.F.SE                                                               5 / 5 (100%)

Time: 00:00.010, Memory: 8.00 MB

There was 1 error:

1) Tests\\SumTest::testDivides
DivisionByZeroError: Division by zero

--

There was 1 failure:

1) Tests\\SumTest::testAdds with data set #1 (1, 2)
Failed asserting that 1 matches expected 2.

ERRORS!
Tests: 5, Assertions: 4, Errors: 1, Failures: 1, Skipped: 1.
`

describe('what a runner would say is read:', () => {
  test.each([
    ['jest', JEST, report('jest', [4, 2, 2], ['sum › adds › negative numbers', 'Test suite failed to run'])],
    ['mocha', MOCHA, report('mocha', [3, 2, 1], ['sum with signs adds negative numbers', 'is at the top'])],
    ['pytest', PYTEST, report('pytest', [1, 2, 2], ['test_a.py::test_bad', 'test_a.py::test_err'])],
    ['pytest -q', PYTEST_QUIET, report('pytest', [1, 1, 0], ['test_a.py::test_bad[a b]'])],
    ['pytest without a test', '============ no tests ran in 0.01s ============', report('pytest', [0, 0, 0])],
    [
      'unittest',
      UNITTEST,
      report('unittest', [1, 2, 2], ['test_bad (__main__.A.test_bad)', 'test_y (__main__.A.test_y)']),
    ],
    ['cargo test, of all binaries', CARGO, report('cargo test', [3, 1, 1], ['tests::broken'])],
    ['go test', GO, report('go test', [2, 2, 0], ['TestSum/negative', 'example.org/app/broken'])],
    ['go test -v', GO_VERBOSE, report('go test', [2, 0, 1])],
    ['go test -json', GO_JSON, report('go test', [1, 2, 1], ['TestSum/negative', 'example.org/broken'])],
    ['TAP, with a test that was planned and never came', TAP, report('TAP', [1, 2, 2], ['breaks'])],
    ['TAP, when it gave up', '1..2\nok 1\nok 2\nBail out! no disk', report('TAP', [2, 1, 0])],
    ['JUnit', JUNIT, report('JUnit', [2, 2, 1], ['sum adds <negative> numbers', 'sum divides'])],
    [
      'JUnit without a total',
      '<testsuite name="a" tests="2" failures="1"></testsuite><testsuite name="b" tests="3" errors="0"/>',
      report('JUnit', [4, 1, 0]),
    ],
    ['dotnet test', DOTNET, report('dotnet test', [5, 1, 1], ['App.Tests.Sum.Adds_negative(a: 1, b: -2)'])],
    ['dotnet test of .NET 9', DOTNET_9, report('dotnet test', [2, 1, 1], ['App.Tests.Sum.Adds'])],
    ['dotnet vstest', VSTEST, report('dotnet test', [2, 1, 1], ['App.Tests.Sum.Adds'])],
    ['rspec', RSPEC, report('rspec', [2, 2, 1], ['Sum adds negative numbers'])],
    [
      'phpunit',
      PHPUNIT,
      report('phpunit', [2, 2, 1], ['Tests\\SumTest::testDivides', 'Tests\\SumTest::testAdds with data set #1 (1, 2)']),
    ],
    ['phpunit, when all is well', 'OK (5 tests, 10 assertions)', report('phpunit', [5, 0, 0])],
    [
      'phpunit, when almost all is',
      'OK, but there were issues!\nTests: 3, Assertions: 2, Skipped: 1.',
      report('phpunit', [2, 0, 1]),
    ],
  ])('%s', (_name, output, expected) => {
    expect(readReport(output, expected.failed > 0 ? 1 : 0)).toEqual(expected)
    // Line breaks as other systems have them, and colours, change nothing.
    const dressed = output.replaceAll('\n', '\r\n').replaceAll('failed', '\u001b[31mfailed\u001b[39m')
    expect(readReport(dressed, expected.failed > 0 ? 1 : 0)).toEqual(expected)
  })

  test('nothing, where nobody said anything of tests', () => {
    expect(
      ['', 'done\n', 'ok\n', 'error: 3 failed', 'Tests: 5', '# tests 3\n# pass 3', '{"Action":"pass"'].map((text) =>
        readReport(text),
      ),
    ).toEqual([null, null, null, null, null, null, null])
  })
})

const VITEST_GOOD = ' Test Files  1 passed (1)\n      Tests  5 passed (5)\n   Start at  10:00:00\n   Duration  1.20s\n'
const VITEST_BAD =
  ' FAIL  a.test.ts > breaks\n Test Files  1 failed (1)\n      Tests  1 failed | 4 passed (5)\n   Start at  10:00:00\n   Duration  1.20s\n'

describe('what a test prints is not what the runner says:', () => {
  test('of one runner the last word counts, where the program was content', () => {
    expect(readReport(`${VITEST_BAD}\n${VITEST_GOOD}`, 0)).toEqual(report('vitest', [5, 0, 0]))
  })

  test('and the worst, where it was not', () => {
    expect(readReport(`${VITEST_BAD}\n${VITEST_GOOD}`, 1)).toEqual(report('vitest', [4, 1, 0], ['a.test.ts > breaks']))
  })

  test.each([
    '====== 3 passed in 0.01s ======',
    'OK (3 tests, 3 assertions)',
    '1..1\nok 1 - all is well',
    'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
    '3 examples, 0 failures',
    '<testsuites tests="3" failures="0"></testsuites>',
  ])('what says that all is well in another form does not talk a failure away: %s', (line) => {
    const expected = report('vitest', [4, 1, 0], ['a.test.ts > breaks'])
    expect([readReport(`${VITEST_BAD}${line}\n`, 0), readReport(`${line}\n${VITEST_BAD}`, 1)]).toEqual([
      expected,
      expected,
    ])
  })

  test('in doubt it is the worse', () => {
    expect(readReport(`${VITEST_GOOD}====== 2 failed, 1 passed in 0.01s ======`)).toEqual(report('pytest', [1, 2, 0]))
  })

  test('a result in the middle of one binary of cargo is not a binary more', () => {
    const fake = 'test result: ok. 90 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s'
    expect(readReport(CARGO.replace('test tests::fine ... ok', fake), 101)).toEqual(
      report('cargo test', [3, 1, 1], ['tests::broken']),
    )
  })

  test('half a summary is none', () => {
    expect(readReport(' Test Files  1 passed (1)\n\nsomething else\n      Tests  5 passed (5)\n')).toEqual(null)
    expect(readReport('Test Suites: 1 passed, 1 total\nand so on\nTests:       1 passed, 1 total\n')).toEqual(null)
  })

  test('names of failures are few, short and on one line', () => {
    const names = Array.from({ length: 30 }, (_, n) => `not ok ${n + 1} - ${n} ${'x'.repeat(300)}\u202e\u0007`)
    const found = readReport(['1..30', ...names].join('\n'), 1)
    expect(found).toEqual(
      report(
        'TAP',
        [0, 30, 0],
        Array.from({ length: 20 }, (_, n) => `${`${n} ${'x'.repeat(300)}`.slice(0, 199)}…`),
      ),
    )
  })
})

describe('an output that means harm is read in bounded time:', () => {
  const SIZE = 8_000_000
  const fill = (text: string): string => text.repeat(Math.ceil(SIZE / text.length))
  const NONE = null
  test.each([
    ['one long line', fill('a'), NONE],
    ['empty lines', fill('\n'), NONE],
    ['short lines', fill('a\n'), NONE],
    ['spaces', fill(' '), NONE],
    ['returns', fill('\r'), NONE],
    ['beginnings of escapes', fill('\u001b]'), NONE],
    ['beginnings of longer escapes', fill('\u001b[1;'), NONE],
    ['beginnings of one-byte escapes', fill('\u009d0;'), NONE],
    ['rules', fill('='), NONE],
    ['numbers', fill('1 '), NONE],
    ['summaries of pytest', fill('1 failed in 0.01s\n'), report('pytest', [0, 1, 0])],
    ['summaries of vitest', fill(VITEST_BAD), report('vitest', [4, 1, 0], ['a.test.ts > breaks'])],
    ['a line of parts of pytest', fill('1 passed in '), NONE],
    ['tags without an end', fill('<testcase name="'), NONE],
    ['suites without an end', fill('<testsuite tests="1" '), 'JUnit'],
    ['attributes', `<testsuite ${fill('a="b" ')}>`, NONE],
    ['names in names of go', fill(`--- FAIL: ${'a/'.repeat(1000)} (0.00s)\n`), NONE],
    ['broken JSON', fill('{"Action":"fail"'), NONE],
    ['nested JSON', fill('{"Action":['), NONE],
  ])('%s', (_name, output, expected) => {
    const found = readReport(output, 1)
    expect(typeof expected === 'string' ? found?.runner : found).toEqual(expected)
  })
})
