import { expect, test } from 'vitest'
import { givenSecrets } from '../../src/house/secret-names.ts'
import { agentConfig } from '../support/agent.ts'
import { startTestHouse } from '../support/gateway.ts'

/** As a proxy for models may give them out: no shape says that it is one. */
const KEY = 'the-second-floor-team-of-may'

test('the key of an agent is taken out of what is written, whatever it looks like', async () => {
  await using house = await startTestHouse({ worker: false, variables: { ANTHROPIC_API_KEY: KEY } })
  const answer = await fetch(`${house.url}/api/say`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.tokens.operator}` },
    body: JSON.stringify({ room: 'quiet', id: 'm1', text: `the provider says: received ${KEY}, expected another` }),
  })
  expect(answer.status).toBe(200)
  expect((await house.store.get('m1'))?.body).toEqual({
    event: 'message',
    text: 'the provider says: received [redacted:known], expected another',
  })
})

test('what is short may be a word that people say, and what cannot be read is for others to complain of', () => {
  const agents = ['A', 'B', 'C', 'D'].map((key, i) =>
    agentConfig({ id: `claude-${i}`, type: 'claude', peripheral: 'explore', key }),
  )
  const variables = { A: KEY, B: 'teapot', C_FILE: '/nowhere/key', REDIS_URL: 'redis://localhost:6379' }
  expect(givenSecrets({ agents, networks: {} }, variables)).toEqual([KEY])
})
