import type { TurnRecord } from '../../src/evidence/store.ts'
import { ok } from '../../src/shapes/result.ts'
import { must } from '../support/store.ts'
import { openStage, type Stage } from './stage.ts'

/** What an agent does in a turn: at these minutes it is heard of; at the last it answers. */
type Turn = { heard?: number[]; takes: number; says: string; outcome?: 'done' | 'failed' }

export type Script = {
  /** By the work, what is done with it and the how many-th time that is: `w-1 work 1`. */
  turns: Record<string, Partial<Turn>>
  /** What else happens, by the minute of the day. */
  minutes: Record<number, (stage: Stage) => Promise<unknown>>
}

const USUAL: Record<string, Turn> = {
  work: { takes: 4, says: 'done' },
  review: { takes: 2, says: 'VERDICT: APPROVE' },
}

/** Every mission has one open box. */
const boxesOf = async (mission: string) => ok([{ from: `${mission}#1`, title: `the box of ${mission}`, text: '' }])

/** A day, minute by minute: people and agents do what the script says, and Tickle looks after each minute. */
export const liveThrough = async ({ turns, minutes }: Script, length: number) => {
  const stage = await openStage()
  const { contextFor } = stage.social
  stage.social.contextFor = (person, room) => {
    const context = contextFor(person, room)
    return { ...context, tickle: { ...context.tickle, boxesOf } }
  }
  const begun = new Map<string, { minute: number; plan: Turn }>()
  const times = new Map<string, number>()

  const planOf = async ({ id }: TurnRecord): Promise<Turn> => {
    const given = (await stage.entries('work-given')).find(({ body }) => 'turn' in body && body.turn === id)?.body
    if (given?.event !== 'work-given') return { takes: 1, says: 'done' }
    const name = `${given.work} ${given.phase}`
    const nth = (times.get(name) ?? 0) + 1
    times.set(name, nth)
    const usual = USUAL[given.phase] ?? { takes: 1, says: 'done' }
    return { ...usual, ...turns[`${name} ${nth}`] }
  }

  const act = async (turn: TurnRecord, minute: number): Promise<void> => {
    const known = begun.get(turn.id)
    if (!known) {
      begun.set(turn.id, { minute, plan: await planOf(turn) })
      await stage.starts(turn.id)
      return
    }
    if (await stage.store.get(`${turn.id}.stop`)) {
      await stage.ends(turn.id, 'stopped', 'cancelled')
      return
    }
    const { heard = [], takes, says, outcome = 'done' } = known.plan
    const at = minute - known.minute
    if (at >= takes) await stage.ends(turn.id, says, outcome)
    else if (heard.includes(at)) await stage.does(turn.id, `at it for ${at} minutes`)
  }

  for (let minute = 1; minute <= length; minute++) {
    stage.clock.now += 60_000
    await minutes[minute]?.(stage)
    for (const turn of await stage.store.unfinishedTurns()) if (stage.isReady(turn.agent)) await act(turn, minute)
    await stage.tick()
  }
  return stage
}

/** Tickle's process is killed in the middle of what it does at this minute: when it writes down that it looked; another begins. */
export const killed = async (stage: Stage): Promise<void> => {
  const { append } = stage.store
  stage.store.append = async (drafts, ...rest) => {
    if (!drafts.some(({ body }) => body.event === 'tickle-cycled')) return append(drafts, ...rest)
    throw new Error('killed')
  }
  stage.ifKilled(() => {
    stage.store.append = append
    stage.restart()
  })
}

export const says =
  (...lines: string[]) =>
  async (stage: Stage): Promise<void> => {
    for (const line of lines) must(await stage.says(line))
  }
