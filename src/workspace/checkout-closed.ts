import { relative } from 'node:path'
import { hiddenIn } from './hidden.ts'
import type { Workspace } from './paths.ts'
import type { Git } from './shadow-git.ts'
import { listOf } from './shadow-snapshot.ts'
import { readState } from './write.ts'

/** What is closed to everybody in a checkout and is no matter of git's to ignore, by name: what each of it is. */
export const closedIn = async (workspace: Workspace, git: Git, path: string): Promise<Record<string, string>> => {
  const hidden = await hiddenIn(workspace, NOTHING_ELSE, path)
  const names = hidden.map((real) => ({ real, name: relative(workspace.root, real) }))
  const ignored = await ignoredOf(
    git,
    names.map(({ name }) => name),
  )
  const closed: Record<string, string> = {}
  for (const place of names.filter(({ name }) => !ignored.has(name))) {
    const state = await readState(place)
    closed[place.name] = (state.ok && state.value) || 'a folder'
  }
  return closed
}

/** The names that are not as they were: new, changed or gone. */
export const differing = (before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => before[name] !== now[name]).sort()

/** Nothing is closed but what is so to everybody. */
const NOTHING_ELSE = {
  read: [],
  write: [],
  deny: [],
  hardLinks: true,
  evidence: 'none' as const,
  web: { hosts: [], private: false },
}

const ignoredOf = async (git: Git, names: readonly string[]): Promise<Set<string>> => {
  if (names.length === 0) return new Set()
  const input = Buffer.from(names.map((name) => `${name}\0`).join(''))
  const { exit, output, error } = await git(['check-ignore', '-z', '--stdin', '--no-index'], { input })
  // One: none of them is ignored.
  if (exit !== 0 && exit !== 1) throw new Error(`what is ignored could not be found out: ${error.trim()}`)
  return new Set(listOf(output).map((name) => name.toString()))
}
