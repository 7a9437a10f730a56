import { closeSync, type Dirent, type Stats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { StepOutcome } from '../shapes/turn.ts'
import { type Folder, openFolder } from '../workspace/folder.ts'
import { contains, openInside } from '../workspace/paths.ts'
import { deadline } from './deadline.ts'
import { targetOf } from './target.ts'
import { type Bench, defineTool, failed, PathArgument, reads } from './tool.ts'

const args = z.strictObject({ path: PathArgument.optional(), depth: z.int().min(1).max(20).optional() })

export const list = defineTool({
  args,
  help: 'list {path?, depth?}: what is in a folder, folders first, with the size of files in bytes',
  reach: ({ path = '.' }) => reads(path),
  run: async ({ path = '.', depth = 1 }, bench) => {
    const target = targetOf(bench, path)
    const opened = await openInside(target, bench.spec.scope.hardLinks)
    if (typeof opened === 'string') return failed(opened)
    try {
      if (!opened.folder) return failed(`${target.name} is a file; use read`)
      const listing = createListing(bench)
      await listing.add({ ...opened, real: target.real }, target.name, depth)
      return await listing.outcome()
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      return failed(code === undefined ? message : `cannot list ${target.name}: ${code}`)
    } finally {
      closeSync(opened.fd)
    }
  },
})

/** The most that is listed, and the most that is read of one folder: beyond that nobody looks at names. */
const MOST = 20_000

/** A folder that is open while it is listed. */
type Listed = Pick<Folder, 'door' | 'real'>

/** A line of a listing; the path of what it is about, where that is a file. */
type Line = { text: string; path: string | null }

const createListing = (bench: Bench) => {
  const late = deadline(bench, 'listing')
  const lines: Line[] = []
  let more = false

  const add = async (folder: Listed, name: string, depth: number): Promise<void> => {
    const { entries, whole } = await entriesOf(folder, name, bench)
    more ||= !whole
    for (const entry of entries) {
      await late()
      if (lines.length >= MOST) {
        more = true
        return
      }
      await (entry.isDirectory() ? addFolder : addOther)(folder, entry.name, join(name, entry.name), depth)
    }
  }
  const addFolder = async (above: Listed, entry: string, name: string, depth: number): Promise<void> => {
    lines.push({ text: `${lineOf(name)}/`, path: null })
    if (depth === 1) return
    // Whatever is no longer a folder of that name, or may not be opened, has nothing in it to list.
    const folder = await openFolder(join(above.real, entry), join(above.door, entry)).catch(() => null)
    if (!folder) return
    try {
      await add(folder, name, depth - 1)
    } finally {
      await folder.handle.close()
    }
  }
  const addOther = async (folder: Listed, entry: string, name: string): Promise<void> => {
    const stat = await lstat(join(folder.door, entry)).catch(() => null)
    if (stat) lines.push({ text: `${lineOf(name)}  ${sizeOf(stat)}`, path: stat.isFile() ? name : null })
  }
  return { add, outcome: () => outcomeOf(lines, more, bench) }
}

const sizeOf = (stat: Stats): string => {
  if (stat.isFile()) return `${stat.size}`
  return stat.isSymbolicLink() ? 'a link' : 'not a plain file'
}

/** What may be shown of a folder: its folders first, each in the order of their names. */
const entriesOf = async (folder: Listed, name: string, { shows, workspace }: Bench) => {
  const entries: Dirent[] = []
  let read = 0
  for await (const entry of await opendir(folder.door, { bufferSize: 1024 })) {
    if (++read > MOST) break
    const real = join(folder.real, entry.name)
    if (shows(join(name, entry.name)) && !workspace.offLimits.some((place) => contains(place, real)))
      entries.push(entry)
  }
  const order = (entry: Dirent) => (entry.isDirectory() ? 0 : 1)
  entries.sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1))
  return { entries, whole: read <= MOST }
}

/** A name on one line, whatever is in it. */
const lineOf = (name: string): string => (/[\p{Cc}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name)

const outcomeOf = async (lines: Line[], more: boolean, { limits, spill }: Bench): Promise<StepOutcome> => {
  let bytes = 0
  const over = lines.findIndex(({ text }, i) => {
    bytes += Buffer.byteLength(text) + 1
    return i >= limits.outputLines || bytes > limits.outputBytes
  })
  const fit = over === -1 ? lines : lines.slice(0, over)
  const shown = {
    kind: 'ok' as const,
    output: fit.map(({ text }) => text).join('\n'),
    paths: fit.flatMap(({ path }) => path ?? []),
  }
  if (over === -1) return { ...shown, cut: more ? 'there is more' : null }
  const place = await spill(lines.map(({ text }) => text).join('\n'))
  const all = more ? `the first ${lines.length}` : `all ${lines.length}`
  return { ...shown, cut: `cut after ${fit.length} lines; ${all}: read ${place}`, spill: place }
}
