import { expect, test } from 'vitest'
import { hopsIn } from '../../src/evidence/hops.ts'
import type { KnownAgent } from '../../src/shapes/agent.ts'
import { receive } from '../../src/social/pipeline.ts'
import { agentGrant } from '../support/grant.ts'
import { AGENTS, line, ready, testSocial } from '../support/social.ts'

const VISITORS = ['scout', 'ranger']
const grantOf = (agent: string) => agentGrant({ agent, type: agent, room: 'quiet', peripherals: ['explore'] })

/** A house with two agents who come in by a door, each with a token that is its name. */
const withVisitors = () =>
  testSocial((store) => ({
    agents: async () => [
      ...AGENTS,
      ...VISITORS.map((id): KnownAgent => ({ id, type: id, peripheral: 'explore', room: 'quiet' })),
    ],
    presenceOf: async (agent) => ready(agent),
    minted: async (token) =>
      VISITORS.includes(token)
        ? { token, key: `k-${token}`, expires: null, name: token, role: 'operator', grant: grantOf(token) }
        : null,
    hopsIn: (room) => hopsIn(store, room),
    mostHops: 2,
  }))

test('two agents give each other work until they went on for too long, also where they begin something themselves in between', async () => {
  await using it = await withVisitors()
  let said = 0
  const says = async (agent: string, text: string) => {
    const credential = { token: agent, as: null }
    const answer = await receive(line({ id: `a${++said}`, face: 'agent', text, credential }), it.social)
    return answer.ok ? 'taken' : answer.refusal.code
  }
  const asks = async () => {
    const answer = await receive(line({ id: `p${++said}`, text: '@claude look' }), it.social)
    return answer.ok ? 'taken' : answer.refusal.code
  }
  expect([
    await says('scout', '@ranger look'),
    await says('ranger', '/explore @ranger my own work'),
    await says('ranger', '@scout look'),
    await says('scout', '/explore @scout my own work'),
    await says('scout', '@ranger look'),
    await asks(),
    await says('scout', '@ranger look'),
  ]).toEqual(['taken', 'taken', 'taken', 'taken', 'hops-exceeded', 'taken', 'taken'])
})
