import type { IrcConfig } from '../../src/shapes/networks.ts'
import type { LinkOptions } from './link.ts'

/** What the config only names: the values of its variables, and what is in its files. */
export type IrcSecrets = {
  /** The password of the server. */
  password: string | undefined
  /** The password of the account. */
  secret: string | undefined
  /** The passwords of the accounts of agents, by the agents. */
  agents: Readonly<Record<string, string | undefined>>
  /** The keys of channels. */
  keys: Readonly<Record<string, string | undefined>>
  /** What is in the files, as PEM: the certificate of the server or who signed it; our own certificate and its key. */
  ca: string | undefined
  certificate: string | undefined
}

/** How the server is reached, whoever does. */
export const serverOf = (
  config: IrcConfig,
  secrets: IrcSecrets,
): Omit<LinkOptions, 'nick' | 'sasl' | 'mechanism' | 'external'> => ({
  place: { host: config.host, port: config.port, tls: config.tls, ca: secrets.ca, certificate: secrets.certificate },
  password: secrets.password,
  realname: config.realname,
  flood: config.flood,
})
