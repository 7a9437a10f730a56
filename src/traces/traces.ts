import { Problem } from '../lib/problem.ts'
import { secretVariable } from '../lib/secret-variable.ts'
import { within } from '../lib/within.ts'
import { type SpanName, spanIdOf, traceIdOf } from './ids.ts'
import { samplerOf } from './sampling.ts'

/** Something that was done: of what, from when until when, within what. Ids, names and codes: never a text or an argument. */
export type Done = {
  name: SpanName
  /** What it was done of: the id of a message, a turn or a step. */
  id: string
  /** What it was a part of; null for the message that all began with. */
  within: { name: SpanName; id: string } | null
  /** In milliseconds. */
  from: number
  to: number
  about: Readonly<Record<string, string | number | boolean>>
  /** The code or the outcome that it failed with. */
  failed?: string | undefined
}

export type Traces = {
  /** Whether anybody is told. */
  on: boolean
  done: (span: Done) => void
  close: () => Promise<void>
}

type Options = {
  /** The environment: the standard variables of OpenTelemetry turn it on and say where to. */
  variables: Readonly<Record<string, string | undefined>>
  part: string
  version: string
}

const OFF: Traces = { on: false, done: () => {}, close: async () => {} }

/** How long an end waits for what was not told yet: a collector that is away holds nobody up. */
const CLOSE_MS = 2000

/** Tells a collector what was done, where the environment names one; nothing of it is even loaded where it does not. */
export const openTraces = async ({ variables, part, version }: Options): Promise<Traces> => {
  const url = endpointIn(variables)
  if (url === null) return OFF
  const isSampled = samplerOf(variables['OTEL_TRACES_SAMPLER'], variables['OTEL_TRACES_SAMPLER_ARG'])
  const { openExporter } = await import('./exporter.ts')
  const exporter = openExporter({
    url,
    headers: pairsIn(headersIn(variables)),
    delayMs: Number(variables['OTEL_BSP_SCHEDULE_DELAY']) || DELAY_MS,
    resource: {
      ...pairsIn(variables['OTEL_RESOURCE_ATTRIBUTES']),
      'service.name': variables['OTEL_SERVICE_NAME'] || 'bellhop',
      'service.version': version,
      'service.instance.id': `${part}-${process.pid}`,
      'bellhop.part': part,
    },
  })
  return {
    on: true,
    done: (span) => {
      const traceId = traceIdOf(span.id)
      if (!isSampled(traceId)) return
      const parent = span.within && spanIdOf(span.within.name, span.within.id)
      exporter.tell({ ...span, traceId, spanId: spanIdOf(span.name, span.id), parent })
    },
    close: () => within(CLOSE_MS, exporter.close()).catch(() => {}),
  }
}

const DELAY_MS = 1000

/** The variables with what a collector is shown, of which there may be a token; the first that is set holds. */
export const HEADERS: readonly string[] = ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS']

const headersIn = (variables: Options['variables']): string =>
  HEADERS.map((name) => secretVariable(name, variables)).find((value) => value !== null) ?? ''

/** Where spans go to; null where nobody asked for them. */
export const endpointIn = (variables: Options['variables']): string | null => {
  if (variables['OTEL_SDK_DISABLED'] === 'true' || variables['OTEL_TRACES_EXPORTER'] === 'none') return null
  const own = variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  if (own) return checked(own, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const all = variables['OTEL_EXPORTER_OTLP_ENDPOINT']
  return all ? checked(`${all.replace(/\/+$/, '')}/v1/traces`, 'OTEL_EXPORTER_OTLP_ENDPOINT') : null
}

/** What is no address would be told much later, by nothing that arrives. */
const checked = (url: string, variable: string): string => {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new Problem(
    `${variable} is no address of a collector`,
    'give one such as http://127.0.0.1:4318, or leave it unset',
  )
}

/** `key=value,key=value`, each percent-encoded. */
const pairsIn = (text = ''): Record<string, string> =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const [key = '', ...value] = pair.split('=')
      return key.trim() === '' ? [] : [[key.trim(), decoded(value.join('=').trim())]]
    }),
  )

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
