import { ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Done } from './traces.ts'

type Options = { url: string; headers: Record<string, string>; delayMs: number; resource: Record<string, string> }

type Span = Done & { traceId: string; spanId: string; parent: string | null }

/**
 * The OpenTelemetry SDK: batches spans and sends them by OTLP over HTTP. Where the collector is away or slow, what does not fit
 * its queue is dropped: nobody waits for it.
 */
export const openExporter = ({ url, headers, delayMs, resource }: Options) => {
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: SEND_MS })
  let next = { traceId: '', spanId: '' }
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes(resource),
    sampler: new AlwaysOnSampler(),
    // Spans are told once they are over, each with an id of its own making.
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: delayMs, exportTimeoutMillis: SEND_MS })],
  })
  const tracer = provider.getTracer('bellhop')
  return {
    tell: ({ name, traceId, spanId, parent, from, to, about, failed }: Span): void => {
      next = { traceId, spanId }
      const flags = { traceId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
      const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...flags, spanId: parent })
      const span = tracer.startSpan(name, { startTime: from, attributes: about }, context)
      if (failed !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failed })
      span.end(Math.max(from, to))
    },
    close: (): Promise<void> => provider.shutdown(),
  }
}

const SEND_MS = 5000
