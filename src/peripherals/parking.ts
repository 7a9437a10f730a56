import { circleOf, jobsLeft, type Park, parkId, parkIn } from '../evidence/parks.ts'
import type { SessionRecord } from '../evidence/store.ts'
import { bellOf } from '../shapes/bell.ts'
import type { Entry } from '../shapes/evidence.ts'
import { isPassing, type Refusal, refusal } from '../shapes/refusal.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import type { Ringing, Waits } from '../tools/tool.ts'
import { stepDrafts } from './drafts.ts'
import type { CallRequest } from './request.ts'
import type { Write } from './steps.ts'
import type { Workshop } from './workshop.ts'

/** How it stands with a step that waits for others. */
export type Parked =
  | { kind: 'waits' }
  /** There is nothing to wait for any more: it is begun. */
  | { kind: 'over' }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'fenced' }

type Step = { request: CallRequest; session: SessionRecord }

/**
 * Has a step wait for the turns of others, and holds no place meanwhile. That it waits is written down first, and only then
 * is anybody rung for: so of those who would wait for each other one can be found out, and whoever goes on after a restart
 * rings for nobody twice.
 */
export const createParking = (workshop: Workshop) => {
  const { store, clock, bells } = workshop

  /** Where a step stands that is to wait: it begins to, it does, or it need not any more. */
  const look = async (waits: Waits, step: Step, write: Write): Promise<Parked> => {
    const known = parkIn(await store.get(parkId(step.request.step)))
    if (known) return goOn(known, waits, step)
    const wanted = await jobsOf(waits, step)
    if (!wanted.ok) return { kind: 'refused', refusal: wanted.refusal }
    const until = new Date(clock() + waits.seconds * 1000).toISOString()
    const { turn, step: id } = step.request
    const draft = stepDrafts(step.request, step.session).parked({ ...wanted, until })
    const written = await write([draft], `${turn}.stop`, `${id}.stop`)
    // Where it was stopped just now, the gate says so when it is asked again.
    if (written.kind !== 'written') return { kind: written.kind === 'later' ? 'fenced' : 'waits' }
    const park = parkIn(await store.get(parkId(id)))
    return park ? goOn(park, waits, step) : { kind: 'fenced' }
  }

  /** The turns that are waited for: those that are named and are there, or the one that will be rung for. */
  const jobsOf = async ({ jobs, ring }: Waits, { request, session }: Step): Promise<Wanted> => {
    if (ring) {
      const job = await bells.jobOf(request.step, ring.to)
      return job.ok ? { ok: true, jobs: [job.value], bell: bellOf(job.value) } : job
    }
    for (const job of jobs) {
      const turn = await store.turn(job)
      // What comes of a turn is for its room.
      if (turn?.room !== session.room)
        return { ok: false, refusal: refusal('turn-unknown', `${job} is no job; a bell answers with one`) }
    }
    return { ok: true, jobs: [...jobs], bell: null }
  }

  const goOn = async (park: Park, waits: Waits, step: Step): Promise<Parked> => {
    if ((await jobsLeft(store, park.jobs)).length === 0) return { kind: 'over' }
    // Whoever was rung for did not wait for this one; whom nobody rang for yet is looked at now.
    const isRung = park.bell !== null && (await store.get(park.bell)) !== null
    const circle = isRung ? null : await circleOf(store, park, clock())
    if (circle) return { kind: 'refused', refusal: crossed(circle) }
    if (waits.ring && !isRung) return ring(waits.ring, step)
    return isLate(park) ? { kind: 'over' } : { kind: 'waits' }
  }

  const isLate = ({ until }: Park): boolean => Date.parse(until) <= clock()

  const ring = async (ringing: Ringing, { request, session }: Step): Promise<Parked> => {
    const rung = await bells.ring(ringing, { request, session })
    if (rung.ok) return { kind: 'waits' }
    // Whoever takes no messages just now takes them after the restart.
    return isPassing(rung.refusal) ? { kind: 'waits' } : { kind: 'refused', refusal: rung.refusal }
  }

  return { look }
}

type Wanted = { ok: true; jobs: string[]; bell: string | null } | { ok: false; refusal: Refusal }

const crossed = (circle: readonly string[]): Refusal => {
  const way = circle.slice(1).map((agent, i) => `${circle[i]} ${i === 0 ? 'would wait' : 'waits'} for ${agent}`)
  return refusal('bell-crossed', `${way.join(', and ')}: none of them could go on`)
}

/** What came of the turns that a step has waited for, each as it was answered; those that go on are named. */
export const joined = async ({ store }: Workshop, { step }: CallRequest): Promise<StepOutcome> => {
  const park = parkIn(await store.get(parkId(step)))
  const intent = await store.get(`${step}.intent`)
  if (!park || !intent) return { kind: 'failed', message: 'it has waited for nothing' }
  const ends = await Promise.all(park.jobs.map((job) => store.get(`${job}.ended`)))
  const blocks = park.jobs.map((job, i) => blockOf(job, inTime(ends[i] ?? null, intent)))
  return { kind: 'ok', output: blocks.join('\n\n'), paths: [], cut: null }
}

/** An end counts that was written before the step was begun: later ones are told in another way, and not twice. */
const inTime = (end: Entry | null, intent: Entry): Entry | null =>
  end !== null && end.position < intent.position ? end : null

const blockOf = (job: string, end: Entry | null): string => {
  if (end?.body?.event !== 'turn-ended') return `${job}: still running; what comes of it is rung back to you`
  const { outcome, answer } = end.body
  return `${job}: ${outcome}, and ${end.author.id} answers:\n${answer}`
}
