import { parseJson } from '../lib/parse-json.ts'
import type { Entry } from '../shapes/evidence.ts'
import { readLeniently } from '../shapes/lenient.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { refusal } from '../shapes/refusal.ts'
import { type Result, refused } from '../shapes/result.ts'
import { HOUSE, houseDraft } from './drafts.ts'
import type { Engine } from './engine/engine.ts'
import { canonical, hashOf, sha256 } from './hash.ts'
import { byId } from './read.ts'
import type { Store } from './store.ts'
import { termOf } from './terms.ts'
import { createUndertaken } from './undertaken.ts'
import { isSound } from './verify.ts'
import type { Pin } from './wall/pins.ts'
import { Wall, type Walls } from './wall/wall.ts'

/** The entry that declares a wall: the same for the same wall, whoever puts it up. */
const wallId = (hash: string): string => `wall.${hash.slice(0, 32)}`

/**
 * Writes down the walls that there are, each once: what a start names by its hash is there to be judged by, for ever.
 * It answers what was appended or was there before.
 */
export const declareWalls = async (
  store: Pick<Store, 'append' | 'hashBody'>,
  specs: readonly PeripheralSpec[],
): Promise<Result<Entry[]>> => {
  const bodies = specs.map((spec) => ({
    event: 'wall-declared' as const,
    peripheral: spec.id,
    spec: canonical(spec),
    hash: hashOf(spec),
  }))
  // A wall that is not written down as it is proves nothing; and a secret is not written down.
  const secret = bodies.find((body) => store.hashBody(body) !== hashOf(body))
  if (secret) {
    return refused(
      refusal('request-invalid', `the wall ${secret.peripheral} has something in it that reads like a secret`),
    )
  }
  return store.append(bodies.map((body) => houseDraft(wallId(body.hash), body, [])))
}

type Source = { engine: Engine }

/** A wall as it was declared, from the evidence alone; null where none was declared under that hash. */
export const specOf = async ({ engine }: Source, hash: string): Promise<Wall | null> => {
  const entry = await byId(engine.db, wallId(hash))
  return entry && wallIn(entry, hash)
}

/** The wall that an entry declares, where it is the house's, is what it was when it was written, and has that hash. */
const wallIn = (entry: Entry, hash: string): Wall | null => {
  const { body, session, author } = entry
  if (body?.event !== 'wall-declared' || session !== HOUSE || author.kind !== 'house') return null
  return isSound(entry) && sha256(body.spec) === hash ? readLeniently(Wall, parseJson(body.spec)) : null
}

/** The walls that a chain's starts name, read as they turn up. What was declared does not change, and is read once. */
export const createWalls = ({ engine }: Source) => {
  const known = new Map<string, Wall>()
  const pins = new Map<string, Pin>()
  const ends = new Map<string, number>()
  const waits = new Map<string, readonly string[]>()
  const undertaken = createUndertaken({ engine })
  let since: string | null = null

  const learn = async (hash: string): Promise<void> => {
    const wall = known.get(hash) ?? (await specOf({ engine }, hash))
    if (wall) known.set(hash, wall)
    else since ??= await firstDeclared(engine)
  }

  const learnPin = async (id: string): Promise<void> => {
    const entry = pins.has(id) ? null : await byId(engine.db, id)
    const pin = entry && pinIn(entry)
    if (pin) pins.set(id, pin)
  }

  /** Where the turns ended that a step has waited for: they are of other chains. */
  const learnEnds = async (step: string): Promise<void> => {
    for (const job of waits.get(step) ?? []) {
      const entry = ends.has(job) ? null : await byId(engine.db, `${job}.ended`)
      if (entry?.body?.event === 'turn-ended' && entry.body.turn === job && isSound(entry))
        ends.set(job, entry.position)
    }
    waits.delete(step)
  }

  // What was tampered with may hold anything.
  const learnFrom = async (body: Entry['body']): Promise<void> => {
    if (body.event === 'peripheral-started') await learn(String(body.spec))
    if (body.event === 'parked' && Array.isArray(body.jobs)) waits.set(String(body.step), body.jobs.map(String))
    if (body.event !== 'step-intended') return
    if (body.pin !== undefined) await learnPin(String(body.pin))
    await learnEnds(String(body.step))
  }

  return {
    walls: {
      of: (hash) => known.get(hash) ?? null,
      since: () => since,
      pin: (id) => pins.get(id) ?? null,
      ended: (turn) => ends.get(turn) ?? null,
      deeds: undertaken.deeds,
      phaseAt: undertaken.phaseAt,
    } satisfies Walls,
    /** Reads what some entries name: walls, acceptances of other servers' tools, ends of turns, steps of undertakings. */
    learn: async (entries: readonly Entry[]): Promise<void> => {
      for (const entry of entries) {
        if (entry.body === null) continue
        await learnFrom(entry.body)
        await undertaken.learn(entry)
      }
    },
  }
}

/** What an entry accepts, where it is one of the house's chain and is what it was when it was written. */
const pinIn = (entry: Entry): Pin | null => {
  const { body, session, position } = entry
  if (body?.event !== 'tool-pinned' || session !== HOUSE || !isSound(entry)) return null
  return { tool: `${body.server}.${body.tool}`, position }
}

/** When the first wall was declared; null where none was. */
const firstDeclared = async ({ db }: Engine): Promise<string | null> => {
  const first = await db
    .selectFrom('term')
    .innerJoin('posting', 'posting.term', 'term.id')
    .innerJoin('entry', 'entry.position', 'posting.position')
    .select('entry.at')
    .where('term.name', '=', termOf('event', 'wall-declared'))
    .where('entry.session', '=', HOUSE)
    .orderBy('posting.position')
    .limit(1)
    .executeTakeFirst()
  return first?.at ?? null
}
