import type { Link, Message } from './link.ts'

export type Pauses = { firstMs: number; mostMs: number }

type Options = {
  /** Those it is to be in, as that is now: looked at again and again. */
  wanted: () => readonly string[]
  keys: Readonly<Record<string, string | undefined>>
  pauses: Pauses
  /** That we are in a channel, and that we are in one no longer. */
  came: (channel: string) => void
  went: (channel: string) => void
  /** That something changed: we are in, or out and why. */
  changed: () => void
}

type Standing = {
  name: string
  isIn: boolean
  why: string
  failures: number
  timer: NodeJS.Timeout | undefined
  since: number
}

/** What keeps us out of a channel, by the number the server says it with. */
export const REASONS: Record<string, string> = {
  '403': 'there is no such channel',
  '405': 'we are in too many channels',
  '437': 'it is not available for now',
  '448': 'it is forbidden here',
  '470': 'it sends those who come to another channel',
  '471': 'it is full',
  '473': 'it is for the invited only',
  '474': 'we are banned from it',
  '475': 'its key is another one',
  '476': 'its name is not one of a channel',
  '477': 'it is for those who are signed in',
  '479': 'its name is not one of a channel',
  '480': 'too many come at once',
  '489': 'it is for those who come by TLS',
  '495': 'who was thrown out has to wait',
  '520': 'it is for operators',
  '609': 'it is not available for now',
  '926': 'it is forbidden here',
}

/** How often it is looked at which channels it is to be in. */
const LOOK_MS = 2000

const UNANSWERED = 'the server has not answered yet'

/** How long it takes until being thrown out is not part of the last time any more. */
const CALM_MS = 300_000
const ANSWER_MS = 60_000

/** Is in the channels it is to be in, and comes back into them after it was thrown out, with growing pauses. */
export const createChannels = (link: Link, { wanted, keys, pauses, came, went, changed }: Options) => {
  const all = new Map<string, Standing>()
  let looking: NodeJS.Timeout | undefined
  const of = (name: string | undefined) => all.get(link.fold(name ?? ''))
  const again = (one: Standing, ms: number) => {
    clearTimeout(one.timer)
    one.timer = setTimeout(() => join(one), ms)
  }
  const join = (one: Standing) => {
    const key = keys[one.name]
    void link.put(key === undefined ? `JOIN ${one.name}` : `JOIN ${one.name} ${key}`)
    again(one, ANSWER_MS)
  }
  const out = (one: Standing, why: string) => {
    if (one.isIn && performance.now() - one.since > CALM_MS) one.failures = 0
    if (one.isIn) went(one.name)
    one.isIn = false
    one.why = why
    again(one, pauseOf(pauses, one.failures++))
    changed()
  }
  const inside = (one: Standing) => {
    clearTimeout(one.timer)
    Object.assign(one, { isIn: true, why: '', since: performance.now() })
    came(one.name)
    changed()
  }
  /** Joins what is new among those it is to be in, and leaves what is not among them any more. */
  const look = () => {
    const names = new Map(wanted().map((name) => [link.fold(name), name]))
    for (const [folded, name] of names) {
      if (all.has(folded)) continue
      const one: Standing = { name, isIn: false, why: UNANSWERED, failures: 0, timer: undefined, since: 0 }
      all.set(folded, one)
      join(one)
    }
    for (const [folded, one] of all) if (!names.has(folded)) leave(folded, one)
  }
  const leave = (folded: string, { name, isIn, timer }: Standing) => {
    all.delete(folded)
    clearTimeout(timer)
    if (!isIn) return
    went(name)
    void link.put(`PART ${name}`)
  }
  const isMe = (nick: string | undefined) => link.fold(nick ?? '') === link.fold(link.nick())

  const on: Record<string, (line: Message) => void> = {
    KICK: ({ nick, params: [channel, who, reason] }) => {
      const one = of(channel)
      if (one && isMe(who)) out(one, `${nick} threw us out${reason ? `: ${reason}` : ''}`)
    },
    PART: ({ nick, params: [channel] }) => {
      const one = of(channel)
      if (one && isMe(nick)) out(one, 'we were made to leave')
    },
    JOIN: ({ nick, params: [channel] }) => {
      if (!isMe(nick)) return
      const one = of(channel)
      if (one) inside(one)
      else void link.put(`PART ${channel}`) // where a server sends us that we did not ask for
    },
  }
  const refused = (reason: string, { params: [, channel] }: Message) => {
    const one = of(channel)
    if (one && !one.isIn) out(one, reason)
  }

  return {
    line: (line: Message) => {
      const reason = REASONS[line.command]
      if (reason === undefined) on[line.command]?.(line)
      else refused(reason, line)
    },
    join: () => {
      look()
      looking = setInterval(look, LOOK_MS)
    },
    /** How it stands with a channel: null where it is not one of ours. */
    of: (name: string): { isIn: boolean; why: string } | null => of(name) ?? null,
    /** Whether the server has answered for each of them. */
    isSettled: () => [...all.values()].every(({ isIn, why }) => isIn || why !== UNANSWERED),
    all: () => [...all.values()].map(({ name, isIn, why }) => ({ name, isIn, why })),
    end: () => {
      clearInterval(looking)
      for (const { timer, isIn, name } of all.values()) {
        clearTimeout(timer)
        if (isIn) went(name)
      }
    },
  }
}

/** Longer each time, up to a most, and never the same for two who fail together. */
export const pauseOf = ({ firstMs, mostMs }: Pauses, failures: number): number =>
  Math.min(mostMs, firstMs * 2 ** Math.min(failures, 20)) * (0.75 + Math.random() / 4)
