import { count } from '../lib/count.ts'
import type { Boxes, Coverage, Mission } from '../shapes/mission.ts'
import type { Ranked, Reason } from '../shapes/portfolio.ts'

/** What bears on whether a mission is to be worked on next. All of it follows from its file and the evidence. */
export type Candidate = {
  id: string
  status: Mission['status']
  /** How many missions that are not complete wait for this one, by themselves or by others that do. */
  unlocks: number
  boxes: Boxes
  /** How many turns were taken for it, and how many of the last ones failed in a row. */
  turns: number
  failures: number
  /** How many days nothing was done for it; null where nothing ever was. */
  idleDays: number | null
}

/**
 * What can be worked on, best first, each with its reasons: the score is their sum, and nothing else decides but what it
 * unlocks, and then the name, between equals. What is blocked, complete, deferred or unknown is not there.
 */
export const rank = (candidates: readonly Candidate[]): Ranked[] =>
  candidates
    .filter(({ status }) => status === 'ready' || status === 'in-progress')
    .map((candidate) => ({ candidate, ranked: weigh(candidate) }))
    .sort(
      (a, b) =>
        b.ranked.score - a.ranked.score ||
        b.candidate.unlocks - a.candidate.unlocks ||
        (a.candidate.id < b.candidate.id ? -1 : 1),
    )
    .map(({ ranked }) => ranked)

/** What each factor counts, and up to how much of it. */
const COUNTS = {
  unlock: 10,
  begun: 6,
  /** For all boxes but the last one; in parts of it. */
  boxes: 10,
  turn: { each: 1, most: 8 },
  idleDay: { each: 1, most: 14 },
  failure: -6,
} as const

const weigh = ({ id, status, unlocks, boxes, turns, failures, idleDays }: Candidate): Ranked => {
  const { done, total } = boxes
  const all: Reason[] = [
    { counts: unlocks * COUNTS.unlock, why: `unlocks ${count(unlocks, 'mission')}` },
    { counts: status === 'in-progress' ? COUNTS.begun : 0, why: 'is begun' },
    { counts: total === 0 ? 0 : Math.floor((done * COUNTS.boxes) / total), why: `${done} of ${total} boxes are done` },
    { counts: Math.min(turns, COUNTS.turn.most) * COUNTS.turn.each, why: `${count(turns, 'turn')} went into it` },
    {
      counts: Math.min(Math.floor(idleDays ?? 0), COUNTS.idleDay.most) * COUNTS.idleDay.each,
      why: `nothing was done for ${count(Math.floor(idleDays ?? 0), 'day')}`,
    },
    { counts: failures * COUNTS.failure, why: failedText(failures) },
  ]
  const reasons = all.filter(({ counts }) => counts !== 0)
  return { id, status, score: reasons.reduce((sum, { counts }) => sum + counts, 0), reasons }
}

/** That the last attempts failed, as the end of a sentence. */
export const failedText = (failures: number): string =>
  failures === 1 ? 'the last attempt failed' : `the last ${failures} attempts failed`

const DAY_MS = 86_400_000

/** Missions as candidates, by what the evidence has of each. */
export const candidatesOf = (
  missions: readonly Mission[],
  coverage: ReadonlyMap<string, Coverage>,
  now: number,
): Candidate[] => {
  const waiting = waitingIn(missions)
  return missions.map(({ id, status, boxes }) => {
    const { turns = 0, failures = 0, last = null } = coverage.get(id) ?? {}
    const idleDays = last === null ? null : Math.max(0, (now - Date.parse(last)) / DAY_MS)
    return { id, status, unlocks: unlockedBy(id, waiting), boxes, turns, failures, idleDays }
  })
}

/** Those that are not over, by what they name as what they wait for. */
const waitingIn = (missions: readonly Mission[]): Map<string, string[]> => {
  const waiting = new Map<string, string[]>()
  for (const { id, status, blockedBy } of missions) {
    if (status === 'complete' || status === 'deferred') continue
    for (const name of new Set(blockedBy.map(keyOf))) {
      const others = waiting.get(name)
      if (others) others.push(keyOf(id))
      else waiting.set(name, [keyOf(id)])
    }
  }
  return waiting
}

const keyOf = (id: string): string => id.toLowerCase()

/** How many wait for a mission: they name it, or name one that waits for it. */
const unlockedBy = (id: string, waiting: ReadonlyMap<string, readonly string[]>): number => {
  const reached = new Set([keyOf(id)])
  // A set that is added to goes on with what was added.
  for (const one of reached) for (const other of waiting.get(one) ?? []) reached.add(other)
  return reached.size - 1
}
