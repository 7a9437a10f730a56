import { roomDraft } from '../evidence/drafts.ts'
import type { Store } from '../evidence/store.ts'
import type { Author, Body, Draft, Entry } from '../shapes/evidence.ts'
import type { FileChange } from '../shapes/turn.ts'
import type { StepChange } from './undo-history.ts'

/** Where merges are written down: in the room's chain, as they concern the workspace, and not where the agent works. */
type Told = { id: string; room: string; agent: string; author: Author; inReplyTo?: string; body: Body }

/** An entry about a merge; it is found by the agent whose work it is. */
export const mergeDraft = ({ agent, ...told }: Told): Draft => {
  const draft = roomDraft(told)
  return { ...draft, tags: [...(draft.tags ?? []), `agent/${agent}`] }
}

/** The entry that says what a merge is about to change. */
export const intentOf = (merge: string): string => `${merge}.begun`

/** As many merges as can be put back; and as many entries as say that something was. */
const MERGES = 50
const RESTORED = 1000

/** What merges of an agent's work in a room changed in the workspace, the oldest first. */
export const mergesOf = async (store: Store, room: string, agent: string): Promise<StepChange[]> => {
  const found = await store.query({ event: 'merged', room, agent, limit: MERGES })
  const entries = found.ok ? found.value.entries.toReversed() : []
  const merges = await Promise.all(entries.map((entry) => changeOf(store, entry)))
  return merges.filter((merge) => merge !== null)
}

const changeOf = async (store: Store, { id, position, body }: Entry): Promise<StepChange | null> => {
  if (body?.event !== 'merged' || body.into === null || body.files.length === 0) return null
  const intent = await store.get(intentOf(id))
  const planned: readonly FileChange[] = intent?.body?.event === 'restoring' ? intent.body.files : []
  const files = planned.filter(({ path }) => body.files.includes(path))
  return { step: id, turn: id, position, files, merge: true }
}

/** The steps and merges of an agent in a room that were put back whole. */
export const putBackIn = async (store: Store, room: string, agent: string): Promise<Set<string>> => {
  const found = await store.query({ event: 'restored', room, agent, limit: RESTORED })
  const entries = found.ok ? found.value.entries : []
  return new Set(entries.flatMap(({ body }) => (body?.event === 'restored' && body.failed === null ? body.steps : [])))
}

/** Whether what a merge brought over is still there as far as the evidence says: nobody has put it back. */
export const mergeStands = async (store: Store, merge: string): Promise<boolean> => {
  const entry = await store.get(merge)
  const [room, agent] = ['room/', 'agent/'].map(
    (kind) => entry?.tags.find((tag) => tag.startsWith(kind))?.slice(kind.length) ?? '',
  )
  if (!entry || !room || !agent) return false
  return !(await putBackIn(store, room, agent)).has(merge)
}
