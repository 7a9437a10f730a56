import { closeSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { inside, openInside, type Workspace } from '../workspace/paths.ts'
import type { Looked, Visible } from './look.ts'
import { framedText, sizeOf } from './pieces.ts'
import type { Quote } from './quote.ts'

/** What projects write for agents. In a folder, the first of these that is there is the one that counts. */
const NAMES = ['AGENTS.override.md', 'AGENTS.md'] as const

/** How much of one file is read: more than is ever shown. */
const READ_BYTES = 64 * 1024

/** As many that are only named. */
const MOST_NAMED = 40

type Where = { workspace: Workspace; visible: Visible; folders: readonly Looked[] }

/**
 * What the project says to agents, from the root down and the most specific last, each in a block of its own, as far as
 * the bytes reach: a file that does not fit is cut at a line, and those after it are named.
 */
export const agentsFiles = async (quote: Quote, where: Where, bytes: number): Promise<string[]> => {
  const blocks: string[] = []
  const named: string[] = []
  const names = filesFor(where.folders)
  let room = bytes - (names.length > 1 ? NAMED_BYTES : 0)
  for (const name of names) {
    const text = await textOf(where, name)
    if (text === null) continue
    const block = room > LEAST_BYTES ? blockOf(quote, name, text, room) : ''
    if (block === '') named.push(name)
    else blocks.push(block)
    room -= block === '' ? 0 : sizeOf([block])
  }
  return [...blocks, ...namedText(quote, named)]
}

const blockOf = (quote: Quote, name: string, text: string, bytes: number): string =>
  framedText(quote, text, {
    label: `file ${name}`,
    bytes,
    left: () => `${name} goes on: read the rest of it`,
  })

/** What is kept for the names of those that did not fit; and what a file must have to be worth a beginning. */
const NAMED_BYTES = 2048
const LEAST_BYTES = 256

/** The root's first; of folders, the nearest first. */
const filesFor = (folders: readonly Looked[]): string[] =>
  folders.flatMap(({ name, files, links }) => {
    const found = NAMES.find((one) => files.includes(one) || links.includes(one))
    return found === undefined ? [] : [join(name, found)]
  })

/** Its text; null where there is none to be had: what a link leads to must be something that may be read as well. */
const textOf = async ({ workspace, visible }: Where, name: string): Promise<string | null> => {
  const place = await inside(workspace, name).catch(() => null)
  if (!place || !visible.file(place.name)) return null
  const opened = await openInside(place)
  if (typeof opened === 'string') return null
  try {
    if (opened.folder) return null
    const buffer = Buffer.alloc(READ_BYTES)
    const length = readSync(opened.fd, buffer, 0, READ_BYTES, 0)
    const text = buffer.subarray(0, length).toString().trim()
    return text === '' ? null : text
  } catch {
    return null
  } finally {
    closeSync(opened.fd)
  }
}

const namedText = (quote: Quote, names: readonly string[]): string[] => {
  if (names.length === 0) return []
  const shown = names.slice(0, MOST_NAMED).map((name) => quote.json(name))
  const rest = names.length > MOST_NAMED ? `\nand ${names.length - MOST_NAMED} more` : ''
  const text = framedText(quote, `${shown.join('\n')}${rest}`, {
    label: 'files that did not fit: read one before you work below its folder',
    bytes: NAMED_BYTES,
    left: (lines) => `${lines} more`,
  })
  return [text]
}
