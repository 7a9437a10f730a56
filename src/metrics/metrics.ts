import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Family } from './exposition.ts'
import { type Labels, type MetricName, type OfKind, rows } from './table.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** As many values as a label may have: what comes beyond that is counted together, so that nothing grows without bound. */
const MOST_VALUES = 200
const OTHERS = 'others'

/** What a process counts. To count costs next to nothing; what is counted is put together when somebody asks. */
export const createMetrics = () => {
  const own = new Registry()
  const house = new Registry()
  const made = new Map<MetricName, Counter | Gauge | Histogram>()
  for (const [name, { kind, help, labels, buckets = [], house: shared }] of Object.entries(rows)) {
    const given = { name, help, labelNames: [...labels], registers: [shared ? house : own] }
    const metric =
      kind === 'histogram'
        ? new Histogram({ ...given, buckets: [...buckets] })
        : kind === 'counter'
          ? new Counter(given)
          : new Gauge(given)
    made.set(name as MetricName, metric)
    if (metric instanceof Gauge) forget(metric)
  }
  const values = new Map<string, Set<string>>()

  /** The labels, each value known or one of the others. */
  const bounded = (name: MetricName, labels: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(labels).map(([label, value]) => {
        const seen = values.get(`${name} ${label}`) ?? new Set()
        values.set(`${name} ${label}`, seen)
        if (!seen.has(value) && seen.size >= MOST_VALUES) return [label, OTHERS]
        seen.add(value)
        return [label, value]
      }),
    )

  return {
    own,
    house,
    count: <N extends OfKind<'counter'>>(name: N, labels: Labels<N>, by = 1): void =>
      (made.get(name) as Counter).inc(bounded(name, labels), by),
    set: <N extends OfKind<'gauge'>>(name: N, labels: Labels<N>, value: number): void =>
      (made.get(name) as Gauge).set(bounded(name, labels), value),
    observe: <N extends OfKind<'histogram'>>(name: N, labels: Labels<N>, seconds: number): void =>
      (made.get(name) as Histogram).observe(bounded(name, labels), seconds),
    /** Forgets what a gauge said: what is not said again is not so any more. */
    clear: (name: OfKind<'gauge'>): void => forget(made.get(name) as Gauge),
  }
}

/** One without labels would say 0 instead. */
const forget = (gauge: Gauge): void => {
  gauge.reset()
  gauge.remove({})
}

/** What a registry holds at this moment. */
export const familiesOf = async (registry: Registry): Promise<Family[]> =>
  (await registry.getMetricsAsJSON()) as unknown as Family[]
