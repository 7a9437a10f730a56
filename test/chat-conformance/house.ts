import type { Network, Outlet, Spot } from '../../src/chat/outlet.ts'
import type { Ears, Line, NetworkPort, NetworkState, Question } from '../../src/chat/port.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Post, Progress } from '../../src/shapes/post.ts'
import type { Refusal } from '../../src/shapes/refusal.ts'
import { ok, type Result, refused } from '../../src/shapes/result.ts'
import type { TurnView } from '../../src/shapes/turn-view.ts'
import { commands } from './commands.ts'
import { createDelivery } from './delivery.ts'

/** What the house makes of a line: a receipt with this in it, or a refusal. Where it throws, the house was not reached. */
export type Answering = (line: Line) => Partial<Receipt> | Refusal | null

export type HouseOptions = {
  /** The name of the network, for an adapter of one. */
  network?: string
  /** Which channel leads to which room; a channel that is a thread of the network leads to a room of its own. */
  channels?: Record<string, string>
  /** The room that the person is in, where there are no channels. */
  room?: string
  /** Where the page is, for links to posts; null for a house whose page nobody else reaches. */
  page?: string | null
}

export type ScriptedHouse = ReturnType<typeof createScriptedHouse>

/**
 * A house of which only the port is there. It does what the real one does with a line: it knows it again by its id, posts it
 * in its room, and posts what it answers as `ID.receipt`. Everything else is what a test tells it to do.
 */
export const createScriptedHouse = (options: HouseOptions = {}) => {
  const { network = 'net', channels = {}, room = Object.values(channels)[0] ?? 'lobby', page = PAGE } = options
  const led = new Map(Object.entries(channels))
  const posts: Post[] = []
  const heard: Line[] = []
  const attempts: Line[] = []
  const answered = new Map<string, Result<Receipt>>()
  const states: NetworkState[] = []
  const drops: { refusal: Refusal; who: string }[] = []
  const logs: { message: string; fields: Record<string, unknown> }[] = []
  const kept = new Map<string, string>()
  const followers = new Set<Follower>()
  const delivery = createDelivery()
  let answer: Answering = () => null
  let look = (question: Question): unknown => LOOKS[question.name] ?? {}
  let reachable = true

  /** Shows a post to whoever follows its room, and has it delivered to the channels that lead there. */
  const post = (part: Partial<Post>): Post => {
    const made = { ...BLANK, room, position: posts.length + 1, id: `e${posts.length + 1}`, ...part }
    posts.push(made)
    for (const follower of followers) if (follower.room === made.room) follower.ears.post(made)
    for (const spot of spotsOf(made.room)) delivery.post(made, spot)
    return made
  }

  const spotsOf = (of: string): Spot[] =>
    [...led].flatMap(([channel, to]) => (to === of ? [{ channel, room: to, watched: false, show: 'normal' }] : []))

  const hear = (line: Line): Result<Receipt> => {
    const said = answer(line)
    const receipt = said !== null && 'code' in said ? refused(said) : ok({ ...receiptOf(line), ...said })
    answered.set(line.id, receipt)
    heard.push(line)
    const id = line.sender?.nick ?? PERSON.id
    post({ id: line.id, room: line.room, text: line.text, author: { ...PERSON, id } })
    const shown = postOf(receipt)
    if (shown) post({ ...shown, id: `${line.id}.receipt`, room: line.room, author: HOUSE })
    return receipt
  }

  const port: NetworkPort = {
    network,
    say: async (line) => {
      attempts.push(line)
      if (!reachable) throw new Error('the house cannot be reached')
      return answered.get(line.id) ?? hear(line)
    },
    follow: (followed, from, ears, signal) =>
      new Promise((done, fail) => {
        if (!reachable) return fail(new Error('the house cannot be reached'))
        const follower = { room: followed, ears, lose: fail }
        followers.add(follower)
        signal.addEventListener('abort', () => {
          followers.delete(follower)
          done()
        })
        ears.open?.()
        const here = posts.filter((one) => one.room === followed)
        const missed =
          typeof from === 'number' ? here.filter(({ position }) => position > from) : here.slice(-from.tail)
        for (const one of missed) ears.post(one)
      }),
    ask: async (question) => {
      if (!reachable) throw new Error('the house cannot be reached')
      return ok(look(question))
    },
    roomOf: (channel) => led.get(channel) ?? null,
    channels: () => [...led].map(([channel, to]) => ({ channel, room: to })),
    commands,
    agents: async () => AGENTS,
    drop: (refusal, who) => void drops.push({ refusal, who }),
    linkTo: ({ room: of, id }) => (page === null ? null : `${page}/?room=${of}#post-${id}`),
    memory: {
      get: async (key) => kept.get(key) ?? null,
      set: async (key, value) => void kept.set(key, value),
    },
    report: (state) => void states.push(state),
    log: (message, fields = {}) => void logs.push({ message, fields }),
  }

  return {
    ...port,
    /** The port alone, as an adapter gets it. */
    port,
    /** The room the person is in. */
    room,
    /** Every line that was heard, once: the same id again is the same line. */
    heard: heard as readonly Line[],
    /** Every time that a line was said to it, whether or not it was reachable. */
    attempts: attempts as readonly Line[],
    posts: posts as readonly Post[],
    states: states as readonly NetworkState[],
    drops: drops as readonly { refusal: Refusal; who: string }[],
    logs: logs as readonly { message: string; fields: Record<string, unknown> }[],
    /** What could not be said at all, and why. */
    failed: delivery.failed,
    answerWith: (next: Answering): void => {
      answer = next
    },
    lookWith: (next: (question: Question) => unknown): void => {
      look = next
    },
    post,
    /** What is being said while it is being said: only for who follows. */
    progress: (progress: Omit<Progress, 'room'>): void => {
      for (const { room: of, ears } of followers) ears.progress?.({ ...progress, room: of })
    },
    /** How a turn stands by now: shown by the network's card of it, where it has one. */
    turn: (view: TurnView): void => {
      for (const spot of spotsOf(view.room)) delivery.turn(view, spot)
    },
    /** Another channel that leads to a room from now on, as a thread of a network that was bound. */
    bind: (channel: string, to: string): void => void led.set(channel, to),
    /** From now on, and with all that was posted before, the posts are delivered by the network. */
    deliverBy: ({ outlet }: Pick<Network, 'outlet'>): void => {
      delivery.begin(outlet as Outlet<unknown>)
      for (const made of posts) for (const spot of spotsOf(made.room)) delivery.post(made, spot)
    },
    /** Whether it is an adapter of a network that is behind it. */
    delivers: () => delivery.began(),
    /** Waits until everything that was to be delivered is, or cannot be. */
    delivered: () => delivery.settled(),
    /** The house goes away: lines are not taken, and whoever follows is told that it is lost. And it comes back. */
    leaves: (): void => {
      reachable = false
      for (const { lose } of followers) lose(new Error('the house is gone'))
      followers.clear()
    },
    returns: (): void => {
      reachable = true
    },
    /** Ends the delivery: what was not said by now is not said any more. */
    close: () => delivery.end(),
  }
}

type Follower = { room: string; ears: Ears; lose: (why: Error) => void }

const PAGE = 'https://bellhop.example'
const AT = '2026-03-01T12:00:00.000Z'
const AGENTS = [
  { id: 'claude-1', type: 'claude' },
  { id: 'codex-1', type: 'codex' },
]

const PERSON: Post['author'] = { kind: 'person', id: 'ada', face: 'api', via: null }
const HOUSE: Post['author'] = { kind: 'house', id: 'bellhop', face: 'house', via: null }

const BLANK: Omit<Post, 'position' | 'id' | 'room'> = {
  at: AT,
  kind: 'said',
  author: { ...PERSON, id: 'grace' },
  text: '',
  session: null,
  turn: null,
  step: null,
  approval: null,
}

const LOOKS: Record<string, unknown> = { rooms: { rooms: [{ id: 'lobby' }] }, threads: { threads: [] } }

const receiptOf = ({ id, room }: Line): Receipt => ({
  message: id,
  room,
  mode: 'coordination',
  assignments: [],
  answer: null,
})

/** What the room reads of an answer: what a command answered and why not, and nothing of a whisper. */
const postOf = (receipt: Result<Receipt>): Partial<Post> | null => {
  if (receipt.ok) return receipt.value.answer === null ? null : { kind: 'answer', text: receipt.value.answer }
  const { message, code, remedy } = receipt.refusal
  return { kind: 'refusal', text: `${message} [${code}]\n${remedy}` }
}
