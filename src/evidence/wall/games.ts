import type { BodyOf, Entry } from '../../shapes/evidence.ts'
import type { Finding } from '../complain.ts'

/**
 * Judges the chain of a game in a text world: it is begun once, its moves are numbered without a gap, each is by the agent
 * that made it, in a step of its own; and nobody moves once it was won, by a move that there is.
 */
export const createGames = () => {
  const moves = new Map<number, string>()
  const steps = new Set<string>()
  let game: string | null = null
  let won = false

  const common = ({ session }: Entry, body: { game: string }): Finding[] =>
    session === `world-${body.game}` ? [] : [wrong(`is of the game ${body.game}, in the chain ${session}`)]

  return {
    begun: (entry: Entry, body: BodyOf<'world-begun'>): Finding[] => {
      const again = game !== null
      game = body.game
      return [
        ...common(entry, body),
        ...(again ? [wrong(`begins ${body.game} a second time`)] : []),
        ...byItself(entry, body, body.by),
      ]
    },
    moved: (entry: Entry, body: BodyOf<'world-moved'>): Finding[] => {
      const { n, player, step } = body
      const next = moves.size + 1
      const twice = steps.has(step)
      moves.set(n, player)
      steps.add(step)
      return [
        ...common(entry, body),
        ...(game === null ? [wrong('is a move in a game that was not begun')] : []),
        ...(n === next ? [] : [wrong(`is move ${n}, where ${next} was next`)]),
        ...(won ? [wrong(`is move ${n}, after the game was won`)] : []),
        ...(twice ? [wrong(`is a second move of step ${step}`)] : []),
        ...byItself(entry, body, player),
      ]
    },
    won: (entry: Entry, body: BodyOf<'world-won'>): Finding[] => {
      const again = won
      won = true
      const made = moves.get(body.n) === body.player
      return [
        ...common(entry, body),
        ...(again ? [wrong('wins the game a second time')] : []),
        ...(made ? [] : [wrong(`says that move ${body.n} of ${body.player} won, and there is none`)]),
      ]
    },
  }
}

const wrong = (what: string): Finding => ({ rule: 'world', what })

/** What a player does is the player's, and answers the step that it was done in. */
const byItself = ({ author, inReplyTo }: Entry, { step }: { step: string }, player: string): Finding[] => [
  ...(author.kind === 'agent' && author.id === player
    ? []
    : [{ rule: 'author', what: `is by ${author.kind} ${author.id}, and is ${player}'s` }]),
  ...(inReplyTo === `${step}.intent` ? [] : [wrong(`does not answer the step ${step}`)]),
]
