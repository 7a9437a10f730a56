import type { BodyOf, Entry, EventName } from '../../shapes/evidence.ts'
import type { Role } from '../../shapes/person.ts'
import type { StepOutcome } from '../../shapes/turn.ts'
import type { Complain, Finding } from '../complain.ts'
import { sha256 } from '../hash.ts'
import { createApprovals } from './approvals.ts'
import { createBells, createParks } from './bells.ts'
import type { Undertaken } from './book.ts'
import { createGames } from './games.ts'
import { changedIn, type Intent } from './intent.ts'
import { createPatterns } from './patterns.ts'
import { createPins, wrongPin } from './pins.ts'
import { placeOf } from './place.ts'
import { createStay, type Stay } from './stay.ts'
import { createTakenUp } from './taken-up.ts'
import { createUndertakings } from './undertakings.ts'
import type { Wall, Walls } from './wall.ts'
import { type Left, wrongEntry, wrongExit } from './ways.ts'

type Watch = { [E in EventName]?: (entry: Entry, body: BodyOf<E>) => void }

/** A step that was begun: its stay, where one was, and what it said, where that is still there. */
type Open = { entry: Entry; stay: Stay | null; intent: Intent | null }

/**
 * Reads a chain as it was written and says what no wall allowed: every step stands in its turn, between a start and a stop,
 * is taken once, is within the wall that was up, and has one outcome that answers it; walls are those that were declared,
 * and are left and entered as they say. It knows nothing of the gate. Says of each entry whether what comes after it can
 * still be judged.
 */
export const createWatch = (walls: Walls, complain: Complain): ((entry: Entry) => boolean) => {
  const approvals = createApprovals()
  const pins = createPins()
  const bells = createBells()
  const patterns = createPatterns()
  const parks = createParks(walls.ended)
  const games = createGames()
  const undertakings = createUndertakings(walls.deeds)
  const takenUp = createTakenUp(walls.phaseAt)
  const open = new Map<string, Open>()
  const taken = new Set<string>()
  const stopped = new Set<string>()
  const spills = new Set<string>()
  const requests = new Map<string, { peripheral: string; role: Role | undefined }>()
  // Where an outcome is gone, so may be what it said was kept.
  let spillsLost = false
  const isSpill = (path: string): boolean => spills.has(path) || (spillsLost && placeOf(path) !== null)
  let stay: Stay | null = null
  let left: Left | null = null
  let turn: string | null = null
  let tested = false
  const steps = { turn: 0, session: 0 }

  const say = (entry: Entry, findings: readonly Finding[]): void => {
    for (const { rule, what } of findings) complain(true, entry, rule, what)
  }

  const watch: Watch = {
    'wall-declared': (entry, { spec, hash }) => {
      complain(sha256(spec) !== hash, entry, 'wall', 'declares a wall under the hash of another')
    },
    'tool-seen': (entry, body) => say(entry, pins.seen(entry, body)),
    'tool-pinned': (entry, body) => say(entry, pins.pinned(entry, body)),
    accepted: (entry, body) => {
      requests.set(entry.id, { peripheral: body.peripheral, role: body.role })
      bells.accepted(entry, body)
    },
    'bell-rung': (entry, body) => say(entry, bells.rung(entry, body)),
    'bell-answered': (entry, body) => say(entry, bells.answered(entry, body)),
    'world-begun': (entry, body) => say(entry, games.begun(entry, body)),
    'world-moved': (entry, body) => say(entry, games.moved(entry, body)),
    'world-won': (entry, body) => say(entry, games.won(entry, body)),
    parked: (entry, body) => {
      complain(stopped.has(body.turn) || stopped.has(body.step), entry, 'park', 'waits after it was stopped')
      say(entry, parks.parked(body, turn, taken.has(body.step)))
    },
    'turn-started': (entry, body) => {
      complain(turn !== null, entry, 'order', `begins while turn ${turn} is under way`)
      turn = body.turn
      left = null
      steps.turn = 0
      say(entry, bells.started(body.turn))
    },
    'turn-ended': (entry, body) => {
      complain(stay !== null, entry, 'order', `ends while ${stay?.peripheral} is active`)
      turn = null
      bells.ended(body)
      requests.delete(body.turn)
      stopped.delete(body.turn)
    },
    'stop-asked': (_entry, body) => void stopped.add(body.step ?? body.turn),
    'peripheral-started': (entry, body) => {
      const { peripheral } = body
      complain(stay !== null, entry, 'order', `starts ${peripheral} while ${stay?.peripheral} is active`)
      stay = createStay(body, walls.of(body.spec))
      takenUp.started()
      say(entry, stay.started(isAfter(entry, walls.since())))
      if (stay.wall) entered(entry, body, stay.wall)
      left = null
    },
    'peripheral-stopped': (entry, body) => {
      complain(stay?.peripheral !== body.peripheral, entry, 'order', `stops ${body.peripheral}, which is not active`)
      for (const step of open.values())
        complain(true, step.entry, 'order', 'was still open when its peripheral stopped')
      open.clear()
      if (stay?.wall) say(entry, [...stay.harvest.judge(body.fruit), ...wrongExit(body, stay.wall)])
      if (stay) left = { id: entry.id, stop: body, ...stay.hops() }
      const result = body.fruit.tests?.result ?? 'none'
      if (result !== 'none') tested = result === 'pass'
      stay = null
    },
    'approval-asked': (entry, body) => {
      complain(body.turn !== turn, entry, 'order', `asks for turn ${body.turn}, which is not under way`)
      approvals.asked(entry, body)
    },
    'approval-decided': (entry, body) => say(entry, approvals.decided(entry, body)),
    'step-refused': (entry, body) => {
      stay?.harvest.refused()
      patterns.refused(entry, body)
    },
    'step-intended': (entry, body) => {
      const { call, step, turn: asked } = body
      complain(asked !== turn, entry, 'order', `is a step of turn ${asked}, which is not under way`)
      complain(stopped.has(asked), entry, 'order', `was begun after turn ${asked} was stopped`)
      complain(stopped.has(step), entry, 'order', 'was begun after it was given up')
      complain(taken.has(step), entry, 'order', `takes step ${step} a second time`)
      taken.add(step)
      complain(stay === null, entry, 'wall', `used ${call.tool} while no peripheral was active`)
      begun(entry, body)
      if (stay) say(entry, stay.intended(body, isSpill))
      say(entry, parks.begun(entry, body))
      say(entry, wrongPin(body, entry.position, walls.pin))
      if (stay?.wall) say(entry, approvals.used(body, stay.needs(body)))
    },
    'step-ended': (entry, body) => {
      const begin = ended(entry)
      patterns.ended(entry, body)
      const { outcome } = body
      leftBehind(outcome)
      begin?.stay?.harvest.ended(body)
      if (!begin?.intent) return
      const same = body.step === begin.intent.step && body.turn === begin.intent.turn
      complain(!same, entry, 'order', 'ends another step than the one it answers')
      complain(body.tool !== begin.intent.call.tool, entry, 'wall', `ran ${body.tool}, not ${begin.intent.call.tool}`)
      if (begin.stay) say(entry, begin.stay.ended(begin.intent, outcome, isSpill))
      if (begin.stay?.wall?.cycle !== undefined) say(entry, takenUp.ended(entry, begin.intent, outcome))
    },
    'pattern-selected': (entry, body) => say(entry, [...writtenBy(entry), ...patterns.selected(entry, body)]),
    'pattern-outcome': (entry, body) => say(entry, [...writtenBy(entry), ...patterns.outcome(body)]),
    'pattern-pivoted': (entry, body) => say(entry, [...writtenBy(entry), ...patterns.pivoted(body)]),
    'pattern-punctuated': (entry) => say(entry, [...writtenBy(entry), ...patterns.punctuated()]),
    'pattern-added': (entry, body) =>
      say(entry, [...writtenBy(entry), ...patterns.added(body, open.get(entry.inReplyTo ?? '')?.intent)]),
    'pattern-retired': (entry) => say(entry, writtenBy(entry)),
    reviewed: ({ id }) => stay?.harvest.reviewed(id),
    restored: (_entry, body) => {
      tested = false
      stay?.harvest.restored(body)
    },
  }

  const entered = (entry: Entry, body: BodyOf<'peripheral-started'>, wall: Wall): void => {
    complain(body.turn !== turn, entry, 'order', `is of turn ${body.turn}, which is not under way`)
    const asked = requests.get(body.turn) ?? null
    say(entry, wrongEntry(entry, body, wall, { left, asked, tested }))
  }

  const begun = (entry: Entry, intent: Intent | null): void => {
    open.set(entry.id, { entry, stay, intent })
    steps.turn++
    steps.session++
    const { stepsPerTurn, stepsPerSession } = stay?.wall?.limits ?? UNLIMITED
    complain(steps.turn > stepsPerTurn, entry, 'budget', `is step ${steps.turn} of a turn that has ${stepsPerTurn}`)
    complain(
      steps.session > stepsPerSession,
      entry,
      'budget',
      `is step ${steps.session} of a session that has ${stepsPerSession}`,
    )
  }

  /** What is said of patterns is said by a step that is under way. */
  const writtenBy = (entry: Entry): Finding[] => patterns.written(entry, open.get(entry.inReplyTo ?? '')?.intent)

  /** What a step left that later ones may build on: an output to read, and files that no test has seen. */
  const leftBehind = (outcome: StepOutcome): void => {
    if (outcome.kind === 'interrupted') return
    if (outcome.spill !== undefined) spills.add(outcome.spill)
    if (changedIn(outcome).length > 0) tested = false
  }

  const ended = (entry: Entry): Open | undefined => {
    const begin = open.get(entry.inReplyTo ?? '')
    complain(!begin, entry, 'order', 'ends a step that was not begun')
    open.delete(entry.inReplyTo ?? '')
    return begin
  }

  /** What is left of an entry whose body was let go: that a step began or ended there. Of all others, nothing is known. */
  const letGo: Record<string, (entry: Entry) => void> = {
    'coordination/step': (entry) => {
      complain(stay === null, entry, 'wall', 'took a step while no peripheral was active')
      stay?.lost()
      begun(entry, null)
    },
    'coordination/evidence': (entry) => {
      ended(entry)?.stay?.lost()
      spillsLost = true
      patterns.lost()
    },
    'gate-traversal/correction': () => stay?.harvest.lost(),
    'forum-post/observation': () => {},
    'presence-event/observation': () => {},
  }

  return (entry) => {
    const { body, type, claim, subject } = entry
    if (body !== null && 'undertaking' in body) {
      say(entry, undertakings(entry, body as Undertaken))
      return true
    }
    // What is gone of an undertaking leaves nothing to judge the rest by.
    if (body === null && subject.type === 'undertaking') return false
    const look = body === null ? letGo[`${type}/${claim}`] : watch[body.event]
    ;(look as ((entry: Entry, body: Entry['body']) => void) | undefined)?.(entry, body)
    return body !== null || look !== undefined
  }
}

const UNLIMITED = { stepsPerTurn: Number.POSITIVE_INFINITY, stepsPerSession: Number.POSITIVE_INFINITY }

const isAfter = ({ at }: Entry, since: string | null): boolean => since !== null && at > since
