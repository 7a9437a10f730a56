import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { readYaml } from '../../src/config/yaml.ts'
import { checkExamples } from '../../src/peripherals/examples.ts'
import { Config } from '../../src/shapes/config.ts'
import {
  ApprovalPolicy,
  type CommandRule,
  PeripheralFile,
  type PeripheralSpec,
  SandboxMode,
} from '../../src/shapes/peripheral.ts'
import { RefusalCode } from '../../src/shapes/refusal.ts'
import { checkRule } from '../../src/tools/commands.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { wall } from '../support/explore.ts'
import { scratch } from '../support/folder.ts'
import { CONFIG } from './complaint.ts'
import { PAGE, regenerated, shipped } from './write-docs.ts'

const page = readFileSync(PAGE, 'utf8')

/** The rows of the table in a section, each as its cells. */
const rowsIn = (section: string, begins: string): string[][] => {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? ''
  const lines = text.slice(text.indexOf(`| ${begins}`)).split('\n')
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return lines.slice(2, end).map((line) => line.slice(2, -2).split(/ (?<!\\)\| /))
}

/** What stands in backticks. */
const codeIn = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

describe('docs/peripherals.md', () => {
  test('has what the specs and the code say; if not, write it anew: npx tsx test/config/write-docs.ts', () => {
    expect(page).toBe(regenerated(page, shipped()))
  })

  test('is made anew from what is there: another wall stands in its tables', () => {
    const hop = { exit: [{ when: 'found-target' as const, to: ['night-watch'] }] }
    const specs = new Map([
      ['night-watch', wall({ id: 'night-watch', entry: ['tests-passed', 'from-peek'] })],
      ['peek', wall({ id: 'peek', tools: ['read', 'hop'], ...hop })],
    ])
    const other = regenerated(page, specs).split('\n')
    expect(other.filter((line) => !page.split('\n').includes(line))).toEqual([
      '| **night-watch** | diagnose, execute | operator | read-only | never | read, glob, grep |',
      '| **peek** | diagnose, execute | operator | read-only | never | read, hop |',
      '    state "night-watch" as night_watch',
      '    [*] --> night_watch: tests-passed',
      '    [*] --> peek: user-request',
      '    peek --> night_watch: found-target',
    ])
  })

  test('names the codes of the gate: those it gives itself, and those of the tools that it asks', () => {
    const source = readFileSync(join(CONFIG, '../src/tools/gate.ts'), 'utf8')
    const given = RefusalCode.options.filter((code) => source.includes(`'${code}'`))
    const named = rowsIn('The gate', '| the rule').flatMap((cells) => codeIn(cells.at(-1)))
    const byTools = ['command-not-allowed', 'address-refused', 'tool-changed', 'server-failed']
    expect([...new Set([...named, 'gate-failed'])].sort()).toEqual([...given, ...byTools].sort())
  })

  test('has the rules of the gate in the order in which its comment has them', () => {
    const source = readFileSync(join(CONFIG, '../src/tools/gate.ts'), 'utf8')
    const numbers = [...(/The one gate[\s\S]*?\*\//.exec(source)?.[0] ?? '').matchAll(/\s(\d+) [a-z]/g)]
    expect(rowsIn('The gate', '| the rule').map(([n]) => n)).toEqual(numbers.map(([, n]) => n))
  })

  test('explains every field of a spec', () => {
    const fields = rowsIn('A spec, field by field', 'field').flatMap(([cell]) => codeIn(cell))
    const scopes = Object.keys(PeripheralFile.shape.scope.unwrap().shape).map((key) => `scope.${key}`)
    const keys = Object.keys(PeripheralFile.shape).filter((key) => key !== 'scope')
    expect(fields.sort()).toEqual([...keys, ...scopes].sort())
    const [limits = []] = rowsIn('A spec, field by field', 'field').filter(([cell]) => cell === '`limits`')
    expect(codeIn(limits[1]).sort()).toEqual(Object.keys(PeripheralFile.shape.limits.shape).sort())
  })

  test('explains every placeholder, sandbox and policy', () => {
    const rule = (word: string): CommandRule => ({ argv: ['ls', word], for: 'look', network: false, approve: false })
    const [, known = ''] = /there are (.*) and <this\|that>/.exec(checkRule(rule('<unknown>')) ?? '') ?? []
    const places = rowsIn('Commands', 'place').map(([cell]) => codeIn(cell)[0])
    expect(places).toEqual([...known.split(', '), '<this\\|that>'])
    expect(rowsIn('Sandbox and approvals', '`sandbox`').map(([cell]) => codeIn(cell)[0])).toEqual(SandboxMode.options)
    expect(rowsIn('Sandbox and approvals', '`approval.policy`').map(([cell]) => codeIn(cell)[0])).toEqual(
      ApprovalPolicy.options,
    )
  })
})

describe('the walls that docs/peripherals.md shows', () => {
  const files = [...page.matchAll(/```yaml\n# peripherals\/(\S+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => ({
    name,
    text,
  }))

  /** The servers that the page shows, as a config file has them. */
  const parseServers = (): Config['servers'] => {
    const [, text = ''] = /```yaml\n# the config file\n([\s\S]*?)```/.exec(page) ?? []
    using folder = scratch()
    const { value } = readYaml(folder.write('config.yaml', text))
    return Config.shape.servers.parse((value as { servers: unknown }).servers)
  }

  /** The walls with those of the page in the folder of the user. */
  const load = (): Map<string, PeripheralSpec> => {
    using folder = scratch()
    for (const { name, text } of files) folder.write(name, text)
    return loadPeripherals(join(CONFIG, 'peripherals'), folder.path, {
      checks: { lint: ['npm', 'run', 'lint'] },
      deploys: {},
      servers: parseServers(),
    })
  }

  test('load, and their examples hold', async () => {
    using folder = scratch()
    const workspace = await openWorkspace(folder.path, [])
    const specs = load()
    for (const spec of specs.values()) await checkExamples(spec, workspace)
    expect([files.map(({ name }) => name), [...specs.keys()]]).toEqual([
      ['research.yaml', 'translate.yaml', 'our-edit.yaml'],
      [
        'alfworld',
        'chat',
        'deploy',
        'discipline',
        'edit',
        'explore',
        'mission-control',
        'mission',
        'proof',
        'reflect',
        'test',
        'research',
        'translate',
      ],
    ])
  })

  test('say what the page says of them', () => {
    const { edit, translate } = Object.fromEntries(load())
    expect([edit?.scope.write, edit?.role, edit?.ceiling, edit?.commands.map(({ argv }) => argv[0])]).toEqual([
      ['src/**', 'test/**'],
      'approver',
      null,
      ['npm'],
    ])
    expect([translate?.sandbox, translate?.scope.evidence, translate?.exit]).toEqual(['read-only', 'none', []])
  })
})
