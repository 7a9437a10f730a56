import { existsSync, type Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { execa } from 'execa'
import type { Scope } from '../shapes/peripheral.ts'
import { contains, type Workspace } from './paths.ts'
import { denier } from './scope.ts'

/** The most places that are hidden: each is a mount of its own in the sandbox, and there is an end to these. */
const MOST = 2500

/**
 * The real paths in a workspace that are denied, for a sandbox to cover: files and folders, and of a folder not what is
 * in it. So is what is off limits. Not the workspace's own `.git`, which a sandbox has its own rules for. Nothing is
 * left out for being somebody else's, such as `node_modules`: a secret in there is one too, and it would be where to put
 * one. All names are asked for and judged here, as that is quicker than to have them matched twice. An error where it
 * cannot be known: then nothing may run.
 */
export const hiddenIn = async ({ root, offLimits }: Workspace, { deny }: Scope, path: string): Promise<string[]> => {
  const off = offLimits.filter((place) => contains(root, place) && existsSync(place))
  const denied = denier(deny)
  const at = { root, path }
  const names = await namesIn(at, ['.git', ...off.map((place) => relative(root, place))])
  const hidden: string[] = []
  for (const [i, name] of names.entries()) {
    // Others get their turn.
    if (i % 2000 === 0) await setImmediate()
    if (!isBelow(name, hidden.at(-1)) && denied(name)) hidden.push(name)
    if (hidden.length > MOST) throw new Error(`more than ${MOST} files of ${root} are to be hidden`)
  }
  const places = await Promise.all(hidden.map((name) => placeOf(root, join(root, name))))
  const there = places.filter((place) => place !== null)
  return [...there.map(({ real }) => real), ...(await otherNames(at, there)), ...off]
}

type Place = { real: string; stat: Stats }

/** A name that is no text cannot be given to a sandbox: its folder is hidden. What is gone by now is null. */
const placeOf = async (root: string, real: string): Promise<Place | null> => {
  const stat = await lstat(real).catch(() => null)
  if (stat) return { real, stat }
  if (!real.includes('\uFFFD')) return null
  if (dirname(real) === root) throw new Error(`a file of ${root} cannot be hidden: its name is no text`)
  return placeOf(root, dirname(real))
}

const isBelow = (name: string, folder: string | undefined): boolean =>
  folder !== undefined && name.startsWith(`${folder}/`)

/** The names of all files and folders, a folder before what is in it; not of links, as these are not what they lead to. */
/** Where it is looked, and where the program that does it is. */
type At = { root: string; path: string }

const namesIn = async (at: At, left: readonly string[]): Promise<string[]> => {
  const pruned = left.flatMap((name) => ['-path', `./${name.replace(/[\\*?[\]]/g, '\\$&')}`, '-prune', '-o'])
  const found = await find(at, [...pruned, '-name', '.git', '!', '-type', 'l', '-prune', '-print0', '-o', ...PLAIN])
  return found.map((path) => path.slice(2)).filter((name) => name !== '')
}

const PLAIN = ['!', '-type', 'l', '-print0']

/** A file that is hidden under one name is not to be read under another. */
const otherNames = async (at: At, hidden: readonly Place[]): Promise<string[]> => {
  const shared = hidden.flatMap(({ stat }) => (stat.isFile() && stat.nlink > 1 ? [stat.ino] : []))
  if (shared.length === 0) return []
  const inodes = shared.flatMap((inode, i) => [...(i === 0 ? [] : ['-o']), '-inum', `${inode}`])
  const found = await find(at, ['-type', 'f', '(', ...inodes, ')', '-print0'])
  const known = new Set(hidden.map(({ real }) => real))
  return found.map((path) => join(at.root, path)).filter((place) => !known.has(place))
}

/** Arguments one by one; names as they are, whatever is in them. */
const find = async ({ root, path }: At, expression: readonly string[]): Promise<string[]> => {
  const options = { cwd: root, encoding: 'buffer', stripFinalNewline: false, stdin: 'ignore', reject: false } as const
  const { exitCode, stdout, timedOut, isMaxBuffer, shortMessage } = await execa('find', ['.', ...expression], {
    ...options,
    env: { PATH: path, LC_ALL: 'C' },
    extendEnv: false,
    timeout: 30_000,
    maxBuffer: 1_000_000_000,
  })
  // A folder that cannot be read, or is gone by now, hides what is in it by itself.
  const whole = exitCode === 0 || (exitCode === 1 && stdout.length > 0)
  if (!whole || timedOut || isMaxBuffer) throw new Error(`find did not find out what is to be hidden: ${shortMessage}`)
  return Buffer.from(stdout.buffer, stdout.byteOffset, stdout.byteLength).toString().split('\0').slice(0, -1)
}
