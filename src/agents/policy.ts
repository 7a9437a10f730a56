import type { Failure, FailureKind } from '../shapes/runner.ts'

/** What is done about a failure of an agent's program. */
type Policy = {
  /** How often it is tried again, and how long the first wait is, in units of the config's own. */
  tries: number
  waits: number
  /** Whether another model may be taken, where one is configured. */
  fallback: boolean
  /** Whether it goes on in a new conversation, from what the evidence says. */
  anew: boolean
  /** Whether the agent is not ready any more, until somebody has put it right. */
  unready: boolean
  /** What a room reads of it. */
  says: string
  /** What a person can do. */
  remedy: string
}

const never = { tries: 0, waits: 0, fallback: false, anew: false, unready: false }

/** Each failure has a policy of its own, and a sentence of its own. */
export const policies: Record<FailureKind, Policy> = {
  'rate-limit': {
    ...never,
    tries: 5,
    waits: 2,
    fallback: true,
    says: 'is asking the model for more than it may just now',
    remedy: 'wait, or ask for less at once',
  },
  quota: {
    ...never,
    fallback: true,
    says: 'has nothing left that it may use of its model',
    remedy: 'top the account up, or configure a fallback',
  },
  auth: {
    ...never,
    unready: true,
    says: 'is not signed in to its model',
    remedy: 'sign it in',
  },
  overload: {
    ...never,
    tries: 4,
    waits: 1,
    fallback: true,
    says: 'finds its model overloaded',
    remedy: 'try again in a while, or configure a fallback',
  },
  network: {
    ...never,
    tries: 4,
    waits: 0.5,
    says: 'cannot reach its model',
    remedy: 'look at the network and at the provider’s address',
  },
  'bad-request': {
    ...never,
    says: 'was refused by its model',
    remedy: 'look at its model’s name in the config; /reset begins a new session',
  },
  context: {
    ...never,
    tries: 1,
    anew: true,
    says: 'has more on its mind than its model can hold',
    remedy: '/reset begins a new session',
  },
  hung: {
    ...never,
    tries: 1,
    waits: 0.5,
    fallback: true,
    says: 'heard nothing more from its model',
    remedy: 'try again, or look at the provider',
  },
  crashed: {
    ...never,
    tries: 2,
    waits: 0.5,
    says: 'lost its program',
    remedy: 'look into the log of the worker',
  },
  wall: {
    ...never,
    unready: true,
    says: 'was stopped: its program has other tools than it should',
    remedy: 'run `bellhop doctor --wall`',
  },
}

/** How long to wait before the nth try, from 1 on: as long as was asked for, else twice as long each time. */
export const waitFor = ({ kind, retryMs }: Failure, nth: number, unitMs: number): number =>
  Math.min(retryMs ?? policies[kind].waits * unitMs * 2 ** (nth - 1), LONGEST_MS)

/** Whoever waits longer than this has better things to do. */
export const LONGEST_MS = 120_000

/** How a failure is told when nothing more is tried. */
export const tellFailure = ({ kind, message }: Failure, signIn: string): string => {
  const { says, remedy } = policies[kind]
  return `${says}: ${message}. What to do: ${kind === 'auth' ? signIn : remedy}`
}
