import { join } from 'node:path'
import { checkDiscord } from '../../adapters/discord/index.ts'
import { checkIrc } from '../../adapters/irc/index.ts'
import type { Finding } from '../chat/port.ts'
import { loadHouse } from '../config/load.ts'
import { ircSecrets, secretIn } from '../house/network-secrets.ts'
import type { Settings } from '../house/parts.ts'
import { Problem } from '../lib/problem.ts'
import type { NetworkConfig } from '../shapes/networks.ts'
import { print } from './print.ts'

/** `bellhop doctor --networks`: joins each network, looks around and leaves. Answers the exit code. */
export const checkNetworks = async (settings: Settings, { json }: { json: boolean }): Promise<number> => {
  const { config } = loadHouse(join(settings.root, 'config'), settings.configFile, settings)
  const networks = Object.entries(config.networks)
  if (networks.length === 0)
    throw new Problem('the config has no networks', 'name a file that has some: --config FILE; docs/irc.md says how')
  const looked = await Promise.all(networks.map(([name, network]) => findingsOf(name, network, settings)))
  const findings = looked.flat()
  print(json ? JSON.stringify({ findings }) : findings.map(textOf).join('\n'))
  return findings.every(({ state }) => state !== 'missing') ? 0 : 1
}

const findingsOf = async (name: string, network: NetworkConfig, settings: Settings): Promise<Finding[]> => {
  const found = await look(name, network, settings).catch((error: Error): Finding[] => [
    { name, state: 'missing', detail: error.message, fix: error instanceof Problem ? error.fix : null },
  ])
  return found.map((finding) => ({ ...finding, name: finding.name === name ? name : `${name}: ${finding.name}` }))
}

const look = async (name: string, network: NetworkConfig, { variables = {} }: Settings): Promise<Finding[]> => {
  if (network.kind === 'discord')
    return checkDiscord({ config: network, token: secretIn(network.token, name, variables) })
  const found: Finding[] = []
  const looked = checkIrc({ config: network, secrets: ircSecrets(name, network, variables) })
  for await (const finding of looked) found.push(finding)
  return found
}

const textOf = ({ name, state, detail, fix }: Finding): string =>
  [`${state.padEnd(8)}  ${name}  ${detail}`, ...(fix === null ? [] : [`          fix: ${fix}`])].join('\n')
