import { plain } from '../lib/plain.ts'
import type { LedgerItem } from '../shapes/undertaking.ts'
import type { Undertaking } from './undertaking.ts'

/** Where the file of a proof is. */
export const pathOf = (id: string): string => `proofs/${id}.md`

/** A proof as a file for people: the same ledger makes the same text, so that one sees whether it was saved. */
export const documentOf = ({ id, title, statement, items, failed }: Undertaking): string => {
  const parts = [
    `# ${id}: ${title}`,
    ...(statement
      ? [`## Statement (version ${statement.version})`, quoted(statement.text), `Hash: ${statement.hash}`]
      : []),
    '## Ledger',
    ...[...items.values()].map(itemOf),
    ...(failed.length > 0
      ? [
          '## What did not work',
          failed
            .map(({ n, item, approach, why }) => `- ${item}, cycle ${n}: ${inLine(approach)} (${inLine(why)})`)
            .join('\n'),
        ]
      : []),
  ]
  return `${parts.join('\n\n')}\n`
}

const itemOf = ({ id, status, basis, text, dependsOn, artifacts, runs, why }: LedgerItem): string =>
  [
    `### ${id}: ${status}${basis ? `, by ${basis}` : ''}`,
    '',
    quoted(text),
    '',
    ...(dependsOn.length > 0 ? [`- depends on ${dependsOn.join(', ')}`] : []),
    ...artifacts.map(({ path, state }) => `- shown in \`${path}\` (${state})`),
    ...runs.map((step) => `- run by step \`${step}\``),
    ...(why === '' ? [] : [`- ${inLine(why)}`]),
  ]
    .join('\n')
    .trimEnd()

/** What somebody wrote, as a quote: it makes no headings of its own. */
const quoted = (text: string): string =>
  plain(text)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')

const inLine = (text: string): string => plain(text).replace(/\s+/g, ' ').trim()
