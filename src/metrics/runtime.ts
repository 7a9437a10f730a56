import { collectDefaultMetrics, Registry } from 'prom-client'

/** How often the event loop is looked at, in milliseconds: seldom enough that an idle process stays idle. */
const PRECISION_MS = 50

let registry: Registry | null = null

/** What is true of the whole process, whatever runs in it: the event loop, the heap, handles and garbage. Made once. */
export const runtimeMetrics = (): Registry => {
  if (registry === null) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: PRECISION_MS })
  }
  return registry
}
