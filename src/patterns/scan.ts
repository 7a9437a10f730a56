import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { oneLine } from '../lib/plain.ts'
import type { Complaint } from '../shapes/mission.ts'
import { type Collection, type Pattern, PatternId } from '../shapes/pattern.ts'
import { type Inside, inside, type Workspace } from '../workspace/paths.ts'
import { readText } from '../workspace/read-text.ts'
import { parsePattern } from './parse.ts'

/** Where patterns are looked for, which names of the workspace may be read, and where those are that come with Bellhop. */
export type Sight = {
  workspace: Workspace
  folders: readonly string[]
  shows: (name: string) => boolean
  ours: string
}

/** As many files as are read, and the most bytes of one. */
export const MOST_FILES = 300
export const MOST_BYTES = 65_536

/** The file that a pattern is, in a folder of its name. */
const FILE = 'SKILL.md'

/**
 * Reads all patterns: `NAME/SKILL.md` of the folders that the config names, then those that come with Bellhop. Of two of
 * one name the first counts: what a workspace says of something is nearer to it. What leads out of the workspace, is
 * closed to whoever looks, or is too large is complained about, not read.
 */
export const scanPatterns = async (sight: Sight): Promise<Collection> => {
  const complaints: Complaint[] = []
  const complain: Complain = (path, what, right) =>
    void complaints.push({ path: oneLine(path, 200), line: 1, what, right })
  const found = (await Promise.all(sight.folders.map((folder) => filesIn(folder, sight, complain)))).flat()
  const [left] = found.slice(MOST_FILES)
  if (left)
    complain(left, `is one of ${found.length} patterns, and ${MOST_FILES} are read`, 'move those away that nobody uses')
  const patterns = new Map<string, Pattern>()
  for (const path of found.slice(0, MOST_FILES)) {
    const read = await patternAt(path, sight, complain)
    complaints.push(...(read?.complaints ?? []))
    if (read?.pattern) add(read.pattern, patterns, complain)
  }
  for (const pattern of await oursIn(sight.ours)) {
    if (!patterns.has(pattern.id)) patterns.set(pattern.id, pattern)
  }
  return {
    patterns: [...patterns.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    complaints: complaints.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)) || a.line - b.line),
  }
}

type Complain = (path: string, what: string, right: string) => void

const add = (pattern: Pattern, patterns: Map<string, Pattern>, complain: Complain): void => {
  const known = patterns.get(pattern.id)
  if (known) complain(pattern.path, `is ${pattern.id}, as ${known.path} is`, 'give one of the two another name')
  else patterns.set(pattern.id, pattern)
}

const filesIn = async (folder: string, { workspace }: Sight, complain: Complain): Promise<string[]> => {
  const place = await placeOf(workspace, folder)
  if (place === null) {
    const right = 'name a folder of the workspace under patterns.folders in the config'
    complain(folder, 'leads out of the workspace', right)
    return []
  }
  const entries = await readdir(place.real, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => join(folder, name, FILE))
    .sort()
}

/** What a path really is; null where it is nothing of the workspace. */
const placeOf = (workspace: Workspace, path: string): Promise<Inside | null> =>
  inside(workspace, path).catch(() => null)

const patternAt = async (path: string, { workspace, shows }: Sight, complain: Complain) => {
  const id = PatternId.safeParse(path.split('/').at(-2))
  if (!id.success) {
    complain(path, 'is in a folder whose name no pattern can have', 'use small letters, digits and single dashes')
    return null
  }
  const place = await placeOf(workspace, path)
  if (place === null) {
    complain(path, 'leads out of the workspace', 'put the file itself there')
    return null
  }
  if (place.name !== oneLine(place.name, 400)) {
    complain(path, 'leads to a name that cannot be shown', 'give the folder a plain name')
    return null
  }
  if (!shows(place.name)) {
    complain(path, 'is closed to the peripheral that looks', 'open it in its scope, or take it away')
    return null
  }
  const read = await readText(place, MOST_BYTES)
  if ('text' in read) {
    return parsePattern({ id: id.data, home: 'workspace', path: place.name, since: read.changed }, read.text)
  }
  // A folder that is about something else is no pattern, and nothing is wrong with it.
  if (!read.wrong.includes('there is no file')) complain(path, read.wrong, 'make it a text file of at most 64 KB')
  return null
}

/** Those that come with Bellhop: files of its own, which are right, or a test fails. */
const oursIn = async (folder: string): Promise<Pattern[]> => {
  const entries = await readdir(folder, { withFileTypes: true })
  // What others leave beside them, such as a file of a desktop, is none.
  const names = entries.filter((entry) => entry.isDirectory() && PatternId.safeParse(entry.name).success)
  const read = names
    .map(({ name }) => name)
    .sort()
    .map(async (name) => {
      const file = join(folder, name, FILE)
      const id = PatternId.parse(name)
      const since = (await stat(file)).mtime.toISOString()
      const path = `bellhop:${name}`
      return parsePattern({ id, home: 'bellhop', path, since }, await readFile(file, 'utf8')).pattern
    })
  return (await Promise.all(read)).filter((pattern) => pattern !== null)
}
