import { BELLHOP, roomDraft } from '../evidence/drafts.ts'
import type { Receipt } from '../shapes/message.ts'
import type { Sender } from '../shapes/network.ts'
import type { Person } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result } from '../shapes/result.ts'
import type { Known } from './mode.ts'
import { type Keeper, messageDraft } from './persist.ts'
import { refuse } from './refuse.ts'

/** Why nothing is made of what a bot says, unless the config lets it give work; null for everybody else. */
export const objectionToBot = (
  { sender, name }: Person,
  { allows }: { allows: (sender: Sender) => boolean },
): Refusal | null =>
  !sender?.bot || allows(sender) ? null : refusal('bot-ignored', `${name} is a bot, and gives nobody work here`)

/** Makes nothing of a line, and writes down why. Nobody in the room is told: whoever said it would hear that, too. */
export const drop = async (keeper: Keeper, why: Refusal, known: Known): Promise<Result<Receipt>> => {
  const { id, room, person } = known
  const body = { event: 'dropped', refusal: why } as const
  const receipt = roomDraft({ id: `${id}.receipt`, room, author: BELLHOP, body, inReplyTo: id })
  const kept = await keeper.store.append([messageDraft(known, person), receipt])
  if (!kept.ok) return refuse(keeper, 'persist', kept.refusal)
  return ok(droppedFor(known, why))
}

/** What is answered for a line that nothing was made of. */
export const droppedFor = ({ id, room }: Known, { code }: Refusal): Receipt => ({
  message: id,
  room,
  mode: 'coordination',
  assignments: [],
  answer: null,
  dropped: code,
})
