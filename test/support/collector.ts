import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Attribute = { key: string; value: { stringValue?: string; intValue?: number | string; boolValue?: boolean } }

/** A span as a collector got it, with what its process is called by. */
export type CollectedSpan = {
  part: string
  service: string
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  attributes: Record<string, unknown>
  failed: string | null
  ms: number
}

type Sent = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: {
        traceId: string
        spanId: string
        parentSpanId?: string
        name: string
        attributes: Attribute[]
        status: { code?: number; message?: string }
        startTimeUnixNano: string
        endTimeUnixNano: string
      }[]
    }[]
  }[]
}

const recordOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansIn = ({ resourceSpans }: Sent): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const of = recordOf(resource.attributes)
    return scopeSpans
      .flatMap((scope) => scope.spans)
      .map((span) => ({
        part: String(of['bellhop.part']),
        service: String(of['service.name']),
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? null,
        name: span.name,
        attributes: recordOf(span.attributes),
        failed: span.status.code === 2 ? (span.status.message ?? '') : null,
        ms: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
      }))
  })

/** A little collector of OpenTelemetry: takes spans by OTLP over HTTP in JSON, and keeps them, with all that was sent. */
export const startCollector = async () => {
  const spans: CollectedSpan[] = []
  const headers: string[] = []
  let said = ''
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk
    })
    request.on('end', () => {
      said += body
      headers.push(`${request.url} ${request.headers['x-key'] ?? ''}`)
      spans.push(...spansIn(JSON.parse(body) as Sent))
      response.setHeader('content-type', 'application/json')
      response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    /** All that was sent, as it came. */
    said: () => said,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
