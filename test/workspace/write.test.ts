import {
  chmodSync,
  linkSync,
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
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import type { Inside } from '../../src/workspace/paths.ts'
import { kindOf, linkState, stateOf } from '../../src/workspace/state.ts'
import { readFound, readState, removeFile, replaceFile } from '../../src/workspace/write.ts'
import { scratch } from '../support/folder.ts'
import { swapping } from './swapping.ts'

const stage = () => {
  const folder = scratch()
  const above = realpathSync(folder.path)
  const root = join(above, 'ws')
  mkdirSync(root)
  const at = (name: string): Inside => ({ real: join(root, name), name })
  return { ...folder, above, root, at, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

const file = (text: string) => stateOf(Buffer.from(text), false)
const program = (text: string) => stateOf(Buffer.from(text), true)
const text = (target: Inside) => readFileSync(target.real, 'utf8')
const modeOf = (target: Inside) => lstatSync(target.real).mode & 0o7777
const done = <T>(value: T) => ({ ok: true, value })
const no = (why: string) => ({ ok: false, why })

describe('what is at a place', () => {
  test('is what git would call it: a file, a program, a link; or nothing', async () => {
    using it = stage()
    it.write('ws/a.txt', 'hello\n')
    chmodSync(it.write('ws/b.sh', 'hello\n'), 0o755)
    chmodSync(it.write('ws/c.txt', ''), 0o655)
    symlinkSync('../nowhere', join(it.root, 'd'))
    await execa('git', ['init', '-q', '--object-format=sha256'], { cwd: it.root })
    await execa('git', ['add', '-A'], { cwd: it.root })
    const { stdout } = await execa('git', ['ls-files', '-s'], { cwd: it.root })
    const git = Object.fromEntries(stdout.split('\n').map((line) => [line.split('\t')[1], line.replace(/ 0\t.*/, '')]))
    const names = ['a.txt', 'b.sh', 'c.txt', 'd']
    expect(await Promise.all(names.map((name) => readState(it.at(name))))).toEqual(names.map((name) => done(git[name])))
    expect(await readState(it.at('e'))).toEqual(done(null))
    expect(await readState(it.at('not/there/e'))).toEqual(done(null))
    expect([kindOf(file('x')), kindOf(program('x')), kindOf(linkState(Buffer.from('x')))]).toEqual([
      '100644',
      '100755',
      '120000',
    ])
  })

  test('is not said of what is neither file nor link, or cannot be reached', async () => {
    using it = stage()
    mkdirSync(join(it.root, 'folder'))
    it.write('ws/a.txt', '')
    await execa('mknod', [join(it.root, 'fifo'), 'p'])
    expect(await readState(it.at('folder'))).toEqual(no('folder is a folder'))
    expect(await readState(it.at('fifo'))).toEqual(no('fifo is not a plain file'))
    expect(await readState(it.at('a.txt/b'))).toEqual(no('cannot read a.txt/b: ENOTDIR'))
  })

  test('is read whole, up to a size, and not where it has several names or is a link', async () => {
    using it = stage()
    it.write('ws/a.txt', 'hello')
    linkSync(join(it.root, 'a.txt'), join(it.root, 'b.txt'))
    symlinkSync('a.txt', join(it.root, 'c.txt'))
    const found = done({ state: file('hello'), content: Buffer.from('hello') })
    expect(await readFound(it.at('a.txt'), { hardLinks: true })).toEqual(found)
    expect(await readFound(it.at('a.txt'), { hardLinks: true, most: 4 })).toEqual(no('a.txt is larger than 4 bytes'))
    expect(await readFound(it.at('b.txt'))).toEqual(
      no('b.txt has several names (hard links), and where the others are nobody can say'),
    )
    expect(await readFound(it.at('c.txt'))).toEqual(no('cannot read c.txt: ELOOP'))
    expect(await readFound(it.at('d.txt'))).toEqual(done(null))
  })
})

describe('a file', () => {
  test('is made, with the folders it needs', async () => {
    using it = stage()
    const target = it.at('a/b/c.txt')
    expect(await replaceFile(target, Buffer.from('new'), null)).toEqual(
      done({ state: file('new'), made: [join(it.root, 'a'), join(it.root, 'a/b')] }),
    )
    expect([text(target), readdirSync(join(it.root, 'a/b'))]).toEqual(['new', ['c.txt']])
    expect(lstatSync(target.real).nlink).toBe(1)
  })

  test.each([0o644, 0o600, 0o755, 0o640, 0o444])('keeps its rights when it is replaced: %o', async (mode) => {
    using it = stage()
    const target = it.at('a.txt')
    chmodSync(it.write('ws/a.txt', 'old'), mode)
    const executable = (mode & 0o100) !== 0
    const [before, after] = [stateOf(Buffer.from('old'), executable), stateOf(Buffer.from('new'), executable)]
    expect(await replaceFile(target, Buffer.from('new'), before)).toEqual(done({ state: after, made: [] }))
    expect([text(target), modeOf(target), readdirSync(it.root)]).toEqual(['new', mode, ['a.txt']])
  })

  test('is made what is asked for: a program, no program, a link, a file again', async () => {
    using it = stage()
    const target = it.at('a')
    const put = async (content: string, expected: string | null, kind: Parameters<typeof replaceFile>[3]) => {
      const put = await replaceFile(target, Buffer.from(content), expected, kind)
      return put.ok ? put.value.state : put.why
    }
    expect(await put('1', null, '100755')).toBe(program('1'))
    expect(modeOf(target)).toBe(0o777 & ~process.umask())
    expect(await put('2', program('1'), '100644')).toBe(file('2'))
    expect(modeOf(target)).toBe(0o666 & ~process.umask())
    const link = linkState(Buffer.from('/etc/passwd'))
    expect(await put('/etc/passwd', file('2'), '120000')).toBe(link)
    expect([readlinkSync(target.real), await readState(target)]).toEqual(['/etc/passwd', done(link)])
    expect(await put('3', link, '100644')).toBe(file('3'))
    expect([text(target), modeOf(target)]).toEqual(['3', 0o666 & ~process.umask()])
    expect(readFileSync('/etc/passwd', 'utf8')).not.toBe('3')
  })

  test('that is not what was expected is left alone, and nothing is left behind', async () => {
    using it = stage()
    it.write('ws/a.txt', 'theirs')
    chmodSync(it.write('ws/b.txt', 'same'), 0o755)
    mkdirSync(join(it.root, 'folder'))
    symlinkSync('a.txt', join(it.root, 'link'))
    const changed = (name: string) => no(`${name} is not what it was: read it again`)
    const mine = Buffer.from('mine')
    expect(await replaceFile(it.at('a.txt'), mine, file('old'))).toEqual(changed('a.txt'))
    expect(await replaceFile(it.at('a.txt'), mine, null)).toEqual(changed('a.txt'))
    expect(await replaceFile(it.at('b.txt'), mine, file('same'))).toEqual(changed('b.txt'))
    expect(await replaceFile(it.at('c.txt'), mine, file('old'))).toEqual(changed('c.txt'))
    expect(await replaceFile(it.at('link'), mine, file('theirs'))).toEqual(changed('link'))
    expect(await replaceFile(it.at('link'), mine, null)).toEqual(changed('link'))
    expect(await replaceFile(it.at('new/folder/d.txt'), mine, file('old'))).toEqual(changed('new/folder/d.txt'))
    expect(await replaceFile(it.at('folder'), mine, null)).toEqual(no('folder is a folder'))
    expect(await replaceFile(it.at('a.txt/e.txt'), mine, null)).toEqual(no('cannot write a.txt/e.txt: ENOTDIR'))
    expect(await removeFile(it.at('a.txt'), file('old'))).toEqual(changed('a.txt'))
    expect(await removeFile(it.at('c.txt'), file('old'))).toEqual(changed('c.txt'))
    expect(await removeFile(it.at('not/there.txt'), file('old'))).toEqual(no('cannot remove not/there.txt: ENOENT'))
    expect(readdirSync(it.root).sort()).toEqual(['a.txt', 'b.txt', 'folder', 'link'])
    expect([text(it.at('a.txt')), text(it.at('b.txt'))]).toEqual(['theirs', 'same'])
  })

  test('with several names is replaced under one of them: the others keep what they have', async () => {
    using it = stage()
    linkSync(it.write('outside.txt', 'shared'), join(it.root, 'a.txt'))
    const put = await replaceFile(it.at('a.txt'), Buffer.from('mine'), file('shared'))
    expect(put).toEqual(done({ state: file('mine'), made: [] }))
    expect([text(it.at('a.txt')), readFileSync(join(it.above, 'outside.txt'), 'utf8')]).toEqual(['mine', 'shared'])
  })

  test('that is a link is replaced, or taken away, and not what it leads to', async () => {
    using it = stage()
    const outside = it.write('outside.txt', 'theirs')
    for (const name of ['a', 'b']) symlinkSync(outside, join(it.root, name))
    const link = linkState(Buffer.from(outside))
    expect(await replaceFile(it.at('a'), Buffer.from('mine'), link)).toEqual(done({ state: file('mine'), made: [] }))
    expect(await removeFile(it.at('b'), link)).toEqual(done(null))
    expect([readdirSync(it.root), text(it.at('a')), readFileSync(outside, 'utf8')]).toEqual([['a'], 'mine', 'theirs'])
  })

  test('is taken away', async () => {
    using it = stage()
    it.write('ws/src/a.txt', 'old')
    expect(await removeFile(it.at('src/a.txt'), file('old'))).toEqual(done(null))
    expect(readdirSync(join(it.root, 'src'))).toEqual([])
  })

  test('whose folder is a link by now is not written, read or taken away', async () => {
    using it = stage()
    it.write('ws/here/a.txt', 'old')
    it.write('outside/a.txt', 'old')
    renameSync(join(it.root, 'here'), join(it.root, 'gone'))
    symlinkSync(join(it.above, 'outside'), join(it.root, 'here'))
    const target = it.at('here/a.txt')
    expect(await replaceFile(target, Buffer.from('mine'), file('old'))).toEqual(no('cannot write here/a.txt: ENOTDIR'))
    expect(await replaceFile(it.at('here/deep/b.txt'), Buffer.from('mine'), null)).toEqual(
      no('cannot write here/deep/b.txt: ENOTDIR'),
    )
    expect(await removeFile(target, file('old'))).toEqual(no('cannot remove here/a.txt: ENOTDIR'))
    expect(await readFound(target)).toEqual(no('cannot read here/a.txt: ENOTDIR'))
    expect([readdirSync(join(it.above, 'outside')), readFileSync(join(it.above, 'outside/a.txt'), 'utf8')]).toEqual([
      ['a.txt'],
      'old',
    ])
  })
})

test('whatever is swapped while files are written, read and taken away, what is outside stays as it is', async () => {
  using it = stage()
  it.write('ws/deep/here/a.txt', 'fine')
  it.write('outside/here/a.txt', 'outside')
  it.write('outside/a.txt', 'outside')
  const outside = async () => (await execa('find', [join(it.above, 'outside'), '-printf', '%p %y %i %s %T@\n'])).stdout
  const before = await outside()
  const [a, b] = [it.at('deep/here/a.txt'), it.at('deep/here/new/b.txt')]
  const read = new Set<string>()
  const counts = { written: 0, failed: 0 }
  const count = ({ ok }: { ok: boolean }) => (ok ? counts.written++ : counts.failed++)
  {
    using _swaps = swapping(join(it.root, 'deep'), join(it.above, 'outside'), join(it.above, 'aside'))
    const rounds = process.env['BELLHOP_LONG'] ? 3000 : 300
    // Both must happen: otherwise this would prove nothing.
    for (let i = 0; i < rounds || counts.written === 0 || counts.failed === 0; i++) {
      const found = await readFound(a)
      if (found.ok && found.value) read.add(found.value.content.toString().replace(/\d+/, ''))
      count(await replaceFile(a, Buffer.from(`mine ${i}`), found.ok ? (found.value?.state ?? null) : null))
      count(await replaceFile(b, Buffer.from('b'), null))
      const there = await readState(b)
      if (there.ok && there.value) await removeFile(b, there.value)
    }
  }
  expect(await outside()).toBe(before)
  expect(read).not.toContain('outside')
})

test('of two that make the same file at once, one does', async () => {
  using it = stage()
  for (let i = 0; i < 30; i++) {
    const target = it.at(`f${i}.txt`)
    const both = await Promise.all(['one', 'two'].map((who) => replaceFile(target, Buffer.from(who), null)))
    const winners = both.flatMap((put, which) => (put.ok ? [['one', 'two'][which]] : []))
    expect(winners).toEqual([text(target)])
  }
  expect(readdirSync(it.root).length).toBe(30)
})

test('a content of any bytes comes back as it was', async () => {
  using it = stage()
  const content = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256))
  writeFileSync(join(it.root, 'a.bin'), '')
  await replaceFile(it.at('a.bin'), content, file(''))
  expect(await readFound(it.at('a.bin'))).toEqual(done({ state: stateOf(content, false), content }))
})
