import type { Post, Progress } from '../../src/shapes/post.ts'
import { clean, DIM, hang, type Look, paint, shorten } from './rows.ts'

/** A message that is being written is named after its turn, and its turn after its agent. */
const MESSAGE = /^(.+\.([^.]+))\.said-\d+$/

/** As much of a message as is kept while it is being written: what is shown is its end. */
const KEPT = 4000

/** What an agent does while its turn runs. */
const RUNNING: ReadonlySet<Post['kind']> = new Set(['accepted', 'working', 'step', 'aside', 'approval'])

/** A turn that has not ended: what its agent is writing, and the messages that are whole already. */
type Turn = { writing: Map<string, { agent: string; text: string }>; whole: Set<string> }

/**
 * What agents are writing just now. It is heard piece by piece, and gone when the post comes that has it whole; what
 * comes after that, or of a turn that is not known to run, came too late.
 */
export const createLive = () => {
  const turns = new Map<string, Turn>()

  const turnOf = (id: string): Turn => {
    const turn = turns.get(id) ?? { writing: new Map(), whole: new Set() }
    turns.set(id, turn)
    return turn
  }

  return {
    post: ({ kind, id, turn }: Post): void => {
      if (turn === null) return
      if (kind === 'answer') return void turns.delete(turn)
      if (!RUNNING.has(kind)) return
      const { writing, whole } = turnOf(turn)
      if (kind !== 'aside') return
      writing.delete(id)
      whole.add(id)
    },
    progress: ({ step, text }: Pick<Progress, 'step' | 'text'>): void => {
      const [, id = '', agent = ''] = MESSAGE.exec(step) ?? []
      const turn = turns.get(id)
      if (!turn || turn.whole.has(step)) return
      turn.writing.set(step, { agent, text: `${turn.writing.get(step)?.text ?? ''}${text}`.slice(-KEPT) })
    },
    /** What was missed leaves a hole: after one, it is heard from there on. */
    lose: (): void => {
      for (const { writing } of turns.values()) writing.clear()
    },
    /** The end of each message, in no more rows than there is room for. */
    rows: (look: Look, most: number): string[] => {
      const messages = [...turns.values()].flatMap(({ writing }) => [...writing.values()]).slice(-most)
      const share = Math.floor(most / Math.max(1, messages.length))
      return messages.flatMap(({ agent, text }) => endOf(agent, text, look, share))
    },
  }
}

const endOf = (agent: string, text: string, look: Look, most: number): string[] => {
  const by = `${clean(agent)}: `
  const rows = hang(by, text.trimEnd(), look)
  const shown = rows.slice(-most)
  if (rows.length > most) shown[0] = `${by}… ${shown[0]?.trimStart()}`
  // A row as wide as the terminal would be two of them.
  return shown.map((row) => paint(DIM, shorten(row, look.width - 1), look))
}
