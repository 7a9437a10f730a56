import { z } from 'zod'

/** What one process says of a metric: as prom-client has it. */
export const Family = z.object({
  name: z.string(),
  help: z.string(),
  type: z.string(),
  values: z.array(
    z.object({
      value: z.union([z.number(), z.null()]),
      labels: z.record(z.string(), z.union([z.string(), z.number()])),
      metricName: z.string().optional(),
    }),
  ),
})
export type Family = z.infer<typeof Family>

/** The families of one process, and the label that tells it from the others; null for what is said of all. */
export type Said = { process: string | null; families: readonly Family[] }

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What several processes said, as one text that Prometheus reads: each metric once, with all that was said of it. */
export const exposition = (said: readonly Said[]): string => {
  const families = new Map<string, { head: string; lines: string[] }>()
  for (const { process, families: own } of said) {
    for (const { name, help, type, values } of own) {
      const head = `# HELP ${name} ${escaped(help, /[\\\n]/g)}\n# TYPE ${name} ${type}`
      const family = families.get(name) ?? { head, lines: [] }
      families.set(name, family)
      for (const { metricName = name, labels, value } of values) {
        const all = process === null ? labels : { ...labels, process }
        family.lines.push(`${metricName}${textOf(all)} ${numberOf(value)}`)
      }
    }
  }
  return [...families.values()]
    .map(({ head, lines }) => [head, ...lines].join('\n'))
    .join('\n\n')
    .concat('\n')
}

const textOf = (labels: Readonly<Record<string, string | number>>): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value), /[\\\n"]/g)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string, what: RegExp): string =>
  text.replace(what, (character) => (character === '\n' ? '\\n' : `\\${character}`))

/** JSON has no word for what is no number, or has no end. */
const numberOf = (value: number | null): string => {
  if (value === null) return 'NaN'
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
