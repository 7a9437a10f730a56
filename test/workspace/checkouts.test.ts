import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MergeReport } from '../../src/workspace/checkout-merge.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { openShadow } from '../../src/workspace/shadow.ts'
import { checkoutHouse } from './checkout-folders.ts'
import { contentsOf, git, PATH } from './shadow-folders.ts'

const FILES = { 'README.md': '# teapot\n', 'src/pour.ts': 'one\ntwo\nthree\nfour\nfive\n', 'run.sh': 'true\n' }

/** What a report says, without the states and names that are hashes. */
const told = ({ from, into, files, conflicts, failed }: MergeReport) => ({
  from: from !== null,
  into: into !== null,
  files: files.map(({ path, before, after, added, removed }) => [
    path,
    before === null ? 'added' : after === null ? 'removed' : 'changed',
    added,
    removed,
  ]),
  conflicts: conflicts.map(({ path, why }) => `${path} ${why}`),
  failed,
})

const text = (...way: string[]): string => readFileSync(join(...way), 'utf8')

const shaRepository = async (root: string): Promise<void> => {
  const other = join(root, '../tree')
  await git(root, 'init', '--quiet', '--object-format=sha256', other)
  writeFileSync(join(other, 'README.md'), '# other\n')
  await git(other, 'add', '--all')
  await git(other, 'commit', '--quiet', '--message', 'second')
}

/** Everything in a folder but git's own. */
const filesIn = (root: string): Record<string, string> =>
  Object.fromEntries(Object.entries(contentsOf(root)).filter(([name]) => !/^\.git\//.test(name)))

describe('a checkout', () => {
  test('has the files and the history of the commit, and nothing that leads to the user’s repository', async () => {
    using it = await checkoutHouse({ ...FILES, '.gitattributes': '*.md filter=own\n' })
    await it.user('remote', 'add', 'origin', 'https://example.org/teapot.git')
    await it.user('branch', 'other')
    const before = filesIn(it.root)
    const root = await it.rootOf()
    const own = async (...args: string[]) => (await git(root, ...args)).stdout
    expect(filesIn(root)).toEqual(before)
    expect([
      await own('log', '--format=%s'),
      await own('status', '--porcelain'),
      await own('for-each-ref', '--format=%(refname)'),
      await own('remote'),
      existsSync(join(root, '.git/objects/info/alternates')),
      existsSync(join(root, '.git/hooks')),
    ]).toEqual(['first', '', 'refs/heads/codex-1', '', false, false])
    const packs = readdirSync(join(root, '.git/objects/pack'))
    expect(packs.map((name) => lstatSync(join(root, '.git/objects/pack', name)).nlink)).toEqual(packs.map(() => 1))
  })

  test('begins with what is committed, and says where the workspace had more than that', async () => {
    using it = await checkoutHouse(FILES)
    it.put('README.md', '# not committed\n')
    const root = await it.rootOf()
    expect([text(root, 'README.md'), (await it.checkouts.state('codex-1')) as object]).toEqual([
      '# teapot\n',
      {
        agent: 'codex-1',
        folder: root,
        commit: await it.user('rev-parse', 'HEAD'),
        behind: 0,
        apart: true,
        files: [],
        closed: [],
      },
    ])
  })

  test('is another one for each agent, lies where no tool of others reaches, and outlives a restart', async () => {
    using it = await checkoutHouse(FILES, { data: '.bellhop' })
    const [one, two] = [await it.rootOf('codex-1'), await it.rootOf('codex-2')]
    it.put('src/new.ts', 'new\n', one)
    const { workspace, shadow } = await it.open().of('codex-1')
    const state = await it.open().state('codex-1')
    expect([
      workspace,
      existsSync(join(two, 'src/new.ts')),
      (await shadow.tree()) === (await (await it.checkouts.of('codex-2')).shadow.tree()),
      typeof state === 'object' && state?.files.map(({ path }) => path),
      await it.user('status', '--porcelain'),
    ]).toEqual([{ root: one, offLimits: [join(one, '.bellhop')] }, false, false, ['src/new.ts'], ''])
  })

  test('is made once, however many want it at the same time, and is not made to be looked at', async () => {
    using it = await checkoutHouse(FILES)
    expect(await it.checkouts.state('codex-1')).toBe(null)
    const places = await Promise.all([it.open().of('codex-1'), it.open().of('codex-1'), it.checkouts.of('codex-1')])
    const [first] = places
    expect(places.map(({ workspace }) => workspace)).toEqual(places.map(() => first?.workspace))
    expect(await it.checkouts.state('codex-1')).toMatchObject({ files: [], apart: false })
  })

  test('cannot be made where there is no repository, or no commit', async () => {
    using none = await checkoutHouse(FILES, { repository: false })
    using empty = await checkoutHouse(FILES, { repository: false })
    await empty.user('init', '--quiet')
    const why = (house: typeof none) => house.checkouts.of('codex-1').catch((error: Error) => error.message)
    expect([await why(none), await why(empty)]).toEqual([
      'codex-1 works in a checkout of its own, and has none: the workspace is no git repository of its own: `git init` makes it one',
      'codex-1 works in a checkout of its own, and has none: the repository of the workspace has no commit to begin with: commit something first',
    ])
  })

  test.each([
    ['a worktree', (root: string) => git(root, 'worktree', 'add', '--quiet', '../tree')],
    ['shallow', (root: string) => git(root, 'clone', '--quiet', '--depth=1', `file://${root}`, '../tree')],
    ['of SHA-256 names', (root: string) => shaRepository(root)],
  ])('can be of a repository that is %s', async (_what, make) => {
    using it = await checkoutHouse(FILES)
    it.put('README.md', '# second\n')
    await it.commit('second')
    await make(it.root)
    const root = join(it.above, 'tree')
    const workspace = await openWorkspace(root, [])
    const shadow = await openShadow({ folder: join(it.home, 'shadow'), workspace, path: PATH, deny: [] })
    const checkouts = it.openOn(workspace, shadow)
    const own = (await checkouts.of('codex-1')).workspace.root
    it.put('README.md', '# agent\n', own)
    const report = await checkouts.merge('codex-1', {
      id: 'm',
      dry: false,
      holder: () => null,
      begin: async () => true,
    })
    const ref = (await git(root, 'rev-parse', 'refs/bellhop/codex-1')).stdout
    expect([
      typeof report === 'object' && [report.from, report.conflicts],
      text(root, 'README.md'),
      (await git(own, 'log', '-1', '--format=%s')).stdout,
    ]).toEqual([[ref, []], '# agent\n', 'second'])
  })

  test('gets a repository again where that was damaged, and keeps its files', async () => {
    using it = await checkoutHouse(FILES)
    const root = await it.rootOf()
    it.put('README.md', '# mine\n', root)
    rmSync(join(root, '.git'), { recursive: true })
    await it.open().of('codex-1')
    expect([(await git(root, 'status', '--porcelain')).stdout, it.logged]).toEqual([' M README.md', []])
    expect(told(await it.merge())).toMatchObject({ files: [['README.md', 'changed', 1, 1]], conflicts: [] })
  })

  test('is made anew where nobody can say what it was, and what is left is put aside', async () => {
    using it = await checkoutHouse(FILES)
    const root = await it.rootOf()
    it.put('README.md', '# mine\n', root)
    writeFileSync(join(root, '../.checkout.json'), '{')
    await it.open().of('codex-1')
    const aside = readdirSync(join(root, '../..')).find((name) => name.startsWith('codex-1.aside-')) ?? ''
    expect([text(root, 'README.md'), text(root, '../..', aside, 'teapot/README.md'), it.logged]).toEqual([
      '# teapot\n',
      '# mine\n',
      ['a checkout was damaged, and put aside'],
    ])
  })
})

describe('a merge', () => {
  test('brings over what is new, changed, gone, can be run or is a link, and commits nothing', async () => {
    using it = await checkoutHouse({ ...FILES, 'old.txt': 'old\n' })
    const root = await it.rootOf()
    it.put('src/pour.ts', 'one\ntwo\nTHREE\nfour\nfive\n', root)
    it.put('deep/er/new.txt', 'new\n', root)
    it.remove('old.txt', root)
    chmodSync(join(root, 'run.sh'), 0o755)
    symlinkSync('../README.md', join(root, 'src/readme'))
    const head = await it.user('rev-parse', 'HEAD')
    const expected = {
      from: true,
      into: true,
      files: [
        ['deep/er/new.txt', 'added', 1, 0],
        ['old.txt', 'removed', 0, 1],
        ['run.sh', 'changed', 0, 0],
        ['src/pour.ts', 'changed', 1, 1],
        ['src/readme', 'added', 1, 0],
      ],
      conflicts: [],
      failed: [],
    }
    const untouched = filesIn(it.root)
    expect(told(await it.merge('codex-1', { dry: true }))).toEqual({ ...expected, from: false, into: false })
    expect(filesIn(it.root)).toEqual(untouched)
    expect(told(await it.merge())).toEqual(expected)
    expect(filesIn(it.root)).toEqual(filesIn(root))
    expect([await it.user('rev-parse', 'HEAD'), await it.user('diff', '--cached', '--name-only')]).toEqual([head, ''])
    expect(told(await it.merge())).toEqual({ from: false, into: false, files: [], conflicts: [], failed: [] })
  })

  test('leaves a commit that people can look at with their own git', async () => {
    using it = await checkoutHouse(FILES)
    const head = await it.user('rev-parse', 'HEAD')
    const root = await it.rootOf()
    it.put('tab\tand "quote".txt', 'new\n', root)
    it.remove('run.sh', root)
    const { from } = await it.merge()
    expect([
      await it.user('rev-parse', 'refs/bellhop/codex-1'),
      await it.user('log', '-1', '--format=%P %an <%ae> %s', 'refs/bellhop/codex-1'),
      await it.user('-c', 'core.quotePath=false', 'diff', '--name-status', '-z', head, 'refs/bellhop/codex-1'),
      await it.user('for-each-ref', '--format=%(refname)'),
      await it.user('fsck', '--strict'),
    ]).toEqual([
      from,
      `${head} codex-1 <codex-1@bellhop.invalid> what codex-1 did in its checkout`,
      'D\0run.sh\0A\0tab\tand "quote".txt\0',
      'refs/bellhop/codex-1\nrefs/heads/main',
      '',
    ])
  })

  test('keeps what the user changed since, committed or not, in other files and in other lines', async () => {
    using it = await checkoutHouse(FILES)
    const root = await it.rootOf()
    it.put('src/pour.ts', 'one\ntwo\nthree\nfour\nFIVE\n', root)
    it.put('README.md', '# theirs\n')
    await it.commit()
    it.put('src/pour.ts', 'ONE\ntwo\nthree\nfour\nfive\n')
    it.put('mine.txt', 'mine\n')
    expect(told(await it.merge())).toMatchObject({ files: [['src/pour.ts', 'changed', 1, 1]], conflicts: [] })
    expect([text(it.root, 'src/pour.ts'), text(it.root, 'README.md'), text(it.root, 'mine.txt')]).toEqual([
      'ONE\ntwo\nthree\nfour\nFIVE\n',
      '# theirs\n',
      'mine\n',
    ])
  })

  test('changes nothing where one file is in the way, and names all of them', async () => {
    using it = await checkoutHouse({ ...FILES, a: 'a\n', b: 'b\n', 'c/d': 'd\n', bin: '\0one' })
    const root = await it.rootOf()
    const agents = {
      'src/pour.ts': 'agent\n',
      a: 'agent\n',
      new: 'agent\n',
      bin: '\0two',
      'fine.txt': 'fine\n',
      'e/f': 'f\n',
    }
    for (const [name, content] of Object.entries(agents)) it.put(name, content, root)
    it.remove('b', root)
    it.remove('c', root)
    it.put('c', 'now a file\n', root)
    it.put('src/pour.ts', 'user\n')
    it.remove('a')
    it.put('b', 'user\n')
    it.put('new', 'user\n')
    it.put('bin', '\0three')
    it.put('c/mine', 'user\n')
    it.put('e', 'user\n')
    it.put('held', 'x')
    it.put('held', 'agent', root)
    const before = filesIn(it.root)
    expect(told(await it.merge('codex-1', { held: { held: 'is held by claude-1' } }))).toEqual({
      from: true,
      into: false,
      files: [
        ['c/d', 'removed', 0, 1],
        ['fine.txt', 'added', 1, 0],
      ],
      conflicts: [
        'held is held by claude-1',
        'a was changed by codex-1 and removed here',
        'b was removed by codex-1 and changed here',
        'bin was changed on both sides, in the same place',
        'c is a folder here',
        'e/f is to lie in e, which is no folder here',
        'new is new here, too, and something else',
        'src/pour.ts was changed on both sides, in the same place',
      ],
      failed: [],
    })
    expect(filesIn(it.root)).toEqual(before)
  })

  test('puts a folder in the place of a file, and a file in the place of a folder', async () => {
    using it = await checkoutHouse({ ...FILES, a: 'a\n', 'b/c': 'c\n' })
    const root = await it.rootOf()
    it.remove('a', root)
    it.put('a/x', 'x\n', root)
    it.remove('b', root)
    it.put('b', 'b\n', root)
    expect(told(await it.merge())).toMatchObject({ into: true, conflicts: [], failed: [] })
    expect(filesIn(it.root)).toEqual(filesIn(root))
  })

  test('goes on from the merge before it, and from before that where it was put back', async () => {
    using it = await checkoutHouse(FILES)
    const root = await it.rootOf()
    it.put('README.md', '# one\n', root)
    await it.merge()
    it.put('README.md', '# one, and mine\n')
    it.put('src/pour.ts', 'agent\n', root)
    expect(told(await it.merge()).files).toEqual([['src/pour.ts', 'changed', 1, 5]])
    expect(text(it.root, 'README.md')).toBe('# one, and mine\n')

    it.undone.add('m1').add('m2')
    await it.user('checkout', '--quiet', '.')
    expect(told(await it.merge()).files).toEqual([
      ['README.md', 'changed', 1, 1],
      ['src/pour.ts', 'changed', 1, 5],
    ])
  })

  test('overwrites no file that git ignores here, and keeps one that it replaces', async () => {
    using it = await checkoutHouse({ ...FILES, kept: 'kept\n' })
    const root = await it.rootOf()
    writeFileSync(join(it.root, '.git/info/exclude'), 'notes\nkept\n')
    it.put('notes', 'mine\n')
    it.put('notes', 'agent\n', root)
    expect(told(await it.merge()).conflicts).toEqual(['notes is new here, too, and something else'])
    it.remove('notes', root)
    it.put('kept', 'agent\n', root)
    const { files } = await it.merge()
    const before = files[0]?.before ?? ''
    expect([text(it.root, 'notes'), text(it.root, 'kept'), (await it.shadow.content(before))?.toString()]).toEqual([
      'mine\n',
      'agent\n',
      'kept\n',
    ])
  })

  test('is not begun where the intent could not be written down', async () => {
    using it = await checkoutHouse(FILES)
    const root = await it.rootOf()
    it.put('README.md', '# mine\n', root)
    const asked: string[] = []
    const begin = async (files: { path: string }[]) => {
      asked.push(...files.map(({ path }) => path))
      return false
    }
    const report = await it.checkouts.merge('codex-1', { id: 'm', dry: false, holder: () => null, begin })
    expect([typeof report === 'object' && told(report).into, asked, text(it.root, 'README.md')]).toEqual([
      false,
      ['README.md'],
      '# teapot\n',
    ])
  })
})

describe('of several processes', () => {
  const order = { id: 'm1', dry: false, holder: () => null, begin: async () => true }

  test('one merges at a time, and while no other is at that checkout', async () => {
    const at: string[] = []
    const alone = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      at.push(name)
      return work().finally(() => at.pop())
    }
    using it = await checkoutHouse(FILES, { alone })
    it.put('new.md', 'new\n', await it.rootOf())
    const seen: string[][] = []
    const begin = async () => seen.push([...at]) > 0
    await it.checkouts.merge('codex-1', { ...order, begin })
    expect([seen, at, text(it.root, 'new.md')]).toEqual([[['a merge', 'codex-1']], [], 'new\n'])
  })

  test('whose turn it is not in time merges nothing, and says why', async () => {
    const busy = (name: string) => Promise.reject(new Error(`another process is at ${name}`))
    using it = await checkoutHouse(FILES, { alone: busy })
    it.put('new.md', 'new\n', await it.rootOf())
    const said = await it.checkouts.merge('codex-1', order)
    expect([said, existsSync(join(it.root, 'new.md'))]).toEqual([
      'nothing was merged: another process is at a merge',
      false,
    ])
  })

  test('an error in the midst of a merge is not taken for that', async () => {
    using it = await checkoutHouse(FILES)
    it.put('new.md', 'new\n', await it.rootOf())
    const begin = () => Promise.reject(new Error('the store is gone'))
    await expect(it.checkouts.merge('codex-1', { ...order, begin })).rejects.toThrow('the store is gone')
  })
})

describe('a refresh', () => {
  test('brings the commits of the workspace, and leaves what git ignores', async () => {
    using it = await checkoutHouse({ ...FILES, '.gitignore': 'built\n', 'gone.txt': 'x\n' })
    const root = await it.rootOf()
    it.put('built', 'by the agent\n', root)
    it.put('README.md', '# more\n')
    it.put('deep/new.txt', 'new\n')
    it.remove('gone.txt')
    const commit = await it.commit()
    expect(await it.checkouts.state('codex-1')).toMatchObject({ behind: 1 })
    expect([await it.checkouts.refresh('codex-1'), await it.checkouts.refresh('codex-1')]).toEqual([
      { kind: 'brought', commit },
      { kind: 'same', commit },
    ])
    const { built, ...rest } = filesIn(root)
    expect([rest, built]).toEqual([filesIn(it.root), '644 by the agent\n'])
    expect([await it.checkouts.state('codex-1'), (await git(root, 'status', '--porcelain')).stdout]).toMatchObject([
      { behind: 0, files: [], commit },
      '',
    ])
  })

  test('leaves an agent what is not merged, or is merged and not committed', async () => {
    using it = await checkoutHouse(FILES)
    const root = await it.rootOf()
    it.put('src/pour.ts', 'agent\n', root)
    it.put('README.md', '# more\n')
    await it.commit()
    const unmerged = await it.checkouts.refresh('codex-1')
    await it.merge()
    const uncommitted = await it.checkouts.refresh('codex-1')
    expect([unmerged, uncommitted, text(root, 'README.md')]).toEqual([
      { kind: 'left', why: 'codex-1 has something that is not merged' },
      { kind: 'left', why: 'src/pour.ts was merged, and is not committed' },
      '# teapot\n',
    ])
    it.put('src/pour.ts', 'agent, and the user\n')
    const commit = await it.commit()
    expect([await it.checkouts.refresh('codex-1'), filesIn(root)]).toEqual([
      { kind: 'brought', commit },
      filesIn(it.root),
    ])
  })
})
