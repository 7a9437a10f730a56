import type { Store } from '../evidence/store.ts'
import { oneLine, plain } from '../lib/plain.ts'
import type { WorkPhase } from '../shapes/tickle.ts'
import { APPROVE, CHANGES } from './verdict.ts'
import type { Work } from './work.ts'

const TITLE = 200
/** What of a review, of an answer or of an issue is handed on: the evidence has it whole. */
const WORDS = 6000

/** What an agent is asked for a piece of work: to do it, or to look at what was done. */
export const requestFor = (store: Pick<Store, 'get'>, work: Work, phase: WorkPhase): Promise<string> =>
  phase === 'work' ? Promise.resolve(workRequest(work)) : reviewRequest(store, work)

/** What the room reads of that. */
export const shownFor = ({ id, title, round }: Work, phase: WorkPhase, agent: string): string => {
  const again = round === 1 ? '' : `, round ${round}`
  return `${id} ${phase === 'work' ? 'for' : 'to be reviewed by'} ${agent}${again}: ${oneLine(title, TITLE)}`
}

const workRequest = ({ id, title, text, mission, round, review }: Work): string =>
  [
    oneLine(title, TITLE),
    `This is ${id} of the work queue${mission === null ? '' : `, for the mission ${mission}`}.`,
    ...quoted('What is known of it', text),
    ...(round > 1 ? quoted(`It was reviewed; this is round ${round}. The review says`, review) : []),
  ].join('\n')

const reviewRequest = async (store: Pick<Store, 'get'>, { id, title, worker, workTurn }: Work): Promise<string> => {
  const ended = workTurn === null ? null : (await store.get(`${workTurn}.ended`))?.body
  const answer = ended?.event === 'turn-ended' ? ended.answer : ''
  return [
    `Review ${id}: ${oneLine(title, TITLE)}`,
    `${worker} worked on it in the turn ${workTurn}. Look at what is there by now, and whether it is what was wanted.`,
    ...quoted(`What ${worker} says of it`, answer),
    'Say what you found. The last line of your answer is exactly one of these two, and the other stands nowhere:',
    APPROVE,
    CHANGES,
  ].join('\n')
}

/** What others wrote, each line marked: it is told, and asks for nothing by itself. */
const quoted = (lead: string, text: string): string[] => {
  const lines = plain(text).trim().slice(0, WORDS).toWellFormed().split('\n')
  return lines[0] === '' ? [] : [`${lead}:`, ...lines.map((line) => `> ${line}`)]
}
