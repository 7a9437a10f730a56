import type { BodyOf } from '../shapes/evidence.ts'
import type { WorkState } from '../shapes/tickle.ts'

/** What can happen to a piece of work. */
export const moves = [
  'given',
  'asked',
  'approve',
  'changes',
  'unclear',
  'returned',
  'people',
  'afresh',
  'finished',
  'dropped',
] as const
export type Move = (typeof moves)[number]

/** Where each leads from where; what is not here cannot happen, and changes nothing. */
const transitions: Record<WorkState, Partial<Record<Move, WorkState>>> = {
  open: { given: 'working', people: 'people', dropped: 'dropped' },
  working: { asked: 'reviewing', returned: 'open', people: 'people', dropped: 'dropped' },
  reviewing: {
    approve: 'approved',
    changes: 'open',
    unclear: 'working',
    returned: 'working',
    people: 'people',
    dropped: 'dropped',
  },
  people: { approve: 'approved', changes: 'open', afresh: 'open', dropped: 'dropped' },
  approved: { finished: 'done' },
  done: {},
  dropped: {},
}

/** Where a move leads; null where it cannot happen. */
export const transition = (state: WorkState, move: Move): WorkState | null => transitions[state][move] ?? null

type WorkBody = BodyOf<'work-given' | 'work-judged' | 'work-returned' | 'work-ended'>

/** The move that an entry is. */
export const moveOf = (body: WorkBody): Move => {
  switch (body.event) {
    case 'work-given':
      return body.phase === 'work' ? 'given' : 'asked'
    case 'work-judged':
      return body.people ? 'people' : body.verdict
    case 'work-returned':
      return body.afresh ? 'afresh' : body.people ? 'people' : 'returned'
    case 'work-ended':
      return body.outcome === 'done' ? 'finished' : 'dropped'
  }
}
