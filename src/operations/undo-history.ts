import type { Store } from '../evidence/store.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { FileChange, StepOutcome } from '../shapes/turn.ts'
import type { Place } from '../workspace/place.ts'

/** A step that changed files, and where it ended. */
export type StepChange = {
  step: string
  turn: string
  position: number
  files: readonly FileChange[]
  /** The trees between which all of them lie, where they were too many to list. */
  trees?: { before: string; after: string }
  /** Where its files are. */
  place?: Place
  /** Whether it is a merge, which changed the workspace, and not a step of a turn. */
  merge?: true
}

/** Files that were put back: of which steps, and whether all of them were. */
type Restored = Pick<StepChange, 'position' | 'files'> & { steps: readonly string[]; whole: boolean }

/** What a session did to files, as its chain tells it. */
export type History = {
  /** The steps that changed something, in their order. */
  steps: readonly StepChange[]
  /** Steps that were put back: they do not count any more. */
  undone: ReadonlySet<string>
  /** Files that were put back, of steps whose other files could not be. */
  partial: readonly Restored[]
  /** Steps of which nobody knows what they changed: their worker died in them. */
  interrupted: readonly Pick<StepChange, 'step' | 'position'>[]
  /** What was being put back when whoever did it died; null where nothing was. */
  unfinished: string | null
}

export const historyOf = async (store: Pick<Store, 'pages'>, session: string): Promise<History> => {
  const read: Read = { steps: [], restored: [], restoring: new Map(), interrupted: [] }
  for await (const page of store.pages(session)) for (const entry of page) take(read, entry)
  const undone = new Set(read.restored.filter(({ whole }) => whole).flatMap(({ steps }) => steps))
  const stands = ({ steps }: { steps: readonly string[] }): boolean => steps.some((step) => !undone.has(step))
  return {
    steps: read.steps,
    undone,
    partial: read.restored.filter((one) => !one.whole && stands(one)),
    interrupted: read.interrupted,
    unfinished: [...read.restoring.values()].filter(stands).at(-1)?.what ?? null,
  }
}

type Read = {
  steps: StepChange[]
  restored: Restored[]
  /** What has no end yet, by the id of its beginning. */
  restoring: Map<string, { what: string; steps: readonly string[] }>
  interrupted: Pick<StepChange, 'step' | 'position'>[]
}

const take = ({ steps, restored, restoring, interrupted }: Read, { id, position, inReplyTo, body }: Entry): void => {
  switch (body?.event) {
    case 'step-ended': {
      const { step, turn, outcome } = body
      if (outcome.kind === 'interrupted') interrupted.push({ step, position })
      else if (outcome.files?.length) steps.push({ step, turn, position, files: outcome.files, ...treesIn(outcome) })
      break
    }
    case 'restoring':
      restoring.set(id, body)
      break
    case 'restored':
      restoring.delete(inReplyTo ?? '')
      restored.push({ steps: body.steps, position, files: body.files, whole: body.failed === null })
      break
    default:
  }
}

const treesIn = ({ more }: Exclude<StepOutcome, { kind: 'interrupted' }>): Pick<StepChange, 'trees'> =>
  more ? { trees: { before: more.before, after: more.after } } : {}

/** The steps whose changes still count. */
export const standing = ({ steps, undone }: History): StepChange[] => steps.filter(({ step }) => !undone.has(step))

/** The changes of some steps in their order, with those that put a part of them back. */
export const changesOf = ({ partial }: History, chosen: readonly StepChange[]): (readonly FileChange[])[] => {
  const ids = new Set(chosen.map(({ step }) => step))
  const theirs = partial.filter(({ steps }) => steps.every((step) => ids.has(step)))
  return [...chosen, ...theirs].sort((a, b) => a.position - b.position).map(({ files }) => files)
}
