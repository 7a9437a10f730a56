import { join } from 'node:path'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { createUndertakings } from '../../src/cycles/undertakings.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { openWorkshop, request } from '../peripherals/workshop.ts'
import type { TestRedis } from '../support/redis.ts'

const SPECS = [
  ...loadPeripherals(join(import.meta.dirname, '../../config/peripherals'), null, { checks: {}, deploys: {} }).values(),
]

/** The mission that most tests are about. */
export const TEA = `# M-tea: Tea for everybody

Status: ready
Owner: ada

## Phase 1: water

- [ ] boil the water
- [ ] fill the pot

## Phase 2: serve

- [ ] pour it
`

/** A session of claude's behind the wall of missions, and a way to take steps there, each with what it came to. */
export const openMission = async (server: TestRedis, files: Record<string, string> = { 'missions/M-tea.md': TEA }) => {
  const spec = SPECS.find(({ id }) => id === 'mission')
  if (!spec) throw new Error('there is no wall for missions')
  const it = await openWorkshop(server, { spec, specs: SPECS, files, peripheral: 'mission' })
  it.runSteps()
  await it.accept('carry it on')
  await it.enter('mission')
  let n = 0
  /** Takes a step; what it said, or why it did not do it. */
  const take = async (tool: string, args: Record<string, unknown> = {}) => {
    const call = request(++n, { tool, args })
    const report = await it.steps.ask(call, new AbortController().signal)
    const text =
      report?.kind === 'ok' ? report.output : report?.kind === 'refused' ? report.refusal.code : (report?.message ?? '')
    return { step: call.step, kind: report?.kind ?? 'none', text }
  }
  const well = async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { step, kind, text } = await take(tool, args)
    if (kind !== 'ok') throw new Error(`${tool}: ${text}`)
    return step
  }
  /** What a step says that goes well. */
  const says = async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { kind, text } = await take(tool, args)
    if (kind !== 'ok') throw new Error(`${tool}: ${text}`)
    return text
  }
  /** Why a step comes to nothing. */
  const fails = async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { kind, text } = await take(tool, args)
    if (kind === 'ok') throw new Error(`${tool} went well: ${text}`)
    return text
  }

  /** A cycle on an item up to a phase: a file is made, and a program that reads it ends well. */
  const upTo = async (phase: string, item: string, path = `src/${item}.js`): Promise<void> => {
    const ways: [string, () => Promise<unknown>][] = [
      ['observe', () => well('cycle-begin', { item })],
      ['propose', async () => well('advance', { outputs: { observed: [await well('ledger-query', {})] } })],
      ['execute', () => well('advance', { outputs: { approach: `write ${path}`, items: [item] } })],
      [
        'validate',
        async () => {
          await well('write', { path, text: `// ${item}\n` })
          await well('advance', { outputs: { artifacts: [path] } })
        },
      ],
      [
        'classify',
        async () => well('advance', { outputs: { validation: [await well('run', { argv: ['node', path] })] } }),
      ],
      [
        'integrate',
        async () => {
          await well('classify', { item, status: 'done', basis: 'artifact' })
          await well('advance', { outputs: { classification: 'it runs' } })
        },
      ],
      [
        'commit',
        async () => {
          await well('ledger-upsert', { item, status: 'done' })
          await well('advance', { outputs: { rationale: 'it was run', changes: [item] } })
        },
      ],
      [
        'gate-review',
        async () => {
          await well('mission-save', { path: 'missions/M-tea.md' })
          await well('advance', { outputs: { saved: 'missions/M-tea.md' } })
        },
      ],
      ['setup', () => well('advance', { outputs: {} })],
    ]
    for (const [entered, way] of ways) {
      await way()
      if (entered === phase) return
    }
  }

  return {
    ...it,
    take,
    well,
    says,
    fails,
    upTo,
    /** A whole cycle on an item. */
    done: (item: string, path?: string) => upTo('setup', item, path),
    mission: async (id = 'M-tea') => {
      const mission = await createUndertakings(it.store).of(id)
      if (!mission) throw new Error(`there is no ${id}`)
      return mission
    },
    /** How the obligations stand, by name. */
    statuses: async (id = 'M-tea') =>
      Object.fromEntries(
        [...((await createUndertakings(it.store).of(id))?.items.values() ?? [])].map((one) => [one.id, one.status]),
      ),
    violations: async () => {
      const found = []
      for (const chain of await it.store.chains()) found.push(...(await verifyChain(it.store, chain)).violations)
      return found
    },
    [Symbol.asyncDispose]: it[Symbol.asyncDispose],
  }
}
