import { type FileHandle, open } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { count } from '../../lib/count.ts'
import { Problem } from '../../lib/problem.ts'
import { syncFolderOf } from '../../lib/sync-folder.ts'
import type { Store } from '../store.ts'
import { advance } from '../tip.ts'
import { type Carried, carryOn, damaged, tipAt } from './carry.ts'
import type { End, Progress } from './format.ts'
import { headerLine, resume, type Start } from './resume.ts'

export type Exported = Omit<End, 'end'>

type Options = {
  /** The position after which to begin. */
  after?: number | null
  progress?: Progress
  /** Ends it after the page at hand. */
  signal?: AbortSignal
}

/**
 * Writes the evidence to a file, as it stands now: what is written meanwhile is left to the next time, but for what let bodies go
 * that are missing here. A file that is
 * there is only gone on with when asked to; one that was cut off anywhere comes out as if it had not been.
 */
export const exportTo = async (
  store: Store,
  file: string,
  { resume: goOn = false, ...options }: Options & { resume?: boolean } = {},
): Promise<Exported> => {
  const start = (goOn ? await resume(store, file, options.after ?? null) : null) ?? (await begin(store, options))
  // Only its owner may read it: it has everything that was said.
  const handle = await open(file, goOn ? 'a' : 'ax', 0o600).catch((error) => {
    throw error.code === 'EEXIST' ? isThere(file) : cannotWrite(file, error)
  })
  try {
    const ended = ending()
    for await (const text of linesFrom(store, start, { ...options, ended })) await write(handle, file, text)
    await handle.sync()
    syncFolderOf(file)
    return ended.value()
  } finally {
    await handle.close()
  }
}

/** Writes the evidence to a stream, no faster than it is read. */
export const exportInto = async (store: Store, stream: Writable, options: Options = {}): Promise<Exported> => {
  const start = await begin(store, options)
  const ended = ending()
  try {
    await pipeline(Readable.from(linesFrom(store, start, { ...options, ended })), stream, { end: false })
  } catch (error) {
    if (error instanceof Problem || (error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    throw new Problem('nobody reads the export any more', 'read all of it, or name a file')
  }
  return ended.value()
}

/** The lines of all there is, for whoever sends them on. */
export async function* exportLines(store: Store, options: Options = {}): AsyncGenerator<string> {
  yield* linesFrom(store, await begin(store, options), { ...options, ended: ending() })
}

const begin = async (store: Store, { after }: Options): Promise<Start> => {
  const { position } = await store.tip()
  const from = after ?? 0
  if (from > position) {
    throw new Problem(`there is nothing after ${from}: the store ends at ${position}`, 'give a smaller --after')
  }
  return { after: from, tip: await tipAt(store, from), fresh: true }
}

type Ending = ReturnType<typeof ending>

/** What an export came to, once it is whole. */
const ending = () => {
  let exported: Exported | null = null
  return {
    set: (value: Exported): void => {
      exported = value
    },
    value: (): Exported => {
      if (exported === null) throw new Error('the export did not come to its end')
      return exported
    },
  }
}

/** The lines of an export, a page at a time: as many as fit in memory. */
async function* linesFrom(
  store: Store,
  start: Start,
  { progress, signal, ended }: Options & { ended: Ending },
): AsyncGenerator<string> {
  let goal = await store.tip()
  const tip = { ...start.tip }
  const done = (): number => tip.position - start.after
  if (start.fresh) yield headerLine(start.after)
  for await (const { page, goal: now } of carryOn(store, tip.position, goal)) {
    goal = now
    if (signal?.aborted) throw new Problem(`stopped after ${count(done(), 'entry', 'entries')}`, 'go on with --resume')
    yield page.map(toLine).join('')
    for (const { entry } of page) advance(tip, entry)
    progress?.(done(), goal.position - start.after)
  }
  // Without its last line the file is not whole: what was removed from the store must not be gone without a trace.
  if (tip.root !== goal.root) throw damaged('its entries do not add up to its root')
  const exported = { entries: done(), position: tip.position, root: tip.root }
  yield `${JSON.stringify({ end: true, ...exported } satisfies End)}\n`
  ended.set(exported)
}

const toLine = ({ entry, remains }: Carried): string =>
  `${JSON.stringify(remains === null ? entry : { ...entry, remains })}\n`

const write = async (handle: FileHandle, file: string, text: string): Promise<void> => {
  await handle.appendFile(text).catch((error) => {
    throw cannotWrite(file, error)
  })
}

const isThere = (file: string): Problem =>
  new Problem(`${file} is there already`, 'choose another name, or go on with it with --resume')

const cannotWrite = (file: string, { code }: NodeJS.ErrnoException): Problem =>
  new Problem(
    `cannot write ${file}: ${code}`,
    'check the folder and the room that is left there; what was cut off goes on with --resume',
  )
