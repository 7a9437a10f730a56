import type { Entry } from '../shapes/evidence.ts'
import { cut, type Piece } from './pieces.ts'
import type { Quote } from './quote.ts'

type Heard = {
  /** What came since somebody heard the last of it: entries of the room's own chain, and the ends of others' turns. */
  heard: readonly Entry[]
  /** Whose ears they are, and what the turn answers that it is told for. */
  agent: string
  answers: string | null
}

/** What is shown of one line, and how many there are. */
const SAID_BYTES = 500
const MOST_LINES = 30

/**
 * What was said in a room, oldest first: the lines of people, and the answers of other agents. Not what was said to the
 * agent itself, which it hears as requests, and no commands.
 */
export const talkPieces = (quote: Quote, { heard, agent, answers }: Heard): Piece[] => {
  const passedOver = new Set(heard.flatMap((entry) => (isPassedOver(entry, agent) ? (entry.inReplyTo ?? []) : [])))
  return heard
    .filter(({ id }) => id !== answers && !passedOver.has(id))
    .toSorted((a, b) => a.position - b.position)
    .flatMap((entry) => pieceOf(quote, entry) ?? [])
    .slice(-MOST_LINES)
}

/** Whether a receipt says that a line was a command, or one for this agent. */
const isPassedOver = ({ body }: Entry, agent: string): boolean =>
  body?.event === 'answered' ||
  (body?.event === 'assigned' && body.assignments.some((assignment) => assignment.agent === agent))

const pieceOf = (quote: Quote, { id, at, author, body }: Entry): Piece | null => {
  const said = textIn(body)
  if (said === null) return null
  const [how, text] = said
  const line = quote.json({
    at: `${at.slice(0, 16)}Z`,
    by: author.id,
    ...(author.kind === 'agent' && { agent: true }),
    [how]: cut(quote.clean(text), SAID_BYTES),
    entry: id,
  })
  return { line, from: [id] }
}

/** What of an entry is talk, and how it was said. */
const textIn = (body: Entry['body']): readonly [how: string, text: string] | null => {
  switch (body?.event) {
    case 'message':
      return ['says', body.text]
    case 'turn-ended':
      return ['answers', body.answer]
    case 'asked':
      return ['asks', body.text]
    case 'supposed':
      return ['supposes', body.text]
    case 'concluded':
      return ['concludes', body.text]
    case 'corrected':
      return ['corrects', body.text]
    default:
      return null
  }
}
