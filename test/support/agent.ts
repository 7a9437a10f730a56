import { AgentConfig } from '../../src/shapes/agent.ts'

type Given = Pick<AgentConfig, 'id' | 'type' | 'peripheral'> & Partial<AgentConfig>

/** An agent of the config, as it is when nothing else is said: a rehearsal. */
export const agentConfig = (given: Given): AgentConfig => AgentConfig.parse({ runner: 'rehearsal', ...given })
