import type { Failure } from '../../shapes/runner.ts'
import { failed } from '../failures.ts'
import { promised } from '../promised.ts'
import type { Finish, Said } from '../runner.ts'
import { failureOf } from './failures.ts'
import type { Notice } from './notices.ts'

type Options = {
  heard: (said: Said) => void
  /** It does what it cannot do behind the wall: it has to be stopped. */
  offended: () => void
}

/** As much of an answer as is kept. */
const MOST = 1_000_000

/** One turn: from what the program tells of it to how it ended. */
export const createTurn = ({ heard, offended }: Options) => {
  const tools = new Set<string>()
  const active = promised<string | null>()
  const over = promised<Finish>()
  let id: string | null = null
  let answer = ''
  let stopping = false
  let offence: Failure | null = null

  const named = (turn: string): void => {
    id ??= turn
  }

  const begun = (turn: string): void => {
    named(turn)
    active.resolve(id)
  }

  const end = (finish: Finish): void => {
    active.resolve(id)
    over.resolve(offence ? { kind: 'failed', failure: offence } : finish)
  }

  const take = (notice: Notice): void => {
    if (notice.kind === 'begun') begun(notice.turn)
    else if (notice.kind === 'over') finished(notice)
    else if (notice.kind === 'offence') offend(notice.what)
    else say(notice)
  }

  const say = (notice: Notice): void => {
    if (notice.kind === 'message') answer = notice.text.slice(0, MOST)
    if (notice.kind === 'tool' && notice.state === 'begun') tools.add(notice.id)
    if (notice.kind === 'tool' && notice.state === 'ended') tools.delete(notice.id)
    heard(saidOf(notice))
  }

  const finished = ({ turn, status, error }: Extract<Notice, { kind: 'over' }>): void => {
    if (id !== null && turn !== id) return
    if (status === 'completed') end({ kind: 'answered', text: answer })
    else if (status === 'interrupted') end({ kind: 'interrupted' })
    else end({ kind: 'failed', failure: failureOf(error ?? { message: `the turn is ${status}` }) })
  }

  const offend = (what: string): void => {
    if (offence) return
    offence = failed('wall', `the program reached for ${what}, which is not behind its wall`)
    offended()
  }

  return {
    /** Its name, once it has really begun: before that it can be neither steered nor interrupted. Null where it never did. */
    active: active.promise,
    over: over.promise,
    named,
    take,
    heard,
    isInTool: (): boolean => tools.size > 0,
    fail: (failure: Failure): void => end({ kind: 'failed', failure }),
    stop: (): void => {
      stopping = true
    },
    lost: (why: string): void =>
      end(stopping ? { kind: 'interrupted' } : { kind: 'failed', failure: failed('crashed', why) }),
  }
}

export type Turn = ReturnType<typeof createTurn>

const saidOf = (notice: Notice): Said => {
  if (notice.kind === 'delta') return { kind: 'delta', text: notice.text, of: notice.of }
  if (notice.kind === 'message') return { kind: 'message', text: notice.text }
  return notice.kind === 'tool' ? { kind: 'tool', state: notice.state } : { kind: 'alive' }
}
