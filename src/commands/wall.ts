import { join } from 'node:path'
import { type House, loadHouse } from '../config/load.ts'
import type { Settings } from '../house/parts.ts'
import { findAgentProgram, type ProgramName, programOf, wrapFor } from '../house/programs.ts'
import { Problem } from '../lib/problem.ts'
import { type Check, checkWall } from '../rig/wall.ts'
import type { AgentConfig } from '../shapes/agent.ts'
import { print } from './print.ts'

type Row = { agent: string; program: string; checks: Check[] }

/** `bellhop doctor --wall`: the real programs of the agents, against a model that tries everything. Answers the exit code. */
export const checkWalls = async (
  settings: Settings,
  { agent = null, json }: { agent?: string | null; json: boolean },
): Promise<number> => {
  const rows = await checkAll(settings, agent)
  print(json ? JSON.stringify({ agents: rows }) : rows.map(textOf).join('\n\n'))
  return rows.every(({ checks }) => checks.every(({ ok }) => ok)) ? 0 : 1
}

const checkAll = async (settings: Settings, only: string | null): Promise<Row[]> => {
  const house = loadHouse(join(settings.root, 'config'), settings.configFile, settings)
  const programs = house.config.agents.flatMap((agent) => {
    const name = only === null || agent.id === only ? programOf(agent) : null
    return name === null ? [] : [{ agent, name }]
  })
  if (programs.length === 0)
    throw new Problem(
      only === null ? 'no agent of the config is a program' : `there is no agent ${only} that is a program`,
      'set its runner to claude or codex',
    )
  const rows: Row[] = []
  for (const program of programs) rows.push(...(await checkOne(program, house, settings)))
  return rows
}

type Wanted = { agent: AgentConfig; name: ProgramName }

const checkOne = async ({ agent, name }: Wanted, { config, specs }: House, settings: Settings): Promise<Row[]> => {
  const { path, variables = {} } = settings
  const spec = specs.get(agent.peripheral)
  const found = await findAgentProgram(agent, name, path)
  if (typeof found === 'string' || !spec) {
    const detail = typeof found === 'string' ? found : `there is no peripheral ${agent.peripheral}`
    return [{ agent: agent.id, program: name, checks: [{ name: 'starts', ok: false, detail }] }]
  }
  const { file: program } = found
  const wrap = (own: readonly string[]) => wrapFor(program, own, { config, path, variables, log: () => {} })
  const rows: Row[] = []
  for (const [way, key] of WAYS[name]) {
    const { version, checks } = await checkWall({ name, program, spec, key, wrapFor: wrap })
    rows.push({ agent: agent.id, program: `${name} ${version}, ${way}`, checks })
  }
  return rows
}

/** The ways in which a program can be signed in: its wall has to hold in each. */
const WAYS = {
  claude: [
    ['by a key', 'sk-rig'],
    ['signed in', 'sk-ant-oat-rig'],
  ],
  codex: [['by a key', 'sk-rig']],
} as const

const textOf = ({ agent, program, checks }: Row): string =>
  [
    `${agent}: ${program}`,
    ...checks.map(({ name, ok, detail }) => `  ${ok ? 'ok     ' : 'FAILED '} ${name}${ok ? '' : `: ${detail}`}`),
  ].join('\n')
