import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'

/** What stands below a folder: every name, with all that one could change of it. Links are not followed. */
type Standing = ReadonlyMap<string, string>

type Options = {
  /** Names that are left out, with all that is below them. */
  without?: (name: string) => boolean
  /** Whether a file that was put in the place of another, with the same content, counts as another. */
  identity?: boolean
}

export const recordOf = (folder: string, { without = () => false, identity = false }: Options = {}): Standing => {
  const found = new Map<string, string>()
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(folder, below))) {
      const name = join(below, entry)
      if (without(name)) continue
      const place = join(folder, name)
      const stat = lstatSync(place)
      found.set(name, [stat.mode.toString(8), identity ? stat.ino : '', heldIn(place, stat)].join(' '))
      if (stat.isDirectory()) walk(name)
    }
  }
  walk('')
  return found
}

const heldIn = (place: string, stat: Stats): string => {
  if (stat.isSymbolicLink()) return readlinkSync(place)
  return stat.isFile() ? createHash('sha256').update(readFileSync(place)).digest('hex') : ''
}

/** The names that are different in two records. */
export const differences = (before: Standing, after: Standing): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name)).sort()
