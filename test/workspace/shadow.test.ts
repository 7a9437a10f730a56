import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { here } from '../../src/lib/holder.ts'
import type { FileState } from '../../src/shapes/turn.ts'
import { openShadow, type Shadow } from '../../src/workspace/shadow.ts'
import { bytesOf, nameOf } from '../../src/workspace/shadow-names.ts'
import { lookAt, planRestore, putBack } from '../../src/workspace/shadow-restore.ts'
import { ownIndex, sweepIndexes } from '../../src/workspace/shadow-snapshot.ts'
import { linkState, stateOf } from '../../src/workspace/state.ts'
import { eventually } from '../support/poll.ts'
import { contentsOf, git, makeExecutable, PATH, type TestShadow, testShadow } from './shadow-folders.ts'

const file = (text: string | Buffer): FileState => stateOf(Buffer.from(text), false)
const program = (text: string): FileState => stateOf(Buffer.from(text), true)
const leading = (to: string): FileState => linkState(Buffer.from(to))

/** Where the one repository of a shadow lies. */
const repositoryOf = ({ home }: TestShadow): string => join(home, readdirSync(home)[0] ?? '')

/** The names of what is in a tree. */
const namesIn = async (shadow: Shadow, tree: string): Promise<string[]> =>
  (await shadow.changes(NOTHING, tree)).map(({ path }) => path)

/** The name git gives to a tree without anything in it. */
const NOTHING = '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'

describe('a snapshot', () => {
  test('has the name of what is there: the same again while nothing changes, and again once it is back', async () => {
    using ws = await testShadow({ 'a.txt': 'one\n' })
    const before = await ws.shadow.tree()
    const again = await ws.shadow.tree()
    ws.write('a.txt', 'two\n')
    const changed = await ws.shadow.tree()
    ws.write('a.txt', 'one\n')
    expect([again, changed === before, await ws.shadow.tree()]).toEqual([before, false, before])
  })

  test('sees a change that keeps the size and comes at once', async () => {
    using ws = await testShadow({ 'a.txt': '0' })
    const seen: string[] = []
    for (let i = 0; i < 10; i++) {
      ws.write('a.txt', String(i))
      seen.push(await ws.shadow.tree())
    }
    expect(new Set(seen).size).toBe(10)
  })

  test('keeps bytes, modes and links as they are, whatever the workspace says of its files', async () => {
    const attributes =
      '* text=auto eol=crlf ident filter=x working-tree-encoding=UTF-16\n*.txt text\n*.lock -diff binary\n'
    using ws = await testShadow({ '.gitattributes': attributes })
    const before = await ws.shadow.tree()
    const binary = randomBytes(2000)
    ws.write('crlf.txt', 'a\r\nb\r\n')
    ws.write('mixed.txt', 'a\nb\r\n$Id$\n')
    ws.write('x.lock', 'one\n')
    makeExecutable(ws.write('run.sh', '#!/bin/sh\n'))
    writeFileSync(join(ws.root, 'image'), binary)
    symlinkSync('nowhere', join(ws.root, 'link'))
    symlinkSync('/etc', join(ws.root, 'outside'))
    const added = { before: null, removed: 0 }
    expect(await ws.shadow.changes(before, await ws.shadow.tree())).toEqual([
      { ...added, path: 'crlf.txt', after: file('a\r\nb\r\n'), added: 2 },
      { ...added, path: 'image', after: file(binary), added: null, removed: null },
      { ...added, path: 'link', after: leading('nowhere'), added: 1 },
      { ...added, path: 'mixed.txt', after: file('a\nb\r\n$Id$\n'), added: 3 },
      { ...added, path: 'outside', after: leading('/etc'), added: 1 },
      { ...added, path: 'run.sh', after: program('#!/bin/sh\n'), added: 1 },
      { ...added, path: 'x.lock', after: file('one\n'), added: 1 },
    ])
  })

  test('says what became of each file: changed, removed, made executable, a folder where a file was', async () => {
    using ws = await testShadow({
      'a.txt': 'one\ntwo\n',
      'b.txt': 'b\n',
      'c.sh': 'c\n',
      d: 'd\n',
      'e/f': 'f\n',
      'g/f': 'f\n',
    })
    const before = await ws.shadow.tree()
    ws.write('a.txt', 'one\nthree\nfour\n')
    rmSync(join(ws.root, 'b.txt'))
    makeExecutable(join(ws.root, 'c.sh'))
    rmSync(join(ws.root, 'd'))
    ws.write('d/x', 'x\n')
    rmSync(join(ws.root, 'e'), { recursive: true })
    symlinkSync('g', join(ws.root, 'e'))
    expect(await ws.shadow.changes(before, await ws.shadow.tree())).toEqual([
      { path: 'a.txt', before: file('one\ntwo\n'), after: file('one\nthree\nfour\n'), added: 2, removed: 1 },
      { path: 'b.txt', before: file('b\n'), after: null, added: 0, removed: 1 },
      { path: 'c.sh', before: file('c\n'), after: program('c\n'), added: 0, removed: 0 },
      { path: 'd', before: file('d\n'), after: null, added: 0, removed: 1 },
      { path: 'd/x', before: null, after: file('x\n'), added: 1, removed: 0 },
      { path: 'e', before: null, after: leading('g'), added: 1, removed: 0 },
      { path: 'e/f', before: file('f\n'), after: null, added: 0, removed: 1 },
    ])
  })

  test('takes names of any bytes', async () => {
    using ws = await testShadow()
    const before = await ws.shadow.tree()
    const names = ['line\nbreak', 'tab\there', '"quoted"', 'back\\slash', "it's", ':(glob)**', '-n', 'ünï', '"a\\377"']
    for (const name of names) ws.write(name, 'x')
    writeFileSync(Buffer.concat([Buffer.from(`${ws.root}/`), Buffer.from('no\xfftext', 'latin1')]), 'x')
    const changes = await ws.shadow.changes(before, await ws.shadow.tree())
    expect(changes.map(({ path }) => path).sort()).toEqual(
      [...names.filter((name) => name !== '"a\\377"'), '"\\042a\\134377\\042"', '"no\\377text"'].sort(),
    )
  })

  test('of very many new files is the same as of a few, and takes less space', async () => {
    using ws = await testShadow(manyFiles(1200))
    makeExecutable(join(ws.root, 'd1/f1'))
    ws.write('na\n"me', 'odd')
    ws.write('large', 'x'.repeat(300_000))
    ws.write('.env', 'S3CRET')
    symlinkSync('d1', join(ws.root, 'link'))
    const states = (await ws.shadow.changes(NOTHING, await ws.shadow.tree())).map(({ path, after }) => [path, after])
    const expected = [
      ...Object.entries(manyFiles(1200)).map(([name, text]) => [name, name === 'd1/f1' ? program(text) : file(text)]),
      ['na\n"me', file('odd')],
      ['large', file('x'.repeat(300_000))],
      ['link', leading('d1')],
    ]
    expect(Object.fromEntries(states)).toEqual(Object.fromEntries(expected))
    const kept = readdirSync(join(repositoryOf(ws), 'objects')).filter((name) => name.length === 2)
    expect(kept.length).toBeLessThan(10)
  })

  test('leaves out what is ignored: by files of the workspace, and by the user’s own repository', async () => {
    using ws = await testShadow({ '.gitignore': 'dist/\n*.log\n', 'a.ts': '', 'dist/a.js': '', 'x.log': '', local: '' })
    await git(ws.root, 'init', '--quiet')
    writeFileSync(join(ws.root, '.git/info/exclude'), 'local\n')
    expect(await namesIn(ws.shadow, await ws.shadow.tree())).toEqual(['.gitignore', 'a.ts'])
  })

  test('leaves out secrets, what is off limits and what is denied, even where a .gitignore calls it back', async () => {
    const secrets = { '.env': 'S3CRET', 'deep/.ENV': 'S3CRET', id_rsa: 'S3CRET', '.ssh/config': 'S3CRET' }
    const files = {
      ...secrets,
      'data/up.json': 'S3CRET',
      'private/x': 'S3CRET',
      'a.ts': 'public',
      '.env.example': 'A=',
    }
    const ignore = '!.env\n!id_rsa\n!data/\n!data/**\n!private/\n!private/**\n'
    const options = { deny: ['private/**'], offLimits: ['data'], home: 'ws/data/shadow' }
    using ws = await testShadow({ ...files, '.gitignore': ignore }, options)
    await ws.shadow.tree()
    ws.write('.env', 'S3CRET again')
    const tree = await ws.shadow.tree()
    const everything = await execa('git', ['cat-file', '--batch-all-objects', '--batch'], {
      env: { GIT_DIR: repositoryOf(ws) },
      encoding: 'buffer',
    })
    expect([await namesIn(ws.shadow, tree), Buffer.from(everything.stdout).includes('S3CRET')]).toEqual([
      ['.env.example', '.gitignore', 'a.ts'],
      false,
    ])
  })

  test('leaves out what is denied from now on, also where it was not before', async () => {
    using ws = await testShadow({ 'a.ts': 'a', 'notes/x': 'x' })
    expect(await namesIn(ws.shadow, await ws.shadow.tree())).toEqual(['a.ts', 'notes/x'])
    const narrower = await openShadow({ folder: ws.home, workspace: ws.workspace, path: PATH, deny: ['notes/**'] })
    expect(await namesIn(narrower, await narrower.tree())).toEqual(['a.ts'])
  })

  test('looks into repositories inside the workspace, with commits or without, and into those in them', async () => {
    using ws = await testShadow({
      'top.ts': '',
      'new/a': 'a',
      'old/b': 'b',
      'old/in/c': 'c',
      'old/.gitignore': 'out\n',
    })
    ws.write('old/out', 'ignored')
    for (const name of ['new', 'old', 'old/in']) await git(join(ws.root, name), 'init', '--quiet')
    mkdirSync(join(ws.root, 'bare'))
    await git(join(ws.root, 'bare'), 'init', '--quiet')
    await git(join(ws.root, 'old'), 'add', 'b')
    await git(join(ws.root, 'old'), 'commit', '--quiet', '-m', 'b')
    const before = await ws.shadow.tree()
    ws.write('new/a', 'a2')
    ws.write('old/in/d', 'd')
    const names = ['new/a', 'old/.gitignore', 'old/b', 'old/in/c', 'top.ts']
    const changes = await ws.shadow.changes(before, await ws.shadow.tree())
    expect([await namesIn(ws.shadow, before), changes.map(({ path }) => path)]).toEqual([names, ['new/a', 'old/in/d']])
  })

  test('leaves out what is no file: pipes, and names that git keeps for itself', async () => {
    using ws = await testShadow({ 'a.ts': '', '.GIT/config': '' })
    await execa('mkfifo', [join(ws.root, 'pipe')])
    expect(await namesIn(ws.shadow, await ws.shadow.tree())).toEqual(['a.ts'])
  })

  test('is of files and links alone: what becomes a pipe is gone', async () => {
    using ws = await testShadow({ 'a.ts': 'a', 'b.ts': 'b' })
    const before = await ws.shadow.tree()
    rmSync(join(ws.root, 'a.ts'))
    await execa('mkfifo', [join(ws.root, 'a.ts')])
    ws.write('b.ts', 'c')
    const changes = await ws.shadow.changes(before, await ws.shadow.tree())
    expect(changes.map(({ path, after }) => [path, after])).toEqual([
      ['a.ts', null],
      ['b.ts', file('c')],
    ])
  })

  test('looks into a repository that took the place of a file, and obeys nothing in it', async () => {
    using ws = await testShadow({ x: 'a file', 'd/y': 'in a folder' })
    await ws.shadow.tree()
    rmSync(join(ws.root, 'x'))
    for (const name of ['x', 'd']) {
      mkdirSync(join(ws.root, name), { recursive: true })
      await git(join(ws.root, name), 'init', '--quiet')
      ws.write(`${name}/inner`, 'inner')
      await git(join(ws.root, name), 'add', 'inner')
      await git(join(ws.root, name), 'commit', '--quiet', '-m', 'inner')
      for (const key of ['core.fsmonitor', 'core.sshCommand', 'diff.external', 'core.pager'])
        await git(join(ws.root, name), 'config', key, `touch ${join(ws.root, '..', `ran-${key}`)}`)
    }
    const names = await namesIn(ws.shadow, await ws.shadow.tree())
    const ran = readdirSync(join(ws.root, '..')).filter((name) => name.startsWith('ran-'))
    expect([names, await namesIn(ws.shadow, await ws.shadow.tree()), ran]).toEqual([
      ['d/inner', 'd/y', 'x/inner'],
      ['d/inner', 'd/y', 'x/inner'],
      [],
    ])
  })

  test('does without a file that cannot be read, and takes all others', async () => {
    using ws = await testShadow({ 'a.ts': 'a', 'closed.ts': 'c', 'z.ts': 'z' })
    await execa('chmod', ['000', join(ws.root, 'closed.ts')])
    const script = `${SCRIPT} const shadow = await openShadow(options); console.log(await shadow.tree())`
    rmSync(ws.home, { recursive: true })
    await execa('chmod', ['777', join(ws.root, '..')])
    // To root nothing is closed: then it is somebody else who looks.
    const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    const { stdout } = await run(script, ws, asNobody)
    const own = await openShadow({ folder: ws.home, workspace: ws.workspace, path: PATH, deny: [] })
    expect(await namesIn(own, stdout)).toEqual(['a.ts', 'z.ts'])
  })
})

describe('the user’s own repository', () => {
  test('is not touched, and nothing that it would run is run', async () => {
    using ws = await testShadow({ 'a.txt': 'one\n', '.gitattributes': '* filter=evil diff=evil merge=evil\n' })
    const trap = (name: string) => `touch ${join(ws.root, '..', `ran-${name}`)}`
    await git(ws.root, 'init', '--quiet')
    for (const key of [
      'filter.evil.clean',
      'filter.evil.smudge',
      'diff.evil.textconv',
      'core.fsmonitor',
      'diff.external',
    ])
      await git(ws.root, 'config', key, trap(key))
    await git(ws.root, 'config', 'filter.evil.clean', 'cat')
    await git(ws.root, 'config', '--unset', 'core.fsmonitor')
    await git(ws.root, 'add', 'a.txt')
    await git(ws.root, 'commit', '--quiet', '--no-verify', '-m', 'one')
    await git(ws.root, 'config', 'filter.evil.clean', trap('clean'))
    await git(ws.root, 'config', 'core.fsmonitor', trap('fsmonitor'))
    for (const hook of ['post-index-change', 'pre-commit', 'post-checkout', 'reference-transaction'])
      makeExecutable(ws.write(`.git/hooks/${hook}`, `#!/bin/sh\n${trap(hook)}\n`))
    const untouched = contentsOf(join(ws.root, '.git'))

    const before = await ws.shadow.tree()
    ws.write('a.txt', 'two\n')
    const changes = await ws.shadow.changes(before, await ws.shadow.tree())
    await ws.shadow.diff(changes)
    await ws.shadow.keep(Buffer.from('x'))
    const looked = await lookAt(ws.workspace, ws.shadow, planRestore([changes]))
    await putBack(ws.workspace, ws.shadow, looked)

    expect(contentsOf(join(ws.root, '.git'))).toEqual(untouched)
    expect(readFileSync(join(ws.root, 'a.txt'), 'utf8')).toBe('one\n')
    expect(readdirSync(join(ws.root, '..')).filter((name) => name.startsWith('ran-'))).toEqual([])
  })
})

describe('contents', () => {
  test('are kept under the name that their state has, and come back as they were', async () => {
    using ws = await testShadow()
    const contents = [Buffer.from(''), Buffer.from('a\r\n'), randomBytes(300_000)]
    const kept = await Promise.all(contents.map((content) => ws.shadow.keep(content)))
    const states = contents.map((content) => stateOf(content, false))
    expect(kept.map((name) => `100644 ${name}`)).toEqual(states)
    expect(await Promise.all(states.map((state) => ws.shadow.content(state)))).toEqual(contents)
  })

  test('that were never kept, or are not whole any more, are not there', async () => {
    using ws = await testShadow()
    const name = await ws.shadow.keep(Buffer.from('whole'))
    const stored = join(repositoryOf(ws), 'objects', name.slice(0, 2), name.slice(2))
    rmSync(stored)
    writeFileSync(stored, '')
    const other = file('never kept')
    expect([await ws.shadow.content(file('whole')), await ws.shadow.content(other)]).toEqual([null, null])
    expect(await ws.shadow.lacks([other])).toEqual(new Set([other]))
  })
})

describe('a diff', () => {
  test('is what git writes: texts, modes, links, and that a file is no text', async () => {
    using ws = await testShadow({ 'a.txt': 'one\n', 'run.sh': 'r\n', 'na\nme': 'n' })
    const before = await ws.shadow.tree()
    ws.write('a.txt', 'two\n')
    ws.write('na\nme', 'm')
    makeExecutable(join(ws.root, 'run.sh'))
    symlinkSync('a.txt', join(ws.root, 'link'))
    writeFileSync(join(ws.root, 'image'), Buffer.from([0, 1, 2, 255]))
    const text = await ws.shadow.diff(await ws.shadow.changes(before, await ws.shadow.tree()))
    expect(text.replace(/^index .*\n/gm, '').split('\n')).toEqual([
      'diff --git a/a.txt b/a.txt',
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1 +1 @@',
      '-one',
      '+two',
      'diff --git a/image b/image',
      'new file mode 100644',
      'Binary files /dev/null and b/image differ',
      'diff --git a/link b/link',
      'new file mode 120000',
      '--- /dev/null',
      '+++ b/link',
      '@@ -0,0 +1 @@',
      '+a.txt',
      '\\ No newline at end of file',
      'diff --git "a/na\\nme" "b/na\\nme"',
      '--- "a/na\\nme"',
      '+++ "b/na\\nme"',
      '@@ -1 +1 @@',
      '-n',
      '\\ No newline at end of file',
      '+m',
      '\\ No newline at end of file',
      'diff --git a/run.sh b/run.sh',
      'old mode 100644',
      'new mode 100755',
      '',
    ])
  })

  test('is bounded, and says what is not in it', async () => {
    using ws = await testShadow({ big: '' })
    const before = await ws.shadow.tree()
    ws.write('big', 'a line of some length\n'.repeat(100_000))
    const changes = await ws.shadow.changes(before, await ws.shadow.tree())
    const text = await ws.shadow.diff([...changes, { path: 'gone', before: file('never kept'), after: null }])
    expect([text.length < 1_100_000, text.endsWith('(the diff is longer than this)\n(gone: not kept)\n')]).toEqual([
      true,
      true,
    ])
  })

  test('counts lines only of what was kept', async () => {
    using ws = await testShadow()
    await ws.shadow.keep(Buffer.from('a\nb\n'))
    const made = { path: 'made', before: null, after: file('a\nb\n') }
    const gone = { path: 'gone', before: file('never kept'), after: null }
    expect(await ws.shadow.counted([made, gone])).toEqual([
      { ...made, added: 2, removed: 0 },
      { ...gone, added: null, removed: null },
    ])
  })
})

test('a name comes back from its text as the bytes it was', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes)),
        fc.string({ unit: fc.constantFrom('"', '\\', '3', '7', 'a', 'ü') }).map((text) => Buffer.from(text)),
        fc.string().map((text) => Buffer.from(`"${text}\\377"`)),
      ),
      (bytes) => bytesOf(nameOf(bytes)).equals(bytes) && nameOf(bytes).isWellFormed(),
    ),
    { numRuns: 2000 },
  )
})

/** What a script in a process of its own begins with. */
const SCRIPT = `
  const { openShadow } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/workspace/shadow.ts'))})
  const options = JSON.parse(process.argv.at(-1));
`

const start = (script: string, { home, workspace }: TestShadow, as: { uid?: number; gid?: number } = {}) =>
  execa(
    process.execPath,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      script,
      JSON.stringify({ folder: home, workspace, path: PATH, deny: [] }),
    ],
    { cwd: join(import.meta.dirname, '../..'), reject: false, ...as },
  )

const run = async (...given: Parameters<typeof start>): Promise<{ stdout: string }> => {
  const { stdout, stderr, exitCode } = await start(...given)
  if (exitCode !== 0) throw new Error(stderr)
  return { stdout }
}

/** What a shadow that nothing ever happened to says of the workspace. */
const freshTree = async ({ workspace, home }: TestShadow): Promise<string> =>
  (await openShadow({ folder: `${home}-${randomBytes(4).toString('hex')}`, workspace, path: PATH, deny: [] })).tree()

const manyFiles = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`d${i % 20}/f${i}`, `file ${i}\n`]))

describe('what happens to others', () => {
  test('processes that take snapshots at once all get the right one', async () => {
    using ws = await testShadow(manyFiles(300))
    const script = `${SCRIPT}
      const shadow = await openShadow(options)
      const trees = new Set()
      for (let i = 0; i < 8; i++) trees.add(await shadow.tree())
      console.log([...trees].join())`
    rmSync(ws.home, { recursive: true })
    const said = await Promise.all([run(script, ws), run(script, ws), run(script, ws)])
    const own = await openShadow({ folder: ws.home, workspace: ws.workspace, path: PATH, deny: [] })
    const right = await freshTree(ws)
    expect([...said.map(({ stdout }) => stdout), await own.tree()]).toEqual([right, right, right, right])
  })

  test('snapshots that one process asks for at once are each right', async () => {
    using ws = await testShadow(manyFiles(50))
    const trees = await Promise.all([ws.shadow.tree(), ws.shadow.tree(), ws.shadow.tree()])
    expect(new Set(trees)).toEqual(new Set([await freshTree(ws)]))
  })

  test('whoever is killed in the middle leaves nothing that others wait for', async () => {
    const kills = process.env['BELLHOP_LONG'] ? 40 : 4
    using ws = await testShadow(manyFiles(200))
    await ws.shadow.tree()
    const script = `${SCRIPT}
      const { writeFileSync } = await import('node:fs')
      const shadow = await openShadow(options)
      for (let i = process.pid * 1000; ; i++) {
        for (let j = 0; j < 50; j++) writeFileSync(options.workspace.root + '/new-' + j, i + ' ' + j)
        await shadow.tree()
      }`
    const roundOf = (j: number): string | null => {
      const file = join(ws.root, `new-${j}`)
      return existsSync(file) ? readFileSync(file, 'utf8') : null
    }
    for (let kill = 0; kill < kills; kill++) {
      const before = roundOf(0)
      const child = start(script, ws)
      const begun = await eventually('a first round', () => roundOf(0) !== before && roundOf(0))
      // Anywhere in one of the next rounds.
      await eventually('another round', () => roundOf(kill % 50) !== begun && roundOf(0) !== begun)
      child.kill('SIGKILL')
      await child
      const reopened = await openShadow({ folder: ws.home, workspace: ws.workspace, path: PATH, deny: [] })
      expect(await reopened.tree()).toBe(await freshTree(ws))
    }
    // A git may outlive the process that started it, by a moment.
    await eventually('nothing to be left', async () => {
      await openShadow({ folder: ws.home, workspace: ws.workspace, path: PATH, deny: [] })
      return readdirSync(repositoryOf(ws)).every((name) => !name.startsWith('index.'))
    })
  }, 600_000)

  test('what another machine is at is left alone; what nobody has touched for a day is not, nor what somebody left here', async () => {
    using ws = await testShadow({ 'a.txt': 'a\n' })
    const child = execa('true')
    await child
    const folder = repositoryOf(ws)
    const [gone, elsewhere] = [here(), 'other~0123abcd~4026531836'].map(
      (machine) => `index.${machine}.${child.pid}-0123456789ab`,
    )
    const own = basename(ownIndex(folder))
    for (const name of [gone, elsewhere, own]) writeFileSync(join(folder, name ?? ''), '')
    const left = () => readdirSync(folder).filter((name) => name.startsWith('index.'))
    await sweepIndexes(folder)
    expect(left().sort()).toEqual([elsewhere, own].sort())
    await sweepIndexes(folder, () => Date.now() + 2 * 86_400_000)
    expect(left()).toEqual([])
  })

  test.each([
    ['torn', (index: string) => truncateSync(index, 1000)],
    ['of something else', (index: string) => writeFileSync(index, randomBytes(4000))],
    ['empty', (index: string) => truncateSync(index, 0)],
    ['gone', (index: string) => rmSync(index)],
    ['locked by a git that is long gone', (index: string) => writeFileSync(`${index}.lock`, '')],
  ])('an index that is %s is made anew', async (_how, harm) => {
    using ws = await testShadow(manyFiles(100))
    const tree = await ws.shadow.tree()
    harm(join(repositoryOf(ws), 'index'))
    expect([await ws.shadow.tree(), await ws.shadow.tree()]).toEqual([tree, tree])
  })

  test('contents that were lost are kept anew', async () => {
    using ws = await testShadow({ 'a.txt': 'a\n', 'b/c.txt': 'c\n' })
    const tree = await ws.shadow.tree()
    const objects = join(repositoryOf(ws), 'objects')
    renameSync(objects, `${objects}-lost`)
    mkdirSync(objects)
    ws.write('new', 'new\n')
    const next = await ws.shadow.tree()
    expect([await ws.shadow.content(file('a\n')), await namesIn(ws.shadow, next), next === tree]).toEqual([
      Buffer.from('a\n'),
      ['a.txt', 'b/c.txt', 'new'],
      false,
    ])
  })
})
