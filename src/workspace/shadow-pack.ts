import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Git } from './shadow-git.ts'
import { isExecutable } from './state.ts'

/** From so many new files on it is worth it; and the largest of them that are worth it. */
const MANY = 1000
const LARGE = 256 * 1024

/** How many files are read before others get their turn: read one by one as promises, they take three times as long. */
const BREATH = 16

/**
 * Writes many new files and their folders into one pack beforehand. Git would make a file of each, which takes several
 * times as long and as much space. Nothing depends on it: what is missing, or has changed since, is added as usual.
 */
export const packBeforehand = async (git: Git, root: string, names: readonly Buffer[]): Promise<void> => {
  if (names.length < MANY) return
  const settings = ['-c', 'pack.compression=1', 'fast-import', '--quiet', '--force', '--depth=0']
  await git(settings, { input: commitOf(root, names) })
}

/** A commit that nobody looks at: it is how git is told of files with their folders. */
async function* commitOf(root: string, names: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield Buffer.from('commit refs/bellhop/packed\ncommitter bellhop <bellhop> 0 +0000\ndata 0\n\n')
  for (let i = 0; i < names.length; i += BREATH) {
    yield Buffer.concat(names.slice(i, i + BREATH).flatMap((name) => modification(root, name)))
    await setImmediate()
  }
}

/** What fast-import is told of one file; nothing where it cannot be read. */
const modification = (root: string, name: Buffer): Buffer[] => {
  try {
    const { kind, content } = whatIsAt(Buffer.concat([Buffer.from(`${root}/`), name]))
    const head = `M ${kind} inline "${[...name].map(octal).join('')}"\ndata ${content.length}\n`
    return [Buffer.from(head), content, Buffer.from('\n')]
  } catch {
    return []
  }
}

const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`

const whatIsAt = (place: Buffer): { kind: string; content: Buffer } => {
  if (lstatSync(place).isSymbolicLink()) return { kind: '120000', content: readlinkSync(place, 'buffer') }
  const opened = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(opened)
    if (!stat.isFile() || stat.size > LARGE) throw new Error('is not worth it')
    return { kind: isExecutable(stat.mode) ? '100755' : '100644', content: readFileSync(opened) }
  } finally {
    closeSync(opened)
  }
}
