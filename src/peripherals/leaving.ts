import type { SessionRecord } from '../evidence/store.ts'
import type { Draft } from '../shapes/evidence.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { stepDrafts, stopped } from './drafts.ts'
import { fruitOf } from './fruit.ts'
import { checkStep, type Ledger } from './ledger.ts'
import type { CallRequest, LeaveRequest } from './request.ts'
import type { Write } from './steps.ts'
import { isOver, type Take, type Taken, wasLeft } from './take.ts'
import type { Workshop } from './workshop.ts'

/** How a peripheral is left: the checks that its spec names are run, as steps like any other, and count in its fruit. */
export const createLeaving = (workshop: Workshop, take: Take) => {
  const { ledgers, walls } = workshop

  /** Runs the checks that are due, one after the other; null when all of them have an outcome. */
  const check = async (asked: Asking, session: SessionRecord, write: Write): Promise<Taken | null> => {
    const ledger = await ledgers.of(session.id)
    const spec = ledger.stay && walls.standing(ledger.stay.peripheral, ledger.stay.spec)
    const due = spec ? dueChecks(spec, ledger, workshop.checks) : []
    for (const [name, argv] of due) {
      // One that was run for this very exit is not run again, whatever came after it.
      if (await workshop.store.get(`${asked.base}.${checkStep(name)}.outcome`)) continue
      const held = await outcomeOf(take(checkRequest(asked, session.id, name, argv), session, write))
      if (held) return held
    }
    return null
  }

  return {
    /** A call; before a hop, the checks of the peripheral that is to be left. */
    beforeHop: async (asked: CallRequest, session: SessionRecord, write: Write): Promise<Taken> => {
      const { turn, author, step, call } = asked
      const held = call.tool === 'hop' ? await check({ turn, author, base: step }, session, write) : null
      return held ?? take(asked, session, write)
    },

    /** The end of a turn: the checks, then the stop with the fruit. What was begun and never ended is said to be so. */
    atTurnEnd: async (asked: LeaveRequest, session: SessionRecord, write: Write): Promise<Taken> => {
      const { turn, author } = asked
      if (await isOver(workshop.store, turn, await ledgers.of(session.id))) return { kind: 'answered' }
      const held = await check({ turn, author, base: exitOf(turn) }, session, write)
      if (held) return held
      const ledger = await ledgers.of(session.id)
      const { stay } = ledger
      if (!stay) return { kind: 'answered' }
      const stop = { id: `${turn}.stopped`, turn, peripheral: stay.peripheral, inReplyTo: `${turn}.started` }
      const left = stopped(session, author, { ...stop, fruit: fruitOf(stay), reason: asked.reason }, null)
      const written = await write([...interrupted(ledger, asked, session), left])
      if (written.kind !== 'written') return { kind: 'fenced' }
      await wasLeft(workshop, session.id, left, stay)
      return { kind: 'answered' }
    },
  }
}

/** What the checks at the end of a turn are named by; and whether a step is one of them. */
const exitOf = (turn: string): string => `${turn}.leave`
export const isOfExit =
  (turn: string) =>
  (step: string): boolean =>
    step.startsWith(`${exitOf(turn)}.`)

/** Who asks, in which turn, and the step that the checks are run for. */
type Asking = { turn: string; author: CallRequest['author']; base: string }

const checkRequest = ({ turn, author, base }: Asking, session: string, name: string, argv: readonly string[]) => {
  const call = { tool: 'run', args: { argv: [...argv] } }
  return { kind: 'call', session, turn, step: `${base}.${checkStep(name)}`, author, call } as const
}

/** Waits for a step; answers what keeps it from having an outcome, and null where it has one. */
const outcomeOf = async (taking: Promise<Taken>): Promise<Taken | null> => {
  const taken = await taking
  if (taken.kind === 'runs') return (await taken.done) ? null : { kind: 'fenced' }
  return taken.kind === 'answered' ? null : taken
}

/** The checks of a spec that are configured, and that have not been run since the last change. */
const dueChecks = (
  { checks }: PeripheralSpec,
  { stay, turn }: Ledger,
  configured: Workshop['checks'],
): [string, readonly string[]][] => {
  if (!stay || stay.changed === 0 || turn?.stopped) return []
  return checks.flatMap((name): [string, readonly string[]][] => {
    const argv = configured.get(name)
    return argv && stay.checks.get(name)?.after !== stay.changed ? [[name, argv]] : []
  })
}

const interrupted = ({ open }: Ledger, { turn, author }: LeaveRequest, session: SessionRecord): Draft[] =>
  [...open].map(([step, call]) =>
    stepDrafts({ kind: 'call', session: session.id, turn, step, author, call }, session).ended({
      kind: 'interrupted',
      message: 'its turn was ended without it',
    }),
  )
