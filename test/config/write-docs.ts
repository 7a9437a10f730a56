import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { conditions } from '../../src/peripherals/conditions.ts'
import { ExitCondition, type PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { DENIED } from '../../src/workspace/scope.ts'

/** Writes what is generated into docs/peripherals.md: `npx tsx test/config/write-docs.ts`. */
const ROOT = join(import.meta.dirname, '../..')
export const PAGE = join(ROOT, 'docs/peripherals.md')

type Specs = ReadonlyMap<string, PeripheralSpec>

export const shipped = (): Specs => loadPeripherals(join(ROOT, 'config/peripherals'), null, { checks: {}, deploys: {} })

/** The page with everything between its markers made anew from the specs and the code. */
export const regenerated = (page: string, specs: Specs): string =>
  Object.entries(parts).reduce((text, [name, part]) => {
    const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`]
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`the page has no ${begin} … ${end}`)
    return `${text.slice(0, from)}${begin}\n${part(specs)}\n${text.slice(to)}`
  }, page)

const parts: Record<string, (specs: Specs) => string> = {
  peripherals: (specs) =>
    table(
      ['peripheral', 'opens in', 'from role', 'sandbox', 'approvals', 'tools'],
      [...specs.values()].map(({ id, modes, role, sandbox, approval, tools }) => [
        `**${id}**`,
        modes.join(', '),
        role,
        sandbox,
        approval.policy,
        tools.join(', '),
      ]),
    ),
  hops: (specs) =>
    ['```mermaid', 'stateDiagram-v2', ...[...specs.values()].flatMap(statesOf), ...arrowsOf(specs), '```'].join('\n'),
  conditions: () =>
    table(
      ['condition', 'it is true when'],
      ExitCondition.options.map((name) => [`\`${name}\``, name === 'always' ? 'always' : conditions[name].says]),
    ),
  denied: () =>
    ['    ', ...DENIED.map((pattern) => `${pattern} `)]
      .join('')
      .trimEnd()
      .replace(/(.{1,110}) /g, '$1\n    '),
}

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** A name with a dash is none to mermaid: it stands beside one that is. */
const stateOf = (id: string): string => id.replaceAll('-', '_')
const statesOf = ({ id }: PeripheralSpec): string[] =>
  stateOf(id) === id ? [] : [`    state "${id}" as ${stateOf(id)}`]

const arrowsOf = (specs: Specs): string[] =>
  [...specs.values()].flatMap((spec) => [
    ...spec.entry.filter((way) => !way.startsWith('from-')).map((way) => `    [*] --> ${stateOf(spec.id)}: ${way}`),
    ...[...new Set(spec.exit.flatMap(({ to }) => to))].map((to) => {
      const when = spec.exit.filter((exit) => exit.to.includes(to)).map((exit) => exit.when)
      return `    ${stateOf(spec.id)} --> ${stateOf(to)}: ${when.join(' / ')}`
    }),
  ])

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, regenerated(readFileSync(PAGE, 'utf8'), shipped()))
