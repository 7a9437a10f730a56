/** A request that a model was sent, as far as scripts and checks look at it. */
export type Asked = {
  /** Which request it is, from 1 on. */
  nth: number
  model: string
  /** Every tool that the model can see, wherever in the request it stands, by the name it would call it by. */
  tools: string[]
  /** The instructions it has, in one text. */
  instructions: string
  /** All that people and tools said, from the first to the last. */
  texts: string[]
  /** What the call before it answered; null where there was none. */
  result: string | null
  /** The whole of it. */
  body: unknown
}

type Taken = { usage?: { input: number; cached: number; output: number } }

/** What a model does when it is asked. */
export type Move =
  /** Says something, piece by piece where `pieces` says so, and is done. */
  | ({ do: 'say'; text: string; pieces?: number; everyMs?: number } & Taken)
  /** Calls tools of the peripheral; and says something before. Several are called together. */
  | ({ do: 'call'; calls: { tool: string; args: Record<string, unknown> }[]; say?: string } & Taken)
  /** Calls something by a name that is sent as it is: built-ins of the program, and whatever else one may try. */
  | ({ do: 'raw'; item: Record<string, unknown> } & Taken)
  /** Answers with a status and a body. */
  | { do: 'fail'; status: number; body?: unknown; headers?: Record<string, string> }
  /** Begins to answer and says nothing more, until the connection is closed; or says not even that it begins. */
  | { do: 'hang'; text?: string }
  /** Begins to answer and breaks the connection. */
  | { do: 'cut'; text?: string }

/** What a model is: from what it is asked to what it does. */
export type Script = (asked: Asked) => Move | Promise<Move>

/** A model on the loopback, behind the API that a program of an agent speaks. */
export type StubModel = {
  /** What the program is to be given as the base URL of its provider. */
  url: string
  asked: Asked[]
  /** Replaces what it does from now on. */
  play: (script: Script) => void
  close: () => Promise<void>
}

/** Moves one after the other; the last is made again and again. */
export const inOrder = (...moves: [Move, ...Move[]]): Script => {
  let at = 0
  return () => moves[Math.min(at++, moves.length - 1)] ?? moves[0]
}

/** A text as it is sent piece by piece, with no character torn. */
export const inPieces = (text: string, pieces: number): string[] => {
  const letters = [...text]
  const size = Math.max(1, Math.ceil(letters.length / pieces))
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, at) =>
    letters.slice(at * size, (at + 1) * size).join(''),
  )
}
