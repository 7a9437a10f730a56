import { z } from 'zod'
import { parseJson } from '../../src/lib/parse-json.ts'

const Severities = z.record(z.string(), z.number())
const Report = z.object({
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string(), range: z.string() })),
  metadata: z.object({ vulnerabilities: Severities }),
})

/** What `npm audit --json` came to. A registry that does not answer has said nothing: that is no clean result. */
export const auditOf = (said: string): { text: string; exitCode: 0 | 1 | 2 } => {
  const report = Report.safeParse(parseJson(said))
  if (!report.success)
    return {
      text: 'the registry does not answer audits, so nothing is known: ask one that does, with npm audit --omit=dev --registry URL',
      exitCode: 2,
    }
  const found = Object.entries(report.data.vulnerabilities)
  if (found.length === 0) return { text: 'nothing is known against the packages that Bellhop runs with', exitCode: 0 }
  return { text: found.map(([name, { severity, range }]) => `${severity}  ${name} ${range}`).join('\n'), exitCode: 1 }
}
