import { join } from 'node:path'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { hashOf } from '../../src/evidence/hash.ts'
import { fruitOf } from '../../src/peripherals/fruit.ts'
import type { Author, Body } from '../../src/shapes/evidence.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { openWorkshop } from '../peripherals/workshop.ts'
import type { TestRedis } from './redis.ts'
import { ADA, said } from './store.ts'

const SHIPPED = [
  ...loadPeripherals(join(import.meta.dirname, '../../config/peripherals'), null, { checks: {}, deploys: {} }).values(),
]

type Args = Record<string, unknown>

/** The wall of proofs, with what a test changes of it. */
const wallOf = (change: Partial<PeripheralSpec>): PeripheralSpec => {
  const spec = SHIPPED.find(({ id }) => id === 'proof')
  if (!spec) throw new Error('there is no wall for proofs')
  return { ...spec, ...change }
}

export type Prover = Awaited<ReturnType<Proving['sit']>>
type Proving = Awaited<ReturnType<typeof openProving>>

/** A workshop with the wall of proofs, and agents who take steps behind it through the real gate. */
export const openProving = async (server: TestRedis, change: Partial<PeripheralSpec> = {}) => {
  const spec = wallOf(change)
  const specs = SHIPPED.map((one) => (one.id === 'proof' ? spec : one))
  const it = await openWorkshop(server, { spec, specs, files: {}, peripheral: 'proof' })
  it.runSteps()

  /** Somebody sits down to a turn of their own, in a session of their own. */
  const sit = async (n: number) => {
    const [session, turn, agent] = [`s-${n}`, `t${n}`, n === 1 ? 'claude-1' : `codex-${n}`]
    const author: Author = { kind: 'agent', id: agent, face: 'rehearsal', via: null }
    const put = (id: string, by: Author, body: Body, inReplyTo: string) =>
      sessionDraft({ session, room: 'lobby', agent, id, author: by, body, inReplyTo })
    await it.record(
      said(`m${n}`, 'prove it'),
      put(`${session}.opened`, ADA, { event: 'session-opened', agent, room: 'lobby' }, `m${n}`),
      put(
        turn,
        ADA,
        { event: 'accepted', agent, room: 'lobby', peripheral: 'proof', request: 'prove it', role: 'operator' },
        `m${n}`,
      ),
      put(`${turn}.started`, author, { event: 'turn-started', turn }, turn),
      put(
        `${turn}.peripheral`,
        author,
        {
          event: 'peripheral-started',
          turn,
          peripheral: 'proof',
          tools: spec.tools,
          spec: hashOf(spec),
          entry: 'user-request',
        },
        `${turn}.started`,
      ),
    )
    let taken = 0
    const take = async (tool: string, args: Args = {}) => {
      const step = `${turn}.${++taken}`
      const call = { kind: 'call', session, turn, step, author, call: { tool, args } } as const
      return { step, report: await it.steps.ask(call, new AbortController().signal) }
    }
    return {
      session,
      turn,
      take,
      /** A step that ends well. */
      well: async (tool: string, args: Args = {}): Promise<string> => {
        const { step, report } = await take(tool, args)
        if (report?.kind !== 'ok') throw new Error(`${tool}: ${JSON.stringify(report)}`)
        return step
      },
      /** What a step that does not end well says. */
      fails: async (tool: string, args: Args = {}): Promise<string> => {
        const { report } = await take(tool, args)
        if (report?.kind === 'failed') return report.message
        throw new Error(`${tool} has not failed: ${JSON.stringify(report)}`)
      },
      says: async (tool: string, args: Args = {}): Promise<string> => {
        const { report } = await take(tool, args)
        return report?.kind === 'ok' ? (report.output ?? '') : JSON.stringify(report)
      },
      /** The turn is over, and with it the stay. */
      leave: async (): Promise<void> => {
        // What it holds is free after a while, by the clock of Redis: nobody waits for that here.
        await it.holds.release(session)
        it.time.now += 600_001
        const { stay } = await it.ledgers.of(session)
        if (!stay) throw new Error(`${session} is nowhere`)
        await it.record(
          put(
            `${turn}.stopped`,
            author,
            { event: 'peripheral-stopped', turn, peripheral: 'proof', reason: 'turn-ended', fruit: fruitOf(stay) },
            `${turn}.peripheral`,
          ),
          put(`${turn}.ended`, author, { event: 'turn-ended', turn, outcome: 'done', answer: '' }, turn),
        )
      },
    }
  }
  return { ...it, spec, sit, [Symbol.asyncDispose]: it[Symbol.asyncDispose] }
}

/** A problem with a statement and two claims, of which the second depends on the first. */
export const stated = async ({ well }: Pick<Prover, 'well'>): Promise<void> => {
  await well('proof-load', { problem: 'P-sum', title: 'sums of odd numbers' })
  await well('proof-statement', { text: 'the sum of the first n odd numbers is n^2' })
  await well('ledger-upsert', { item: 'C-1', text: 'it holds for 1' })
  await well('ledger-upsert', { item: 'C-2', text: 'it goes on from n to n+1', dependsOn: ['C-1'] })
}

/** What is done in each phase before it is left, and what it is left with. */
type Plan = {
  item: string
  approach?: string
  items?: string[]
  status?: string
  basis?: string | null
  why?: string
}

const FILES = { argument: 'proofs/sum/argument.md', check: 'proofs/sum/check.py' }

/** Goes through a cycle from its beginning up to a phase, honestly; `setup` is the end of it. */
export const cycleTo = async (
  prover: Pick<Prover, 'well' | 'take'>,
  phase: string,
  plan: Plan,
): Promise<Record<string, string>> => {
  const { well, take } = prover
  const { item, approach = 'by writing it down', status = 'partial', basis = 'argument', why = 'half of it' } = plan
  const { items = [item] } = plan
  const steps: Record<string, string> = {}
  const advance = (outputs: Args) => well('advance', { outputs })
  const does: Record<string, () => Promise<unknown>> = {
    observe: () => well('cycle-begin', { item }),
    propose: async () => advance({ observed: [await well('ledger-query')] }),
    execute: () => advance({ approach, items }),
    validate: async () => {
      // What another left there is read before it is replaced.
      for (const path of Object.values(FILES)) await take('read', { path })
      await well('write', { path: FILES.argument, text: `# ${item}\n\n${approach}: ${steps['n'] ?? ''}\n` })
      await well('write', {
        path: FILES.check,
        text: `# ${item}, ${approach}\nassert all(sum(range(1, 2*n, 2)) == n*n for n in range(100))\n`,
      })
      await advance({ artifacts: Object.values(FILES) })
    },
    classify: async () => {
      steps['run'] = await well('run', { argv: ['python3', FILES.check] })
      await advance({ validation: [steps['run']] })
    },
    integrate: async () => {
      await well('classify', { item, status, basis, why })
      await advance({ classification: `${item} is ${status}` })
    },
    commit: async () => {
      await well('ledger-upsert', { item })
      await advance({ rationale: 'as it was shown', changes: [item] })
    },
    'gate-review': async () => {
      await well('proof-save', { path: 'proofs/P-sum.md' })
      await advance({ saved: 'proofs/P-sum.md' })
    },
    setup: () => advance({}),
  }
  for (const [name, act] of Object.entries(does)) {
    await act()
    if (name === phase) break
  }
  return steps
}
