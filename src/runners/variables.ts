import type { AgentConfig } from '../shapes/agent.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Where the keys of each type are looked for, when the config names no variable. */
const KEYS: Record<AgentConfig['type'], readonly string[]> = {
  claude: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
  codex: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  tickle: [],
}

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY']
/** Files and folders with certificates: whoever uses them has to see them. */
export const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const

/** The variables in which an agent's key may be. */
export const keysOf = ({ type, key }: Pick<AgentConfig, 'type' | 'key'>): readonly string[] =>
  key === undefined ? KEYS[type] : [key]

/** The key of an agent; null where there is none. */
export const keyOf = (agent: Pick<AgentConfig, 'type' | 'key'>, variables: Variables): string | null =>
  keysOf(agent)
    .map((name) => variables[name])
    .find((value) => value !== undefined && value !== '') ?? null

/** How to the network, and by which certificates: the only things of our environment that programs of agents are given. */
export const wayOut = (variables: Variables): Record<string, string> => {
  const names = [...PROXIES.flatMap((name) => [name, name.toLowerCase()]), ...CERTIFICATES]
  const given = names.flatMap((name) => (variables[name] ? [[name, variables[name]] as const] : []))
  const direct = [variables['NO_PROXY'] ?? variables['no_proxy'], '127.0.0.1', 'localhost'].filter(Boolean).join(',')
  return { ...Object.fromEntries(given), NO_PROXY: direct, no_proxy: direct }
}

/** What a worker has to be handed of an environment so that its agents can work. */
export const handedOn = (agents: readonly AgentConfig[], variables: Variables): Record<string, string> => {
  const names = agents.flatMap(keysOf)
  const keys = names.flatMap((name) => (variables[name] ? [[name, variables[name]] as const] : []))
  return { ...wayOut(variables), ...Object.fromEntries(keys) }
}
