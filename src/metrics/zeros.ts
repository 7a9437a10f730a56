import type { Metrics } from './metrics.ts'

type Known = {
  agents: readonly { id: string }[]
  networks: Readonly<Record<string, unknown>>
  peripherals: Iterable<string>
}

/**
 * What alerts look at is there before it first happens: of a counter that comes with its first count, Prometheus sees no
 * increase. And a network that nobody is on is down, also where no bridge is left to say so.
 */
export const beginAtZero = (
  metrics: Pick<Metrics, 'count' | 'set'>,
  { agents, networks, peripherals }: Known,
): void => {
  for (const code of ['store-full', 'store-failed', 'fenced'])
    metrics.count('bellhop_evidence_refusals_total', { code }, 0)
  metrics.count('bellhop_refusals_total', { stage: 'authenticate', code: 'unauthenticated' }, 0)
  for (const peripheral of peripherals)
    metrics.count('bellhop_gate_decisions_total', { peripheral, decision: 'refused', code: 'gate-failed' }, 0)
  for (const { id } of agents) metrics.count('bellhop_leases_lost_total', { agent: id }, 0)
  for (const network of Object.keys(networks)) {
    metrics.set('bellhop_network_up', { network }, 0)
    metrics.count('bellhop_network_changes_total', { network, state: 'lost' }, 0)
    metrics.count('bellhop_deliveries_total', { network, outcome: 'never' }, 0)
  }
}
