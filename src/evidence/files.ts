import type { Entry } from '../shapes/evidence.ts'
import type { FileState } from '../shapes/turn.ts'
import type { Violation } from '../shapes/verdict.ts'
import type { Engine } from './engine/engine.ts'
import { atPositions } from './read.ts'
import { normal, termOf } from './terms.ts'
import { changedIn } from './wall/intent.ts'
import type { Written } from './wall/writes.ts'

/** Says what a file is now; null where there is none. */
export type ReadState = (path: string) => Promise<FileState | null>

/** How many files were looked at, and which of them are not what the evidence says. */
export type FilesVerdict = { files: number; violations: Violation[] }

/** Holds what a session's files were left as against what they are. */
export const judgeFiles = async (
  engine: Engine,
  session: string,
  written: ReadonlyMap<string, Written>,
  read: ReadState,
): Promise<FilesVerdict> => {
  const violations: Violation[] = []
  for (const [path, { entry, position, state }] of written) {
    const is = await read(path)
    if (is === state || (await isLeftToAnother(engine, session, path, position))) continue
    violations.push({ entry, rule: 'files', what: `left ${path} as ${shown(state)}, and it is ${shown(is)}` })
  }
  return { files: written.size, violations }
}

const SHOWN = 19

const shown = (state: FileState | null): string => (state === null ? 'gone' : `${state.slice(0, SHOWN)}…`)

/** Whether another session wrote a file after that: then it is for that one to answer for. */
const isLeftToAnother = async (engine: Engine, session: string, path: string, after: number): Promise<boolean> => {
  for (let last = after; ; ) {
    const page = await touching(engine, session, path, last)
    if (page.some((entry) => changes(entry).includes(path))) return true
    const end = page.at(-1)
    if (!end) return false
    last = end.position
  }
}

const PAGE = 100

/** What other sessions did with a file, after a position. */
const touching = async ({ db }: Engine, session: string, path: string, after: number): Promise<Entry[]> => {
  const rows = await db
    .selectFrom('term')
    .innerJoin('posting', 'posting.term', 'term.id')
    .innerJoin('entry', 'entry.position', 'posting.position')
    .select('entry.position')
    .where('term.name', '=', termOf('tag', `path/${normal(path)}`))
    .where('posting.position', '>', after)
    .where('entry.session', '<>', session)
    .where('entry.event', 'in', ['step-ended', 'restored', 'merged'])
    .orderBy('posting.position')
    .limit(PAGE)
    .execute()
  return atPositions(
    db,
    rows.map(({ position }) => position),
  )
}

/** The paths that an entry says were written. */
const changes = ({ body }: Entry): string[] => {
  if (body?.event === 'merged') return body.files
  if (body?.event === 'restored') return body.files.map(({ path }) => path)
  return body?.event === 'step-ended' && body.outcome.kind !== 'interrupted' ? changedIn(body.outcome) : []
}
