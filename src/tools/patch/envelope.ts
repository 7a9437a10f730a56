import { type FilePatch, type Hunk, type Parsed, type PatchLine, patchLine } from './hunk.ts'

/**
 * Reads a patch between `*** Begin Patch` and `*** End Patch`: files are added, updated, moved and deleted by lines of
 * their own, and hunks have no numbers but, after `@@`, a line that comes before them.
 */
export const parseEnvelope = (text: string): Parsed => {
  const lines = text.trim().split('\n')
  const end = lines.findIndex((line) => line.trimEnd() === '*** End Patch')
  if (end === -1) return no('the patch has no "*** End Patch"')
  if (lines.slice(end + 1).some((line) => line.trim() !== '')) return no('something comes after "*** End Patch"')
  const files: FilePatch[] = []
  for (const section of sectionsOf(lines.slice(1, end))) {
    const file = fileOf(section)
    if (typeof file === 'string') return no(file)
    files.push(file)
  }
  return { ok: true, files }
}

const no = (why: string): Parsed => ({ ok: false, why })

const HEADER = /^\*\*\* (?<verb>Add|Update|Delete) File: (?<path>.+?)\r?$/
const MOVE = /^\*\*\* Move to: (?<path>.+?)\r?$/

type Section = { verb: string; path: string; lines: string[] }

/** The lines of each file; those before the first are a file of no name. */
const sectionsOf = (lines: readonly string[]): Section[] => {
  const sections: Section[] = [{ verb: '', path: '', lines: [] }]
  for (const line of lines) {
    const { verb = '', path = '' } = HEADER.exec(line)?.groups ?? {}
    if (verb !== '') sections.push({ verb, path, lines: [] })
    else sections.at(-1)?.lines.push(line)
  }
  return sections.filter(({ verb, lines: own }) => verb !== '' || own.some((line) => line.trim() !== ''))
}

const fileOf = ({ verb, path, lines }: Section): FilePatch | string => {
  if (verb === '') return `"${lines[0]}" belongs to no file: one begins with "*** Update File: PATH"`
  if (verb === 'Add') return added(path, lines)
  if (verb === 'Update') return updated(path, lines)
  if (lines.some((line) => line.trim() !== '')) return `${path}: nothing follows "*** Delete File"`
  return { from: path, to: null, hunks: [], unread: true }
}

const added = (path: string, lines: readonly string[]): FilePatch | string => {
  const parsed = lines.map(patchLine)
  const wrong = parsed.findIndex((line) => line?.sign !== '+')
  if (wrong !== -1) return `${path}: every line of a file that is added begins with +, not "${lines[wrong]}"`
  return { from: null, to: path, hunks: [hunk(parsed as PatchLine[], [])] }
}

const updated = (path: string, lines: readonly string[]): FilePatch | string => {
  const to = MOVE.exec(lines[0] ?? '')?.groups?.['path'] ?? path
  const rest = MOVE.test(lines[0] ?? '') ? lines.slice(1) : lines
  const hunks: Hunk[] = []
  for (const block of blocksOf(rest)) {
    const parsed = block.lines.map(patchLine)
    const wrong = parsed.indexOf(null)
    if (wrong !== -1) return `${path}: a line of a hunk begins with a blank, + or -, not "${block.lines[wrong]}"`
    hunks.push({ ...hunk(parsed as PatchLine[], block.anchors), atEnd: block.atEnd })
  }
  if (hunks.length === 0 && to === path) return `${path}: there is nothing to update`
  return { from: path, to, hunks }
}

type Block = { anchors: string[]; lines: string[]; atEnd: boolean }

/** A hunk begins with `@@`, or with several; the first can do without. */
const blocksOf = (lines: readonly string[]): Block[] => {
  const blocks: Block[] = []
  let block: Block = { anchors: [], lines: [], atEnd: false }
  for (const line of lines) {
    const anchor = /^@@ ?(?<text>.*?)\r?$/.exec(line)?.groups?.['text']
    if (anchor !== undefined && block.lines.length > 0) {
      blocks.push(block)
      block = { anchors: [], lines: [], atEnd: false }
    }
    take(block, line, anchor)
  }
  return [...blocks, block].filter((one) => one.lines.length > 0)
}

const take = (block: Block, line: string, anchor: string | undefined): void => {
  if (anchor !== undefined) block.anchors.push(...(anchor.trim() === '' ? [] : [anchor]))
  else if (line.trimEnd() === '*** End of File') block.atEnd = true
  else block.lines.push(line)
}

const hunk = (lines: readonly PatchLine[], anchors: readonly string[]): Hunk => ({
  lines,
  at: null,
  anchors,
  atEnd: false,
  finalBreak: null,
})
