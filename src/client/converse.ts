import type { ChatPort } from '../chat/port.ts'
import type { Receipt } from '../shapes/message.ts'
import type { Post } from '../shapes/post.ts'
import { ok, type Result } from '../shapes/result.ts'
import type { Client } from './client.ts'

type Line = { id?: string; room: string; text: string; as?: string | null }

export type Conversation = { receipt: Receipt; replies: Post[] }

/**
 * Says a line and waits for what comes of it: the answer of every agent it went to, or until the signal ends the wait.
 * `show` gets every post of its turns as it comes, also that one of them waits for an approval.
 */
export const converse = async (
  client: Pick<Client, 'say' | 'ask'> & Pick<ChatPort, 'follow'>,
  line: Line,
  signal: AbortSignal,
  show: (post: Post) => void = () => {},
): Promise<Result<Conversation>> => {
  const receipt = await client.say(line)
  return receipt.ok ? ok(await answersTo(client, receipt.value, signal, show)) : receipt
}

/** Waits for what comes of a receipt: the answer of every agent that it gave work to, or until the signal ends the wait. */
export const answersTo = async (
  client: Pick<Client, 'ask'> & Pick<ChatPort, 'follow'>,
  receipt: Receipt,
  signal: AbortSignal,
  show: (post: Post) => void = () => {},
): Promise<Conversation> => {
  const { message, room, assignments } = receipt
  const waiting = new Set(assignments.map(({ turn }) => turn))
  const replies: Post[] = []
  const heard = new AbortController()
  if (waiting.size === 0) return { receipt, replies }

  const began = await client.ask('show', { entry: message })
  const after = began.ok ? began.value.entry.position : 0
  const hear = (post: Post) => {
    if (!assignments.some(({ turn }) => isOf(turn, post))) return
    show(post)
    if (post.kind !== 'answer' || post.turn === null) return
    replies.push(post)
    waiting.delete(post.turn)
    if (waiting.size === 0) heard.abort()
  }
  await client.follow(room, after, { post: hear }, AbortSignal.any([signal, heard.signal]))
  return { receipt, replies }
}

/** Whether a post is of a turn. What was decided of an approval names only the step, whose id begins with the turn's. */
const isOf = (turn: string, post: Post): boolean =>
  post.turn === turn || (post.kind === 'approval' && post.step?.id.startsWith(`${turn}.`) === true)
