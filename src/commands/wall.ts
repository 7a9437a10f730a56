import { join } from 'node:path'
import { loadHouse } from '../config/load.ts'
import { openFolder } from '../house/folder.ts'
import type { Settings } from '../house/parts.ts'
import { findAgentProgram, programOf } from '../house/programs.ts'
import { Problem } from '../lib/problem.ts'
import { type Check, checkWall } from '../rig/wall.ts'
import { cageFor } from '../sandbox/cage.ts'
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
  const { config, specs } = loadHouse(join(settings.root, 'config'), settings.configFile, settings)
  const programs = config.agents.filter((agent) => programOf(agent) !== null && (only === null || agent.id === only))
  if (programs.length === 0)
    throw new Problem(
      only === null ? 'no agent of the config is a program' : `there is no agent ${only} that is a program`,
      'set its runner to claude or codex',
    )
  openFolder(settings.data)
  const rows: Row[] = []
  for (const agent of programs) {
    const name = programOf(agent) ?? 'claude'
    const spec = specs.get(agent.peripheral)
    const found = await findAgentProgram(agent, name, settings.path)
    if (typeof found === 'string' || !spec) {
      const detail = typeof found === 'string' ? found : `there is no peripheral ${agent.peripheral}`
      rows.push({ agent: agent.id, program: name, checks: [{ name: 'starts', ok: false, detail }] })
      continue
    }
    const { file } = found
    const wrapFor = async (writable: readonly string[]) => {
      const cage = await cageFor({ path: settings.path, readable: [file], writable })
      return config.runners.cage === 'never' || typeof cage === 'string' ? (argv: readonly string[]) => argv : cage
    }
    const { version, checks } = await checkWall({ name, program: file, spec, wrapFor })
    rows.push({ agent: agent.id, program: `${name} ${version}`, checks })
  }
  return rows
}

const textOf = ({ agent, program, checks }: Row): string =>
  [
    `${agent}: ${program}`,
    ...checks.map(({ name, ok, detail }) => `  ${ok ? 'ok     ' : 'FAILED '} ${name}${ok ? '' : `: ${detail}`}`),
  ].join('\n')
