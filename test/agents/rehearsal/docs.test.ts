import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { forms } from '../../../src/agents/rehearsal/language/forms.ts'
import { parse } from '../../../src/agents/rehearsal/language/grammar.ts'

const page = await readFile(new URL('../../../docs/rehearsal.md', import.meta.url), 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('| `'))
const cells = (row: string): string[] => row.slice(2, -2).split(' | ')
const examples = rows.flatMap((row) => {
  const [, said = '', intent = ''] = cells(row)
  return said.split('<br>').map((example) => [unquoted(example), intent] as const)
})

/** Markdown's code, with as many backticks around it as it takes. */
const quoted = (code: string): string => (code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``)
function unquoted(code: string): string {
  return code.replace(/^(`+) ?(.*?) ?\1$/, '$2')
}

describe('docs/rehearsal.md', () => {
  test('is the table of forms', () => {
    const table = forms.map(
      ({ form, examples, intent, steps }) =>
        `| \`${form}\` | ${examples.map(quoted).join('<br>')} | ${intent} | ${steps} |`,
    )
    expect(rows).toEqual(table)
  })

  test.each(examples)('%s is parsed as %s', (example, intent) => {
    expect(parse(example).map((part) => part.intent.kind)).toEqual([intent])
  })

  test('shows every intent but the unknown one', () => {
    expect([...new Set(examples.map(([, intent]) => intent))].sort()).toEqual([
      'commit',
      'count',
      'create',
      'define',
      'evidence',
      'fetch',
      'help',
      'hop',
      'list',
      'push',
      'read',
      'reads',
      'reflect',
      'replace',
      'run',
      'search',
      'test',
      'use',
      'uses',
    ])
  })
})
