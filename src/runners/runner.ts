import type { Probe } from '../shapes/agent.ts'
import type { Failure } from '../shapes/runner.ts'
import type { Usage } from '../shapes/usage.ts'

/** The one way that a program of an agent reaches its tools: our MCP endpoint, and the token of one session. */
export type Hands = { url: string; token: string }

/** What a conversation says while somebody waits for its answer. */
export type Said =
  /** A piece of the message that is being written; and of which, where the program names them. */
  | { kind: 'delta'; text: string; of?: string }
  /** A message is complete. The last one before the end is the answer. */
  | { kind: 'message'; text: string }
  /** A call of a tool is under way, or over: while one is, silence means nothing. */
  | { kind: 'tool'; state: 'begun' | 'ended' }
  /** What one request to the model took, and how much fits into one; null where that is not said. */
  | { kind: 'usage'; model: string | null; usage: Usage; window: number | null }
  /** Something else came: whoever works is alive. */
  | { kind: 'alive' }

/** How speaking ended. */
export type Finish = { kind: 'answered'; text: string } | { kind: 'interrupted' } | { kind: 'failed'; failure: Failure }

/** When a line that was added will be heard: at once, after the tool that runs, or after the answer that is being written. */
export type Landing = 'now' | 'after-step' | 'after-answer'

/** A conversation with the program of an agent: one at a time for a session, which it remembers. */
export type Conversation = {
  /** The program's own name for it, by which it is resumed. */
  id: string
  /** Whether it remembers what was said before. */
  resumed: boolean
  /** Says something and hears what comes of it, until the turn is over. One at a time. */
  speak: (text: string, how: { model: string | null; heard: (said: Said) => void }) => Promise<Finish>
  /** Adds a line while it works; null where it is too late for that. */
  steer: (text: string) => Promise<Landing | null>
  /** Makes it stop: asks, then ends the process, then kills it. Whoever waits for an answer has one by then. */
  interrupt: () => Promise<void>
  /** The tools that the program has now, by the names of the spec. Nothing else is among them, or it is shown as it is called. */
  tools: () => Promise<string[]>
  /** Lets it go: what it knows is kept by the program, and can be resumed. */
  close: () => Promise<void>
  /** Whether it can still be spoken to. */
  isOpen: () => boolean
}

/** How a conversation is begun, or gone on with. */
export type Opening = {
  /** The session it is for. */
  session: string
  /** Who it is and how it works: the same bytes for the whole session. */
  instructions: string
  hands: Hands
  model: string | null
  /** The conversation that it goes on from; null begins anew. */
  resume: string | null
}

export type Opened = { ok: true; conversation: Conversation } | { ok: false; failure: Failure }

/** The program of an agent, supervised: what it is, whether it works, and conversations with it. */
export type Runner = {
  /** What it found when it looked: the program, its version, its sign-in, its way to our tools; `expected` are those. */
  probe: (hands: Hands, expected: readonly string[]) => Promise<Probe[]>
  /** Null until it was probed. */
  version: () => string | null
  open: (opening: Opening) => Promise<Opened>
  /** The processes it runs now. */
  pids: () => number[]
  /** Ends all of it. */
  close: () => Promise<void>
}
