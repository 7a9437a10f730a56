import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadHouse } from '../../config/load.ts'
import { folderAt } from '../../house/folder.ts'
import type { Settings } from '../../house/parts.ts'
import { Problem } from '../../lib/problem.ts'
import { print } from '../print.ts'
import { checkEvidence } from './evidence.ts'
import { type Finding, safely } from './finding.ts'
import { checkConfig, checkFolder, checkMachine } from './machine.ts'
import { checkRedis } from './redis.ts'

type Flags = { all: boolean; fix: boolean; json: boolean }

/**
 * `bellhop doctor --deep`: looks at an instance from all sides, whether it runs or not, and changes nothing; with `--fix`, only
 * permissions and what was left behind. Answers the exit code.
 */
export const checkDeep = async (settings: Settings, { all, fix, json }: Flags): Promise<number> => {
  const folder = folderAt(settings.data)
  if (!existsSync(folder.path))
    throw new Problem(`there is no data folder ${folder.path}`, 'name it with --data DIR, or start `bellhop up` first')
  const { config } = loadHouse(join(settings.root, 'config'), settings.configFile, settings)
  const findings = [
    ...(await safely('evidence', () => checkEvidence(settings, folder, all))),
    ...(await safely('Redis', () => checkRedis(settings, folder, config))),
    ...(await safely('machine', () => checkMachine(settings, folder))),
    ...(await safely('data folder', async () => checkFolder(folder, fix))),
    ...checkConfig(config),
  ]
  print(json ? JSON.stringify({ findings }) : findings.map(textOf).join('\n'))
  return findings.some(({ state }) => state === 'problem') ? 1 : 0
}

const textOf = ({ name, state, detail, fix }: Finding): string =>
  [`${state.padEnd(7)}  ${name}  ${detail}`, ...(fix === null ? [] : [`         fix: ${fix}`])].join('\n')
