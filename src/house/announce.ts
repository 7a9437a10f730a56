import { houseDraft } from '../evidence/drafts.ts'
import type { Presence } from '../shapes/agent.ts'
import type { Parts } from './parts.ts'

/** Tells the rooms how it stands with an agent: that it became ready, that it left, that its lease ran out. */
export const announce = async (agent: Presence, { store, newId, config, log }: Parts): Promise<void> => {
  const rooms = config.rooms.map(({ id }) => id)
  const told = await store.append([houseDraft(newId(), { event: 'presence', agent }, rooms)])
  if (!told.ok) log.warn('a presence could not be written down', { agent: agent.id, ...told.refusal })
}
