import type { Entry } from '../shapes/evidence.ts'
import type { ItemEvent } from '../shapes/item.ts'
import type { Progress } from '../shapes/post.ts'
import type { RpcNotice } from '../shapes/rpc.ts'
import type { TurnStatus } from '../shapes/turn.ts'
import { createItems, type Items } from '../status/items.ts'
import type { Tell } from './house.ts'
import { turnView } from './views.ts'

type Options = {
  thread: string
  /** Up to where the thread was read before, and by what; from its beginning on where it was not. */
  through: number
  items?: Items
  tell: Tell
}

export type Follower = ReturnType<typeof createFollower>

/** Tells a client what happens in a thread: each turn from its start to its end, and each item between them. */
export const createFollower = ({ thread, through, items = createItems(), tell }: Options) => {
  /** What was asked, until its turn starts: a turn is told of before what it is made of. */
  const asked = new Map<string, ItemEvent[]>()

  const told = (event: ItemEvent): void => {
    if (event.kind === 'delta') {
      const { turn: turnId, id: itemId, text: delta } = event
      tell(deltaMethod(event.type), { threadId: thread, turnId, itemId, delta })
    } else {
      const { item } = event
      tell(`item/${event.kind}`, { threadId: thread, turnId: item.turn, item })
    }
  }

  const begun = (entry: Entry, turn: string, before: readonly ItemEvent[]): void => {
    tell('turn/started', { threadId: thread, turn: turnIn(entry, turn, thread, 'running') })
    for (const event of before) told(event)
  }

  /** A turn that ends without having started has started all the same. */
  const catchUp = (entry: Entry, turn: string): void => {
    const before = asked.get(turn)
    if (!before) return
    asked.delete(turn)
    begun(entry, turn, before)
  }

  /** What an entry is besides its items: told before them, or after. */
  const before = (entry: Entry): void => {
    const { body } = entry
    if (body?.event === 'turn-started') {
      begun(entry, body.turn, asked.get(body.turn) ?? [])
      asked.delete(body.turn)
    }
    if (body?.event === 'turn-ended') catchUp(entry, body.turn)
  }
  const after = (entry: Entry): void => {
    const { body } = entry
    if (body?.event === 'turn-ended')
      tell('turn/completed', { threadId: thread, turn: turnIn(entry, body.turn, thread, body.outcome) })
    if (body?.event === 'thread-archived')
      tell(body.archived ? 'thread/archived' : 'thread/unarchived', { threadId: thread })
  }

  return {
    see: (entry: Entry): void => {
      if (entry.position <= through) return
      const events = items.read(entry)
      if (entry.body?.event === 'accepted') {
        asked.set(entry.id, events)
        return
      }
      before(entry)
      for (const event of events) told(event)
      after(entry)
    },
    hear: (progress: Progress): void => {
      for (const event of items.heard(progress)) told(event)
    },
  }
}

type DeltaNotice = Extract<RpcNotice, `${string}elta`>

const deltaMethod = (type: string): DeltaNotice =>
  (type === 'agentMessage' ? 'item/agentMessage/delta' : `item/${type}/outputDelta`) as DeltaNotice

/** A turn, as an entry of it says: its tags have the agent and the peripheral it began in. */
const turnIn = ({ tags }: Entry, id: string, room: string, status: TurnStatus) =>
  turnView({ id, room, agent: tagged(tags, 'agent/'), peripheral: tagged(tags, 'peripheral/') }, status)

const tagged = (tags: readonly string[], family: string): string =>
  tags.find((tag) => tag.startsWith(family))?.slice(family.length) ?? ''
