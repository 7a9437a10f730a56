import { readFileSync } from 'node:fs'
import { Problem } from '../lib/problem.ts'
import { secretsIn, secretVariable } from '../lib/secret-variable.ts'
import type { IrcConfig, NetworkConfig } from '../shapes/networks.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** The variables that the networks of a config name, and what they hold. */
export const networkVariables = (
  networks: Readonly<Record<string, NetworkConfig>>,
  variables: Variables,
): Record<string, string> => secretsIn(Object.values(networks).flatMap(networkNames), variables)

/** The variables with the secrets of a network. */
export const networkNames = (network: NetworkConfig): string[] =>
  network.kind === 'discord'
    ? [network.token]
    : [
        network.password,
        network.secret,
        ...Object.values(network.agents).map(({ secret }) => secret),
        ...Object.values(network.keys),
      ].filter((name) => name !== undefined)

/** The file with the key and the certificate that a network is joined with. */
export const certificateOf = (network: NetworkConfig): string[] =>
  network.kind === 'irc' && network.certificate !== undefined ? [network.certificate] : []

/** What a variable holds; a problem where it is not set: a network that cannot be joined is better known at once. */
export const secretIn = (name: string, network: string, variables: Variables): string => {
  const value = secretVariable(name, variables)
  if (value !== null) return value
  throw new Problem(
    `the network ${network} needs the variable ${name}, and it is not set`,
    `set ${name}, or ${name}_FILE to a file with it, in the environment of \`bellhop up\`; docs/irc.md and docs/discord.md say what belongs there`,
  )
}

/** What an IRC network is joined with, read once: passwords by their variables, certificates from their files. */
export const ircSecrets = (network: string, config: IrcConfig, variables: Variables) => {
  const given = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : secretIn(name, network, variables)
  return {
    password: given(config.password),
    secret: given(config.secret),
    agents: Object.fromEntries(Object.entries(config.agents).map(([id, { secret }]) => [id, given(secret)])),
    keys: Object.fromEntries(Object.entries(config.keys).map(([channel, name]) => [channel, given(name)])),
    ca: fileOf(config.ca, network),
    certificate: fileOf(config.certificate, network),
  }
}

const fileOf = (path: string | undefined, network: string): string | undefined => {
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Problem(
      `the certificate ${path} of the network ${network} cannot be read: ${(error as NodeJS.ErrnoException).code}`,
      'correct its path in the config',
    )
  }
}
