import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyPatch } from '../../src/tools/apply-patch.ts'
import { change } from '../../src/tools/change.ts'
import { diffOf } from '../../src/tools/diff.ts'
import { stateOf } from '../../src/workspace/state.ts'
import { wall } from '../support/explore.ts'
import { type Bench, bench, failure } from './bench.ts'
import { benchOf } from './run-bench.ts'

const state = (text: string, executable = false) => stateOf(Buffer.from(text), executable)
const textOf = (it: Bench, name: string) => readFileSync(join(it.root, name), 'utf8')

/** All files of the workspace, by their names. */
const filesOf = (it: Bench): Record<string, string> =>
  Object.fromEntries(
    readdirSync(it.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(it.root.length + 1))
      .sort()
      .map((name) => [name, textOf(it, name)]),
  )

const NUMBERS = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('')

describe('a unified diff', () => {
  test('changes, makes, deletes and moves files, and says what came of each', async () => {
    using it = await bench({ 'a.txt': 'one\ntwo\nthree\n', 'old.txt': 'gone\n', 'from.txt': 'same\nother\n' })
    const patch = `Some words before.

diff --git a/a.txt b/a.txt
index 123..456 100644
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
diff --git a/new/b.sh b/new/b.sh
new file mode 100755
--- /dev/null
+++ b/new/b.sh
@@ -0,0 +1,2 @@
+#!/bin/sh
+true
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/from.txt b/to.txt
similarity index 50%
rename from from.txt
rename to to.txt
--- a/from.txt
+++ b/to.txt
@@ -1,2 +1,2 @@
 same
-other
+another
-- 
2.39.5
`
    const report = await it.applyPatch({ patch })
    expect(report).toMatchObject({
      kind: 'ok',
      changed: ['a.txt', 'new/b.sh', 'old.txt', 'to.txt', 'from.txt'],
      files: [
        { path: 'a.txt', before: state('one\ntwo\nthree\n'), after: state('one\nTWO\nthree\n'), added: 1, removed: 1 },
        { path: 'new/b.sh', before: null, after: state('#!/bin/sh\ntrue\n', true), added: 2, removed: 0 },
        { path: 'old.txt', before: state('gone\n'), after: null, added: 0, removed: 1 },
        { path: 'to.txt', before: null, after: state('same\nanother\n'), added: 2, removed: 0 },
        { path: 'from.txt', before: state('same\nother\n'), after: null, added: 0, removed: 2 },
      ],
    })
    expect(filesOf(it)).toEqual({
      'a.txt': 'one\nTWO\nthree\n',
      'new/b.sh': '#!/bin/sh\ntrue\n',
      'to.txt': 'same\nanother\n',
    })
    expect(statSync(join(it.root, 'new/b.sh')).mode & 0o111).not.toBe(0)
    const [one, two] = ['one\ntwo\nthree\n', 'one\nTWO\nthree\n']
    const kept = [one, two, '#!/bin/sh\ntrue\n', 'gone\n', 'same\nanother\n', 'same\nother\n']
    expect(it.memory.kept.map(String)).toEqual(kept)
  })

  test('is found where its lines are, though they moved', async () => {
    using it = await bench({ 'a.txt': `${'new\n'.repeat(7)}${NUMBERS}` })
    const patch =
      '--- a.txt\n+++ a.txt\n@@ -2,3 +2,3 @@\n line 2\n-line 3\n+LINE 3\n line 4\n@@ -11,2 +11,1 @@\n line 11\n-line 12\n'
    expect(await it.applyPatch({ patch })).toMatchObject({ kind: 'ok' })
    expect(textOf(it, 'a.txt')).toBe(
      `${'new\n'.repeat(7)}${NUMBERS}`.replace('line 3\n', 'LINE 3\n').replace('line 12\n', ''),
    )
  })

  test('is applied where its number says, where its lines are there twice', async () => {
    using it = await bench({ 'a.txt': 'x\ny\n\nx\ny\n\nx\ny\n' })
    const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -4,2 +4,2 @@\n x\n-y\n+z\n'
    expect(await it.applyPatch({ patch })).toMatchObject({ kind: 'ok' })
    expect(textOf(it, 'a.txt')).toBe('x\ny\n\nx\nz\n\nx\ny\n')
  })

  test.each([
    ['too few', '@@ -1,1 +1,1 @@'],
    ['too many', '@@ -1,9 +1,9 @@'],
    ['none', '@@ -1 +1 @@'],
  ])('whose counts are wrong is read by its lines: %s', async (_what, header) => {
    using it = await bench({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' })
    const patch = `--- a/a.txt\n+++ b/a.txt\n${header}\n one\n-two\n+TWO\n+2\n three\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n`
    expect(await it.applyPatch({ patch })).toMatchObject({ kind: 'ok' })
    expect(filesOf(it)).toEqual({ 'a.txt': 'one\nTWO\n2\nthree\n', 'b.txt': 'B\n' })
  })

  test('with lines that look like names of files is not mistaken', async () => {
    using it = await bench({ 'a.txt': '-- one\ntwo\n' })
    const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n--- one\n+++ two\n two\n'
    expect(await it.applyPatch({ patch })).toMatchObject({ kind: 'ok' })
    expect(textOf(it, 'a.txt')).toBe('++ two\ntwo\n')
  })

  test('finds lines apart from quotes, dashes and blanks, says so, and leaves those that stay as they are', async () => {
    using it = await bench({ 'a.txt': 'say “hi”  \nold – line\nend\t\n' })
    const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n say "hi"\n-old - line\n+new - line\n end\n'
    expect(await it.applyPatch({ patch })).toMatchObject({
      output: expect.stringMatching(/^Found apart from quotes, dashes, blanks or line ends\.\n/),
    })
    expect(textOf(it, 'a.txt')).toBe('say “hi”  \nnew - line\nend\t\n')
  })

  test.each([
    ['Windows line ends, which it does not have', 'a\r\nb\r\nc\r\n', ' a\n-b\n+x\n+y\n c\n', 'a\r\nx\r\ny\r\nc\r\n'],
    ['Windows line ends, which it has', 'a\r\nb\r\n', ' a\r\n-b\r\n+x\r\n', 'a\r\nx\r\n'],
    ['no line break at the end, of which it says nothing', 'a\nb', ' a\n-b\n+x\n', 'a\nx'],
    ['Windows line ends, and none at the end', 'a\r\nb', ' a\n-b\n+x\n', 'a\r\nx'],
    ['no line break at the end, which it adds', 'a\nb', ' a\n-b\n\\ No newline at end of file\n+b\n', 'a\nb\n'],
    ['a line break at the end, which it takes', 'a\nb\n', ' a\n-b\n+b\n\\ No newline at end of file\n', 'a\nb'],
    ['empty lines, whose blank got lost', 'a\n\nb\n', ' a\n\n-b\n+x\n', 'a\n\nx\n'],
  ])('keeps %s', async (_what, text, hunk, expected) => {
    using it = await bench({ 'a.txt': text })
    const patch = `--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n${hunk}`
    expect(await it.applyPatch({ patch })).toMatchObject({ kind: 'ok' })
    expect(textOf(it, 'a.txt')).toBe(expected)
  })

  test('changes what a file may do, and nothing else', async () => {
    using it = await bench({ 'a.sh': 'true\n' })
    const patch = 'diff --git a/a.sh b/a.sh\nold mode 100644\nnew mode 100755\n'
    expect(await it.applyPatch({ patch })).toMatchObject({
      files: [{ path: 'a.sh', before: state('true\n'), after: state('true\n', true), added: 0, removed: 0 }],
    })
    expect(statSync(join(it.root, 'a.sh')).mode & 0o111).not.toBe(0)
  })

  test('a program that is moved stays one', async () => {
    using it = await bench({ 'a.sh': 'true\n' })
    chmodSync(join(it.root, 'a.sh'), 0o755)
    const patch = 'diff --git a/a.sh b/bin/a.sh\nsimilarity index 100%\nrename from a.sh\nrename to bin/a.sh\n'
    expect(await it.applyPatch({ patch })).toMatchObject({ changed: ['bin/a.sh', 'a.sh'] })
    expect([filesOf(it), statSync(join(it.root, 'bin/a.sh')).mode & 0o100]).toEqual([{ 'bin/a.sh': 'true\n' }, 0o100])
  })

  test('as git makes it, is applied as git would', async () => {
    using it = await bench({ 'a.txt': NUMBERS, 'sp ace.txt': 'x\n', 'ünï.txt': 'y\n', 'gone.txt': 'z\n' })
    const git = (...args: string[]) =>
      execa('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: it.root })
    await git('init', '-q')
    await git('add', '-A')
    await git('commit', '-qm', 'x')
    writeFileSync(join(it.root, 'a.txt'), NUMBERS.replace('line 3\n', '').replace('line 15', '-- 15\n++ 15'))
    writeFileSync(join(it.root, 'sp ace.txt'), 'x')
    writeFileSync(join(it.root, 'ünï.txt'), 'yy\n')
    writeFileSync(join(it.root, 'empty.txt'), '')
    await git('rm', '-q', 'gone.txt')
    await git('add', '-A')
    const { stdout: patch } = await git('diff', '--cached', '-M')
    const expected = filesOf({ ...it, root: it.root })
    await git('reset', '-q', '--hard')
    expect(await it.applyPatch({ patch: `${patch}\n` })).toMatchObject({ kind: 'ok' })
    const without = (files: Record<string, string>) =>
      Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith('.git/')))
    expect(without(filesOf(it))).toEqual(without(expected))
  })
})

describe('a patch between its marks', () => {
  test('adds, updates, moves and deletes files', async () => {
    using it = await bench({
      'a.py': 'class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 1\n',
      'b.txt': 'b\n',
      'c.txt': 'c\n',
    })
    await it.read({ path: 'c.txt' })
    const patch = `*** Begin Patch
*** Update File: a.py
@@ class A:
@@     def g(self):
-        return 1
+        return 2
*** Update File: b.txt
*** Move to: deep/b.txt
@@
-b
+B
*** Add File: new.txt
+one
+
+two
*** Delete File: c.txt
*** End Patch
`
    expect(await it.applyPatch({ patch })).toMatchObject({
      kind: 'ok',
      changed: ['a.py', 'deep/b.txt', 'b.txt', 'new.txt', 'c.txt'],
    })
    expect(filesOf(it)).toEqual({
      'a.py': 'class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n',
      'deep/b.txt': 'B\n',
      'new.txt': 'one\n\ntwo\n',
    })
  })

  test.each([
    ['without a line before it', ' one\n-two\n+TWO\n', 'one\nTWO\nthree\none\n'],
    ['that begins with the line that is named', '@@ two\n two\n-three\n', 'one\ntwo\none\n'],
    ['of new lines after the one that is named', '@@ two\n+and a half\n', 'one\ntwo\nand a half\nthree\none\n'],
    ['of new lines at the end', '+four\n', 'one\ntwo\nthree\none\nfour\n'],
    ['at the end of the file', '-one\n+four\n*** End of File\n', 'one\ntwo\nthree\nfour\n'],
    ['after another', '@@\n-one\n-two\n@@\n-one\n+1\n', 'three\n1\n'],
  ])('takes a hunk %s', async (_what, hunk, expected) => {
    using it = await bench({ 'a.txt': 'one\ntwo\nthree\none\n' })
    const report = await it.applyPatch({ patch: `*** Begin Patch\n*** Update File: a.txt\n${hunk}*** End Patch` })
    expect([report.kind, textOf(it, 'a.txt')]).toEqual(['ok', expected])
  })

  test('a file is deleted only if the session has seen it as it is', async () => {
    using it = await bench({ 'a.txt': 'a\n' })
    const patch = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch'
    expect(await it.applyPatch({ patch })).toEqual(failure('read a.txt before it is deleted'))
    await it.read({ path: 'a.txt' })
    writeFileSync(join(it.root, 'a.txt'), 'b\n')
    expect(await it.applyPatch({ patch })).toEqual(failure('a.txt is not what this session saw: read it again'))
    await it.read({ path: 'a.txt' })
    expect(await it.applyPatch({ patch })).toMatchObject({ kind: 'ok' })
    expect(filesOf(it)).toEqual({})
  })
})

describe('says what is wrong, and where', () => {
  const update = (hunk: string) => `*** Begin Patch\n*** Update File: a.txt\n${hunk}\n*** End Patch`
  test.each([
    [
      'a hunk that does not fit',
      `--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-line 1\n+x\n@@ -9,1 +9,1 @@\n-line nine\n+x\n`,
      'a.txt: hunk 2 of 2 does not fit: there are no such lines; the nearest is:\n1: line 1',
    ],
    [
      'a hunk that comes before the one before it',
      '--- a/a.txt\n+++ b/a.txt\n@@ -9,1 +9,1 @@\n-line 9\n+x\n@@ -1,1 +1,1 @@\n-line 1\n+x\n',
      'a.txt: hunk 2 of 2 does not fit: there are no such lines; the nearest is:\n1: line 1',
    ],
    [
      'new lines beyond the end',
      '--- a/a.txt\n+++ b/a.txt\n@@ -90,0 +91,1 @@\n+x\n',
      'a.txt: hunk 1 of 1 does not fit: there is no line 90',
    ],
    [
      'a line that is named and not there',
      update('@@ nowhere\n-line 1\n+x'),
      'a.txt: hunk 1 of 1 does not fit: after line 0 there is no line "nowhere"',
    ],
    [
      'a hunk that fits in several places',
      update('-same\n+x'),
      'a.txt: hunk 1 of 1 fits in 2 places, on lines 21, 22: give more lines around it, or an @@ line before it',
    ],
    ['a file that is not there', '--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-a\n+b\n', 'there is no file b.txt'],
    ['a file that is there already', '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+a\n', 'a.txt is there already'],
    [
      'a file that is moved onto another',
      'diff --git a/a.txt b/c.txt\nrename from a.txt\nrename to c.txt\n',
      'c.txt is there already',
    ],
    [
      'a file that is deleted in part',
      '--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-line 1\n',
      'a.txt: it has more in it than the patch deletes',
    ],
    ['a patch that changes nothing', update(' line 1'), 'a.txt: the patch changes nothing'],
    [
      'a file that is named twice',
      '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-line 1\n+x\n--- a/./a.txt\n+++ b/./a.txt\n@@ -2 +2 @@\n-line 2\n+x\n',
      'a.txt is in the patch more than once: put all of it in one place',
    ],
  ])('%s', async (_what, patch, message) => {
    using it = await bench({ 'a.txt': `${NUMBERS}same\nsame\n`, 'c.txt': 'c\n' })
    expect(await it.applyPatch({ patch })).toEqual(failure(message))
    expect([filesOf(it), it.memory.kept]).toEqual([{ 'a.txt': `${NUMBERS}same\nsame\n`, 'c.txt': 'c\n' }, []])
  })

  test.each([
    ['no patch', 'hello', 'there is no file in the patch'],
    ['a hunk without a file', '@@ -1 +1 @@\n-a\n+b\n', 'a hunk comes before the name of a file'],
    ['half a name', '--- a/a.txt\n@@ -1 +1 @@\n-a\n+b\n', 'Missing "+++ ..." file header for a/a.txt'],
    [
      'a hunk without numbers',
      '--- a/a.txt\n+++ b/a.txt\n@@ some text @@\n-a\n+b\n',
      'a.txt: a hunk begins with @@ -line,count +line,count @@',
    ],
    [
      'a binary file',
      'diff --git a/a.png b/a.png\nindex 1..2\nBinary files a/a.png and b/a.png differ\n',
      'a.png: only text can be patched',
    ],
    [
      'a move to the same name',
      'diff --git a/a b/b\nrename from a\nrename to b\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-a\n+b\n',
      'c: it is moved, and has one name',
    ],
    ['a copy', 'diff --git a/a b/b\ncopy from a\ncopy to b\n', 'b: files are not copied; add it with its content'],
    [
      'a link',
      'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n',
      'l: only plain files can be patched, not mode 120000',
    ],
    ['no end', '*** Begin Patch\n*** Add File: a\n+a\n', 'the patch has no "*** End Patch"'],
    [
      'something after the end',
      '*** Begin Patch\n*** Add File: a\n+a\n*** End Patch\nmore',
      'something comes after "*** End Patch"',
    ],
    [
      'lines of no file',
      '*** Begin Patch\n+a\n*** End Patch',
      '"+a" belongs to no file: one begins with "*** Update File: PATH"',
    ],
    [
      'an added line without its sign',
      '*** Begin Patch\n*** Add File: a\n+a\nb\n*** End Patch',
      'a: every line of a file that is added begins with +, not "b"',
    ],
    [
      'a line of a hunk without its sign',
      '*** Begin Patch\n*** Update File: a\n-a\nb\n*** End Patch',
      'a: a line of a hunk begins with a blank, + or -, not "b"',
    ],
    ['nothing to update', '*** Begin Patch\n*** Update File: a\n*** End Patch', 'a: there is nothing to update'],
    [
      'lines of a file that is deleted',
      '*** Begin Patch\n*** Delete File: a\n-a\n*** End Patch',
      'a: nothing follows "*** Delete File"',
    ],
  ])('%s is refused before anything is looked at', (_what, patch, message) => {
    expect(applyPatch.reach({ patch }, wall())).toMatchObject({
      refusal: { code: 'arguments-invalid', message: `apply-patch: ${message}` },
    })
  })
})

describe('reaches', () => {
  test('every file it names, to read and to write, by both its names', () => {
    const patch =
      '--- a/../c\n+++ b/../c\n@@ -1 +1 @@\n-a\n+b\n--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/a b/b\nrename from a\nrename to b\n'
    const paths = ['../c', '/etc/passwd', 'a', 'b']
    expect(applyPatch.reach({ patch }, wall())).toEqual({ ok: true, value: { reads: paths, writes: paths } })
  })

  test.each([
    ['--- a/../outside.txt\n+++ b/../outside.txt\n@@ -1 +1 @@\n-theirs\n+mine\n'],
    ['--- /dev/null\n+++ b/../new.txt\n@@ -0,0 +1 @@\n+mine\n'],
    ['--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+mine\n'],
    ['--- /dev/null\n+++ "b/.\\147it/hooks/x"\n@@ -0,0 +1 @@\n+mine\n'],
    ['--- /dev/null\n+++ b/link/new.txt\n@@ -0,0 +1 @@\n+mine\n'],
    ['--- a/a.txt\n+++ b/.env\n@@ -1 +1 @@\n-a\n+mine\n'],
    ['diff --git a/a.txt b/a.txt\nrename from a.txt\nrename to ../moved.txt\n'],
    ['diff --git a/.env b/a2.txt\nrename from .env\nrename to a2.txt\n'],
    ['*** Begin Patch\n*** Add File: ../new.txt\n+mine\n*** End Patch'],
    ['*** Begin Patch\n*** Delete File: .env\n*** End Patch'],
    ['*** Begin Patch\n*** Update File: a.txt\n*** Move to: .Git/x\n@@\n-a\n+b\n*** End Patch'],
    ['*** Begin Patch\n*** Update File: a.txt\n-a\n+b\n*** Add File: /tmp/x\n+mine\n*** End Patch'],
  ])('nothing out of scope, and then nothing at all: %j', async (patch) => {
    using it = await bench({ 'a.txt': 'a\n', '.env': 'a\n' })
    it.write('outside.txt', 'theirs\n')
    symlinkSync('..', join(it.root, 'link'))
    expect(await it.applyPatch({ patch })).toMatchObject({ kind: 'refused', refusal: { code: 'out-of-scope' } })
    expect([filesOf(it), readdirSync(it.above).sort()]).toEqual([
      { '.env': 'a\n', 'a.txt': 'a\n' },
      ['outside.txt', 'ws'],
    ])
  })
})

describe('all or nothing', () => {
  test('a file that cannot be written leaves the others as they were', async () => {
    using it = await bench({ 'a.txt': 'a\n', 'b.txt': 'b\n', taken: 'x\n' })
    await it.read({ path: 'b.txt' })
    const patch =
      '*** Begin Patch\n*** Update File: a.txt\n-a\n+A\n*** Add File: made/c.txt\n+c\n*** Delete File: b.txt\n*** Add File: taken/d.txt\n+d\n*** End Patch'
    expect(await it.applyPatch({ patch })).toEqual(failure('cannot read taken/d.txt: ENOTDIR'))
    expect(filesOf(it)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n', taken: 'x\n' })
  })

  test('so does one that was changed while others were written: they are put back', async () => {
    using it = await bench({ 'a.sh': 'a\n', 'b.txt': 'b\n', 'gone.txt': 'gone\n' })
    chmodSync(join(it.root, 'a.sh'), 0o750)
    await it.read({ path: 'gone.txt' })
    const patch = `*** Begin Patch
*** Update File: a.sh
-a
+A
*** Add File: made/deep/c.txt
+c
*** Delete File: gone.txt
*** Update File: b.txt
-b
+B
*** End Patch`
    const keeping = () => writeFileSync(join(it.root, 'b.txt'), 'theirs\n')
    expect(await it.applyPatch({ patch }, { keeping })).toEqual(
      failure('b.txt is not what it was: read it again; nothing was changed'),
    )
    expect(filesOf(it)).toEqual({ 'a.sh': 'a\n', 'b.txt': 'theirs\n', 'gone.txt': 'gone\n' })
    expect([existsSync(join(it.root, 'made')), statSync(join(it.root, 'a.sh')).mode & 0o777]).toEqual([false, 0o750])
  })

  test('what somebody else has changed by then is theirs: it stays, and that is said', async () => {
    using it = await bench({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const found = (text: string) => ({ state: state(text), content: Buffer.from(text) })
    const at = (name: string) => ({ real: join(it.root, name), name })
    const after = { content: Buffer.from('mine\n') }
    const counts = { added: 1, removed: 1 }
    const second = {
      name: 'b.txt',
      // Asked for once the first was written.
      get real() {
        writeFileSync(join(it.root, 'a.txt'), 'theirs\n')
        return join(it.root, 'b.txt')
      },
    }
    const changes = [
      { target: at('a.txt'), before: found('a\n'), after, ...counts },
      { target: second, before: found('not b\n'), after, ...counts },
    ]
    expect(await change(changes, '', benchOf(wall(), { keep: async () => {} }).bench)).toEqual({
      kind: 'failed',
      message: 'b.txt is not what it was: read it again; and could not be put back: a.txt',
      changed: ['a.txt'],
      files: [{ path: 'a.txt', before: state('a\n'), after: state('mine\n'), ...counts }],
    })
    expect(filesOf(it)).toEqual({ 'a.txt': 'theirs\n', 'b.txt': 'b\n' })
  })
})

describe('whatever the change', () => {
  const line = fc.constantFrom(
    '',
    'a',
    'b',
    'c',
    '-- a',
    '++ b',
    '@@ -1 +1 @@',
    '\\ x',
    ' ',
    'd\r',
    '“q”',
    '*** End Patch',
    'diff --git a/x b/x',
  )
  const text = fc
    .tuple(fc.array(line, { maxLength: 14 }), fc.boolean())
    .map(([lines, last]) => lines.join('\n') + (last && lines.length > 0 ? '\n' : ''))

  test('applying the difference that is shown makes the change', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(before !== after)
        using it = await bench({ 'a.txt': before })
        const patch = diffOf({ name: 'a.txt', text: before }, { name: 'a.txt', text: after }).text
        const report = await it.applyPatch({ patch })
        expect([report.kind, textOf(it, 'a.txt')]).toEqual(['ok', after])
        // And what it shows is the same again.
        expect(report).toMatchObject({ output: patch })
      }),
      { numRuns: process.env['BELLHOP_LONG'] ? 2000 : 200 },
    )
  })

  test('of several files at once, so does theirs: made, deleted, moved, changed', async () => {
    const side = fc.option(text, { nil: null })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(side, side), { minLength: 1, maxLength: 4 }), async (changes) => {
        const files = changes.flatMap(([before, after], i) =>
          before === after || (before === null && after === null) ? [] : [{ name: `f${i}.txt`, before, after }],
        )
        fc.pre(files.length > 0)
        using it = await bench(
          Object.fromEntries(files.flatMap(({ name, before }) => (before === null ? [] : [[name, before]]))),
        )
        const patch = files
          .map(
            ({ name, before, after }) =>
              diffOf(before === null ? null : { name, text: before }, after === null ? null : { name, text: after })
                .text,
          )
          .join('')
        expect(await it.applyPatch({ patch })).toMatchObject({ kind: 'ok', output: patch })
        expect(filesOf(it)).toEqual(
          Object.fromEntries(files.flatMap(({ name, after }) => (after === null ? [] : [[name, after]]))),
        )
      }),
      { numRuns: process.env['BELLHOP_LONG'] ? 1000 : 100 },
    )
  })

  test('a patch of any text changes all it names or nothing', async () => {
    const piece = fc.constantFrom(
      '--- a/a.txt\n+++ b/a.txt\n',
      '@@ -1,2 +1,2 @@\n',
      ' one\n',
      '-one\n',
      '+uno\n',
      '-two\n',
      '*** Begin Patch\n',
      '*** Update File: a.txt\n',
      '*** Add File: b.txt\n',
      '*** Delete File: a.txt\n',
      '*** Move to: c.txt\n',
      '*** End Patch\n',
      '@@\n',
      'rename from a.txt\nrename to c.txt\n',
      'diff --git a/a.txt b/c.txt\n',
      '\\ No newline at end of file\n',
      '\r\n',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 10 }), async (pieces) => {
        using it = await bench({ 'a.txt': 'one\ntwo\n' })
        const report = await it.applyPatch({ patch: pieces.join('') || ' ' })
        if (report.kind !== 'ok') expect(filesOf(it)).toEqual({ 'a.txt': 'one\ntwo\n' })
        else
          expect(existsSync(join(it.root, 'a.txt'))).toBe(
            report.files?.find(({ path }) => path === 'a.txt')?.after !== null,
          )
      }),
      { numRuns: process.env['BELLHOP_LONG'] ? 2000 : 200 },
    )
  })
})
