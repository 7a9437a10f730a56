import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { execute } from '../../src/sandbox/sandbox.ts'
import type { FileChange } from '../../src/shapes/turn.ts'
import { run } from '../../src/tools/run.ts'
import type { Bench } from '../../src/tools/tool.ts'
import { createPlace, type Place } from '../sandbox/place.ts'
import { scratch } from '../support/folder.ts'
import { benchOf, call, changing, ran, reachOf, rule, wall } from './run-bench.ts'

describe('what may run', () => {
  const test1 = rule('npm test', { for: 'test' })
  const diff = rule('git diff <path>...', { for: 'look', sandbox: 'read-only' })
  const push = rule('git push', { for: 'git', approve: true, network: true })
  const spec = wall({ sandbox: 'workspace-write', commands: [test1, diff, push] })

  test('is what a rule lets through, with the paths that are to be judged', () => {
    expect([
      reachOf(run, { argv: ['npm', 'test'] }, spec),
      reachOf(run, { argv: ['git', 'diff', 'a', '/etc/passwd'] }, spec),
      reachOf(run, { argv: ['git', 'push'] }, spec),
    ]).toEqual([
      { command: test1, sandbox: 'workspace-write', reads: [], alone: true, ask: null },
      { command: diff, sandbox: 'read-only', reads: ['a', '/etc/passwd'], alone: false, ask: null },
      { command: push, sandbox: 'workspace-write', reads: [], alone: true, ask: 'test asks before each git push' },
    ])
  })

  test('is said to who tries something else', () => {
    const lines = ['rm -rf /', 'npm test --', 'git diff --output=/etc/passwd', 'sh -c ls', 'npm']
    expect(lines.map((line) => reachOf(run, { argv: line.split(' ') }, spec))).toEqual(
      lines.map((line) => ({
        code: 'command-not-allowed',
        message: `test may not run ${line}; it may run: npm test; git diff <path>...; git push`,
      })),
    )
  })

  const ceiling = { sandbox: 'full' as const, network: true, write: [], commands: [rule('npm install')] }

  test('and what a person could open besides', () => {
    const approval = { policy: 'on-request' as const, tools: [] }
    const asked = { argv: ['make'] }
    const commands = [rule('npm test')]
    const raised = { ...wall({ commands, ceiling, approval }) }
    expect({
      open: reachOf(run, asked, raised),
      opened: reachOf(run, asked, { ...raised, commands: [...raised.commands, ...(raised.ceiling?.commands ?? [])] }),
      never: reachOf(run, asked, wall({ commands, ceiling })),
      nothing: reachOf(run, asked, wall()),
    }).toEqual({
      open: {
        code: 'command-not-allowed',
        message: 'test may not run make; it may run: npm test; with escalate {why} a person may also open: npm install',
      },
      opened: { code: 'command-not-allowed', message: 'test may not run make; it may run: npm test; npm install' },
      never: { code: 'command-not-allowed', message: 'test may not run make; it may run: npm test' },
      nothing: { code: 'command-not-allowed', message: 'test may not run make; it may run no commands' },
    })
  })

  test('a refusal shows no control codes, and not the whole of a long command', () => {
    const refusal = reachOf(run, { argv: ['a\u001b[31m\u202eb\nc', 'x'.repeat(1000)] }, wall())
    expect(refusal).toEqual({
      code: 'command-not-allowed',
      message: `test may not run a[31mb c ${'x'.repeat(90)}…; it may run no commands`,
    })
  })

  test('has words that a program can be given', () => {
    const tries = [
      { argv: [] },
      { argv: ['a', 'b\0c'] },
      { argv: ['a', '\ud800'] },
      { argv: Array.from({ length: 201 }, () => 'a') },
      { argv: ['a', 'b'.repeat(32_768)] },
      { argv: 'npm test' },
      { argv: ['a'], terminal: '../x' },
      { argv: ['a'], cwd: '/' },
      { argv: ['a'], env: {} },
      { argv: ['a'], escalate: { why: '' } },
    ]
    expect(tries.map((args) => run.args.safeParse(args).success)).toEqual(tries.map(() => false))
  })
})

const RUN = { for: 'work', exit: 0, ended: 'exit', report: null, commit: null, pushed: [] } as const

describe('a program that ran', () => {
  test('says what it said, in the sandbox of its rule and with its network', async () => {
    const curl = rule('curl <word>', { for: 'look', sandbox: 'read-only', network: true })
    const spec = wall({ sandbox: 'full', commands: [curl] })
    const { bench, executed } = benchOf(spec, { execute: async () => ran('\nhello\n\n') })
    expect(await call(run, { argv: ['curl', 'x'] }, bench)).toEqual({
      kind: 'ok',
      output: 'hello',
      cut: null,
      paths: [],
      run: { ...RUN, argv: ['curl', 'x'], for: 'look' },
    })
    expect(executed).toEqual([{ argv: ['curl', 'x'], rule: curl, sandbox: 'read-only', network: true }])
  })

  test('has never a wider sandbox than its peripheral, whatever the rule says', async () => {
    const wide = rule('make', { sandbox: 'full' })
    const { bench, executed } = benchOf(wall({ sandbox: 'read-only', commands: [wide] }))
    await call(run, { argv: ['make'] }, bench)
    expect(executed).toEqual([{ argv: ['make'], rule: wide, sandbox: 'read-only', network: false }])
  })

  test('changed what is different afterwards, also where it failed', async () => {
    const files: FileChange[] = [
      { path: 'a.ts', before: null, after: `100644 ${'a'.repeat(64)}`, added: 1, removed: 0 },
    ]
    const spec = wall({ sandbox: 'workspace-write', commands: [rule('make')] })
    const outcome = (exit: number) =>
      call(run, { argv: ['make'] }, benchOf(spec, { ...changing(files), execute: async () => ran('', exit) }).bench)
    const details = { output: '', cut: null, files, changed: ['a.ts'] }
    expect([await outcome(0), await outcome(2)]).toEqual([
      { kind: 'ok', paths: [], ...details, run: { ...RUN, argv: ['make'] } },
      { kind: 'failed', message: 'make exited with 2', ...details, run: { ...RUN, argv: ['make'], exit: 2 } },
    ])
  })

  test('failed in a sentence that says how it ended', async () => {
    const spec = wall({ commands: [rule('make')], limits: { seconds: 3, memoryMb: 64, processes: 5 } })
    const messages = await Promise.all(
      (['signal', 'time', 'memory', 'processes', 'output', 'cancelled'] as const).map(async (ended) => {
        const { bench } = benchOf(spec, { execute: async () => ({ exit: null, ended, output: '' }) })
        const outcome = await call(run, { argv: ['make'] }, bench)
        return outcome.kind === 'failed' ? outcome.message : outcome.kind
      }),
    )
    expect(messages).toEqual([
      'make was ended by a signal',
      'make took longer than 3 s and was ended',
      'make used more than 64 MB of memory and was ended',
      'make was more than 5 processes and was ended',
      'make said too much and was ended',
      'make was cancelled',
    ])
  })

  test('names the files it was given, and not what only looks like one', async () => {
    using folder = scratch()
    const real = folder.write('a.ts', '')
    const spec = wall({ commands: [rule('wc <path>...', { for: 'look' })] })
    const targets: Bench['targets'] = new Map([
      ['./a.ts', { real, name: 'a.ts' }],
      ['main', { real: `${folder.path}/main`, name: 'main' }],
      ['.', { real: folder.path, name: '.' }],
    ])
    const { bench } = benchOf(spec, { targets })
    const outcome = await call(run, { argv: ['wc', 'main', '.', './a.ts'] }, bench)
    expect(outcome.kind === 'ok' && outcome.paths).toEqual(['a.ts'])
  })

  test('has a report of its tests, if it was run for them', async () => {
    const output = '====== 1 failed, 2 passed in 0.01s ======\n'
    const reportFor = async (purpose: 'test' | 'check' | 'work') => {
      const spec = wall({ commands: [rule('pytest', { for: purpose })] })
      const { bench } = benchOf(spec, { execute: async () => ran(output, 1) })
      const outcome = await call(run, { argv: ['pytest'] }, bench)
      return outcome.kind === 'failed' ? outcome.run?.report : outcome
    }
    const report = { runner: 'pytest', passed: 2, failed: 1, skipped: 0, failures: [] }
    expect([await reportFor('test'), await reportFor('check'), await reportFor('work')]).toEqual([report, report, null])
  })

  test('that goes on is started in a terminal of its name', async () => {
    const spec = wall({ sandbox: 'workspace-write', commands: [rule('npm run dev', { network: true })] })
    const started: unknown[] = []
    const start: Bench['terminals']['start'] = async (name, command) => {
      started.push([name, command])
      return started.length === 1 ? { ok: true } : { ok: false, why: 'there is one of that name' }
    }
    const { bench } = benchOf(spec)
    const withStart = { ...bench, terminals: { ...bench.terminals, start } }
    const argv = ['npm', 'run', 'dev']
    const outcomes = [
      await call(run, { argv, terminal: 'server' }, withStart),
      await call(run, { argv, terminal: 'server' }, withStart),
    ]
    expect(outcomes).toEqual([
      {
        kind: 'ok',
        output: 'started npm run dev in the terminal server; terminal {name: "server", do: "read"} shows what it says',
        paths: [],
        cut: null,
      },
      { kind: 'failed', message: 'cannot start npm run dev: there is one of that name' },
    ])
    const command = { argv, rule: spec.commands[0], sandbox: 'workspace-write', network: true }
    expect(started).toEqual([
      ['server', command],
      ['server', command],
    ])
  })
})

describe('an output', () => {
  const shown = async (output: string, limits: { outputLines?: number; outputBytes?: number } = {}) => {
    const spec = wall({ commands: [rule('make')], limits })
    const { bench, spilled } = benchOf(spec, { execute: async () => ran(output) })
    const outcome = await call(run, { argv: ['make'] }, bench)
    if (outcome.kind !== 'ok') throw new Error(outcome.kind)
    return { output: outcome.output, cut: outcome.cut, spill: outcome.spill, spilled }
  }

  const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`)

  test('that is too long is shown from both ends, mostly the last, and kept as a whole', async () => {
    const text = `${numbered(100).join('\n')}\n`
    expect(await shown(text, { outputLines: 9 })).toEqual({
      output: [...numbered(2), '[92 of 100 lines left out]', ...numbered(100).slice(-6)].join('\n'),
      cut: '92 of 100 lines left out; the whole: read spill:1',
      spill: 'spill:1',
      spilled: [text],
    })
  })

  test('that has too many bytes is cut at lines', async () => {
    const lines = numbered(100).map((line) => `${line} ${'é'.repeat(40)}`)
    const { output, cut } = await shown(lines.join('\n'), { outputBytes: 1000 })
    expect([output, cut]).toEqual([
      [...lines.slice(0, 2), '[91 of 100 lines left out]', ...lines.slice(-7)].join('\n'),
      '91 of 100 lines left out; the whole: read spill:1',
    ])
  })

  test('of one endless line is shown from both ends, in whole characters', async () => {
    const { output } = await shown('é'.repeat(100_000), { outputBytes: 1000 })
    expect(output).toEqual(`${'é'.repeat(115)}\n[1 of 1 lines left out or cut short]\n${'é'.repeat(345)}`)
  })

  test('fits into the limits, whatever they and it are', async () => {
    for (const outputBytes of [100, 333, 1000]) {
      for (const outputLines of [1, 2, 7, 50]) {
        for (const text of ['x'.repeat(5000), 'é\n'.repeat(5000), `${'x'.repeat(400)}\n`.repeat(20)]) {
          const { output } = await shown(text, { outputBytes, outputLines })
          const size = { bytes: Buffer.byteLength(output), lines: output.split('\n').length }
          expect(size).toEqual({ bytes: Math.min(size.bytes, outputBytes), lines: Math.min(size.lines, outputLines) })
        }
      }
    }
  })

  test('is text: no colours, no orders to a terminal, no turned directions, of a progress bar the end', async () => {
    const { output } = await shown(
      [
        '\u001b[1m\u001b[38;5;196mred\u001b[0m',
        '\u001b]8;;http://example.org\u0007a link\u001b]8;;\u0007',
        '\u001b]0;title\u001b\\titled',
        '\u001bP1$r0m\u001b\\answered\u009b31mred\u009d0;x\u009c',
        '\u001b(B\u001b=\u001b7plain\u001b8',
        'half an escape \u001b[',
        'an open one \u001b]0;x',
        ' 10%\r 50%\r100%\r',
        'windows\r',
        'bell\u0007 back\u0008 null\0 del\u007f',
        'abc\u202edef\u2066',
        'tab\there',
        'half a character \ud800',
      ].join('\n'),
    )
    expect(output.split('\n')).toEqual([
      'red',
      'a link',
      'titled',
      'answeredred',
      'plain',
      'half an escape ',
      'an open one 0;x',
      '100%',
      'windows',
      'bell back null del',
      'abcdef',
      'tab\there',
      'half a character',
    ])
  })
})

describe('what came of git', () => {
  const IDENTITY = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  }
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', ...IDENTITY }

  /** A repository with a remote, and a bench that really runs what it is given. */
  const repository = async (commands: string[]) => {
    const folder = scratch()
    const cwd = `${folder.path}/here`
    const git = async (...args: string[]) =>
      (await execa('git', ['-C', cwd, ...args], { env, extendEnv: false })).stdout.trim()
    for (const args of [
      ['init', '--bare', '-b', 'main', `${folder.path}/there`],
      ['init', '-b', 'main', cwd],
    ]) {
      await execa('git', args, { env, extendEnv: false })
    }
    await git('remote', 'add', 'origin', `${folder.path}/there`)
    const spec = wall({
      sandbox: 'full',
      commands: commands.map((text) => rule(text, { for: 'git', network: text.startsWith('git push') })),
    })
    const step = async (line: string) => {
      const { bench, executed } = benchOf(spec, {
        ...changing([]),
        execute: async ({ argv: [program = '', ...args] }) => {
          const { exitCode, all = '' } = await execa(program, args, {
            cwd,
            env,
            extendEnv: false,
            reject: false,
            all: true,
          })
          return ran(String(all), exitCode ?? -1)
        },
      })
      const outcome = await call(run, { argv: line.split(' ') }, bench)
      if (outcome.kind !== 'ok' && outcome.kind !== 'failed') throw new Error(outcome.kind)
      const { commit, pushed } = outcome.run ?? {}
      return { kind: outcome.kind, commit, pushed, executed }
    }
    const facts = async (line: string) => {
      const { executed: _, ...rest } = await step(line)
      return rest
    }
    return {
      write: (name: string, text: string) => folder.write(`here/${name}`, text),
      git,
      step,
      facts,
      [Symbol.dispose]: folder[Symbol.dispose],
    }
  }

  const COMMIT = 'git commit -m <text>'

  test('a commit is one when HEAD is another than before', async () => {
    using here = await repository([COMMIT, 'git -C . commit -m <text>', 'git checkout <rev>', 'git commit --dry-run'])
    here.write('a', '1')
    await here.git('add', '.')
    const first = await here.facts('git commit -m one')
    const head = await here.git('rev-parse', 'HEAD')
    expect(first).toEqual({ kind: 'ok', commit: head, pushed: [] })
    expect(await here.facts('git commit -m nothing')).toEqual({ kind: 'failed', commit: null, pushed: [] })

    here.write('a', '2')
    await here.git('add', '.')
    expect(await here.facts('git commit --dry-run')).toEqual({ kind: 'ok', commit: null, pushed: [] })
    const second = await here.facts('git -C . commit -m two')
    expect(second).toEqual({ kind: 'ok', commit: await here.git('rev-parse', 'HEAD'), pushed: [] })
    // HEAD moves, and no commit is made.
    expect(await here.facts(`git checkout ${head}`)).toEqual({ kind: 'ok', commit: null, pushed: [] })
  })

  test('a commit is looked up in a sandbox that writes nothing and has no network', async () => {
    using here = await repository([COMMIT])
    here.write('a', '1')
    await here.git('add', '.')
    const { executed } = await here.step('git commit -m one')
    expect(executed.map(({ argv, sandbox, network }) => [argv.slice(0, 2).join(' '), sandbox, network])).toEqual([
      ['git rev-parse', 'read-only', false],
      ['git commit', 'full', false],
      ['git rev-parse', 'read-only', false],
    ])
  })

  test('a push is one when the remote has what is here', async () => {
    using here = await repository([
      'git push origin <rev>',
      'git push',
      'git push -u origin <rev>',
      'git push --dry-run origin <rev>',
      'git push --all',
    ])
    here.write('a', '1')
    await here.git('add', '.')
    await here.git('commit', '-m', 'one')
    expect(await here.facts('git push --dry-run origin main')).toEqual({ kind: 'ok', commit: null, pushed: [] })
    expect(await here.facts('git push -u origin main')).toEqual({
      kind: 'ok',
      commit: null,
      pushed: ['refs/heads/main'],
    })
    // There was nothing left to push: it is there all the same.
    expect(await here.facts('git push')).toEqual({ kind: 'ok', commit: null, pushed: ['refs/heads/main'] })
    expect(await here.facts('git push origin nothing')).toEqual({ kind: 'failed', commit: null, pushed: [] })

    await here.git('tag', 'v1')
    expect(await here.facts('git push origin v1')).toEqual({ kind: 'ok', commit: null, pushed: ['refs/tags/v1'] })
    await here.git('branch', 'other')
    expect(await here.facts('git push --all')).toEqual({
      kind: 'ok',
      commit: null,
      pushed: ['refs/heads/main', 'refs/heads/other'],
    })
  })

  test('a push that was refused for one ref names the others', async () => {
    using here = await repository(['git push origin <rev>...'])
    here.write('a', '1')
    await here.git('add', '.')
    await here.git('commit', '-m', 'one')
    await here.git('push', 'origin', 'main')
    await here.git('commit', '--amend', '-m', 'another')
    await here.git('branch', 'other')
    expect(await here.facts('git push origin main other')).toEqual({
      kind: 'failed',
      commit: null,
      pushed: ['refs/heads/other'],
    })
  })

  test('a push that says it did and did not, did not', async () => {
    const spec = wall({ sandbox: 'full', commands: [rule('git push', { for: 'git' })] })
    const said = 'To there\n   1111111..2222222  main -> main\n=\trefs/heads/main:refs/heads/main\t[up to date]\nDone\n'
    const { bench } = benchOf(spec, {
      ...changing([]),
      execute: async ({ argv }) =>
        ran(argv.includes('--dry-run') ? ' \trefs/heads/main:refs/heads/main\t1111111..2222222\nDone\n' : said),
    })
    const outcome = await call(run, { argv: ['git', 'push'] }, bench)
    expect(outcome.kind === 'ok' && outcome.run?.pushed).toEqual([])
  })
})

describe('in the real sandbox', () => {
  const step = async (place: Place, line: string, form: Partial<ReturnType<typeof rule>> = {}) => {
    const spec = wall({ sandbox: form.sandbox ?? 'read-only', commands: [rule(line, form)] })
    const { bench } = benchOf(spec, {
      ...changing([]),
      execute: ({ argv, sandbox, network }) => execute(place.job(argv, { mode: sandbox, network })),
    })
    return call(run, { argv: line.split(' ') }, bench)
  }

  test('tests are run, and their report is read', async () => {
    using place = createPlace()
    place.lay(
      'a.test.mjs',
      `import { test } from 'node:test'\ntest('holds', () => {})\ntest('breaks', () => { throw 1 })`,
    )
    const outcome = await step(place, 'node --test a.test.mjs', { for: 'test' })
    expect(outcome.kind === 'failed' && [outcome.message, outcome.run]).toEqual([
      'node --test a.test.mjs exited with 1',
      {
        argv: ['node', '--test', 'a.test.mjs'],
        for: 'test',
        exit: 1,
        ended: 'exit',
        report: { runner: 'node:test', passed: 1, failed: 1, skipped: 0, failures: ['breaks'] },
        commit: null,
        pushed: [],
      },
    ])
  })

  test('a program that is not there is a failure that says so', async () => {
    using place = createPlace()
    const outcome = await step(place, 'nothing-of-that-name')
    expect(outcome.kind === 'failed' && [outcome.message, outcome.output?.split(',')[0]]).toEqual([
      'nothing-of-that-name exited with 126',
      'there is no program nothing-of-that-name on the PATH of the sandbox',
    ])
  })

  test('a commit and a push are found out', async () => {
    using place = createPlace()
    place.git('init', '-b', 'main')
    place.git('init', '--bare', '-b', 'main', `${place.outside}/remote`)
    place.git('remote', 'add', 'origin', `${place.outside}/remote`)
    place.git('add', 'readme.txt')
    const git = { for: 'git', sandbox: 'full' } as const
    const committed = await step(place, 'git -c user.name=T -c user.email=t@t commit -m one', git)
    const pushed = await step(place, 'git push origin main', { ...git, network: true })
    expect(
      [committed, pushed].map((outcome) => outcome.kind === 'ok' && [outcome.run?.commit, outcome.run?.pushed]),
    ).toEqual([
      [place.git('rev-parse', 'HEAD'), []],
      [null, ['refs/heads/main']],
    ])
  })
})
