import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import type { Facts, Taken } from '../../src/cycles/facts.ts'
import { classify, restate, upsert } from '../../src/cycles/ledger.ts'
import { unlicensable } from '../../src/cycles/licence.ts'
import {
  advanceCycle,
  backCycle,
  beginCycle,
  type Change,
  type Decided,
  endCycle,
  no,
  phaseIn,
} from '../../src/cycles/machine.ts'
import { modeless } from '../../src/cycles/modes.ts'
import { after, begunBy, type Undertaking } from '../../src/cycles/undertaking.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import type { RunResult } from '../../src/shapes/turn.ts'
import { CyclePhase, type Outputs, ProofMode } from '../../src/shapes/undertaking.ts'

const WALLS = loadPeripherals(join(import.meta.dirname, '../../config/peripherals'), null, { checks: {}, deploys: {} })
const PHASES = WALLS.get('proof')?.phases ?? []

const STATE = `100644 ${'a'.repeat(64)}`
const [FILE, DOC] = ['proofs/x.py', 'proofs/P-m.md']

/** A world of the model: the undertaking, what time it is, and its chain. */
type World = { it: Undertaking; chain: Entry[]; now: number }

const entryOf = (body: Entry['body'], seq: number): Entry =>
  ({ seq, position: seq * 10, at: '2026-01-01T00:00:00.000Z', body }) as Entry

const fold = (chain: readonly Entry[], from: Undertaking | null = null): Undertaking => {
  const all = chain.reduce<Undertaking | null>((before, entry) => {
    const begun = before ?? begunBy(entry)
    return begun && after(begun, entry)
  }, from)
  if (!all) throw new Error('nothing was begun')
  return all
}

const of = { undertaking: 'P-m', turn: 't1', step: 't1.0' }
const written = ({ it, chain, now }: World, changes: readonly Change[]): World => {
  const more = changes.map((change, i) => entryOf({ ...change, ...of } as Entry['body'], chain.length + i + 1))
  return { it: fold(more, it), chain: [...chain, ...more], now }
}

const OPENED: Change[] = [
  { event: 'undertaking-opened', title: 'a model' },
  { event: 'undertaking-taken', session: 's-1', stay: 't1.peripheral' },
]
const beginning = (): World => {
  const chain = OPENED.map((change, i) => entryOf({ ...change, ...of } as Entry['body'], i + 1))
  return { it: fold(chain), chain, now: 0 }
}

/** What there is to be seen: all that an honest agent does in each phase was done; or nothing was. */
const factsOf = ({ it, now }: World, honest: boolean): Facts => {
  const { cycle } = it
  const ran = {
    argv: ['python3', FILE],
    for: 'check',
    exit: 0,
    ended: 'exit',
    report: null,
    commit: null,
    pushed: [],
  } satisfies RunResult
  const made = { path: FILE, before: null, after: STATE, added: 1, removed: 0 }
  const ok = { kind: 'ok' as const, output: '', paths: [], cut: null }
  const since = cycle?.since ?? 0
  const steps: Taken[] = honest
    ? [
        {
          step: 'made',
          begun: (cycle?.began ?? 0) + 1,
          ended: (cycle?.began ?? 0) + 2,
          tool: 'write',
          outcome: { ...ok, files: [made] },
        },
        { step: 'looked', begun: since + 1, ended: since + 2, tool: 'read', outcome: ok },
        { step: 'ran', begun: since + 3, ended: since + 4, tool: 'run', outcome: { ...ok, run: ran } },
      ]
    : []
  return {
    now,
    steps,
    files: new Map(
      honest
        ? [
            [FILE, STATE],
            [DOC, STATE],
          ]
        : [],
    ),
    blank: new Set(),
  }
}

/** What an honest agent says to leave a phase. */
const saidIn = ({ it }: World): Outputs => {
  const { cycle } = it
  const tried = it.failed.length
  const all: Record<string, Outputs> = {
    observe: { observed: ['looked'] },
    propose: { approach: `way ${tried + it.cycles.length}`, items: [cycle?.item ?? ''] },
    execute: { artifacts: [FILE] },
    validate: { validation: ['ran'] },
    classify: { classification: 'so' },
    integrate: { rationale: 'so', changes: changedIn(it) },
    commit: { saved: DOC },
  }
  return all[cycle?.phase ?? ''] ?? {}
}

const changedIn = ({ items, cycle }: Undertaking): string[] =>
  [...items.keys()].filter((id) => JSON.stringify(items.get(id)) !== JSON.stringify(cycle?.base.get(id))).sort()

type Command = { name: string; decide: (world: World) => Decided; ticks?: number }

const ITEMS = ['A', 'B']
const STATUSES = [
  ['open', null],
  ['partial', 'argument'],
  ['proved', 'argument'],
  ['proved', 'numbers'],
  ['false', 'counterexample'],
  ['numerically-verified', 'numbers'],
] as const
const LICENCE = { bottleneck: 'b', witness: 'w', stop: 's' }

/** All that can be tried, honest or not; each by its name. What the wall opens in a phase is asked of the wall. */
const COMMANDS: Command[] = [
  { name: 'statement', decide: ({ it }) => (it.statement ? no('it is said') : restate(it, 'all of it', '')) },
  ...ITEMS.map((id, i) => ({
    name: `add ${id}`,
    decide: ({ it }: World) => upsert(it, { id, text: `claim ${id}`, dependsOn: i === 0 ? [] : ['A'] }),
  })),
  ...ITEMS.map((id) => ({ name: `begin ${id}`, decide: ({ it, now }: World) => beginCycle(it, id, now) })),
  ...ITEMS.map((id) => ({ name: `put ${id}`, decide: ({ it }: World) => upsert(it, { id }) })),
  ...ITEMS.flatMap((id) =>
    (['proved', 'false', 'numerically-verified', 'open'] as const).map((status) => ({
      name: `say ${id} ${status}`,
      decide: ({ it }: World) => upsert(it, { id, status, basis: status === 'open' ? null : 'argument', why: 'so' }),
    })),
  ),
  ...ITEMS.flatMap((item) =>
    STATUSES.map(([status, basis]) => ({
      name: `classify ${item} ${status} ${basis}`,
      decide: ({ it }: World) =>
        phaseIn(it) === 'classify' ? classify(it, { item, status, basis, why: 'so' }) : no('not in this phase'),
    })),
  ),
  { name: 'advance', decide: (world) => advanceCycle(world.it, PHASES, saidIn(world), factsOf(world, true)) },
  { name: 'advance blindly', decide: (world) => advanceCycle(world.it, PHASES, saidIn(world), factsOf(world, false)) },
  { name: 'advance empty', decide: (world) => advanceCycle(world.it, PHASES, {}, factsOf(world, true)) },
  ...CyclePhase.options.map((to) => ({
    name: `back ${to}`,
    decide: ({ it }: World) => backCycle(it, PHASES, to, 'so'),
  })),
  { name: 'end', decide: ({ it }) => endCycle(it, 'so') },
  {
    name: 'save',
    decide: ({ it }) =>
      phaseIn(it) === 'commit'
        ? {
            ok: true,
            changes: [{ event: 'undertaking-saved', file: { path: DOC, state: STATE }, through: it.changed }],
            say: '',
          }
        : no('not in this phase'),
  },
  ...ProofMode.options.map((to) => ({
    name: `mode ${to}`,
    decide: ({ it }: World): Decided => {
      const why = modeless(it, to)
      return why === null
        ? { ok: true, changes: [{ event: 'proof-mode-moved', from: it.mode, to, why: '' }], say: '' }
        : no(why)
    },
  })),
  {
    name: 'licence A',
    decide: ({ it, now }) => {
      const lever = `lever ${it.levers.length}`
      const why = unlicensable(it, { item: 'A', lever }, now)
      const over: Change[] = it.licence ? [{ event: 'licence-ended', item: 'A', why: 'over' }] : []
      const until = new Date(now + 60_000).toISOString()
      return why === null
        ? {
            ok: true,
            changes: [...over, { event: 'licence-given', licence: { ...LICENCE, item: 'A', lever, until } }],
            say: '',
          }
        : no(why)
    },
  },
  {
    name: 'time passes',
    ticks: 60_000,
    decide: ({ it }) => (it.licence ? { ok: true, changes: [], say: '' } : no('no licence')),
  },
]

/** What a tool of the same name needs of the phase, where the decision itself does not ask: the wall does. */
const allowed = (name: string, phase: CyclePhase): boolean => {
  const [verb = ''] = name.split(' ')
  const tools: Record<string, string> = {
    statement: 'proof-statement',
    add: 'ledger-upsert',
    put: 'ledger-upsert',
    say: 'ledger-upsert',
    mode: 'proof-mode',
    licence: 'proof-licence',
  }
  const tool = tools[verb]
  return tool === undefined || (PHASES.find(({ id }) => id === phase)?.tools ?? []).some((one) => one === tool)
}

const apply = (world: World, { decide, ticks = 0, name }: Command): World | null => {
  if (!allowed(name, phaseIn(world.it))) return null
  const decided = decide(world)
  return decided.ok ? { ...written(world, decided.changes), now: world.now + ticks } : null
}

/** All that decisions look at, and no more: two worlds with the same are the same. */
const keyOf = ({ it, now }: World): string => {
  const { cycle, mode, attempts, licence, saved, changed, statement } = it
  const worth = (items: Undertaking['items']) =>
    [...items.values()].map(({ id, status, basis, runs }) => [id, status, basis, runs.length])
  return JSON.stringify([
    statement !== null,
    worth(it.items),
    mode,
    attempts > 0,
    ITEMS.map((id) => Math.min(3, it.failed.filter(({ item }) => item === id).length)),
    licence && [licence.item, Date.parse(licence.until) > now],
    saved !== null && saved.through >= changed,
    cycle && [
      cycle.phase,
      cycle.item,
      cycle.approach !== null,
      cycle.wanted,
      cycle.artifacts.length,
      cycle.validations.length,
      [...cycle.classified.values()].map(({ item, status, basis }) => [item, status, basis]),
      worth(cycle.base),
    ],
  ])
}

/**
 * Of one claim everything is tried; of two, of which one rests on the other, all but what fails: how often that was is counted
 * for each, and would make the same states again and again.
 */
const ALONE = COMMANDS.filter(({ name }) => !/ B\b/.test(name))
const BOTH = COMMANDS.filter(
  ({ name }) => !/^(?:back (?:propose|observe)|licence|time|end|say|classify . (?:open|numerically))/.test(name),
)

/** Every state that can be reached, with what leads from it. */
const explore = (commands: readonly Command[]) => {
  const states = new Map<string, { world: World; next: [command: string, key: string][] }>()
  const first = beginning()
  const queue = [first]
  states.set(keyOf(first), { world: first, next: [] })
  for (const world of queue) {
    const here = states.get(keyOf(world))
    for (const command of commands) {
      const then = apply(world, command)
      if (!then) continue
      const key = keyOf(then)
      here?.next.push([command.name, key])
      if (states.has(key)) continue
      states.set(key, { world: then, next: [] })
      queue.push(then)
    }
  }
  return states
}

type States = ReturnType<typeof explore>
const alone = explore(ALONE)
const both = explore(BOTH)

/** The states from which one can get to one of these. */
const canReach = (states: States, isGoal: (world: World) => boolean): Set<string> => {
  const into = new Map<string, string[]>()
  for (const [key, { next }] of states) for (const [, to] of next) into.set(to, into.get(to)?.concat(key) ?? [key])
  const found = new Set([...states].filter(([, { world }]) => isGoal(world)).map(([key]) => key))
  const queue = [...found]
  for (const key of queue) {
    for (const before of into.get(key) ?? []) {
      if (found.has(before)) continue
      found.add(before)
      queue.push(before)
    }
  }
  return found
}

const EARNED = ['proved', 'false', 'numerically-verified']

describe.each([
  ['one claim', alone],
  ['two claims', both],
] as const)('every state that %s can be in', (_of, states) => {
  test('leads back to setup', () => {
    const back = canReach(states, ({ it }) => phaseIn(it) === 'setup')
    expect([...states.keys()].filter((key) => !back.has(key))).toEqual([])
  })

  test('leads to the end of a cycle, where there is anything left to do', () => {
    const completing = new Set(
      [...states].flatMap(([key, { next, world }]) =>
        next.some(([name]) => name === 'advance' && phaseIn(world.it) === 'gate-review') ? [key] : [],
      ),
    )
    const leads = canReach(states, (world) => completing.has(keyOf(world)))
    const left = [...states].filter(([, { world }]) =>
      [...world.it.items.values()].some(({ status }) => status === 'open' || status === 'partial'),
    )
    expect(left.filter(([key]) => !leads.has(key)).map(([key]) => key)).toEqual([])
    expect(left.length).toBeGreaterThan(100)
  })

  test('keeps what is final', () => {
    const undone = [...states.values()].flatMap(({ world, next }) =>
      next.filter(([, key]) => {
        const then = states.get(key)?.world.it
        // In a cycle nothing is final yet: who gives it up takes it back.
        const firm = world.it.cycle?.base ?? world.it.items
        return [...firm.values()].some(
          ({ id, status }) => status === 'false' && then?.items.get(id)?.status !== 'false',
        )
      }),
    )
    expect(undone).toEqual([])
  })

  test('has earned what it has: it came of a cycle that was in integrate, as it was classified', () => {
    const wrong = [...states.values()].flatMap(({ world, next }) =>
      next.filter(([, key]) => {
        const then = states.get(key)?.world.it
        return [...(then?.items.values() ?? [])].some(({ id, status }) => {
          const before = world.it.items.get(id)?.status
          if (before === status || !EARNED.includes(status)) return false
          const base = world.it.cycle?.base.get(id)?.status
          const shown = phaseIn(world.it) === 'integrate' && world.it.cycle?.classified.get(id)?.status === status
          return !shown && base !== status
        })
      }),
    )
    expect(wrong).toEqual([])
  })

  test('proves nothing by numbers, nor on what is not proved', () => {
    const wrong = [...states.values()].flatMap(({ world: { it } }) =>
      [...it.items.values()].filter(
        ({ status, basis, dependsOn }) =>
          status === 'proved' &&
          (basis !== 'argument' || dependsOn.some((on) => it.items.get(on)?.status !== 'proved')),
      ),
    )
    expect(wrong).toEqual([])
  })

  test('completes no cycle by which a gate is closed, or with nothing to be seen', () => {
    const blind = [...states.values()].filter(
      ({ world, next }) => phaseIn(world.it) !== 'classify' && next.some(([name]) => name === 'advance blindly'),
    )
    const phases = new Set(blind.map(({ world }) => phaseIn(world.it)))
    // Only what needs nothing to be seen goes on without: an approach, and the ledger's own changes.
    expect([...phases].sort()).toEqual(['integrate', 'propose'])
    const unsaved = [...states.values()].filter(
      ({ world: { it }, next }) =>
        phaseIn(it) === 'gate-review' &&
        next.some(([name]) => name === 'advance') &&
        (!it.saved || it.saved.through < it.changed),
    )
    expect(unsaved).toEqual([])
  })
})

describe('the states of one claim', () => {
  test('are all phases and all modes, with and without a licence, and with each status', () => {
    const all = [...alone.values()].map(({ world }) => world)
    expect(new Set(all.map(({ it }) => phaseIn(it)))).toEqual(new Set(CyclePhase.options))
    expect(new Set(all.map(({ it }) => it.mode))).toEqual(new Set(ProofMode.options))
    expect(new Set(all.flatMap(({ it }) => [...it.items.values()].map(({ status }) => status)))).toEqual(
      new Set(['open', 'partial', ...EARNED]),
    )
    expect(all.some(({ it, now }) => it.licence && Date.parse(it.licence.until) <= now)).toBe(true)
    expect(alone.size).toBeGreaterThan(1000)
  })

  test('goes from phase to phase as the table says', () => {
    const moves = new Set<string>()
    for (const { world, next } of alone.values())
      for (const [name, key] of next) {
        const to = alone.get(key)?.world
        if (to && phaseIn(to.it) !== phaseIn(world.it))
          moves.add(`${phaseIn(world.it)} > ${phaseIn(to.it)} by ${name.split(' ')[0]}`)
      }
    expect([...moves].sort()).toEqual(TABLE.flatMap(([from, ...ways]) => ways.map((way) => `${from} > ${way}`)).sort())
  })

  test('goes from mode to mode as the table says', () => {
    const moves = new Set<string>()
    for (const { world, next } of alone.values())
      for (const [, key] of next) {
        const to = alone.get(key)?.world.it.mode
        if (to !== world.it.mode) moves.add(`${world.it.mode} > ${to}`)
      }
    expect([...moves].sort()).toEqual(MODES.flatMap(([from, ...ways]) => ways.map((to) => `${from} > ${to}`)).sort())
  })
})

/** Every way from one phase to another. */
const TABLE: readonly (readonly [string, ...string[]])[] = [
  ['setup', 'observe by begin'],
  ['observe', 'propose by advance', 'setup by end'],
  ['propose', 'execute by advance', 'observe by back', 'setup by end'],
  ['execute', 'validate by advance', 'propose by back', 'setup by end'],
  ['validate', 'classify by advance', 'execute by back', 'propose by back', 'setup by end'],
  ['classify', 'integrate by advance', 'validate by back', 'execute by back', 'propose by back', 'setup by end'],
  ['integrate', 'commit by advance', 'classify by back', 'setup by end'],
  ['commit', 'gate-review by advance', 'integrate by back', 'setup by end'],
  ['gate-review', 'setup by advance', 'commit by back', 'integrate by back', 'execute by back', 'setup by end'],
]

/** Every way from one mode to another. */
const MODES: readonly (readonly [string, ...string[]])[] = [
  ['SPEC', 'FALSIFY'],
  ['FALSIFY', 'CONSTRUCT', 'SPEC'],
  ['CONSTRUCT', 'VERIFY', 'FALSIFY', 'SPEC'],
  ['VERIFY', 'MAP', 'CONSTRUCT', 'FALSIFY'],
  ['MAP', 'SPEC'],
]

describe('whatever is tried, in whatever order', () => {
  const commands = fc.array(fc.constantFrom(...COMMANDS), { minLength: 20, maxLength: 120 })

  test('what decisions saw is what the chain says', () => {
    fc.assert(
      fc.property(commands, (list) => {
        const end = list.reduce((world, command) => apply(world, command) ?? world, beginning())
        expect(fold(end.chain)).toEqual(end.it)
      }),
      { numRuns: 200 },
    )
  })

  test('after a restart anywhere it goes on the same', () => {
    fc.assert(
      fc.property(commands, fc.nat(), (list, n) => {
        const at = n % list.length
        const before = list.slice(0, at).reduce((world, command) => apply(world, command) ?? world, beginning())
        const restarted: World = { ...before, it: fold(before.chain) }
        const on = (from: World) => list.slice(at).reduce((world, command) => apply(world, command) ?? world, from)
        expect(on(restarted)).toEqual(on(before))
      }),
      { numRuns: 200 },
    )
  })
})
