import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { secretFiles, secretVariable } from '../lib/secret-variable.ts'
import { keysOf } from '../runners/variables.ts'
import type { Config } from '../shapes/config.ts'
import { GITHUB_SECRETS } from '../tickle/source-github.ts'
import { HEADERS } from '../traces/traces.ts'
import { contains } from '../workspace/paths.ts'
import { certificateOf, networkNames } from './network-secrets.ts'
import type { Settings } from './parts.ts'

/** The variables with secrets that every house has. */
const OWN = ['REDIS_URL', 'BELLHOP_EVIDENCE', 'BELLHOP_TOKEN']

/** Every variable that may hold a secret: each can be given as NAME_FILE instead. */
export const secretNames = ({ agents, networks }: Pick<Config, 'agents' | 'networks'>): string[] => [
  ...new Set([
    ...OWN,
    ...GITHUB_SECRETS,
    ...HEADERS,
    ...agents.flatMap(keysOf),
    ...Object.values(networks).flatMap(networkNames),
  ]),
]

/** A secret that is shorter may be a word that people say: it is not looked for in what they say. */
const TELLING = 16

/** The keys and tokens that this process was given: whatever shape they have, they are taken out of what is written. */
export const givenSecrets = (config: Naming, variables: Settings['variables'] = {}): string[] =>
  secretNames(config).flatMap((name) => {
    try {
      const value = secretVariable(name, variables) ?? ''
      return OWN.includes(name) || value.length < TELLING ? [] : [value]
    } catch {
      // One that cannot be read is told of by whoever needs it.
      return []
    }
  })

type Given = Pick<Settings, 'variables' | 'secretsFile' | 'closed'>
type Naming = Pick<Config, 'agents' | 'networks'>

/**
 * The files that secrets are in, for those who keep them from agents: by the names they were given by, as a mount that is
 * renewed leads elsewhere later, and as what they really are.
 */
export const secretPlaces = ({ variables = {}, secretsFile, closed = [] }: Given, config: Naming): string[] => {
  const certificates = Object.values(config.networks).flatMap(certificateOf)
  const own = [...secretFiles(secretNames(config), variables), ...certificates, ...(secretsFile ? [secretsFile] : [])]
  const files = [...own, ...closed].map((file) => resolve(file))
  return [...new Set(files.flatMap((file) => (existsSync(file) ? [file, realpathSync(file)] : [file])))]
}

/** What lies in the workspace is there for agents to read: secrets do not belong into it. */
export const refuseOpenSecrets = (settings: Settings, config: Naming): void => {
  const [workspace, data] = [settings.workspace, settings.data].map(placesOf)
  const lies = (file: string, folders: readonly string[] = []) => folders.some((folder) => contains(folder, file))
  const open = secretPlaces(settings, config).find((file) => lies(file, workspace) && !lies(file, data))
  if (open !== undefined)
    throw new Problem(
      `the secret in ${open} lies in the workspace, where agents read it`,
      'keep it elsewhere, such as in /run/secrets',
    )
}

const placesOf = (folder: string): string[] => (existsSync(folder) ? [folder, realpathSync(folder)] : [folder])
