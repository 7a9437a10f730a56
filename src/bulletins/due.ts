import type { BulletinSettings } from '../shapes/bulletin.ts'
import type { BulletinKind, Change, Situation } from '../shapes/situation.ts'
import { isQuiet, isServed, quietEnded, slotAt } from './clock.ts'
import { changesBetween, saysTheSame } from './text.ts'

/** The bulletin that a room was told last. */
export type Last = { at: string; slot: string | null; held: readonly Change[]; situation: Situation }

/** What a room is to be told now: which changes, and which are kept back; `slot` is the time of the schedule it serves. */
export type Due = { kind: BulletinKind; slot: string | null; told: Change[]; held: Change[] }

type Look = { settings: BulletinSettings; last: Last | null; situation: Situation; now: number }

/**
 * What is due in a room: nothing, or one bulletin. What comes first goes first: in quiet hours, an approval that waits and
 * nothing else; when they are over, all that was kept back, once; the schedule, where it has something new to say; what
 * changed, gathered.
 */
export const dueIn = (look: Look): Due | null => {
  const { settings, last, now } = look
  const quiet = isQuiet(now, settings)
  // The first one is what all later ones are held against.
  if (last === null) return quiet ? null : { kind: 'scheduled', slot: slotAt(now, settings), told: [], held: [] }
  const changes = [...last.held, ...changesBetween(last.situation, look.situation)]
  if (quiet) return urgent(changes, look, last)
  return digest(changes, look, last) ?? scheduled(changes, look, last) ?? changed(changes, look, last)
}

const urgent = (changes: Change[], look: Look, last: Last): Due | null => {
  const isUrgent = ({ about }: Change): boolean => about === 'approval'
  const told = changes.filter(isUrgent)
  if (told.length === 0 || !isGathered(look, last)) return null
  return { kind: 'change', slot: last.slot, told, held: changes.filter((one) => !isUrgent(one)) }
}

const digest = (told: Change[], { settings, situation, now }: Look, last: Last): Due | null => {
  const ended = quietEnded(now, settings)
  if (ended === null || Date.parse(last.at) >= ended) return null
  if (told.length === 0 && saysTheSame(last.situation, situation)) return null
  return { kind: 'digest', slot: slotAt(now, settings) ?? last.slot, told, held: [] }
}

const scheduled = (told: Change[], { settings, situation, now }: Look, last: Last): Due | null => {
  const slot = slotAt(now, settings)
  if (slot === null || isServed(slot, last.slot)) return null
  if (told.length === 0 && saysTheSame(last.situation, situation)) return null
  return { kind: 'scheduled', slot, told, held: [] }
}

const changed = (told: Change[], look: Look, last: Last): Due | null =>
  told.length > 0 && isGathered(look, last) ? { kind: 'change', slot: last.slot, told, held: [] } : null

/** Whether enough time has gone by since the last one: what happens shortly after each other is one post. */
const isGathered = ({ settings, now }: Look, { at }: Last): boolean =>
  now - Date.parse(at) >= settings.gatherSeconds * 1000
