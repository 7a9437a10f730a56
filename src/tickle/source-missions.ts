import { createHash } from 'node:crypto'
import { oneLine } from '../lib/plain.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Source } from '../shapes/tickle.ts'

/** What is known of a mission, as far as it can become work. */
type Mission = { id: string; title: string; status: string; blockedBy: readonly string[]; path: string }

type Options = {
  missions: () => Promise<readonly Mission[]>
  /** What a mission's file says; null where it cannot be read. */
  textOf: (mission: Mission) => Promise<string | null>
}

const TITLE = 200
/** As many boxes as are taken of one mission. */
const MOST = 100

/** The open boxes of a mission: each is something to be done, by the words that stand beside it. */
export const createBoxes =
  ({ missions, textOf }: Options) =>
  async (id: string): Promise<Result<Source[]>> => {
    const known = await missions()
    const mission = known.find((one) => one.id === id)
    if (!mission) {
      const there = known.map((one) => one.id).join(', ') || 'none'
      return refused(refusal('source-missing', `there is no mission ${oneLine(id, TITLE)}; there is ${there}`))
    }
    const text = await textOf(mission)
    if (text === null) return refused(refusal('source-missing', `${mission.path} cannot be read`))
    return ok(openBoxes(text).map((title) => sourceOf(title, mission)))
  }

/** What stands beside each box that is not ticked, once; what is shown as code is no box. */
export const openBoxes = (text: string): string[] => {
  const boxes = new Set<string>()
  let isCode = false
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    const [, words = ''] = (isCode ? null : /^\s*(?:[-*+]|\d+[.)])\s+\[ \]\s+(\S.*)$/.exec(line)) ?? []
    if (words !== '') boxes.add(oneLine(words, TITLE))
  }
  return [...boxes].slice(0, MOST)
}

/** The same words are the same box, wherever they stand in the file. */
const sourceOf = (title: string, { id, title: of, path }: Mission): Source => ({
  from: `mission:${id}#${createHash('sha256').update(title).digest('hex').slice(0, 12)}`,
  title,
  text: `An open box of ${id}, ${oneLine(of, TITLE)}, in ${path}.`,
})
