import { BELLHOP, houseDraft, roomDraft } from '../evidence/drafts.ts'
import type { Body, Draft } from '../shapes/evidence.ts'
import type { Refusal } from '../shapes/refusal.ts'
import { type Result, refused } from '../shapes/result.ts'
import type { Known } from './mode.ts'
import { type Keeper, messageDraft } from './persist.ts'

/**
 * Answers a message with a refusal and writes that down. What a stranger said is not kept, only that it was refused;
 * so it is where the room cannot keep it, as with an id that is taken, and where the store failed, so that the same
 * message can be sent again. A store that cannot take even that (a full disk) does not change the answer.
 */
export const refuse = async (
  keeper: Keeper,
  stage: string,
  refusal: Refusal,
  known?: Known,
): Promise<Result<never>> => {
  const body: Body = { event: 'refused', stage, refusal }
  const answers = known && !PASSING.has(refusal.code) ? answering(known, body) : null
  const inRoom = answers && (await keeper.store.append(answers))
  const kept = inRoom?.ok ? inRoom : await keeper.store.append([houseDraft(keeper.newId(), body, [])])
  if (!kept.ok) keeper.log('a refusal could not be written down', { refusal, because: kept.refusal })
  return refused(refusal)
}

/** What passes by itself is no answer for good. */
const PASSING: ReadonlySet<string> = new Set(['store-full', 'store-failed'])

const answering = (known: Known, body: Body): Draft[] => {
  const { id, room, person } = known
  return [messageDraft(known, person), roomDraft({ id: `${id}.receipt`, room, author: BELLHOP, body, inReplyTo: id })]
}
