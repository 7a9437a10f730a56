import { follow as followEvidence } from '../evidence/follow.ts'
import type { Live } from '../evidence/live.ts'
import type { Store } from '../evidence/store.ts'
import { count } from '../lib/count.ts'
import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import type { ToolCall } from '../shapes/peripheral.ts'
import type { Post } from '../shapes/post.ts'
import type { StepOutcome } from '../shapes/turn.ts'

type View = Pick<Post, 'kind' | 'text'> & Partial<Pick<Post, 'turn' | 'step'>>
type Views = { [E in EventName]?: (body: BodyOf<E>, entry: Entry) => View }

/** How a room reads each event. What is not here is not shown: it says nothing that another entry does not. */
const views: Views = {
  message: ({ text }) => ({ kind: 'said', text }),
  answered: ({ answer }) => ({ kind: 'answer', text: answer }),
  refused: ({ refusal }) => ({ kind: 'refusal', text: `${refusal.message} [${refusal.code}]\n${refusal.remedy}` }),
  'mode-changed': ({ from, to }) => ({ kind: 'notice', text: `the room went from ${from} to ${to}` }),
  asked: ({ text }) => ({ kind: 'said', text: `asks: ${text}` }),
  supposed: ({ text }) => ({ kind: 'said', text: `supposes: ${text}` }),
  concluded: ({ text }) => ({ kind: 'said', text: `concludes: ${text}` }),
  corrected: ({ text }) => ({ kind: 'said', text: `corrects: ${text}` }),
  'session-closed': ({ reason }) => ({ kind: 'notice', text: `session closed: ${reason}` }),
  accepted: ({ agent, peripheral }, { id }) => ({
    kind: 'accepted',
    turn: id,
    text: `${agent} has it, in ${peripheral}`,
  }),
  'turn-started': ({ turn }) => ({ kind: 'working', turn, text: 'is at work' }),
  'step-intended': ({ turn, step, call }) => ({
    kind: 'step',
    turn,
    step: { id: step, state: 'running' },
    text: callText(call),
  }),
  'step-ended': ({ turn, step, tool, outcome }) => ({
    kind: 'step',
    turn,
    step: { id: step, state: outcome.kind },
    text: `${tool}: ${summaryOf(outcome)}`,
  }),
  'step-refused': ({ turn, step, call, refusal }) => ({
    kind: 'step',
    turn,
    step: { id: step, state: 'refused' },
    text: `${callText(call)}: ${refusal.message} [${refusal.code}]`,
  }),
  'turn-ended': ({ turn, answer }) => ({ kind: 'answer', turn, text: answer }),
  presence: ({ agent }) => ({
    kind: 'notice',
    text: `${agent.id} is ${agent.readiness}${agent.reason ? `: ${agent.reason}` : ''}`,
  }),
}

const CALL_LENGTH = 160

/** A call on one line; the evidence has it whole. */
const callText = ({ tool, args }: ToolCall): string => {
  const text = `${tool} ${JSON.stringify(args)}`
  return text.length > CALL_LENGTH ? `${text.slice(0, CALL_LENGTH)}…` : text
}

const summaryOf = (outcome: StepOutcome): string => {
  if (outcome.kind !== 'ok') return outcome.message
  const lines = outcome.output === '' ? 0 : outcome.output.replace(/\n$/, '').split('\n').length
  const size = `${count(lines, 'line')}${outcome.cut ? ` (${outcome.cut})` : ''}`
  return lines === 0 ? 'nothing' : `${size}\n${outcome.output}`
}

/** An entry as a room reads it; null where there is nothing to read, also because its body was taken away. */
export const toPost = (entry: Entry, room: string): Post | null => {
  const view = views[entry.body?.event] as ((body: Entry['body'], entry: Entry) => View) | undefined
  if (!view) return null
  const { position, id, at, author, session, subject } = entry
  return {
    position,
    id,
    at,
    room,
    author,
    session: subject.type === 'session' ? session : null,
    turn: null,
    step: null,
    ...view(entry.body, entry),
  }
}

/** Everything a room shows: also what is let go after a while. */
const inRoom = (room: string) => ({ room, ephemeral: 'with' })

/** The last posts of a room, oldest first. */
export const tail = async (store: Store, room: string, count: number): Promise<Post[]> => {
  const found = await store.query({ ...inRoom(room), limit: Math.min(count * 5, 1000) })
  const posts = (found.ok ? found.value.entries : []).reverse().flatMap((entry) => toPost(entry, room) ?? [])
  return posts.slice(-count)
}

/** Every post of a room after a position, in order, for as long as the signal lets it: no gap, and none twice. */
export async function* follow(
  store: Store,
  live: Live,
  { room, after }: { room: string; after: number },
  signal: AbortSignal,
): AsyncGenerator<Post> {
  for await (const entry of followEvidence(store, live, { filters: inRoom(room), after }, signal)) {
    const post = toPost(entry, room)
    if (post) yield post
  }
}
