/**
 * Whether a trace is kept, by the standard variables. It follows from the id of the trace alone, so that all processes decide
 * the same without being told: what has a parent is kept where that is.
 */
export const samplerOf = (name: string | undefined, arg: string | undefined): ((traceId: string) => boolean) => {
  const kind = (name ?? 'always_on').replace(/^parentbased_/, '')
  if (kind === 'always_off') return () => false
  if (kind !== 'traceidratio') return () => true
  const ratio = Number(arg ?? '1')
  const share = Number.isFinite(ratio) ? Math.min(1, Math.max(0, ratio)) : 1
  return (traceId) => Number.parseInt(traceId.slice(0, 8), 16) < share * 0x1_0000_0000
}
