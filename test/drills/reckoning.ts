import { everyEntry } from '../../src/evidence/every.ts'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Entry, EventName } from '../../src/shapes/evidence.ts'
import type { House } from './house.ts'
import type { Sent } from './senders.ts'
import { type Tally, tallyIn } from './work.ts'

/** What a drill came to. */
export type Reckoning = {
  /** Lines that were said; and of these, those that have a receipt, and those that were refused for good. */
  sent: number
  accepted: number
  refused: number
  /** Turns that came to an end; and of these, those that did all that they were asked for. */
  ended: number
  done: number
  /** Turns that nobody has a receipt for, or that a line has twice. */
  doubled: number
  /** What was acknowledged and not done without a step that shows why, or reported as done, and is not there. */
  lost: number
  /** Turns and steps that overtook another one of their session. */
  outOfOrder: number
  /** Steps that were run more than once. */
  stepsTwice: number
  /** Steps that were begun and cut off: seen as such, and not run again. */
  interrupted: number
  /** Whether the evidence passes `bellhop verify --all`. */
  verified: boolean
  /** How often status said what had not been so for longer than the lease. */
  statusLies: number
}

type Given = {
  drill: string
  seed: number
  faults: number
  sent: readonly Sent[]
  lies: readonly string[]
  byWord: boolean
}

/** Counts what came of what was said: from the receipts, the evidence, and what the steps left behind them. */
export const reckon = async (
  house: Pick<House, 'store' | 'workspace' | 'verify'>,
  { drill, seed, faults, sent, lies, byWord }: Given,
): Promise<Reckoning> => {
  const store = await openStore({ url: house.store, clock: systemClock, readonly: true })
  try {
    const reckoning = { ...(await counted(house, store, sent, byWord)), statusLies: lies.length }
    tell(drill, seed, faults, reckoning)
    for (const lie of new Set(lies)) process.stdout.write(`  a lie: ${lie}\n`)
    return reckoning
  } finally {
    await store.close()
  }
}

/** What it must come to, whatever happened in between: how much was sent and how much was cut off is not a matter of right or wrong. */
export const nothingWrong = ({ sent, accepted, done, interrupted }: Reckoning): Reckoning => ({
  sent,
  accepted,
  refused: sent - accepted,
  ended: accepted,
  // Where nothing was done nothing was tried either: a house that refuses everybody loses nothing.
  done: Math.max(done, 1),
  doubled: 0,
  lost: 0,
  outOfOrder: 0,
  stepsTwice: 0,
  interrupted,
  verified: true,
  statusLies: 0,
})

const counted = async (
  house: Pick<House, 'workspace' | 'verify'>,
  store: Store,
  sent: readonly Sent[],
  byWord: boolean,
): Promise<Omit<Reckoning, 'statusLies'>> => {
  const ours = new Set(sent.map(({ id }) => id))
  const isOurs = (turn: string) => ours.has(turn.split('.')[0] ?? '')
  const accepted = (await all(store, 'accepted')).filter(({ id }) => isOurs(id))
  const ended = (await all(store, 'turn-ended')).filter(({ id }) => isOurs(id))
  const steps = [...(await all(store, 'step-ended')), ...(await all(store, 'step-refused'))]
  const tally = tallyIn(house.workspace)

  const receipts = sent.flatMap((line) => (line.kind === 'accepted' ? [line.receipt] : []))
  const promised = receipts.flatMap(({ assignments }) => assignments.map(({ turn }) => turn))
  const kept = new Set(accepted.map(({ id }) => id))
  const finished = new Set(ended.map(({ id }) => id.replace(/\.ended$/, '')))
  const unasked = [...kept].filter((turn) => !promised.includes(turn))

  const overtook = overtakings(sent, accepted, ended, tally)
  const hurt = hurtIn(steps)
  const gaveUp = givenUp(ended, hurt)
  const left = leftOut(sent, ended, tally)
  const skipped = byWord ? [] : left.filter(({ turn }) => !hurt.has(turn)).map(({ what }) => what)
  for (const what of [...overtook, ...gaveUp, ...skipped]) process.stdout.write(`  wrong: ${what}\n`)

  return {
    sent: sent.length,
    accepted: receipts.length,
    refused: sent.filter(({ kind }) => kind === 'refused').length,
    ended: finished.size,
    done: wellEnded(ended).size - new Set(left.map(({ turn }) => turn)).size,
    doubled: unasked.length + (promised.length - new Set(promised).size) + (ended.length - finished.size),
    lost:
      promised.filter((turn) => !kept.has(turn) || !finished.has(turn)).length +
      gaveUp.length +
      skipped.length +
      (await unfounded(store, steps, tally)),
    outOfOrder: overtook.length,
    stepsTwice: tally.begun.length - new Set(tally.begun).size,
    interrupted: steps.filter(({ body }) => body?.event === 'step-ended' && body.outcome.kind === 'interrupted').length,
    verified: await house.verify(),
  }
}

/** Turns of which a step was cut off, refused or failed: that shows why they did not do all they were asked for. */
const hurtIn = (steps: readonly Entry[]): Set<string> =>
  new Set(
    steps.flatMap(({ body }) =>
      body?.event === 'step-refused' || (body?.event === 'step-ended' && body.outcome.kind !== 'ok') ? [body.turn] : [],
    ),
  )

/** Turns that were given up, and nobody could know why. */
const givenUp = (ended: readonly Entry[], hurt: ReadonlySet<string>): string[] =>
  ended.flatMap(({ body }) =>
    body?.event === 'turn-ended' && body.outcome !== 'done' && !hurt.has(body.turn)
      ? [`${body.turn}: ${body.answer}`]
      : [],
  )

const wellEnded = (ended: readonly Entry[]): Set<string> =>
  new Set(ended.flatMap(({ body }) => (body?.event === 'turn-ended' && body.outcome === 'done' ? [body.turn] : [])))

/** Steps that were asked for and left nothing, of turns that are said to be done. */
const leftOut = (sent: readonly Sent[], ended: readonly Entry[], tally: Tally): { turn: string; what: string }[] => {
  const [well, done] = [wellEnded(ended), new Set(tally.done)]
  return sent.flatMap((line) => {
    const turns = line.kind === 'accepted' ? line.receipt.assignments.map(({ turn }) => turn) : []
    const missing = line.steps.filter((step) => !done.has(step))
    return turns
      .filter((turn) => well.has(turn))
      .flatMap((turn) => missing.map((step) => ({ turn, what: `${turn} is done without ${step}` })))
  })
}

/** Steps that are said to have ended well, and left nothing. */
const unfounded = async (store: Store, steps: readonly Entry[], tally: Tally): Promise<number> => {
  const done = new Set(tally.done)
  let missing = 0
  for (const { body } of steps) {
    if (body?.event !== 'step-ended' || body.outcome.kind !== 'ok') continue
    const intent = (await store.get(`${body.step}.intent`))?.body
    const argv = intent?.event === 'step-intended' ? (intent.call.args['argv'] as string[] | undefined) : undefined
    if (argv?.[1] === 'tally.py' && !done.has(argv[2] ?? '')) missing++
  }
  return missing
}

/** What came after something that it should have come before. */
const overtakings = (
  sent: readonly Sent[],
  accepted: readonly Entry[],
  ended: readonly Entry[],
  tally: Tally,
): string[] => {
  const found: string[] = []
  const lineOf = (turn: string) => turn.split('.')[0] ?? ''
  for (const session of new Set(accepted.map((entry) => entry.session))) {
    const line = accepted.filter((entry) => entry.session === session).map(({ id }) => lineOf(id))
    const places = new Map(line.map((id, i) => [id, i]))
    const look = (what: string, ids: readonly string[]) =>
      found.push(...late(ids, places).map((pair) => `${what} in ${session}: ${pair}`))
    look(
      'ended',
      ended.filter((entry) => entry.session === session).map(({ id }) => lineOf(id)),
    )
    look('begun', tally.begun.map(lineOf))
    for (const sender of new Set(sent.map((one) => one.sender)))
      look(
        'accepted',
        sent.filter((one) => one.sender === sender).map(({ id }) => id),
      )
  }
  return found
}

/** Of those that have a place: each that comes right after one with a later place. */
const late = (ids: readonly string[], places: ReadonlyMap<string, number>): string[] => {
  const placed = ids.flatMap((id) => (places.has(id) ? [{ id, place: places.get(id) ?? 0 }] : []))
  return placed.flatMap(({ id, place }, i) => {
    const before = placed[i - 1]
    return before && place < before.place ? [`${id} after ${before.id}`] : []
  })
}

const all = async (store: Store, event: EventName): Promise<Entry[]> => {
  const found: Entry[] = []
  for await (const entry of everyEntry(store, { event, order: 'oldest' })) found.push(entry)
  return found
}

const tell = (drill: string, seed: number, faults: number, reckoning: Reckoning): void => {
  const numbers = Object.entries(reckoning).map(([name, value]) => `${name} ${value}`)
  process.stdout.write(`drill | ${drill} | seed ${seed} | faults ${faults} | ${numbers.join(' | ')}\n`)
}
