import type { AgentGrant } from '../../src/shapes/principal.ts'

/** What an agent's token is good for; a test says what is different. */
export const agentGrant = (part: Partial<AgentGrant> = {}): AgentGrant => ({
  kind: 'agent',
  agent: 'scout',
  type: 'scout',
  room: 'lobby',
  peripheral: 'explore',
  peripherals: ['explore', 'edit', 'test', 'deploy', 'reflect', 'chat'],
  role: 'operator',
  session: null,
  ...part,
})
