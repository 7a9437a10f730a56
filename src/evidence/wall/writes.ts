import type { BodyOf, Entry, EventName } from '../../shapes/evidence.ts'
import type { FileChange, FileState } from '../../shapes/turn.ts'
import { changedIn, type Intent, runsProgram } from './intent.ts'

/** What a file was left as, and the entry that says so. Null: it was taken away. */
export type Written = { entry: string; position: number; state: FileState | null }

type Folds = { [E in EventName]?: (entry: Entry, body: BodyOf<E>) => void }

/**
 * Follows what a session left each file as, by the last step or restore that wrote it. Where nobody can say (a step that
 * was interrupted, a program that goes on in a terminal, a body that is gone), nothing is known any more.
 */
export const createWrites = () => {
  const last = new Map<string, Written>()
  const open = new Map<string, Intent>()
  let terminals = false

  const forget = (paths: Iterable<string>): void => {
    for (const path of paths) last.delete(path)
  }

  const write = ({ id, position }: Entry, files: readonly FileChange[]): void => {
    for (const { path, after } of files) last.set(path, { entry: id, position, state: after })
  }

  /** What a step may have written of which nothing was said. */
  const unsaid = (intent: Intent | undefined): Iterable<string> =>
    !intent || runsProgram(intent) ? [...last.keys()] : (intent.writes ?? [])

  const folds: Folds = {
    'step-intended': ({ id }, body) => {
      open.set(id, body)
      terminals ||= body.call.tool === 'run' && body.call.args['terminal'] !== undefined
    },
    'step-ended': (entry, { outcome }) => {
      const intent = open.get(entry.inReplyTo ?? '')
      open.delete(entry.inReplyTo ?? '')
      if (outcome.kind === 'interrupted') return forget(unsaid(intent))
      forget(changedIn(outcome))
      write(entry, outcome.files ?? [])
    },
    'peripheral-stopped': () => {
      // What went on in a terminal ends here; what it wrote, no entry says.
      if (terminals) last.clear()
      terminals = false
    },
    restoring: (_entry, { files }) => forget(files.map(({ path }) => path)),
    restored: (entry, { files }) => write(entry, files),
  }

  return {
    take: (entry: Entry): void => {
      const { body, type, claim } = entry
      if (body === null && `${type}/${claim}` === 'coordination/evidence') last.clear()
      const fold = body === null ? undefined : folds[body.event]
      ;(fold as ((entry: Entry, body: Entry['body']) => void) | undefined)?.(entry, body)
    },
    /** What is known now: not of files that a step may be writing at this moment. */
    known: (): ReadonlyMap<string, Written> => {
      if (terminals) return new Map()
      const unsettled = new Set([...open.values()].flatMap((intent) => [...unsaid(intent)]))
      return new Map([...last].filter(([path]) => !unsettled.has(path)))
    },
  }
}
