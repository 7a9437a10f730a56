import { undertakingDraft } from '../evidence/drafts.ts'
import { hashOf } from '../evidence/hash.ts'
import type { Store } from '../evidence/store.ts'
import type { Clock } from '../lib/clock.ts'
import { oneLine } from '../lib/plain.ts'
import type { Body } from '../shapes/evidence.ts'
import type { Domain } from '../shapes/peripheral.ts'
import { domainOf, UndertakingId } from '../shapes/undertaking.ts'
import type { Desk, DeskAt, Moved } from '../tools/desk.ts'
import type { Done } from '../workspace/write.ts'
import { documentOf, pathOf } from './document.ts'
import type { Facts } from './facts.ts'
import { gatesOf } from './gates.ts'
import { impactOf } from './graph.ts'
import { classify, restate, upsert } from './ledger.ts'
import { unlicensable } from './licence.ts'
import { cyclesText, gatesText, impactText, itemsText, itemText, standingText } from './lines.ts'
import { filesAt, stepsIn } from './look.ts'
import { advanceCycle, backCycle, beginCycle, type Change, type Decided, endCycle, no, phaseIn } from './machine.ts'
import { missionDesk } from './mission/desk.ts'
import { MODES, modeless } from './modes.ts'
import type { Undertaking } from './undertaking.ts'
import type { Undertakings } from './undertakings.ts'

type Options = {
  store: Store
  clock: Clock
  undertakings: Undertakings
  /** The stay that a session is in now, by the entry that began it; null where it is in none. */
  stayOf: (session: string) => Promise<string | null>
  /** The folders that missions are in. */
  folders: readonly string[]
}

/**
 * Work that lasts. What is decided is decided by pure functions, from the chain of the undertaking and from facts that are
 * looked up; what comes of it is written with the outcome of the step, or not at all.
 */
export const createDesk = ({ store, clock, undertakings, stayOf, folders }: Options) => {
  return (at: DeskAt): Desk => {
    const { domain, phases } = { domain: at.spec.cycle ?? null, phases: at.spec.phases }

    /** Writes changes down, all or none: what is not kept to the letter cannot be held against anything later. */
    const keep = (undertaking: string, version: number, changes: readonly Change[]): boolean => {
      const { room, agent, author, turn, step } = at
      const bodies = changes.map((change) => ({ ...change, undertaking, turn, step }) as Body)
      if (bodies.some((body) => store.hashBody(body) !== hashOf(body))) return false
      for (const [i, body] of bodies.entries()) {
        const n = version + i + 1
        at.keep(undertakingDraft({ undertaking, n, room, agent, author, body, inReplyTo: `${step}.intent` }))
      }
      return true
    }

    /** The undertaking that this stay has taken up, as long as nobody else has it. */
    const mine = async (): Promise<Done<Undertaking>> => {
      const id = at.stay.undertaking
      const undertaking = id === null ? null : await undertakings.of(id)
      if (!undertaking) return { ok: false, why: `nothing is taken up yet: load one with ${domain}-load` }
      const { holder } = undertaking
      if (holder?.stay !== at.stay.started) return { ok: false, why: `another has taken ${id} up since: load it again` }
      return { ok: true, value: undertaking }
    }

    /** Decides something about it, and writes down what comes of that. */
    const decide = async (of: (undertaking: Undertaking) => Decided | Promise<Decided>): Promise<Done<Moved>> => {
      const found = await mine()
      if (!found.ok) return found
      const decided = await of(found.value)
      if (!decided.ok) return { ok: false, why: decided.why }
      const kept = keep(found.value.id, found.value.version, decided.changes)
      return kept ? said(decided.say, decided.phase) : SECRET
    }

    const look = async (say: (undertaking: Undertaking) => string | Promise<string>): Promise<Done<Moved>> => {
      const found = await mine()
      return found.ok ? said(await say(found.value)) : found
    }

    const factsOf = async (undertaking: Undertaking, paths: readonly string[] = []): Promise<Facts> => {
      const { cycle, items, saved } = undertaking
      const known = [...items.values()].flatMap(({ artifacts }) => artifacts.map(({ path }) => path))
      const made = cycle?.artifacts.map(({ path }) => path) ?? []
      return {
        now: clock(),
        steps: cycle ? await stepsIn(store, cycle) : [],
        ...(await filesAt([...paths, ...known, ...made, ...(saved ? [saved.file.path] : [])], at)),
        ...(domain === 'mission' && cycle?.phase === 'gate-review' && { document: await missions.facts(undertaking) }),
      }
    }

    const load = async (name: string, title: string | null): Promise<Done<Moved>> => {
      const id = idOf(name, domain)
      if (id === null) return { ok: false, why: `${name} is nothing that ${at.spec.id} carries on` }
      const known = await undertakings.of(id)
      const objection = await untakeable(id, known)
      if (objection !== null) return { ok: false, why: objection }
      const taken: Change = { event: 'undertaking-taken', session: at.session, stay: at.stay.started }
      return known ? takeUp(known, taken) : open(id, title, taken)
    }

    const takeUp = (known: Undertaking, taken: Change): Done<Moved> => {
      const { id, version } = known
      if (!keep(id, version, [taken])) return { ok: false, why: `${id} could not be taken up` }
      return { ok: true, value: { text: standingText(known, phases), phase: phaseIn(known), undertaking: id } }
    }

    const open = (id: string, title: string | null, taken: Change): Done<Moved> => {
      if (title === null) return { ok: false, why: `there is no ${id}: give a title to begin it` }
      const kept = keep(id, 0, [{ event: 'undertaking-opened', title: oneLine(title, 200) }, taken])
      if (!kept) return SECRET
      return { ok: true, value: { text: `${id} is begun: ${oneLine(title, 200)}`, phase: 'setup', undertaking: id } }
    }

    /** Why this stay cannot take an undertaking up: it has another, or somebody is at it behind a wall that still stands. */
    const untakeable = async (id: string, known: Undertaking | null): Promise<string | null> => {
      const beside = at.stay.undertaking
      if (beside !== null && beside !== id)
        return `this stay carries ${beside} on, and carries on one: take ${id} up in another turn`
      const holder = known?.holder
      if (!holder || holder.stay === at.stay.started) return null
      const held = (await stayOf(holder.session)) === holder.stay
      return held ? `${holder.session} is at ${id}: wait until it has left` : null
    }

    const missions = missionDesk({ at, store, folders, read: undertakings.of, mine, untakeable, keep })

    return {
      ...missions.desk,
      load,
      get: () => look((undertaking) => standingText(undertaking, phases)),
      cycles: () => look(cyclesText),
      begin: (item) => decide((undertaking) => beginCycle(undertaking, item, clock())),
      advance: (outputs) =>
        decide(async (undertaking) => {
          const named = [outputs['artifacts'] ?? [], outputs['saved'] ?? []].flat()
          return advanceCycle(undertaking, phases, outputs, await factsOf(undertaking, named))
        }),
      back: (to, why) => decide((undertaking) => backCycle(undertaking, phases, to, why)),
      end: (why) => decide((undertaking) => endCycle(undertaking, why)),
      query: ({ item, status }) =>
        look((undertaking) => (item === undefined ? itemsText(undertaking, status) : itemText(undertaking, item))),
      upsert: ({ item, ...wish }) => decide((undertaking) => upsert(undertaking, { id: item, ...wish })),
      impact: (item) => look(({ items }) => impactText(item, impactOf(items, item))),
      failedApproach: ({ item, approach, why }) =>
        decide(({ items, cycles, cycle }) => {
          if (!items.has(item)) return no(`there is no ${item} in the ledger`)
          const failed = { n: cycle?.n ?? cycles.length, item, approach, why }
          return { ok: true, changes: [{ event: 'approach-failed', failed }], say: `kept: ${approach}` }
        }),
      classify: (classified) => decide((undertaking) => classify(undertaking, classified)),
      gates: () =>
        look(async (undertaking) => {
          const { cycle } = undertaking
          return cycle ? gatesText(gatesOf(undertaking, cycle, await factsOf(undertaking))) : 'no cycle is under way'
        }),
      statement: (text, why) =>
        text === null
          ? look(({ statement }) =>
              statement
                ? `version ${statement.version}, ${statement.hash}:\n${statement.text}`
                : 'nothing is stated yet',
            )
          : decide((undertaking) => restate(undertaking, text, why)),
      mode: (to, why) =>
        to === null
          ? look(
              ({ mode }) =>
                `${mode} leads to ${Object.keys(MODES[mode].to).join(', ')}; in it, items can be ${MODES[mode].statuses.join(', ')}`,
            )
          : decide((undertaking) => {
              const wrong = modeless(undertaking, to)
              if (wrong !== null) return no(wrong)
              return {
                ok: true,
                changes: [{ event: 'proof-mode-moved', from: undertaking.mode, to, why }],
                say: `the proof is in ${to}`,
              }
            }),
      licence: ({ minutes, ...rest }) =>
        decide((undertaking) => {
          const wrong = unlicensable(undertaking, rest, clock())
          if (wrong !== null) return no(wrong)
          const licence = { ...rest, until: new Date(clock() + minutes * 60_000).toISOString() }
          const over: Change[] = undertaking.licence
            ? [{ event: 'licence-ended', item: undertaking.licence.item, why: 'its time was up' }]
            : []
          return {
            ok: true,
            changes: [...over, { event: 'licence-given', licence }],
            say: `${rest.item} may be tried until ${licence.until}`,
          }
        }),
      document: async () => {
        const found = await mine()
        if (!found.ok) return found
        const { id, changed, saved } = found.value
        return {
          ok: true,
          value: { path: pathOf(id), text: documentOf(found.value), through: changed, last: saved?.file ?? null },
        }
      },
      saved: (file, through) =>
        decide(() => ({
          ok: true,
          changes: [{ event: 'undertaking-saved', file, through }],
          say: `saved as ${file.path}`,
        })),
    }
  }
}

const SECRET: Done<Moved> = {
  ok: false,
  why: 'something in it reads like a secret, and would not be kept: say it otherwise',
}

const said = (text: string, phase?: Moved['phase']): Done<Moved> => ({
  ok: true,
  value: phase === undefined ? { text } : { text, phase },
})

/** The name of an undertaking of this kind; null where it is none. */
const idOf = (name: string, domain: Domain | null): string | null => {
  const id = UndertakingId.safeParse(name).data
  return id !== undefined && domainOf(id) === domain ? id : null
}
