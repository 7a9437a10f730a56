import type { Message, Receipt } from '../shapes/message.ts'
import type { Post } from '../shapes/post.ts'
import type { Result } from '../shapes/result.ts'

/** A line as an adapter hears it; the door adds the face and the credential. */
export type Line = Pick<Message, 'id' | 'room' | 'text'>

/**
 * The one door of a room, as every chat adapter sees it.
 * `say` answers each line with a receipt or a refusal, and never throws for what a person typed.
 * `follow` calls `show` once for each post after the cursor, in order, until the signal ends it;
 * it reconnects by itself and resumes where it was. It rejects only where the door says that one may not read along.
 */
export type Door = {
  say: (line: Line) => Promise<Result<Receipt>>
  follow: (room: string, after: number, show: (post: Post) => void, signal: AbortSignal) => Promise<void>
}

/** A chat adapter translates between a network's lines and the door. It runs until the network or the signal ends it. */
export type ChatAdapter = { run: (signal: AbortSignal) => Promise<void> }
