import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import type { Metrics } from './metrics.ts'

type Options = {
  metrics: Pick<Metrics, 'count' | 'observe'>
  /** When a turn was accepted, in milliseconds; null where that is not known. */
  acceptedAt: (turn: string) => Promise<number | null>
}

/** As many beginnings as are kept in mind until their ends: those that began last. */
const KEPT = 10_000

/**
 * What a process has written is what it has done: turns, steps, what the gate decided and what models took are counted from
 * the entries, once they are durable.
 */
export const countEntries = ({ metrics, acceptedAt }: Options) => {
  const begun = new Map<string, number>()
  const begin = (id: string): void => {
    begun.set(id, performance.now())
    const [oldest] = begun.keys()
    if (begun.size > KEPT && oldest !== undefined) begun.delete(oldest)
  }
  /** How long it is since something began here; null where it began elsewhere. */
  const since = (id: string): number | null => {
    const at = begun.get(id)
    begun.delete(id)
    return at === undefined ? null : (performance.now() - at) / 1000
  }
  const waited = async (turn: string, at: string, peripheral: string): Promise<void> => {
    const accepted = await acceptedAt(turn)
    if (accepted !== null)
      metrics.observe('bellhop_turn_wait_seconds', { peripheral }, Math.max(0, Date.parse(at) - accepted) / 1000)
  }

  /** What is counted of each event. */
  const counting: { [E in EventName]?: (body: BodyOf<E>, about: About) => void } = {
    'turn-started': ({ turn }, { at, peripheral }) => {
      begin(turn)
      // What cannot be looked up is not counted.
      waited(turn, at, peripheral).catch(() => {})
    },
    'turn-ended': ({ turn, outcome }, { peripheral }) => {
      const seconds = since(turn)
      if (seconds !== null) metrics.observe('bellhop_turn_seconds', { peripheral, outcome }, seconds)
    },
    'step-intended': ({ step }, { peripheral }) => {
      begin(step)
      metrics.count('bellhop_gate_decisions_total', { peripheral, decision: 'passed', code: '' })
    },
    'approval-asked': (_body, { peripheral }) => {
      metrics.count('bellhop_gate_decisions_total', { peripheral, decision: 'asked', code: '' })
    },
    'step-refused': ({ refusal: { code } }, { peripheral }) => {
      metrics.count('bellhop_gate_decisions_total', { peripheral, decision: 'refused', code })
    },
    'step-ended': ({ step, tool, outcome }, { peripheral }) => {
      const seconds = since(step)
      const labels = { tool: toolOf(tool), peripheral, outcome: outcome.kind }
      if (seconds !== null) metrics.observe('bellhop_step_seconds', labels, seconds)
    },
    // There before it first costs something, as what alerts look at is: zeros.ts.
    'conversation-opened': ({ model }, { agent }) => {
      if (model !== null) metrics.count('bellhop_cost_usd_total', { agent, model }, 0)
    },
    'usage-noted': (body, { agent }) => used(body, agent),
    presence: ({ agent: { id, readiness } }) => {
      if (readiness === 'lapsed') metrics.count('bellhop_leases_lost_total', { agent: id })
    },
  }

  const used = ({ model, usage, usd }: BodyOf<'usage-noted'>, agent: string): void => {
    const whose = { agent, model: model ?? 'unknown' }
    for (const kind of ['input', 'cached', 'written', 'output'] as const)
      metrics.count('bellhop_tokens_total', { ...whose, kind }, usage[kind])
    if (usd !== null) metrics.count('bellhop_cost_usd_total', whose, usd)
  }

  return (entries: readonly Entry[]): void => {
    for (const { body, tags, at } of entries) {
      if (body === null || !(body.event in counting)) continue
      const about = { at, peripheral: tagOf(tags, 'peripheral') ?? 'none', agent: tagOf(tags, 'agent') ?? 'none' }
      const count = counting[body.event] as (body: Entry['body'], about: About) => void
      count(body, about)
    }
  }
}

/** Where and when it was. */
type About = { at: string; peripheral: string; agent: string }

/** A tool of our own by its name; what another server calls its own is nothing that may become a label. */
const toolOf = (tool: string): string => (tool.includes('.') ? 'of another server' : tool)

const tagOf = (tags: readonly string[], family: string): string | null =>
  tags.find((tag) => tag.startsWith(`${family}/`))?.slice(family.length + 1) ?? null
