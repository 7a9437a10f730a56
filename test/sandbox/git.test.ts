import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execaSync } from 'execa'
import { describe, expect, test } from 'vitest'
import type { Job } from '../../src/sandbox/job.ts'
import { execute } from '../../src/sandbox/sandbox.ts'
import { createPlace, type Place, sh } from './place.ts'

const repository = (): Place => {
  const place = createPlace()
  place.git('init', '-q', '-b', 'main', '.')
  place.lay('.gitignore', '.env\nprivate\n.bellhop\ndeep\nlink-*\nfolder-out\n')
  place.git('add', 'readme.txt', '.gitignore')
  place.git('commit', '-q', '-m', 'first')
  return place
}

const mark = (place: Place): string => join(place.root, '.git')
const marked = (place: Place): boolean => existsSync(join(place.outside, 'ran'))
/** Words for a shell that show that they were obeyed. */
const ran = (place: Place): string => `echo x >>${join(place.outside, 'ran')}; echo RAN >&2`

const git = (place: Place, argv: string[], change: Partial<Job> = {}) => execute(place.job(['git', ...argv], change))
const AUTHOR = ['-c', 'user.name=T', '-c', 'user.email=t@t']

describe('a repository in the workspace', () => {
  test.each<Job['mode']>(['read-only', 'workspace-write', 'full'])('can be looked at in %s', async (mode) => {
    using place = repository()
    place.lay('readme.txt', 'changed\n')
    expect(await git(place, ['status', '--short'], { mode })).toEqual({
      exit: 0,
      ended: 'exit',
      output: ' M readme.txt\n',
    })
    expect((await git(place, ['diff'], { mode })).output).toContain('+changed')
    expect((await git(place, ['log', '--format=%s'], { mode })).output).toBe('first\n')
  })

  test('can be committed to in full, and only there', async () => {
    using place = repository()
    place.lay('new.txt', 'new\n')
    const add = await git(place, ['add', '-A'], { mode: 'workspace-write' })
    expect([add.exit, add.output]).toEqual([128, expect.stringMatching(/Read-only file system/)])
    expect((await git(place, ['add', '-A'], { mode: 'full' })).exit).toBe(0)
    expect((await git(place, [...AUTHOR, 'commit', '-q', '-m', 'second'], { mode: 'full' })).exit).toBe(0)
    expect(place.git('log', '--format=%s', '--name-only')).toBe('second\n\nnew.txt\nfirst\n\n.gitignore\nreadme.txt')
  })

  test('is signed by nobody, whatever its config says', async () => {
    using place = repository()
    place.git('config', 'commit.gpgSign', 'true')
    const commit = await git(place, [...AUTHOR, 'commit', '-q', '--allow-empty', '-m', 'x'], { mode: 'full' })
    expect(commit).toEqual({ exit: 0, ended: 'exit', output: '' })
  })

  test('asks nobody anything: an editor and a password are failures', async () => {
    using place = repository()
    const commit = await git(place, [...AUTHOR, 'commit', '--allow-empty'], { mode: 'full' })
    expect([commit.ended, commit.exit]).toEqual(['exit', 1])
  })
})

describe('what an agent may have prepared is not obeyed', () => {
  test('hooks, in the usual place and in another', async () => {
    using place = repository()
    place.program('.git/hooks/pre-commit', ran(place))
    place.program('.husky/pre-commit', ran(place))
    place.program('.husky/post-index-change', ran(place))
    const commit = [...AUTHOR, 'commit', '-q', '--allow-empty', '-m', 'x']
    expect((await git(place, commit, { mode: 'full' })).output).toBe('')
    place.git('config', 'core.hooksPath', '.husky')
    expect((await git(place, commit, { mode: 'full' })).output).toBe('')
    expect(marked(place)).toBe(false)
  })

  test.each<Job['mode']>(['read-only', 'workspace-write', 'full'])(
    'a program that watches files, in %s',
    async (mode) => {
      using place = repository()
      place.program('watch', ran(place))
      place.git('config', 'core.fsmonitor', './watch')
      expect((await git(place, ['status', '--short'], { mode })).output).toBe('?? watch\n')
      expect(marked(place)).toBe(false)
    },
  )

  test.each([
    ['alias.st', '!echo RAN', ['st']],
    ['diff.external', 'echo RAN', ['diff']],
    ['core.sshCommand', 'echo RAN >&2;', ['ls-remote', 'ssh://nowhere.invalid/x']],
    ['credential.helper', '!echo RAN >&2;', ['ls-remote', 'https://nowhere.invalid/x']],
    ['core.askPass', 'echo RAN >&2;', ['ls-remote', 'https://nowhere.invalid/x']],
  ])('the setting %s of the repository', async (key, value, argv) => {
    using place = repository()
    place.lay('readme.txt', 'changed\n')
    place.git('config', key, value)
    expect((await git(place, argv, { mode: 'read-only' })).output).not.toContain('RAN')
  })

  test('a repository inside the workspace, with and without a folder of its own', async () => {
    using place = repository()
    place.program('watch', ran(place))
    for (const [folder, bare] of [
      ['nested', []],
      ['bare', ['--bare']],
    ] as const) {
      place.git('init', '-q', ...bare, folder)
      const config = join(place.root, folder, bare.length === 0 ? '.git/config' : 'config')
      writeFileSync(
        config,
        `${readFileSync(config, 'utf8')}[core]\n\tfsmonitor = "${join(place.root, 'watch')}"\n\tworktree = "${place.root}"\n`,
      )
    }
    for (const folder of ['nested', 'bare']) {
      const { output } = await git(place, ['-C', folder, 'rev-parse', '--absolute-git-dir'], { mode: 'full' })
      expect(output).toBe(`${mark(place)}\n`)
      await git(place, ['-C', folder, 'status'], { mode: 'full' })
    }
    // Also where another program starts git there.
    await execute(place.job(sh('cd bare && git status'), { mode: 'full' }))
    expect(marked(place)).toBe(false)
  })

  test('a folder that was put where a submodule would be', async () => {
    using place = repository()
    place.lay('sub/file.txt', 'x\n')
    const inSub = (...args: string[]) =>
      execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t', ...args], { cwd: join(place.root, 'sub') })
    inSub('init', '-q', '.')
    inSub('add', '.')
    inSub('commit', '-q', '-m', 'sub')
    place.git('add', 'sub')
    place.git('commit', '-q', '-m', 'with sub')
    // Now it obeys: whoever looks whether files changed asks this program.
    inSub('config', 'filter.evil.clean', `sh -c '${ran(place)}; cat'`)
    place.lay('sub/.gitattributes', '* filter=evil\n')
    place.lay('sub/file.txt', 'y\n')
    for (const argv of [
      ['status'],
      ['add', '-A'],
      ['add', '-u'],
      ['diff'],
      [...AUTHOR, 'commit', '-a', '-q', '--allow-empty', '-m', 'x'],
    ])
      await git(place, argv, { mode: 'full' })
    expect(marked(place)).toBe(false)
    // Without the sandbox it is what git does.
    place.git('status')
    expect(marked(place)).toBe(true)
  })

  test('but a submodule that the repository keeps itself is one', async () => {
    using place = repository()
    const other = join(place.outside, 'other')
    execaSync('git', ['init', '-q', other])
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t', 'commit', '-q', '--allow-empty', '-m', 'other'], {
      cwd: other,
    })
    place.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'libs/other')
    place.git('commit', '-q', '-m', 'module')
    place.lay('libs/other/new.txt', 'x')
    expect((await git(place, ['status', '--short'], { mode: 'full' })).output).toBe(' ? libs/other\n')
    expect((await git(place, ['submodule', 'status'], { mode: 'read-only' })).output).toMatch(
      /^ [0-9a-f]{40} libs\/other /,
    )
  })
})

describe('credentials are not in what a program sees of git', () => {
  test.each<Job['mode']>(['read-only', 'workspace-write'])('in %s', async (mode) => {
    using place = repository()
    const address = `https://me:${place.secret}@example.com/r.git`
    place.git('remote', 'add', 'origin', address)
    place.git('config', `url.${address}.insteadOf`, 'https://x/')
    place.git('config', 'extensions.worktreeConfig', 'true')
    place.git('config', '--worktree', 'http.extraHeader', `Bearer ${place.secret}`)
    place.lay('.git/credentials', address)
    place.lay('.git/modules/a/b/HEAD', 'x')
    place.lay('.git/modules/a/b/config', `[remote "o"]\n\turl = ${address}\n`)
    const seen = await execute(
      place.job(sh('grep -r planted- .git; git remote -v; git config --list; git status --short'), { mode }),
    )
    expect(seen.output).toContain('origin\thttps://example.com/r.git (fetch)')
    expect(seen.output).not.toContain(place.secret)
    expect(readFileSync(join(mark(place), 'config'), 'utf8')).toContain(place.secret)
  })
})

describe('a workspace that is a worktree', () => {
  const worktree = (place: Place): string => {
    const folder = join(place.top, 'worktree')
    place.git('remote', 'add', 'origin', `https://me:${place.secret}@example.com/r.git`)
    place.git('worktree', 'add', '-q', folder)
    return realpathSync(folder)
  }

  test('shows its repository, to be read, without credentials', async () => {
    using place = repository()
    const workspace = { root: worktree(place), offLimits: [] }
    expect((await git(place, ['status', '--short', '--branch'], { workspace })).output).toBe('## worktree\n')
    const attempts = `git remote -v; cat ${mark(place)}/config; echo x >${mark(place)}/hooks/pre-commit; echo "gitdir: /tmp" >.git; rm -f .git; mv .git x; ls -A ${place.root}`
    const { output } = await execute(place.job(sh(attempts), { workspace }))
    expect(output).not.toContain(place.secret)
    expect(readdirSync(join(mark(place), 'hooks')).filter((name) => !name.endsWith('.sample'))).toEqual([])
    expect(readFileSync(join(workspace.root, '.git'), 'utf8')).toContain('/worktrees/')
    expect(output).toMatch(/^\.git$/m)
    expect(output).not.toContain('readme.txt')
  })

  test('can be committed to in full', async () => {
    using place = repository()
    const workspace = { root: worktree(place), offLimits: [] }
    const commit = [...AUTHOR, 'commit', '-q', '--allow-empty', '-m', 'in worktree']
    expect(await git(place, commit, { workspace, mode: 'full' })).toEqual({ exit: 0, ended: 'exit', output: '' })
    expect(place.git('log', '-1', '--format=%s', 'worktree')).toBe('in worktree')
  })

  test('but a file that points to the repository of somebody else shows nothing of it', async () => {
    using place = repository()
    const other = createPlace()
    writeFileSync(join(other.root, '.git'), `gitdir: ${mark(place)}\n`)
    place.lay('.git/description', place.secret)
    for (const mode of ['read-only', 'workspace-write'] as const) {
      const { output } = await execute(other.job(sh(`cat ${mark(place)}/description; git log`), { mode }))
      expect(output).not.toContain(place.secret)
      expect(output).toMatch(/not a git repository/)
    }
    other[Symbol.dispose]()
  })
})

describe('a program that may write the workspace leaves no repository at its root', () => {
  const sentence =
    'The program changed .git at the root of the workspace. It was ended, and .git is as it was before.\n'

  test.each([
    ['by git', 'git init -q .'],
    ['by git, and goes on', 'git init -q . ; sleep 1000'],
    ['as a folder', 'mkdir -p .git/hooks; echo evil >.git/hooks/pre-commit'],
    ['as a folder that nobody may enter', 'mkdir -p .git/a/b; chmod 0 .git/a .git'],
    ['as a file', 'echo "gitdir: /tmp/x" >.git'],
    ['as a link', 'ln -s deep .git'],
    ['as a link that leads nowhere', 'ln -s nowhere .git'],
    ['by renaming', 'mkdir x; mv x .git'],
    ['as its last deed', 'mkdir .git'],
  ])('%s', async (_, script) => {
    using place = createPlace()
    const before = readdirSync(place.root)
    expect(await execute(place.job(sh(script)))).toEqual({ exit: null, ended: 'signal', output: sentence })
    expect(readdirSync(place.root).filter((name) => name !== 'x')).toEqual(before)
  })

  test('and a link that was there is put back', async () => {
    using place = createPlace()
    symlinkSync('nowhere', mark(place))
    const script = 'echo made; rm .git; mkdir .git'
    expect(await execute(place.job(sh(script)))).toEqual({ exit: null, ended: 'signal', output: `made\n${sentence}` })
    expect(readlinkSync(mark(place))).toBe('nowhere')
  })

  test('and one that is empty stays empty', async () => {
    using place = createPlace()
    mkdirSync(mark(place))
    const { output } = await execute(place.job(sh('git init -q . ; mkdir .git/hooks')))
    expect([output, readdirSync(mark(place))]).toEqual([expect.stringMatching(/Read-only file system/), []])
  })

  test('but repositories that are not at the root are files like others', async () => {
    using place = createPlace()
    expect((await execute(place.job(sh('git init -q fixture && ls -A fixture')))).output).toBe('.git\n')
  })

  test('and what is removed is removed without following links', async () => {
    using place = createPlace()
    chmodSync(place.outside, 0o755)
    await execute(place.job(sh(`mkdir .git; ln -s ${place.outside} .git/out; ln -s ../deep .git/deep`)))
    expect([existsSync(join(place.outside, 'secret.txt')), existsSync(join(place.root, 'deep/conf/key.pem'))]).toEqual([
      true,
      true,
    ])
  })
})

test('a folder of git that lies elsewhere in the workspace is held in its place', async () => {
  using place = repository()
  mkdirSync(join(place.root, 'kept'))
  renameSync(mark(place), join(place.root, 'kept/repo'))
  symlinkSync('kept/repo', mark(place))
  const script = 'git status --short | head -1; echo x >>kept/repo/config; mv kept gone; rm -rf kept; mkdir kept'
  const { output } = await execute(place.job(sh(script)))
  expect(output).toMatch(/Read-only file system[\s\S]*busy/)
  expect(lstatSync(join(place.root, 'kept/repo/HEAD')).isFile()).toBe(true)
})
