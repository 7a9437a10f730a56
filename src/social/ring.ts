import { type Bell, bellNamed, bellsBetween, openBell, replyTo } from '../evidence/bells.ts'
import { sessionDraft } from '../evidence/drafts.ts'
import type { Store } from '../evidence/store.ts'
import type { RingsAs } from '../operations/operation.ts'
import { bellOf, type TurnBell } from '../shapes/bell.ts'
import type { Config } from '../shapes/config.ts'
import type { Author, Draft } from '../shapes/evidence.ts'
import type { Person } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Dispatched, Route } from './dispatch.ts'

/** A bell that may be rung: what it refers to is there, and what it crosses is known. */
export type Ring = RingsAs & { crosses: string | null }

/** Whether somebody may ring for an agent; what the bell refers to is looked up. */
export type RingOf = (asked: RingsAs, agents: readonly string[], person: Person) => Promise<Result<Ring>>

type Options = { store: Pick<Store, 'get' | 'query'>; limits: Config['bells'] }

/** Judges bells before they are rung: an answer answers something, once, and two agents do not ring all the time. */
export const createRingOf = ({ store, limits }: Options): RingOf => {
  const wrongAnswer = async (bell: Bell, to: string, { name, agent }: Person): Promise<Refusal | null> => {
    if (bell.from !== to) return refusal('command-invalid', `${bell.bell} was rung by ${bell.from}: answer them`)
    if (agent && bell.to !== name) return refusal('command-invalid', `${bell.bell} was for ${bell.to} to answer`)
    const reply = await replyTo(store, bell)
    return reply && refusal('command-invalid', `${bell.bell} is answered already, by ${reply.bell}`)
  }

  const tooOften = async (from: string, to: string): Promise<Refusal | null> => {
    const rung = await bellsBetween(store, from, to, limits.minutes)
    const often = `there were ${rung} bells between ${from} and ${to} in ${limits.minutes} minutes`
    return rung >= limits.pair ? refusal('bell-cooldown', often) : null
  }

  /** Whoever refers to the other's bell has heard of it: that is no crossing. */
  const crossedBy = async (from: string, to: string, ref: string | null): Promise<string | null> => {
    const other = await openBell(store, to, from)
    return other && other.bell !== ref ? other.bell : null
  }

  const objectionTo = async (asked: RingsAs, about: Bell | null, to: string, person: Person) => {
    const wrong = wrongRef(asked, about)
    if (wrong) return wrong
    if (asked.act === 'answer') return about && wrongAnswer(about, to, person)
    return person.agent ? tooOften(person.name, to) : null
  }

  return async (asked, [to = ''], person) => {
    const about = asked.ref === null ? null : await bellNamed(store, asked.ref)
    const objection = await objectionTo(asked, about, to, person)
    if (objection) return refused(objection)
    const ref = about?.bell ?? null
    const crosses = person.agent && asked.act !== 'answer' ? await crossedBy(person.name, to, ref) : null
    return ok({ ...asked, ref, crosses })
  }
}

const wrongRef = ({ act, ref }: RingsAs, about: Bell | null): Refusal | null => {
  if (ref !== null && about === null) return refusal('bell-unknown', `there is no bell ${ref}`)
  return act === 'answer' && ref === null
    ? refusal('command-invalid', 'an answer needs ref=: the bell that it answers')
    : null
}

/** What the turn that is rung for says of the bell. */
export const turnBell = (
  turn: string,
  { person }: Dispatched,
  { bell }: Extract<Route, { to: 'agents' }>,
): { bell?: TurnBell } => {
  if (!bell) return {}
  const { way, act, ref } = bell
  return { bell: { bell: bellOf(turn), from: person.name, way, act, ref } }
}

type Base = { session: string; room: string; agent: string; author: Author; inReplyTo: string; text: string }

/** That somebody rang, in the chain of whoever is rung for. */
export const rungDraft = (job: string, { crosses, way, act, ref }: Ring, { text, ...base }: Base): Draft => {
  const bell = bellOf(job)
  const said = { bell, from: base.author.id, to: base.agent, way, act, text, ref, job, crosses }
  return sessionDraft({ ...base, id: bell, inReplyTo: ref ?? base.inReplyTo, body: { event: 'bell-rung', ...said } })
}
