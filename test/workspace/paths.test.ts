import {
  closeSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { type Inside, inside, openInside, openWorkspace } from '../../src/workspace/paths.ts'
import { scratch } from '../support/folder.ts'
import { swapping } from './swapping.ts'

const ROUNDS = process.env['BELLHOP_LONG'] ? 20_000 : 2000

/** A workspace with something beside it that is not its business. */
const stage = async () => {
  const folder = scratch()
  const above = realpathSync(folder.path)
  const root = join(above, 'ws')
  mkdirSync(root)
  const workspace = await openWorkspace(root, [])
  const at = (name: string): Inside => ({ real: join(root, name), name })
  return { ...folder, above, root, workspace, at, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

/** What comes of opening it: its content, that it is a folder, or why not. */
const opening = async (target: Inside, hardLinks = false): Promise<string> => {
  const opened = await openInside(target, hardLinks)
  if (typeof opened === 'string') return opened
  try {
    return opened.folder ? 'a folder' : `content: ${readFileSync(opened.door, 'utf8')}`
  } finally {
    closeSync(opened.fd)
  }
}

test('files and folders are opened, by a door that leads to them whatever happens to their names', async () => {
  using it = await stage()
  it.write('ws/src/a.txt', 'a')
  const opened = await openInside(it.at('src/a.txt'))
  if (typeof opened === 'string') throw new Error(opened)
  unlinkSync(join(it.root, 'src/a.txt'))
  it.write('ws/src/a.txt', 'another')
  expect(readFileSync(opened.door, 'utf8')).toBe('a')
  closeSync(opened.fd)
  expect([await opening(it.at('src')), await opening(it.at('src/a.txt'))]).toEqual(['a folder', 'content: another'])
})

test('what is no plain file is not opened, and nothing is waited for', async () => {
  using it = await stage()
  await execa('mknod', [join(it.root, 'fifo'), 'p'])
  const device = await execa('mknod', [join(it.root, 'zero'), 'c', '1', '5'], { reject: false })
  const socket = createServer().listen(join(it.root, 'socket'))
  try {
    expect(await opening(it.at('fifo'))).toBe('fifo is not a plain file')
    expect(await opening(it.at('socket'))).toBe('cannot read socket: ENXIO')
    if (device.exitCode === 0) expect(await opening(it.at('zero'))).toBe('zero is not a plain file')
  } finally {
    socket.close()
  }
})

test('a file with several names is opened only where that is asked for', async () => {
  using it = await stage()
  linkSync(it.write('outside.txt', 'outside'), join(it.root, 'a.txt'))
  expect(await opening(it.at('a.txt'))).toBe(
    'a.txt has several names (hard links), and where the others are nobody can say',
  )
  expect(await opening(it.at('a.txt'), true)).toBe('content: outside')
  unlinkSync(join(it.above, 'outside.txt'))
  expect(await opening(it.at('a.txt'))).toBe('content: outside')
})

test('a link that takes the place of a file or of its folder is not followed', async () => {
  using it = await stage()
  it.write('ws/here/a.txt', 'fine')
  it.write('outside/a.txt', 'outside')
  symlinkSync(join(it.above, 'outside/a.txt'), join(it.root, 'link'))
  expect(await opening(it.at('link'))).toBe('cannot read link: ELOOP')
  renameSync(join(it.root, 'here'), join(it.root, 'gone'))
  symlinkSync(join(it.above, 'outside'), join(it.root, 'here'))
  expect(await opening(it.at('here/a.txt'))).toBe('here/a.txt was changed while it was opened')
  expect(await opening(it.at('here'))).toBe('cannot read here: ELOOP')
})

test('whatever is swapped while it is opened, what is outside is not what was opened', async () => {
  using it = await stage()
  it.write('ws/here/a.txt', 'fine')
  it.write('outside/a.txt', 'outside')
  const target = await inside(it.workspace, 'here/a.txt')
  if (!target) throw new Error('not inside')
  const told = new Set<string>()
  {
    using _swaps = swapping(join(it.root, 'here'), join(it.above, 'outside'), join(it.above, 'aside'))
    // It must be opened at times, and the link be met at times: otherwise this would prove nothing.
    const both = () => told.has('content: fine') && told.has('here/a.txt was changed while it was opened')
    for (let i = 0; i < ROUNDS || !both(); i++) told.add(await opening(target))
  }
  expect([...told].filter((answer) => answer.includes('outside'))).toEqual([])
})

test('the same for what is resolved: an answer is inside, or there is none', async () => {
  using it = await stage()
  it.write('ws/here/a.txt', 'fine')
  it.write('outside/a.txt', 'outside')
  using _swaps = swapping(join(it.root, 'here'), join(it.above, 'outside'), join(it.above, 'aside'))
  for (let i = 0; i < ROUNDS; i++) {
    const found = await inside(it.workspace, 'here/a.txt').catch(() => null)
    if (found) expect(found).toEqual({ real: join(it.root, 'here/a.txt'), name: 'here/a.txt' })
  }
})

test('the doors of the machine lead nowhere', async () => {
  using it = await stage()
  it.write('ws/a.txt', 'fine')
  symlinkSync('/proc/self/root', join(it.root, 'root'))
  symlinkSync(`/proc/${process.pid}/fd`, join(it.root, 'fds'))
  symlinkSync('/dev/fd/0', join(it.root, 'in'))
  const ways = [
    '/proc/self/environ',
    'root/etc/passwd',
    'fds',
    'fds/0',
    'in',
    '/dev/zero',
    '/dev/stdin',
    '/proc/self/mem',
  ]
  const found = await Promise.all(ways.map((way) => inside(it.workspace, way).catch(() => null)))
  expect(found).toEqual(ways.map(() => null))
  expect(await inside(it.workspace, `root${it.root}/a.txt`)).toEqual(it.at('a.txt'))
})
