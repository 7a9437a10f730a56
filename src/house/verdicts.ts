import { basename, dirname, join } from 'node:path'
import { createChecker } from '../evidence/checker.ts'
import { BELLHOP, sessionDraft } from '../evidence/drafts.ts'
import type { Store } from '../evidence/store.ts'
import type { Log } from '../lib/log.ts'
import type { FileChange, FileState } from '../shapes/turn.ts'
import { inside, type Workspace } from '../workspace/paths.ts'
import type { Place } from '../workspace/place.ts'
import { readState } from '../workspace/write.ts'

export type Verdicts = ReturnType<typeof createVerdicts>

type Options = {
  store: Store
  workspace: Workspace
  /** Where agents work, where that is not always the workspace. */
  places?: { of: (agent: string) => Promise<Pick<Place, 'workspace'>> }
  log: Pick<Log, 'warn'>
}

/** The most violations that a verdict lists: `verify` has them all. */
const LISTED = 20

/** Reads chains backwards, one after the other, whenever a peripheral was left; what that comes to is evidence too. */
export const createVerdicts = ({ store, workspace, places, log }: Options) => {
  const checker = createChecker(store)
  let last: Promise<void> = Promise.resolve()

  const judge = async (session: string, stop: string, onDisk: OnDisk): Promise<void> => {
    const record = await store.session(session)
    const at = await store.get(stop)
    if (!record || !at) return
    const verdict = await checker.check(session)
    const violations = [...verdict.violations, ...onDisk.wrong.map((what) => ({ entry: stop, rule: 'files', what }))]
    const body = {
      event: 'verified',
      through: at.seq,
      ok: violations.length === 0,
      steps: verdict.steps,
      files: onDisk.files,
      violations: violations.slice(0, LISTED),
    } as const
    const { room, agent } = record
    const draft = sessionDraft({ id: `${stop}.verified`, session, room, agent, author: BELLHOP, body, inReplyTo: stop })
    const written = await store.append([draft])
    if (!written.ok) log.warn('a verdict could not be written down', { session, ...written.refusal })
  }

  return {
    /** Looks at the files now, while nobody goes on changing them; the chain is read in a moment. */
    reach: async (session: string, stop: string, changed: readonly FileChange[]): Promise<void> => {
      const agent = (await store.session(session))?.agent ?? ''
      const place = await places?.of(agent)
      const onDisk = await look(place?.workspace ?? workspace, changed)
      last = last
        .then(() => judge(session, stop, onDisk))
        .catch((error: Error) => log.warn('a chain could not be verified', { session, error: error.message }))
    },
    /** All that were begun are written down. */
    settled: (): Promise<void> => last,
  }
}

type OnDisk = { files: number; wrong: string[] }

/** Whether the files that a stay says it changed are what it says it made of them. */
const look = async (workspace: Workspace, changed: readonly FileChange[]): Promise<OnDisk> => {
  const wrong: string[] = []
  for (const { path, after } of changed) {
    const state = await stateIn(workspace, path)
    if (state !== after) wrong.push(`${path} is not what the steps made of it`)
  }
  return { files: changed.length, wrong }
}

/** What a path of the workspace is now: a link itself, not where it leads; null where there is nothing to be had. */
export const stateIn = async (workspace: Workspace, path: string): Promise<FileState | null> => {
  const folder = await inside(workspace, dirname(path)).catch(() => null)
  const state = folder && (await readState({ real: join(folder.real, basename(path)), name: path }))
  return state?.ok ? state.value : null
}
