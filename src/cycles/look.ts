import { everyEntry } from '../evidence/every.ts'
import type { Store } from '../evidence/store.ts'
import type { FileState } from '../shapes/turn.ts'
import { type Inside, inside, type Workspace } from '../workspace/paths.ts'
import { readFound, readState } from '../workspace/write.ts'
import type { Facts, Taken } from './facts.ts'
import type { Cycle } from './undertaking.ts'

/** The steps that the sessions of a cycle have taken since it began, in their order. */
export const stepsIn = async (
  store: Pick<Store, 'query'>,
  { began, sessions }: Pick<Cycle, 'began' | 'sessions'>,
): Promise<Taken[]> => {
  const taken: Taken[] = []
  for (const session of sessions) {
    const begun = new Map<string, number>()
    const since = { session, order: 'oldest', cursor: began } as const
    for await (const { body, position } of everyEntry(store, { event: 'step-intended', ...since }))
      if (body?.event === 'step-intended') begun.set(body.step, position)
    for await (const { body, position } of everyEntry(store, { event: 'step-ended', ...since }))
      if (body?.event === 'step-ended')
        taken.push({
          step: body.step,
          begun: begun.get(body.step) ?? 0,
          ended: position,
          tool: body.tool,
          outcome: body.outcome,
        })
  }
  return taken.sort((a, b) => a.ended - b.ended)
}

type Seen = Pick<Facts, 'files' | 'blank'>

/** What files are on the disk; null where there is none, and where the wall does not show it. And which say nothing. */
export const filesAt = async (
  paths: readonly string[],
  { workspace, shows }: { workspace: Workspace; shows: (name: string) => boolean },
): Promise<Seen> => {
  const files = new Map<string, FileState | null>()
  const blank = new Set<string>()
  for (const path of new Set(paths)) {
    const target = await inside(workspace, path).catch(() => null)
    const seen = target && target.name === path && shows(path) ? await readState(target) : null
    files.set(path, seen?.ok ? seen.value : null)
    if (target && seen?.ok && seen.value !== null && (await isBlank(target))) blank.add(path)
  }
  return { files, blank }
}

/** As much as is read to see whether a file says something. */
const READ_BYTES = 1_048_576

const isBlank = async (target: Inside): Promise<boolean> => {
  const found = await readFound(target, { most: READ_BYTES, hardLinks: true })
  return found.ok && found.value !== null && found.value.content.toString('utf8').trim() === ''
}
