import type { FileChange, FileState, StepOutcome } from '../shapes/turn.ts'
import { removeEmpty } from '../workspace/folder.ts'
import type { Inside } from '../workspace/paths.ts'
import { type FileKind, kindOf } from '../workspace/state.ts'
import { type Done, type Found, readFound, removeFile, replaceFile } from '../workspace/write.ts'
import { shown } from './shown.ts'
import { MOST_BYTES, textOf } from './text.ts'
import { type Bench, failed } from './tool.ts'

/** What is to become of one file: what it is now, and what it is to be; null where there is none. */
export type Change = {
  target: Inside
  before: Found | null
  after: { content: Buffer; kind?: FileKind } | null
  /** Lines; null where it is no text. */
  added: number | null
  removed: number | null
}

/** A file that is to be changed, as text. Not one that is other than what the session last saw of it. */
export const readToChange = async (
  target: Inside,
  { seen, spec }: Bench,
): Promise<{ ok: true; found: Found; text: string } | { ok: false; why: string }> => {
  const { name } = target
  const read = await readFound(target, { most: MOST_BYTES, hardLinks: spec.scope.hardLinks })
  if (!read.ok) return read
  if (!read.value) return no(`there is no file ${name}`)
  const known = seen(name)
  if (known !== null && known !== read.value.state) return no(`${name} is not what this session saw: read it again`)
  const text = textOf(read.value.content)
  return text === null ? no(`${name} is not a text file`) : { ok: true, found: read.value, text }
}

/** Carries changes out, all or none, and shows what they come to. What was there is kept first. */
export const change = async (changes: readonly Change[], said: string, bench: Bench): Promise<StepOutcome> => {
  if (bench.signal.aborted) return failed('the change was cancelled')
  for (const { before, after } of changes) {
    if (before) await bench.keep(before.content)
    if (after) await bench.keep(after.content)
  }
  const done: Made[] = []
  for (const one of changes) {
    const made = await make(one)
    if (!made.ok) return await takenBack(made.why, done)
    done.push({ ...made.value, change: one })
  }
  const files = done.map(fileChange)
  const paths = files.map(({ path }) => path)
  return { kind: 'ok', ...(await withinLimits(said, bench)), paths, changed: paths, files }
}

const no = (why: string) => ({ ok: false as const, why })

/** A change that was made: what the file is now, and the folders that were made for it. */
type Made = { change: Change; state: FileState | null; folders: readonly string[] }

const make = async ({ target, before, after }: Change): Promise<Done<Omit<Made, 'change'>>> => {
  if (after) {
    const put = await replaceFile(target, after.content, before?.state ?? null, after.kind)
    return put.ok ? { ok: true, value: { state: put.value.state, folders: put.value.made } } : put
  }
  const gone = before ? await removeFile(target, before.state) : no(`there is no file ${target.name}`)
  return gone.ok ? { ok: true, value: { state: null, folders: [] } } : gone
}

/** Puts back what was there, the last first. What somebody else has changed by then stays, and is said. */
const takenBack = async (why: string, done: readonly Made[]): Promise<StepOutcome> => {
  const left: Made[] = []
  for (const made of done.toReversed()) if (!(await takeBack(made))) left.unshift(made)
  if (left.length === 0) return failed(done.length === 0 ? why : `${why}; nothing was changed`)
  const files = left.map(fileChange)
  const changed = files.map(({ path }) => path)
  return { kind: 'failed', message: `${why}; and could not be put back: ${changed.join(', ')}`, changed, files }
}

const takeBack = async ({ change: { target, before }, state, folders }: Made): Promise<boolean> => {
  if (!before) {
    const gone = state === null || (await removeFile(target, state)).ok
    await removeEmpty(folders)
    return gone
  }
  return (await replaceFile(target, before.content, state, kindOf(before.state))).ok
}

const fileChange = ({ change: { target, before, added, removed }, state }: Made): FileChange => ({
  path: target.name,
  before: before?.state ?? null,
  after: state,
  added,
  removed,
})

const withinLimits = async (text: string, bench: Bench) => {
  const { outputLines, outputBytes } = bench.limits
  const fits = Buffer.byteLength(text) <= outputBytes && text.split('\n').length - 1 <= outputLines
  return fits ? { output: text, cut: null } : shown(text, bench, 1)
}
