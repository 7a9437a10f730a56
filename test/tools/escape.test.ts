import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolCall } from '../../src/shapes/peripheral.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { type Bench, bench, call, failure, fine, PATH, shownOf } from './bench.ts'

/** What lies outside and in the data folder: a word in every file, and a file that no test names. */
const CANARY = 'CANARY-4711'
const LISTED = 'listed-4711.txt'

const TOOLS = ['read', 'grep', 'glob'] as const
type ToolUnderTest = (typeof TOOLS)[number]

/** The call that would show most of what is at a path. */
const prying = (tool: ToolUnderTest, path: string): ToolCall['args'] =>
  ({ read: { path }, grep: { pattern: '.', path }, glob: { pattern: '**', path } })[tool]

const leaks = (report: StepReport): boolean => {
  const told = JSON.stringify(report)
  return told.includes(CANARY) || told.includes(LISTED)
}

/** A workspace with a data folder in it and secrets all around, and links of every kind that lead there. */
const besieged = async () => {
  const it = await bench(
    {
      'README.md': '# a workspace\n',
      'src/a.ts': 'export const a = 1\n',
      'data/secret.txt': `${CANARY}\n`,
      [`data/${LISTED}`]: `${CANARY}\n`,
      [`data/deep/${LISTED}`]: `${CANARY}\n`,
    },
    { offLimits: ['data'] },
  )
  for (const folder of ['outside', 'outside/deep', 'ws-evil', 'ws/../data']) {
    it.write(`${folder}/secret.txt`, `${CANARY}\n`)
    it.write(`${folder}/${LISTED}`, `${CANARY}\n`)
  }
  const link = (to: string, name: string) => symlinkSync(to, join(it.root, name))
  const outside = join(it.above, 'outside')
  link(join(outside, 'secret.txt'), 'file-link')
  link('../outside/secret.txt', 'relative-link')
  link(outside, 'folder-link')
  link('../../outside', 'src/folder-link')
  link('file-link', 'chain-1')
  link('chain-1', 'chain-2')
  link('chain-2', 'chain-3')
  link('folder-link', 'folder-chain')
  link('..', 'parent-link')
  link('/', 'root-link')
  link('/proc/self/root', 'proc-link')
  link('/proc/self/cwd', 'cwd-link')
  link('loop-b', 'loop-a')
  link('loop-a', 'loop-b')
  link('self', 'self')
  link('../outside/not-there', 'dangling')
  link('missing/../dangling-loop', 'dangling-loop')
  link('data', 'data-link')
  link(join(it.root, 'data/secret.txt'), 'data-file-link')
  link('data-link/deep', 'data-chain')
  link('..', 'src/back')
  await execa('mknod', [join(it.root, 'fifo'), 'p'])
  const socket = createServer().listen(join(it.root, 'socket'))
  const device = await execa('mknod', [join(it.root, 'zero'), 'c', '1', '5'], { reject: false })
  return {
    ...it,
    outside,
    devices: device.exitCode === 0 ? ['fifo', 'socket', 'zero'] : ['fifo', 'socket'],
    [Symbol.dispose]: () => {
      socket.close()
      it[Symbol.dispose]()
    },
  }
}

let it: Awaited<ReturnType<typeof besieged>>
beforeAll(async () => {
  it = await besieged()
})
afterAll(() => it[Symbol.dispose]())

/** Paths that really lead out of the workspace or into the data folder: `@` stands for the folder above, `#` for data. */
const OUT = [
  // climbing out
  '..',
  '../',
  '../.',
  './..',
  '../..',
  '../outside',
  '../outside/',
  '../outside//',
  '../outside/secret.txt',
  './../outside/secret.txt',
  './/..//outside//secret.txt',
  'src/../../outside/secret.txt',
  'src/./.././../outside/secret.txt',
  'missing/../../outside/secret.txt',
  'src/a.ts/../../../outside/secret.txt',
  '../ws/../outside/secret.txt',
  '../ws-evil/secret.txt',
  '../ws-evil',
  '../outside/not-there',
  '../outside/secret.txt/',
  '../outside/secret.txt/.',
  '../outside/secret.txt/not-there',
  `${'../'.repeat(60)}etc/passwd`,
  // absolute
  '/',
  '//',
  '/.',
  '/..',
  '/etc/passwd',
  '//etc/passwd',
  '/etc/../etc/passwd',
  '@',
  '@/',
  '@/outside',
  '@/outside/secret.txt',
  '/@/outside/secret.txt',
  '@/./outside/./secret.txt',
  '@/ws/../outside/secret.txt',
  '@/ws/src/../../outside/secret.txt',
  '@/ws-evil/secret.txt',
  '@/outside/not-there/at/all',
  // the machine's own doors
  '/proc/self/root',
  '/proc/self/root/etc/passwd',
  '/proc/self/root@/outside/secret.txt',
  '/proc/thread-self/root@/outside/secret.txt',
  '/proc/self/environ',
  '/proc/self/cmdline',
  '/proc/self/maps',
  '/dev/zero',
  '/dev/null',
  '/dev/tty',
  '/sys/kernel',
  // links
  'file-link',
  './file-link',
  'file-link/',
  'relative-link',
  'folder-link',
  'folder-link/',
  'folder-link/.',
  'folder-link/secret.txt',
  'folder-link//secret.txt',
  'folder-link/deep/secret.txt',
  'folder-link/not-there',
  'src/folder-link',
  'src/folder-link/secret.txt',
  'src/../folder-link/secret.txt',
  'chain-1',
  'chain-3',
  'folder-chain',
  'folder-chain/secret.txt',
  'parent-link',
  'parent-link/outside/secret.txt',
  'src/back/parent-link/outside/secret.txt',
  'root-link',
  'root-link/etc/passwd',
  'root-link@/outside/secret.txt',
  'proc-link@/outside/secret.txt',
  'src/back/file-link',
  '@/ws/file-link',
  '@/ws/folder-link/secret.txt',
  // the data folder, which is off limits
  'data',
  'data/',
  'data/.',
  './data',
  'data/secret.txt',
  'data//secret.txt',
  './/data/./secret.txt',
  'data/deep',
  'data/not-there',
  'data/secret.txt/',
  'data/secret.txt/not-there',
  'src/../data/secret.txt',
  'missing/../data/secret.txt',
  'data/../data/secret.txt',
  '../ws/data',
  '../ws/data/secret.txt',
  '#',
  '#/secret.txt',
  '/#/secret.txt',
  '#/../data/secret.txt',
  'data-link',
  'data-link/',
  'data-link/secret.txt',
  'data-file-link',
  'data-chain',
  'src/back/data/secret.txt',
  'src/back/data-link/secret.txt',
  'parent-link/ws/data/secret.txt',
  'root-link#/secret.txt',
  'proc-link#/secret.txt',
  '/proc/self/root#/secret.txt',
  '../data/secret.txt',
  // a name that ends before it ends
  '\0',
  'README.md\0',
  'README.md\0../outside/secret.txt',
  '../outside/secret.txt\0.md',
  'data\0',
]

/** Paths that the file system itself cannot follow to an end. */
const UNJUDGED = [
  'loop-a',
  'loop-b',
  'loop-a/secret.txt',
  'self',
  'self/self/self',
  'dangling',
  'dangling-loop',
  'n'.repeat(256),
  `src/${'n'.repeat(4000)}`,
  `${'src/../'.repeat(3)}${'n'.repeat(300)}`,
]

/** Names that look like a way out and are plain names, of which there is none in the workspace. */
const NAMES = [
  '~',
  '~/secret.txt',
  '~root/.bashrc',
  'file:///etc/passwd',
  'file:../outside/secret.txt',
  'http://localhost/secret.txt',
  '...',
  '.../outside/secret.txt',
  '..\\outside\\secret.txt',
  '..%2foutside%2fsecret.txt',
  '%2e%2e/outside/secret.txt',
  '..%00/outside',
  '．．/outside/secret.txt',
  '‥/outside/secret.txt',
  '․․/outside/secret.txt',
  '..∕outside∕secret.txt',
  '..⁄outside⁄secret.txt',
  '..／outside／secret.txt',
  '.\u200b./outside/secret.txt',
  '\u202e../outside/secret.txt',
  ' ../outside/secret.txt',
  '.. /outside/secret.txt',
  '\n../outside/secret.txt',
  'DATA/secret.txt',
  'Data',
  'data ',
  'dat\u0430',
  'folder-link\\secret.txt',
  'folder-link/../outside/secret.txt',
  'C:\\Windows\\win.ini',
  '\\\\server\\share',
  '$HOME/.bashrc',
  '$(cat secret.txt)',
  '`cat secret.txt`',
  '; cat secret.txt',
  '| cat secret.txt',
  '*',
  '**/secret.txt',
  '{src,..}/secret.txt',
  '--',
  '-',
  '--files',
  '--hidden',
  '--no-ignore',
  '-uuu',
  '--follow',
  '--pre=cat',
  '-f/etc/passwd',
  '--ignore-file=data/secret.txt',
  'README.md/x',
  'n/'.repeat(100),
]

const spelt = (path: string): string => path.replace(/@/g, it.above).replace(/#/g, join(it.root, 'data'))

describe.each(TOOLS)('%s', (tool) => {
  test.each(OUT.map((path) => [path]))('is refused what is out of scope: %j', async (path) => {
    const asked = spelt(path)
    const report = await it[tool](prying(tool, asked))
    expect(report).toEqual({
      kind: 'refused',
      refusal: {
        code: 'out-of-scope',
        message: `${asked} is outside of what explore may touch: the workspace`,
        remedy: 'stay inside the scope of the peripheral',
      },
    })
  })

  test.each(UNJUDGED.map((path) => [path.slice(0, 40), path]))(
    'is refused what cannot be judged: %j',
    async (_, path) => {
      const report = await it[tool](prying(tool, path))
      expect(report).toMatchObject({ kind: 'refused', refusal: { code: 'gate-failed' } })
      expect(leaks(report)).toBe(false)
    },
  )

  test.each(NAMES.map((path) => [path]))('takes a name for a name and nothing more: %j', async (path) => {
    const name = path
      .replace(/^folder-link\/\.\.\//, '')
      .replace(/\/+/g, '/')
      .replace(/\/$/, '')
    const told = path === 'README.md/x' ? `cannot read ${name}: ENOTDIR` : `there is no file ${name}`
    expect(await it[tool](prying(tool, path))).toEqual(failure(told))
  })

  test('does not open what is neither a file nor a folder', async () => {
    const reports = await Promise.all(it.devices.map((name) => it[tool](prying(tool, name))))
    // A socket cannot even be opened; the others are looked at and left alone.
    expect(reports).toEqual(
      it.devices.map((name) =>
        failure(name === 'socket' ? `cannot read socket: ENXIO` : `${name} is not a plain file`),
      ),
    )
  })
})

test('there are enough ways out to mean something', () => {
  expect(new Set([...OUT, ...UNJUDGED, ...NAMES]).size).toBe(OUT.length + UNJUDGED.length + NAMES.length)
  expect(OUT.length).toBeGreaterThan(100)
})

describe('whatever the path', () => {
  const parts = [
    ...['..', '.', '', '/', '~', 'ws', 'outside', 'data', 'secret.txt', 'src', 'deep', 'a.ts', 'not-there', '\0'],
    ...['file-link', 'folder-link', 'chain-3', 'parent-link', 'root-link', 'proc-link', 'cwd-link', 'loop-a', 'self'],
    ...['data-link', 'data-chain', 'dangling', 'back', 'fifo', 'proc', 'tmp', '．．', '-f', '--pre=cat', ' ', '\n'],
  ]
  const path = fc.oneof(
    fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 8 }).map((some) => some.join('/')),
    fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 }).map((some) => join(it.above, ...some)),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.string({ minLength: 1, maxLength: 20 }).map((tail) => `../outside/${tail}`),
  )

  test.each(TOOLS)('%s never shows a word of what is outside or off limits', async (tool) => {
    await fc.assert(
      fc.asyncProperty(path, async (asked) => {
        const report = await it[tool](prying(tool, asked))
        expect(leaks(report)).toBe(false)
        // What was found is named by its place in the workspace.
        const strange = report.kind === 'ok' ? report.paths.filter((p) => p.startsWith('/') || p.startsWith('..')) : []
        expect(strange).toEqual([])
      }),
      { numRuns: tool === 'read' ? 1000 : 400, examples: [['cwd-link'], ['src/back'], ['.']] },
    )
  })

  test('no pattern shows it either, as a glob or as an expression', async () => {
    const signs = ['**', '*', '..', '.', '/', '{..,.}', '!', '[!a]', '?', 'secret', '.txt', 'data', '+(*)', '--', '\\']
    const pattern = fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 8 }).map((some) => some.join(''))
    await fc.assert(
      fc.asyncProperty(pattern, async (asked) => {
        expect(leaks(await it.glob({ pattern: asked }))).toBe(false)
        expect(leaks(await it.grep({ pattern: '.', glob: asked }))).toBe(false)
        expect(leaks(await it.grep({ pattern: `${asked}|.` }))).toBe(false)
      }),
      { numRuns: 60 },
    )
  })
})

test('a link inside the workspace to a place inside it is followed to what it really is', async () => {
  expect(await it.read({ path: 'src/back/README.md' })).toEqual(shownOf(it, 'README.md', '# a workspace\n'))
  expect(await it.grep({ pattern: 'const', path: 'src/back/src' })).toEqual(
    fine('src/a.ts:1:export const a = 1', ['src/a.ts']),
  )
})

test('a data folder that is given by a link is off limits by both its names, and is never listed', async () => {
  using own = await bench({ 'a.txt': 'a\n', 'kept/secret.txt': CANARY })
  symlinkSync('kept', join(own.root, 'state'))
  const workspace = await openWorkspace(own.root, [join(own.root, 'state')])
  for (const tool of TOOLS) {
    for (const path of ['state', 'state/secret.txt', 'kept', 'kept/secret.txt', 'kept/new/file.txt']) {
      expect(await call(workspace, tool, prying(tool, path))).toMatchObject({ refusal: { code: 'out-of-scope' } })
    }
  }
  expect(await call(workspace, 'glob', { pattern: '**' })).toEqual(fine('a.txt', ['a.txt']))
  expect(await call(workspace, 'grep', { pattern: '.' })).toEqual(fine('a.txt:1:a', ['a.txt']))
})

test('nothing is allowed in a workspace that lies inside the data folder', async () => {
  using own = await bench({ 'a.txt': 'a\n' })
  const workspace = await openWorkspace(own.root, [own.above])
  for (const tool of TOOLS) {
    for (const path of ['.', 'a.txt'])
      expect(await call(workspace, tool, prying(tool, path))).toMatchObject({ refusal: { code: 'out-of-scope' } })
  }
})

describe('what is swapped between the gate and the tool', () => {
  /** The folder `here` with a file, and the same names outside with the canary in them. */
  const stage = async () => {
    const own = await bench({ 'here/file.txt': 'fine\n', 'data/file.txt': `${CANARY}\n` }, { offLimits: ['data'] })
    own.write('outside/file.txt', `${CANARY}\n`)
    own.write(`outside/${LISTED}`, `${CANARY}\n`)
    return own
  }
  const swaps: [string, string, (own: Bench) => void, string][] = [
    [
      'the file for a link to a file outside',
      'here/file.txt',
      (own) => {
        unlinkSync(join(own.root, 'here/file.txt'))
        symlinkSync('../../outside/file.txt', join(own.root, 'here/file.txt'))
      },
      'cannot read here/file.txt: ELOOP',
    ],
    [
      'its folder for a link to a folder outside',
      'here/file.txt',
      (own) => {
        renameSync(join(own.root, 'here'), join(own.root, 'gone'))
        symlinkSync('../outside', join(own.root, 'here'))
      },
      'here/file.txt was changed while it was opened',
    ],
    [
      'its folder for a link to the data folder',
      'here/file.txt',
      (own) => {
        renameSync(join(own.root, 'here'), join(own.root, 'gone'))
        symlinkSync('data', join(own.root, 'here'))
      },
      'here/file.txt was changed while it was opened',
    ],
    [
      'a folder for a link to a folder outside',
      'here',
      (own) => {
        renameSync(join(own.root, 'here'), join(own.root, 'gone'))
        symlinkSync('../outside', join(own.root, 'here'))
      },
      'cannot read here: ELOOP',
    ],
    [
      'a file that was not there for a link to a file outside',
      'here/new.txt',
      (own) => symlinkSync('../../outside/file.txt', join(own.root, 'here/new.txt')),
      'cannot read here/new.txt: ELOOP',
    ],
    [
      'the workspace itself for a link to a folder outside',
      'here/file.txt',
      (own) => {
        renameSync(own.root, join(own.above, 'gone'))
        mkdirSync(join(own.above, 'fake'))
        symlinkSync(join(own.above, 'outside'), join(own.above, 'fake/here'))
        symlinkSync('fake', own.root)
      },
      'here/file.txt was changed while it was opened',
    ],
    [
      'a file for nothing',
      'here/file.txt',
      (own) => rmSync(join(own.root, 'here'), { recursive: true }),
      'there is no file here/file.txt',
    ],
  ]
  const cases = swaps.flatMap(([what, path, swap, told]) => TOOLS.map((tool) => ({ what, path, swap, told, tool })))

  test.each(cases)('$tool does not follow: $what', async ({ path, swap, told, tool }) => {
    using own = await stage()
    expect(await own[tool](prying(tool, path), { between: () => swap(own) })).toEqual(failure(told))
  })

  test.each([
    ['grep', 'here', 'here/file.txt:1:fine'],
    ['grep', 'here/file.txt', 'here/file.txt:1:fine'],
    ['glob', 'here', 'here/file.txt'],
    ['glob', 'here/file.txt', 'here/file.txt'],
  ] as const)(
    '%s of %s searches what was opened, even if its name is swapped after that',
    async (tool, path, found) => {
      using own = await stage()
      const swap = [`mv '${own.root}/here' '${own.root}/gone'`, `ln -s '${own.above}/outside' '${own.root}/here'`]
      const rg = own.write('bin/rg', ['#!/bin/sh', `PATH='${PATH}'`, ...swap, 'exec rg "$@"'].join('\n'))
      chmodSync(rg, 0o755)
      const report = await own[tool](prying(tool, path), { path: join(own.above, 'bin') })
      expect(report).toEqual(fine(found, ['here/file.txt']))
    },
  )
})
