import { access, constants } from 'node:fs/promises'
import { execa } from 'execa'
import type { Probe } from '../shapes/agent.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import type { Workspace } from '../workspace/paths.ts'
import { tools } from './table.ts'

/** What an agent's runner looks at before it says that the agent is ready: the place, the programs, the tools. */
export const probeTools = async (spec: PeripheralSpec, workspace: Workspace, path: string): Promise<Probe[]> => {
  const readable = await access(workspace.root, constants.R_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  const rg = await execa('rg', ['--version'], { env: { PATH: path }, extendEnv: false, reject: false, timeout: 5000 })
  const missing = spec.tools.filter((tool) => !(tool in tools))
  return [
    { name: 'workspace', ok: readable, detail: readable ? workspace.root : `${workspace.root} cannot be read` },
    {
      name: 'ripgrep',
      ok: rg.exitCode === 0,
      detail: rg.exitCode === 0 ? firstLine(rg.stdout) : 'rg does not run: see `bellhop doctor`',
    },
    {
      name: 'tools',
      ok: missing.length === 0,
      detail: missing.length === 0 ? spec.tools.join(' ') : `there is no ${missing.join(', ')}`,
    },
  ]
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''
