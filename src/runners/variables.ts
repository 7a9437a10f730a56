import { secretsIn, secretVariable } from '../lib/secret-variable.ts'
import type { AgentConfig } from '../shapes/agent.ts'
import { type Variables, withoutProxy } from './environment.ts'

/** Where the keys of each type are looked for, when the config names no variable. */
const KEYS: Record<AgentConfig['type'], readonly string[]> = {
  claude: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
  codex: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  tickle: [],
}

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY']
/** Files and folders with certificates: whoever uses them has to see them. */
export const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const

/** By which certificates others are known. */
export const certificatesIn = (variables: Variables): Record<string, string> => picked(CERTIFICATES, variables)

const picked = (names: readonly string[], variables: Variables): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])))

type Keyed = Pick<AgentConfig, 'type' | 'key' | 'provider'>

/** The variables in which an agent's key may be. Another provider is shown no key that was not meant for it. */
export const keysOf = ({ type, key, provider }: Keyed): readonly string[] => {
  if (key !== undefined) return [key]
  return provider === undefined ? KEYS[type] : []
}

/** The key of an agent; null where there is none. */
export const keyOf = (agent: Keyed, variables: Variables): string | null =>
  keysOf(agent)
    .map((name) => secretVariable(name, variables))
    .find((value) => value !== null) ?? null

/** How to the network, and by which certificates: the only things of our environment that programs of agents are given. */
export const wayOut = (variables: Variables): Record<string, string> => {
  const proxies = PROXIES.flatMap((name) => [name, name.toLowerCase()])
  const direct = withoutProxy(variables)
  return { ...picked(proxies, variables), ...certificatesIn(variables), NO_PROXY: direct, no_proxy: direct }
}

/** What a worker has to be handed of an environment so that its agents can work. */
export const handedOn = (agents: readonly AgentConfig[], variables: Variables): Record<string, string> => ({
  ...wayOut(variables),
  ...secretsIn(agents.flatMap(keysOf), variables),
})
