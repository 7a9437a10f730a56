import { taggedIn } from '../evidence/drafts.ts'
import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import type { Item, ItemEvent, ItemStatus } from '../shapes/item.ts'
import type { Progress } from '../shapes/post.ts'
import { endedStep, openStep, type StepItem } from './step-items.ts'

type Open = Map<string, Item>
type Views = { [E in EventName]?: (open: Open, body: BodyOf<E>, entry: Entry) => ItemEvent[] }

export type Items = ReturnType<typeof createItems>

/**
 * The evidence of a room or a session as items, entry by entry: each is started once, and completed once. What is open is
 * remembered until then; who begins in the middle hears of what was begun before only that it is completed.
 */
export const createItems = () => {
  const open: Open = new Map()
  /** The messages that were completed last: a piece of one may come late. */
  let said: string[] = []
  const remember = (events: ItemEvent[]): ItemEvent[] => {
    const ids = events.flatMap((event) =>
      event.kind === 'completed' && SAID.test(event.item.id) ? [event.item.id] : [],
    )
    if (ids.length > 0) said = [...said, ...ids].slice(-REMEMBERED)
    return events
  }
  return {
    read: (entry: Entry): ItemEvent[] => {
      const look = views[entry.body?.event] as
        | ((open: Open, body: Entry['body'], entry: Entry) => ItemEvent[])
        | undefined
      return remember(look?.(open, entry.body, entry) ?? [])
    },
    /** What a step says while it runs. */
    heard: ({ step, text }: Pick<Progress, 'step' | 'text'>): ItemEvent[] => {
      if (said.includes(step)) return []
      const [, turn, agent] = SAID.exec(step) ?? []
      const started = turn !== undefined && agent !== undefined ? begin(open, unsaid(step, turn, agent)) : []
      const item = open.get(step)
      return item ? [...started, { kind: 'delta', id: step, turn: item.turn, type: item.type, text }] : []
    },
  }
}

/** Every item of a history, once, as it stood last; in the order they were begun. */
export const itemsIn = (entries: readonly Entry[]): Item[] => {
  const items = new Map<string, Item>()
  const reader = createItems()
  for (const event of entries.flatMap(reader.read)) if (event.kind !== 'delta') items.set(event.item.id, event.item)
  return [...items.values()]
}

const REMEMBERED = 64

/** The name of a message that an agent is writing: its turn, which ends with the agent's name, and a number. */
const SAID = /^([^.]+\.([^.]+))\.said-\d+$/

const views: Views = {
  accepted: (_open, { request }, { id, author }) =>
    whole({ id, turn: id, type: 'userMessage', status: 'completed', author, text: request, steer: false }),
  steered: (_open, { turn, text }, { id, author }) =>
    whole({ id, turn, type: 'userMessage', status: 'completed', author, text, steer: true }),
  'approval-asked': (open, { turn, step, call, approval, why, opens, until }, entry) => {
    const asked = { ...unasked(entry.id, step, approval), turn, call, why, opens, until }
    return [...begin(open, openStep({ turn, step, call }, entry.tags)), ...begin(open, asked)]
  },
  'approval-decided': (open, { step, approval, decision, note }, { author }) => {
    const id = `${step}.approval`
    const before = open.get(id)
    const asked = before?.type === 'approval' ? before : unasked(id, step, approval)
    const by = decision === 'lapsed' ? null : author.id
    return finish(open, { ...asked, status: DECIDED[decision], decision, by, note })
  },
  'step-intended': (open, { turn, step, call }, { tags }) => begin(open, openStep({ turn, step, call }, tags)),
  'step-refused': (open, { turn, step, call, refusal }, { tags }) => {
    const known = stepIn(open, step)
    const item = known ?? openStep({ turn, step, call }, tags)
    const started = known ? [] : begin(open, item)
    return [...started, ...finish(open, { ...item, status: 'declined', refusal })]
  },
  'step-ended': (open, { turn, step, tool, outcome }, { tags }) => {
    const item = stepIn(open, step) ?? openStep({ turn, step, call: { tool, args: {} } }, tags)
    return finish(open, endedStep(item, outcome))
  },
  'agent-said': (open, { turn, text }, { id, tags }) => [
    ...(open.has(id) ? [] : begin(open, unsaid(id, turn, agentIn(tags)))),
    ...finish(open, { ...unsaid(id, turn, agentIn(tags)), status: 'completed', text }),
  ],
  'turn-ended': (open, { turn, outcome, answer, said }, entry) => {
    const id = said ?? entry.id
    const message = unsaid(id, turn, agentIn(entry.tags))
    const shown = open.delete(id)
    const left = [...open.values()].filter((item) => item.turn === turn)
    return [
      // What a turn leaves open when it ends will not be completed any more.
      ...left.flatMap((item) => finish(open, { ...item, status: 'interrupted' })),
      ...(shown ? [] : [{ kind: 'started', item: message } as const]),
      ...(shown ? [] : [{ kind: 'delta', id, turn, type: 'agentMessage', text: answer } as const]),
      { kind: 'completed', item: { ...message, status: ENDED[outcome], text: answer, outcome } },
    ]
  },
  refused: (_open, { refusal }, { id }) => whole({ id, turn: null, type: 'refusal', status: 'declined', refusal }),
}

/** A message that is being written. */
const unsaid = (id: string, turn: string, agent: string): Extract<Item, { type: 'agentMessage' }> => ({
  id,
  turn,
  type: 'agentMessage',
  status: 'inProgress',
  agent,
  text: '',
  outcome: null,
})

const ENDED = { done: 'completed', failed: 'failed', cancelled: 'interrupted' } as const satisfies Record<
  string,
  ItemStatus
>

const DECIDED = { approved: 'completed', denied: 'declined', lapsed: 'declined' } as const satisfies Record<
  string,
  ItemStatus
>

/** An item that is complete as soon as it is there. */
const whole = (item: Item): ItemEvent[] => [
  { kind: 'started', item: { ...item, status: 'inProgress' } },
  { kind: 'completed', item },
]

/** A step that waited for a person was begun by asking. */
const begin = (open: Open, item: Item): ItemEvent[] => {
  if (open.has(item.id)) return []
  open.set(item.id, item)
  return [{ kind: 'started', item }]
}

const finish = (open: Open, item: Item): ItemEvent[] => {
  open.delete(item.id)
  return [{ kind: 'completed', item }]
}

const stepIn = (open: Open, step: string): StepItem | null => {
  const item = open.get(step)
  return item && 'tool' in item ? item : null
}

/** What is known of an approval whose question was not read. */
const unasked = (id: string, step: string, approval: string): Extract<Item, { type: 'approval' }> => ({
  id,
  // The id of a turn is that of its message and its agent's: two words, and the step's own after them.
  turn: step.split('.').slice(0, 2).join('.'),
  type: 'approval',
  status: 'inProgress',
  step,
  approval,
  call: null,
  why: '',
  opens: '',
  until: null,
  decision: null,
  by: null,
  note: '',
})

/** The agent whose session an entry is of. */
const agentIn = (tags: readonly string[]): string => taggedIn(tags, 'agent') ?? ''
