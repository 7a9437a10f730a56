import { createHash, type Hash } from 'node:crypto'
import type { FileState } from '../shapes/turn.ts'

/** The kinds of what git keeps: a file, a file that can be run, a link. */
export type FileKind = '100644' | '100755' | '120000'

/** The state of a file with this content. */
export const stateOf = (content: Buffer, executable: boolean): FileState =>
  stateFrom(blobHash(content.length).update(content), executable ? '100755' : '100644')

/** The state of a link: its content is where it leads to. */
export const linkState = (leadsTo: Buffer): FileState => stateFrom(blobHash(leadsTo.length).update(leadsTo), '120000')

/** For a content that is hashed as it is read; git's name for it begins with how long it is. */
export const blobHash = (size: number): Hash => createHash('sha256').update(`blob ${size}\0`)

export const stateFrom = (hash: Hash, kind: FileKind): FileState => `${kind} ${hash.digest('hex')}`

export const kindOf = (state: FileState): FileKind => state.slice(0, 6) as FileKind

/** Whether git would call a file executable: by the owner's bit alone. */
export const isExecutable = (mode: number): boolean => (mode & 0o100) !== 0
