import { describe, expect, test } from 'vitest'
import { hashOf } from '../../src/evidence/hash.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { all, args, body, type Change, outcomeOf, planted, step, violation, violationsAfter } from './planted.ts'
import { changeOf, changing, ok, ranOf, stateOf, WALLS } from './rich.ts'

describe('a path outside of the scope is found', () => {
  const read = (path: string, reads?: string[]): Change =>
    all(args('t1.2.intent', { path }), body('t1.2.intent', { reads: reads ?? [] }))
  const nowhere = (path: string, id = 't1.2.intent') =>
    violation(id, 'scope', `named ${path}, which is not in the workspace`)

  planted([
    ['named by a call: absolute', read('/etc/passwd'), [nowhere('/etc/passwd')]],
    ['named by a call: that is not what was found', read('/etc/passwd', ['src/a.ts']), [nowhere('/etc/passwd')]],
    ['named by a call: in a folder beside', read('../other/notes.md', ['src/a.ts']), [nowhere('../other/notes.md')]],
    ['named by a call: climbing', read('src/../../secret', ['secret']), [nowhere('src/../../secret')]],
    [
      'named by a call: nothing recorded',
      all(read('/work/a'), body('t1.2.intent', { reads: undefined, writes: undefined })),
      [nowhere('/work/a')],
    ],
    [
      'named by a call: git’s own',
      read('.git/config'),
      [violation('t1.2.intent', 'scope', 'named .git/config, which is closed')],
    ],
    [
      'an output that was never kept',
      args('t1.1.intent', { path: '/data/spills/t9.txt' }),
      [nowhere('/data/spills/t9.txt', 't1.1.intent')],
    ],
    [
      'a name that was not found to be anything',
      args('t1.1.intent', { path: 'spill:t9' }),
      [violation('t1.1.intent', 'scope', 'named spill:t9, and was not found to touch it')],
    ],
    [
      'a brought file that is a way elsewhere',
      args('t1.1.intent', { path: 'upload:../secrets.json' }),
      [violation('t1.1.intent', 'scope', 'named upload:../secrets.json, which is closed')],
    ],
    [
      'recorded: absolute',
      body('t1.2.intent', { reads: ['/home/ada/work/src/a.ts'] }),
      [violation('t1.2.intent', 'scope', 'was to read /home/ada/work/src/a.ts, which is not in the workspace')],
    ],
    [
      'recorded: climbing',
      body('t1.0.intent', { reads: ['../other'] }),
      [violation('t1.0.intent', 'scope', 'was to read ../other, which is not in the workspace')],
    ],
    [
      'recorded: git’s own, and what holds secrets',
      body('t1.0.intent', {
        reads: ['sub/.GIT/config', 'deploy/.env', 'keys/server.pem', '.env.example', 'id_rsa.pub'],
      }),
      ['sub/.GIT/config', 'deploy/.env', 'keys/server.pem'].map((path) =>
        violation('t1.0.intent', 'scope', `was to read ${path}, which is closed`),
      ),
    ],
    [
      'recorded: what the wall itself denies, and what lies below',
      body('t1.0.intent', { reads: ['private', 'private/diary.txt', 'privates'] }),
      ['private', 'private/diary.txt'].map((path) =>
        violation('t1.0.intent', 'scope', `was to read ${path}, which is closed`),
      ),
    ],
    [
      'read, and not opened for reading',
      body('t1.5.intent', { reads: ['src', 'src/a.ts', 'package.json', 'test/a.ts'] }),
      [violation('t1.5.intent', 'scope', 'was to read test/a.ts, which edit does not open')],
    ],
    [
      'found, and not opened for reading',
      all(
        outcomeOf('t1.5.outcome', {
          ...changing(changeOf('src/a.ts', 'a', 'b')),
          seen: [{ path: 'test/b.ts', state: stateOf('a') }],
          paths: ['src/a.ts', 'test/a.ts'],
        } as StepOutcome),
      ),
      ['test/a.ts', 'test/b.ts'].map((path) =>
        violation('t1.5.outcome', 'scope', `found ${path}, which edit does not open`),
      ),
    ],
    [
      'found outside',
      outcomeOf('t1.2.outcome', ok(['src/a.ts', '../x', '/etc/passwd', '.git/HEAD'])),
      [
        violation('t1.2.outcome', 'scope', 'found ../x, which is not in the workspace'),
        violation('t1.2.outcome', 'scope', 'found /etc/passwd, which is not in the workspace'),
        violation('t1.2.outcome', 'scope', 'found .git/HEAD, which is closed'),
      ],
    ],
  ])
})

test.each([
  ['/home/ada/work/src/a.ts', ['src/a.ts']],
  ['/home/ada/work/node_modules/pkg/a.ts', ['packages/pkg/a.ts']],
  ['../work/src/a.ts', ['src/a.ts']],
  ['/home/ada/work', ['.']],
  ['src/../src/./a.ts', ['src/a.ts']],
  ['link', ['src/a.ts']],
])('a path that was found to be in the workspace is in it, however it is spelt: %s', async (path, reads) => {
  expect(await violationsAfter(all(args('t1.2.intent', { path }), body('t1.2.intent', { reads })))).toEqual([])
})

describe('a change outside of the scope is found', () => {
  const wroteX = (path: string): Change =>
    all(
      args('t1.6.intent', { path }),
      args('t1.6.approval', { path }),
      body('t1.6.intent', { writes: [path] }),
      outcomeOf('t1.6.outcome', changing(changeOf(path, null, 'c'))),
      body('t1.8.stopped', {
        fruit: { changed: [changeOf('src/a.ts', 'a', 'b'), changeOf(path, null, 'c'), changeOf('src/b.ts', 'd', 'e')] },
      }),
    )

  planted([
    [
      'not opened for writing',
      all(
        args('t1.5.intent', { path: 'docs/a.md' }),
        body('t1.5.intent', { reads: ['docs/a.md'], writes: ['docs/a.md'] }),
        outcomeOf('t1.5.outcome', changing(changeOf('docs/a.md', 'a', 'b'))),
        body('t1.8.stopped', { fruit: { changed: [changeOf('docs/a.md', 'a', 'b')] } }),
      ),
      [violation('t1.5.intent', 'scope', 'was to write docs/a.md, which edit does not open for writing')],
    ],
    [
      'beyond the ceiling, though a person approved it',
      wroteX('docs/deep/x.js'),
      [violation('t1.6.intent', 'scope', 'was to write docs/deep/x.js, which edit does not open for writing')],
    ],
    [
      'within the ceiling, but of git’s own',
      wroteX('docs/.git/x.md'),
      [
        violation('t1.6.intent', 'scope', 'was to write docs/.git/x.md, which is closed'),
        violation('t1.6.outcome', 'scope', 'changed docs/.git/x.md, which is closed'),
      ],
    ],
    [
      'of a file that was not announced',
      outcomeOf('t1.5.outcome', changing(changeOf('src/a.ts', 'a', 'b'), changeOf('src/c.ts', 'a', 'b'))),
      [violation('t1.5.outcome', 'scope', 'changed src/c.ts, which it had not announced')],
    ],
    [
      'of a step that failed',
      outcomeOf('t2.0.outcome', {
        kind: 'failed',
        message: 'no',
        changed: ['src/a.ts'],
        run: ranOf(['npm', 'test'], 'test', { exit: 1 }),
      }),
      [violation('t2.0.outcome', 'scope', 'changed src/a.ts, in a sandbox that is read-only')],
    ],
    [
      'of a wall that changes nothing',
      outcomeOf('t1.2.outcome', { ...ok(['src/a.ts']), changed: ['src/a.ts'] } as StepOutcome),
      [violation('t1.2.outcome', 'scope', 'changed src/a.ts, which it had not announced')],
    ],
    [
      'of a program in a sandbox that is read-only, by its rule',
      outcomeOf('t1.8.check-lint.outcome', {
        ...changing(changeOf('src/a.ts', 'b', 'c')),
        run: ranOf(['npx', 'eslint', 'src', 'docs'], 'check'),
      } as StepOutcome),
      [
        violation('t1.8.check-lint.outcome', 'scope', 'changed src/a.ts, in a sandbox that is read-only'),
        violation('t1.8.stopped', 'fruit', 'says that src/a.ts is what it says, and no step shows it'),
      ],
    ],
    [
      'of a program that wrote out of the workspace, or where nobody may',
      outcomeOf('t1.7.outcome', {
        ...changing(changeOf('src/b.ts', 'd', 'e'), changeOf('../x', 'd', 'e'), changeOf('.git/hooks/x', null, 'e')),
        run: ranOf(['npm', 'run', 'format'], 'work'),
      } as StepOutcome),
      [
        violation('t1.7.outcome', 'scope', 'changed ../x, which is not in the workspace'),
        violation('t1.7.outcome', 'scope', 'changed .git/hooks/x, which is closed'),
      ],
    ],
  ])
})

describe('a command, an address or a question that no wall opens is found', () => {
  const ran = (id: string, argv: string[], purpose: 'work' | 'test' | 'git' = 'work'): Change =>
    all(args(`${id}.intent`, { argv }), body(`${id}.outcome`, { outcome: { run: ranOf(argv, purpose) } }))
  const noRule = (id: string, command: string, wall: string) =>
    violation(`${id}.intent`, 'scope', `ran ${command}, which ${wall} has no rule for`)

  planted([
    ['another program', ran('t1.7', ['bash', '-c', 'x']), [noRule('t1.7', 'bash -c x', 'edit')]],
    ['another word', ran('t1.7', ['npm', 'run', 'publish']), [noRule('t1.7', 'npm run publish', 'edit')]],
    [
      'a word too many',
      ran('t1.7', ['npm', 'run', 'format', '--', '-x']),
      [noRule('t1.7', 'npm run format -- -x', 'edit')],
    ],
    ['a word too few', ran('t1.7', ['npm', 'run']), [noRule('t1.7', 'npm run', 'edit')]],
    ['no command at all', ran('t1.7', []), [noRule('t1.7', '', 'edit')]],
    [
      'an option where a path belongs',
      ran('t2.0', ['npm', 'test', '--', '--watch'], 'test'),
      [noRule('t2.0', 'npm test -- --watch', 'test')],
    ],
    [
      'a path that leads out',
      all(
        args('t1.9.intent', { argv: ['npm', 'test', '/etc/passwd'] }),
        body('t1.9.outcome', { outcome: { run: { argv: ['npm', 'test', '/etc/passwd'] } } }),
      ),
      [noRule('t1.9', 'npm test /etc/passwd', 'test')],
    ],
    [
      'a path to what holds secrets',
      all(
        args('t1.9.intent', { argv: ['npm', 'test', '.env'] }),
        body('t1.9.outcome', { outcome: { run: { argv: ['npm', 'test', '.env'] } } }),
      ),
      [noRule('t1.9', 'npm test .env', 'test')],
    ],
    [
      'a command of the ceiling that nobody asked for',
      ran('t1.7', ['rm', 'src/b.ts']),
      [noRule('t1.7', 'rm src/b.ts', 'edit')],
    ],
    [
      'another command than was announced',
      body('t1.7.outcome', { outcome: { run: { argv: ['npm', 'run', 'build'] } } }),
      [violation('t1.7.outcome', 'scope', 'ran npm run build, not npm run format')],
    ],
    [
      'a command that passes for a test',
      body('t1.7.outcome', { outcome: { run: { for: 'test' } } }),
      [violation('t1.7.outcome', 'scope', 'ran npm run format for test, which its rule is not for')],
    ],
    [
      'an address of another host',
      args('t1.11.intent', { url: 'https://example.org/' }),
      [violation('t1.11.intent', 'scope', 'fetched https://example.org/, which deploy does not open')],
    ],
    [
      'an address that only begins like an opened host',
      args('t1.11.intent', { url: 'https://status.example.org.evil.net/' }),
      [violation('t1.11.intent', 'scope', 'fetched https://status.example.org.evil.net/, which deploy does not open')],
    ],
    [
      'an address that is none of the web',
      args('t1.11.intent', { url: 'file://status.example.org/etc/passwd' }),
      [violation('t1.11.intent', 'scope', 'fetched file://status.example.org/etc/passwd, which deploy does not open')],
    ],
    [
      'a hop that leads nowhere',
      step('t1.2.outcome', 't1.2b', { tool: 'hop', args: { to: 'deploy' } }, {}, { kind: 'failed', message: 'no' }),
      [violation('t1.2b.intent', 'hop', 'hopped to deploy, where explore does not lead')],
    ],
  ])

  test('evidence, where the wall opens none', async () => {
    const closed = WALLS.map((wall) =>
      wall.id === 'reflect' ? { ...wall, scope: { ...wall.scope, evidence: 'none' as const } } : wall,
    )
    const hash = hashOf(closed.find(({ id }) => id === 'reflect'))
    expect(await violationsAfter(body('t1.15.peripheral', { spec: hash }), closed)).toEqual([
      violation('t1.16.intent', 'scope', 'asked for evidence, which reflect does not open'),
    ])
  })
})
