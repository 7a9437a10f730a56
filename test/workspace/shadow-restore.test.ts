import { chmodSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FileChange, FileState } from '../../src/shapes/turn.ts'
import type { Change } from '../../src/workspace/shadow-diff.ts'
import { type Looked, lookAt, planRestore, putBack } from '../../src/workspace/shadow-restore.ts'
import { stateOf } from '../../src/workspace/state.ts'
import { contentsOf, makeExecutable, type TestShadow, testShadow } from './shadow-folders.ts'

const file = (text: string): FileState => stateOf(Buffer.from(text), false)

/** Does something to the workspace, and says what that changed. */
const step = async ({ shadow }: TestShadow, work: () => void): Promise<FileChange[]> => {
  const before = await shadow.tree()
  work()
  return shadow.changes(before, await shadow.tree())
}

/** Looks at what lists of changes come to, and puts back what is ready, and what is not where that is forced. */
const restore = async ({ workspace, shadow }: TestShadow, lists: (readonly Change[])[], force = false) => {
  const looked = await lookAt(workspace, shadow, planRestore(lists))
  const files = looked.filter(({ stands }) => stands === 'ready' || (force && stands === 'conflict'))
  return {
    looked: looked.map(({ path, stands, why }) => [path, stands, why]),
    ...(await putBack(workspace, shadow, files)),
  }
}

describe('what steps come to', () => {
  const [A, B, C] = [file('a'), file('b'), file('c')]
  const change = (path: string, before: FileState | null, after: FileState | null): Change => ({ path, before, after })

  test.each<[string, Change[][], ReturnType<typeof planRestore>]>([
    ['nothing of nothing', [], []],
    ['each file once', [[change('x', A, B)], [change('x', B, C)]], [{ ...change('x', A, C), between: false }]],
    [
      'without what was changed back',
      [[change('x', A, B), change('y', null, A)], [change('x', B, A)]],
      [{ ...change('y', null, A), between: false }],
    ],
    ['without what came and went', [[change('x', null, B)], [change('x', B, null)]], []],
    [
      'with what went and came as something else',
      [[change('x', A, null)], [change('x', null, C)]],
      [{ ...change('x', A, C), between: false }],
    ],
    [
      'with what somebody else changed in between',
      [[change('x', A, B)], [change('x', C, A)], [change('x', A, B)]],
      [{ ...change('x', A, B), between: true }],
    ],
  ])('%s', (_what, lists, plan) => {
    expect(planRestore(lists)).toEqual(plan)
  })
})

describe('files', () => {
  test('come back with their bytes, their modes and where they lead to', async () => {
    using ws = await testShadow({
      'a.txt': 'a\r\n',
      'run.sh': '#!/bin/sh\n',
      'gone/deep.txt': 'deep\n',
      'plain.sh': 'p',
    })
    makeExecutable(join(ws.root, 'run.sh'))
    writeFileSync(join(ws.root, 'image'), Buffer.from([0, 255, 10, 13, 0]))
    symlinkSync('a.txt', join(ws.root, 'link'))
    const before = contentsOf(ws.root)
    const changes = await step(ws, () => {
      ws.write('a.txt', 'b')
      chmodSync(join(ws.root, 'run.sh'), 0o644)
      makeExecutable(join(ws.root, 'plain.sh'))
      rmSync(join(ws.root, 'gone'), { recursive: true })
      writeFileSync(join(ws.root, 'image'), 'text')
      rmSync(join(ws.root, 'link'))
      ws.write('link', 'no link any more')
      ws.write('made/up/x', 'x')
      symlinkSync('/etc/passwd', join(ws.root, 'made/link'))
    })
    const { looked, failed } = await restore(ws, [changes])
    expect([looked.every(([, stands]) => stands === 'ready'), failed, contentsOf(ws.root)]).toEqual([true, [], before])
  })

  test('take the place of folders, folders that of files, and both that of links', async () => {
    using ws = await testShadow({ file: 'f', 'folder/in/x': 'x', 'folder/y': 'y', 'linked/z': 'z' })
    const before = contentsOf(ws.root)
    const changes = await step(ws, () => {
      rmSync(join(ws.root, 'file'))
      ws.write('file/now/a', 'folder')
      rmSync(join(ws.root, 'folder'), { recursive: true })
      ws.write('folder', 'now a file')
      rmSync(join(ws.root, 'linked'), { recursive: true })
      symlinkSync('/etc', join(ws.root, 'linked'))
    })
    const { failed } = await restore(ws, [changes])
    expect([failed, contentsOf(ws.root)]).toEqual([[], before])
  })

  test('that are not what the steps left are in conflict, each for its reason, and only force puts them back', async () => {
    using ws = await testShadow({ changed: '1', removed: '1', again: '1', back: '1', fine: '1' })
    const changes = await step(ws, () => {
      for (const name of ['changed', 'removed', 'back', 'fine']) ws.write(name, '2')
      rmSync(join(ws.root, 'again'))
    })
    ws.write('changed', '3')
    rmSync(join(ws.root, 'removed'))
    ws.write('again', '3')
    ws.write('back', '1')
    const gentle = await restore(ws, [changes])
    expect([gentle.looked, gentle.done, contentsOf(ws.root)]).toEqual([
      [
        ['again', 'conflict', 'is there again'],
        ['back', 'back', ''],
        ['changed', 'conflict', 'was changed since'],
        ['fine', 'ready', ''],
        ['removed', 'conflict', 'was removed since'],
      ],
      [{ path: 'fine', before: file('2'), after: file('1') }],
      { again: '644 3', back: '644 1', changed: '644 3', fine: '644 1' },
    ])
    const forced = await restore(ws, [changes], true)
    expect([forced.failed, contentsOf(ws.root)]).toEqual([
      [],
      { again: '644 1', back: '644 1', changed: '644 1', fine: '644 1', removed: '644 1' },
    ])
  })

  test('that somebody else changed in between are in conflict', async () => {
    using ws = await testShadow({ x: '1' })
    const first = await step(ws, () => ws.write('x', '2'))
    ws.write('x', 'a person’s own')
    const second = await step(ws, () => ws.write('x', '3'))
    const { looked } = await restore(ws, [first, second])
    expect(looked).toEqual([['x', 'conflict', 'was changed by somebody else in between']])
  })

  test('that changed after they were looked at are left alone, and it is said', async () => {
    using ws = await testShadow({ x: '1', y: '1' })
    const changes = await step(ws, () => {
      ws.write('x', '2')
      ws.write('y', '2')
      ws.write('z', '2')
    })
    const looked = await lookAt(ws.workspace, ws.shadow, planRestore([changes]))
    ws.write('x', '3')
    ws.write('z', '3')
    expect(await putBack(ws.workspace, ws.shadow, looked)).toEqual({
      done: [{ path: 'y', before: file('2'), after: file('1') }],
      failed: [
        { path: 'z', why: 'z is not what it was: read it again' },
        { path: 'x', why: 'x is not what it was: read it again' },
      ],
    })
    expect(contentsOf(ws.root)).toEqual({ x: '644 3', y: '644 1', z: '644 3' })
  })

  test('whose contents were never kept are lost, and nothing is made of them', async () => {
    using ws = await testShadow({ x: 'now' })
    const plan = [{ path: 'x', before: file('never kept'), after: file('now') }]
    expect(await restore(ws, [plan], true)).toEqual({
      looked: [['x', 'lost', 'what it was is not kept']],
      done: [],
      failed: [],
    })
  })

  test.each([
    ['outside', '../outside'],
    ['outside, by way of inside', 'a/../../outside'],
    ['absolute', '/etc/passwd'],
    ['in git’s own folder', '.git/hooks/pre-commit'],
    ['in git’s own folder, as some systems see it', 'sub/.GIT/config'],
    ['off limits', 'data/secrets.json'],
    ['of no text', '"no\\377text"'],
    ['of nothing', ''],
    ['with an end in it', 'a\0b'],
  ])('%s are not touched, whatever evidence says', async (_where, path) => {
    using ws = await testShadow({ 'data/secrets.json': 'x', '.git/hooks/x': 'x' }, { offLimits: ['data'] })
    await ws.shadow.keep(Buffer.from('planted'))
    const before = contentsOf(join(ws.root, '..'))
    const plan = planRestore([[{ path, before: file('planted'), after: null }]])
    const looked = await lookAt(ws.workspace, ws.shadow, plan)
    // Even where somebody says that all is well.
    const ready = looked.map((one): Looked => ({ ...one, stands: 'ready' }))
    const { done } = await putBack(ws.workspace, ws.shadow, ready)
    const { ws: _, ...rest } = { ws: null, stands: looked.map(({ stands }) => stands), done }
    expect([rest, contentsOf(join(ws.root, '..'))]).toEqual([{ stands: ['lost'], done: [] }, before])
  })

  test('are not written through a folder that has become a link', async () => {
    using ws = await testShadow({ 'd/x': '1', 'e/keep': 'e' })
    const changes = await step(ws, () => ws.write('d/x', '2'))
    rmSync(join(ws.root, 'd'), { recursive: true })
    symlinkSync('e', join(ws.root, 'd'))
    const { looked, failed } = await restore(ws, [changes], true)
    expect([looked, failed.map(({ path }) => path), contentsOf(ws.root)]).toEqual([
      [['d/x', 'conflict', 'was removed since']],
      ['d/x'],
      { d: 'link e', 'e/': '', 'e/keep': '644 e' },
    ])
  })

  test('leave folders behind that others have put something into', async () => {
    using ws = await testShadow({ a: '' })
    const changes = await step(ws, () => ws.write('made/deep/x', 'x'))
    ws.write('made/mine', 'mine')
    await restore(ws, [changes])
    expect(contentsOf(ws.root)).toEqual({ a: '644 ', 'made/': '', 'made/mine': '644 mine' })
  })
})

/** What can be done to a path: it becomes a file, a program or a link, or goes. */
type Deed = { path: string; make: 'file' | 'program' | 'link' | 'nothing'; text: string }

const PATHS = ['a', 'a/b', 'a/b/c', 'd/e', 'd/f', 'line\nbreak', '"q"', 'ünï/ж', 'x.sh']

const deed: fc.Arbitrary<Deed> = fc.record({
  path: fc.constantFrom(...PATHS),
  make: fc.constantFrom('file', 'file', 'program', 'link', 'nothing'),
  text: fc.oneof(fc.constantFrom('a', 'd', '/etc', 'same'), fc.string({ minLength: 1, unit: 'binary-ascii' })),
})

const carryOut = (root: string, { path, make, text }: Deed): void => {
  clearWay(root, path)
  const place = join(root, path)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(dirname(place), { recursive: true })
  if (make === 'link') symlinkSync(text.replaceAll('\0', '0'), place)
  if (make === 'file' || make === 'program') writeFileSync(place, text)
  if (make === 'program') chmodSync(place, 0o755)
  if (make === 'nothing') pruneUp(root, dirname(path))
}

/** What is in the way of a folder goes. */
const clearWay = (root: string, path: string): void => {
  const parts = path.split('/')
  for (let i = 1; i < parts.length; i++) {
    const place = join(root, ...parts.slice(0, i))
    if (!lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) rmSync(place, { force: true })
  }
}

/** Git knows of no empty folders: there are none in this either. */
const pruneUp = (root: string, folder: string): void => {
  if (folder === '.' || readdirSync(join(root, folder)).length > 0) return
  rmdirSync(join(root, folder))
  pruneUp(root, dirname(folder))
}

test('from any steps, in any order, there is a way back to before each of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(deed, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.nat(),
      async (rounds, back) => {
        using ws = await testShadow({ a: 'first', 'd/e': 'second' })
        const moments = [{ tree: await ws.shadow.tree(), contents: contentsOf(ws.root) }]
        const lists: FileChange[][] = []
        for (const deeds of rounds) {
          for (const one of deeds) carryOut(ws.root, one)
          const tree = await ws.shadow.tree()
          lists.push(await ws.shadow.changes(moments.at(-1)?.tree ?? '', tree))
          moments.push({ tree, contents: contentsOf(ws.root) })
        }
        const k = back % rounds.length
        const { looked, failed } = await restore(ws, lists.slice(k))
        expect(looked.every(([, stands]) => stands === 'ready')).toBe(true)
        expect([failed, contentsOf(ws.root), await ws.shadow.tree()]).toEqual([
          [],
          moments[k]?.contents,
          moments[k]?.tree,
        ])
      },
    ),
    { numRuns: process.env['BELLHOP_LONG'] ? 150 : 15 },
  )
}, 600_000)
