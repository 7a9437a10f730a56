import type { BodyOf, Entry } from '../../shapes/evidence.ts'
import type { TurnOutcome } from '../../shapes/turn.ts'
import type { Finding } from '../complain.ts'
import type { Intent } from './intent.ts'

type Accepted = BodyOf<'accepted'>
type Rung = BodyOf<'bell-rung'>
type Parked = BodyOf<'parked'>

/** Where in the store a turn ended, whichever chain it is of; null where it did not. */
type EndOf = (turn: string) => number | null

/** The tools that wait for others before they are begun. */
const WAITING: ReadonlySet<string> = new Set(['whistle', 'park'])

/**
 * Follows who rang for whom in a chain: a bell is rung by who says so, with the turn that it asks for; and it is answered
 * once, after that has ended, with what came of it.
 */
export const createBells = () => {
  const asked = new Map<string, Accepted>()
  const rung = new Map<string, Rung>()
  const ended = new Map<string, TurnOutcome>()
  const answered = new Set<string>()

  return {
    accepted: ({ id }: Entry, body: Accepted): void => {
      if (body.bell) asked.set(id, body)
    },
    rung: ({ id, author }: Entry, body: Rung): Finding[] => {
      const { bell, from, to, act, ref, job } = body
      const work = asked.get(job)
      rung.set(id, body)
      const same =
        work?.bell?.bell === bell && work.bell.from === from && work.bell.act === act && work.bell.ref === ref
      return [
        ...(bell === id ? [] : [wrong(`is the bell ${bell} under another id`)]),
        ...(from === author.id ? [] : [wrong(`says that ${from} rang, and is by ${author.id}`)]),
        ...(same && work?.agent === to ? [] : [wrong(`was rung for ${job}, which says nothing of it`)]),
        ...(act === 'answer' && ref === null ? [wrong('is an answer to nothing')] : []),
      ]
    },
    started: (turn: string): Finding[] => {
      const bell = asked.get(turn)?.bell?.bell
      return bell === undefined || rung.has(bell) ? [] : [wrong(`begins a turn whose bell ${bell} nobody rang`)]
    },
    ended: ({ turn, outcome }: BodyOf<'turn-ended'>): void => {
      if (asked.has(turn)) ended.set(turn, outcome)
      asked.delete(turn)
    },
    answered: ({ inReplyTo }: Entry, { bell, job, outcome }: BodyOf<'bell-answered'>): Finding[] => {
      const again = answered.has(bell)
      answered.add(bell)
      if (rung.get(bell)?.job !== job || inReplyTo !== bell)
        return [wrong(`answers ${bell}, which was not rung for ${job}`)]
      if (again) return [wrong(`answers ${bell} a second time`)]
      const came = ended.get(job)
      if (came === undefined) return [wrong(`answers ${bell} before ${job} has ended`)]
      return came === outcome ? [] : [wrong(`says that ${job} came to ${outcome}, and it came to ${came}`)]
    },
  }
}

/**
 * Follows the steps that wait for the turns of others: each says so once, in its own turn and before it is begun; and is
 * begun when all that it waits for has ended, or its time is up.
 */
export const createParks = (endOf: EndOf) => {
  const parked = new Map<string, Parked>()
  return {
    parked: (body: Parked, turn: string | null, isTaken: boolean): Finding[] => {
      const { step, turn: of } = body
      const again = parked.has(step)
      parked.set(step, body)
      return [
        ...(of === turn ? [] : [late(`waits in turn ${of}, which is not under way`)]),
        ...(step.startsWith(`${of}.`) ? [] : [late(`has ${step} wait, which is no step of ${of}`)]),
        ...(again ? [late(`has ${step} wait a second time`)] : []),
        ...(isTaken ? [late(`has ${step} wait, which was begun before`)] : []),
      ]
    },
    begun: ({ at, position }: Entry, { step, call }: Intent): Finding[] => {
      if (!WAITING.has(call.tool)) return []
      const park = parked.get(step)
      if (!park) return [late(`used ${call.tool}, and has waited for nobody`)]
      if (Date.parse(at) >= Date.parse(park.until)) return []
      const left = park.jobs.filter((job) => (endOf(job) ?? position) >= position)
      return left.length === 0 ? [] : [late(`was begun before ${left.join(', ')} had ended, and before ${park.until}`)]
    },
  }
}

const wrong = (what: string): Finding => ({ rule: 'bell', what })
const late = (what: string): Finding => ({ rule: 'park', what })
