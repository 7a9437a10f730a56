import { BELLHOP, houseDraft, roomDraft } from '../evidence/drafts.ts'
import type { Body, Draft } from '../shapes/evidence.ts'
import { isPassing, type Refusal } from '../shapes/refusal.ts'
import { type Result, refused } from '../shapes/result.ts'
import type { Known } from './mode.ts'
import { type Keeper, messageDraft } from './persist.ts'

/**
 * Answers a message with a refusal and writes that down. What a stranger said is not kept, only that it was refused;
 * so it is where the room cannot keep it, as with an id that is taken, and where it passes by itself, so that the same
 * message can be sent again. A store that cannot take even that (a full disk) does not change the answer.
 */
export const refuse = async (
  keeper: Keeper,
  stage: string,
  refusal: Refusal,
  known?: Known,
): Promise<Result<never>> => {
  keeper.refused?.(stage, refusal.code)
  const body: Body = { event: 'refused', stage, refusal }
  const answers = known && !isPassing(refusal) ? answering(known, body) : null
  const inRoom = answers && (await keeper.store.append(answers))
  const kept = inRoom?.ok ? inRoom : await keeper.store.append([houseDraft(keeper.newId(), body, [])])
  if (!kept.ok)
    keeper.log('a refusal could not be written down', { stage, message: known?.id, refusal, because: kept.refusal })
  return refused(refusal)
}

const answering = (known: Known, body: Body): Draft[] => {
  const { id, room, person } = known
  return [messageDraft(known, person), roomDraft({ id: `${id}.receipt`, room, author: BELLHOP, body, inReplyTo: id })]
}
