import { BELLHOP, roomDraft } from '../../src/evidence/drafts.ts'
import type { Draft } from '../../src/shapes/evidence.ts'

/** What `writer.ts` is started with. */
export type Arguments = [store: string, name: string, calls: string]

/** The second entry of a call. */
export const receipt = (id: string): Draft =>
  roomDraft({ id: `${id}.receipt`, room: 'lobby', author: BELLHOP, body: { event: 'heard' }, inReplyTo: id })
