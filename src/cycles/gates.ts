import type { GateResult } from '../shapes/undertaking.ts'
import type { Facts } from './facts.ts'
import { anyRound, danglingIn, differencesOf, impactOf } from './graph.ts'
import { dishonesty, isEarned } from './honesty.ts'
import type { Cycle, Undertaking } from './undertaking.ts'

type Gate = (undertaking: Undertaking, cycle: Cycle, facts: Facts) => string | null

/** What a cycle has to get through to be completed; each says what is in the way, or nothing. */
const GATES: Record<GateResult['gate'], Gate> = {
  scope: ({ items }, cycle) => {
    const shaken = new Set(impactOf(items, ...cycle.wanted).map(({ id }) => id))
    const strange = differencesOf(cycle.base, items).filter(
      (id) => !cycle.wanted.includes(id) && !shaken.has(id) && (cycle.base.has(id) || items.get(id)?.status !== 'open'),
    )
    return strange.length === 0 ? null : `the approach did not say that it changes ${strange.join(', ')}`
  },
  evidence: ({ items, domain }, cycle, { files }) => {
    const earned = differencesOf(cycle.base, items).flatMap((id) => items.get(id) ?? [])
    const shown = earned.filter(({ status }) => isEarned(domain, status))
    for (const { id, artifacts } of shown) {
      const gone = artifacts.find(({ path, state }) => files.get(path) !== state)
      if (gone) return `${id} rests on ${gone.path}, which is not what it was`
    }
    const strange = shown.flatMap(({ id, runs }) =>
      runs.filter((step) => !cycle.validations.includes(step)).map((step) => `${id} rests on ${step}`),
    )
    return strange.length === 0 ? null : `${strange[0]}, which validated nothing in this cycle`
  },
  status: ({ items, domain }) =>
    [...items.values()].map((next) => dishonesty(domain, { before: null, next, items })).find((why) => why !== null) ??
    null,
  acyclic: ({ items }) => {
    const round = anyRound(items)
    return round ? `it goes in a circle: ${round.join(' on ')}` : null
  },
  dangling: ({ items }) => {
    const dangling = danglingIn(items)
    return dangling.length === 0 ? null : `it depends on what is not there: ${dangling.join(', ')}`
  },
  saved: ({ saved, changed }, _cycle, { files }) => {
    if (!saved || saved.through < changed) return 'the ledger was not saved as it is'
    return files.get(saved.file.path) === saved.file.state ? null : `${saved.file.path} is not what was saved`
  },
  // What nobody has looked at is not let through.
  fidelity: (_undertaking, _cycle, { document = UNSEEN }) => document.fidelity[0] ?? null,
  document: (_undertaking, _cycle, { document = UNSEEN }) => document.document[0] ?? null,
}

const UNSEEN: NonNullable<Facts['document']> = {
  fidelity: ['its file was not looked at'],
  document: ['its file was not looked at'],
}

const OF_MISSIONS: ReadonlySet<GateResult['gate']> = new Set(['fidelity', 'document'])

/** What each gate says of a cycle as it stands. */
export const gatesOf = (undertaking: Undertaking, cycle: Cycle, facts: Facts): GateResult[] =>
  (Object.keys(GATES) as GateResult['gate'][])
    .filter((gate) => undertaking.domain === 'mission' || !OF_MISSIONS.has(gate))
    .map((gate) => {
      const why = GATES[gate](undertaking, cycle, facts)
      return { gate, ok: why === null, why: why ?? '' }
    })
