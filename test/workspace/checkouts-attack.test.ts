import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkoutHouse } from './checkout-folders.ts'
import { contentsOf, git } from './shadow-folders.ts'

const FILES = { 'README.md': '# teapot\n', 'src/pour.ts': 'pour\n' }

type House = Awaited<ReturnType<typeof checkoutHouse>>

/** A program that leaves a trace when it is run, and the trace. */
const trap = (it: House) => {
  const [program, trace] = [join(it.above, 'trap'), join(it.above, 'sprung')]
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${trace}'\nexit 1\n`)
  chmodSync(program, 0o755)
  const sprung = () => (existsSync(trace) ? readFileSync(trace, 'utf8') : null)
  /** That whoever uses git there as it is would run it. */
  const isArmed = async (root: string): Promise<boolean> => {
    await git(root, 'status').catch(() => {})
    const armed = sprung() !== null
    rmSync(trace, { force: true })
    return armed
  }
  return { program, sprung, isArmed }
}

/** What the workspace holds, but for git's own. */
const filesOf = ({ root }: House) =>
  Object.fromEntries(Object.entries(contentsOf(root)).filter(([name]) => !name.startsWith('.git/')))

/** Every setting by which a repository can have a program run. */
const evilConfig = (program: string): string =>
  `
[core]
	repositoryformatversion = 0
	bare = false
	fsmonitor = ${program}
	sshCommand = ${program}
	hooksPath = ${join(program, '..', 'hooks')}
	editor = ${program}
	pager = ${program}
	alternateRefsCommand = ${program}
[diff]
	external = ${program}
[diff "evil"]
	command = ${program}
	textconv = ${program}
[filter "evil"]
	clean = ${program}
	smudge = ${program}
	process = ${program}
	required = true
[merge "evil"]
	driver = ${program} %A %O %B
[commit]
	gpgSign = true
[gpg]
	program = ${program}
[remote "origin"]
	url = ext::${program}
	promisor = true
	uploadpack = ${program}
[extensions]
	partialClone = origin
[uploadpack]
	packObjectsHook = ${program}
[alias]
	merge-file = !${program}
	read-tree = !${program}
`

const HOOKS = ['post-checkout', 'reference-transaction', 'pre-commit', 'post-index-change', 'post-merge']

const everything = async (it: House): Promise<void> => {
  const checkouts = it.open()
  await checkouts.of('codex-1')
  await checkouts.state('codex-1')
  await it.merge()
  await it.commit()
  await it.checkouts.refresh('codex-1')
  await it.open().refresh('codex-1')
}

const ATTRIBUTES = '* filter=evil diff=evil merge=evil\n'

test('no program is run that the repository of a checkout names', async () => {
  using it = await checkoutHouse(FILES)
  const { program, sprung, isArmed } = trap(it)
  const root = await it.rootOf()
  for (const hook of HOOKS) {
    it.put(`.git/hooks/${hook}`, `#!/bin/sh\n${program}\n`, root)
    chmodSync(join(root, '.git/hooks', hook), 0o755)
    it.put(hook, readFileSync(join(root, '.git/hooks', hook), 'utf8'), join(it.above, 'hooks'))
    chmodSync(join(it.above, 'hooks', hook), 0o755)
  }
  it.put('.git/config', evilConfig(program), root)
  it.put('.git/info/attributes', ATTRIBUTES, root)
  it.put('.gitattributes', ATTRIBUTES, root)
  it.put('README.md', '# agent\n', root)
  it.put('src/pour.ts', 'agent\npour\n', root)
  it.put('src/pour.ts', 'pour\nuser\n')
  // A repository inside of the files, which git would look into.
  it.put('sub/.git/config', evilConfig(program), root)
  it.put('sub/.git/HEAD', 'ref: refs/heads/main\n', root)
  mkdirSync(join(root, 'sub/.git/objects'))
  mkdirSync(join(root, 'sub/.git/refs'))
  it.put('sub/a', 'a\n', root)
  expect([await isArmed(root), await isArmed(join(root, 'sub'))]).toEqual([true, true])
  expect((await it.merge()).conflicts).toEqual([{ path: 'sub/.git', why: 'is closed to everybody' }])
  rmSync(join(root, 'sub/.git'), { recursive: true })
  await everything(it)
  expect([sprung(), readFileSync(join(it.root, 'src/pour.ts'), 'utf8')]).toEqual([null, 'agent\npour\nuser\n'])
})

test('no program is run that the user’s repository names, whatever an agent says of its files', async () => {
  using it = await checkoutHouse(FILES)
  const { program, sprung, isArmed } = trap(it)
  for (const hook of HOOKS) {
    it.put(hook, `#!/bin/sh\n${program}\n`, join(it.above, 'hooks'))
    chmodSync(join(it.above, 'hooks', hook), 0o755)
  }
  const honest = readFileSync(join(it.root, '.git/config'), 'utf8')
  it.put('.git/config', evilConfig(program))
  expect(await isArmed(it.root)).toBe(true)
  const root = await it.rootOf()
  it.put('.gitattributes', ATTRIBUTES, root)
  it.put('README.md', '# agent\n', root)
  it.put('README.md', '# agent\n')
  const { files, conflicts } = await it.merge()
  it.put('.git/config', honest)
  it.remove('.gitattributes')
  await it.commit()
  it.put('.git/config', evilConfig(program))
  const refreshed = await it.checkouts.refresh('codex-1')
  expect([files.map(({ path }) => path), conflicts, refreshed.kind, sprung()]).toEqual([
    ['.gitattributes'],
    [],
    'brought',
    null,
  ])
})

test.each([
  ['a link to another repository', (root: string, other: string) => symlinkSync(other, join(root, '.git'))],
  [
    'a file that points to one',
    (root: string, other: string) => writeFileSync(join(root, '.git'), `gitdir: ${other}\n`),
  ],
  ['a pipe', (root: string) => void execFileSync('mkfifo', [join(root, '.git')])],
])('%s in the place of its repository is not followed: it gets one of its own again', async (_what, plant) => {
  using it = await checkoutHouse(FILES)
  const root = await it.rootOf()
  const before = contentsOf(join(it.root, '.git'))
  rmSync(join(root, '.git'), { recursive: true })
  plant(root, join(it.root, '.git'))
  it.put('README.md', '# agent\n', root)
  const places = [await it.checkouts.of('codex-1'), await it.open().of('codex-1')]
  expect(places.map(({ workspace }) => workspace.root)).toEqual([root, root])
  expect(contentsOf(join(it.root, '.git'))).toEqual(before)
  expect(readFileSync(join(root, '.git/HEAD'), 'utf8')).toBe('ref: refs/heads/codex-1\n')
  expect((await it.merge()).files.map(({ path }) => path)).toEqual(['README.md'])
})

test('nothing is read through what an agent planted: alternates, replacements, an index, references', async () => {
  using it = await checkoutHouse(FILES)
  const root = await it.rootOf()
  const pipe = join(it.above, 'pipe')
  execFileSync('mkfifo', [pipe])
  // Whoever opened one of these would wait for ever.
  for (const name of ['objects/info/alternates', 'index', 'packed-refs', 'shallow', 'config', 'info/grafts']) {
    rmSync(join(root, '.git', name), { force: true })
    symlinkSync(pipe, join(root, '.git', name))
  }
  it.put(`.git/refs/replace/${await it.user('rev-parse', 'HEAD')}`, `${'0'.repeat(40)}\n`, root)
  execFileSync('mkfifo', [join(root, 'src/pipe')])
  it.put('README.md', '# agent\n', root)
  const { files, conflicts, into } = await it.merge()
  expect([files.map(({ path }) => path), conflicts, into === null]).toEqual([['README.md'], [], false])
})

test('links that lead out, or to what is closed, are not brought over, and nothing is read or written through one', async () => {
  using it = await checkoutHouse({ ...FILES, 'docs/a.md': 'a\n' })
  const root = await it.rootOf()
  const outside = join(it.above, 'outside')
  it.put('pour.ts', 'a secret\n', outside)
  rmSync(join(root, 'src'), { recursive: true })
  symlinkSync(outside, join(root, 'src'))
  const links = { up: '../../outside', later: 'docs/../../outside', env: '.env', git: '.git/config', fine: 'docs/a.md' }
  for (const [name, leads] of Object.entries(links)) symlinkSync(leads, join(root, name))
  // Here a folder is a link, and an agent puts a file into it.
  symlinkSync(outside, join(it.root, 'elsewhere'))
  it.put('elsewhere/new', 'agent\n', root)
  const before = [contentsOf(outside), contentsOf(join(it.root, 'src'))]
  const { conflicts, files } = await it.merge()
  expect(conflicts.map(({ path, why }) => `${path} ${why}`).sort()).toEqual([
    'elsewhere/new is to lie in elsewhere, which is no folder here',
    'env is a link to what is closed to everybody',
    'git is a link to what is closed to everybody',
    'later is a link that leads out of the workspace',
    'src is a link that leads out of the workspace',
    'up is a link that leads out of the workspace',
  ])
  expect(files.map(({ path }) => path)).toEqual(['fine', 'src/pour.ts'])
  expect([contentsOf(outside), contentsOf(join(it.root, 'src'))]).toEqual(before)
  expect(await it.user('show', 'refs/bellhop/codex-1:src')).toBe(outside)
})

test('what is closed to everybody, off limits or too large is reported and not brought over; what git ignores is no matter', async () => {
  using it = await checkoutHouse(
    { ...FILES, '.npmrc': 'kept\n', 'bellhop.yaml': 'rooms: []\n', '.gitignore': '.env\n' },
    { offLimits: ['bellhop.yaml'] },
  )
  const root = await it.rootOf()
  const planted = ['.npmrc', '.env', 'bellhop.yaml', 'deep/.GIT/hooks/post-checkout', 'keys/id_rsa', '.ssh/config']
  for (const name of planted) it.put(name, 'agent\n', root)
  it.put('large', '', root)
  truncateSync(join(root, 'large'), 64 * 1024 * 1024 + 1)
  it.put('README.md', '# agent\n', root)
  const before = filesOf(it)
  const { conflicts } = await it.merge()
  const state = await it.checkouts.state('codex-1')
  expect(conflicts.map(({ path, why }) => `${path} ${why}`)).toEqual([
    'large is larger than 64 MB',
    '.npmrc is closed to everybody',
    '.ssh is closed to everybody',
    'bellhop.yaml is closed to everybody',
    'deep/.GIT is closed to everybody',
    'keys/id_rsa is closed to everybody',
  ])
  expect([filesOf(it), typeof state === 'object' && state?.closed]).toEqual([
    before,
    ['.npmrc', '.ssh', 'bellhop.yaml', 'deep/.GIT', 'keys/id_rsa'],
  ])
})
