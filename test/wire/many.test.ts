import { expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { startWireHouse } from './house.ts'
import { openAgent } from './program.ts'

const AGENTS = process.env['BELLHOP_LONG'] ? 1000 : 40
/** How many of them work at the same time. */
const TOGETHER = 20

test(`${AGENTS} agents are connected to one process, and each of them works`, async () => {
  await using house = await startWireHouse({ lease: { ms: 30_000, heartbeatMs: 2000 }, sweepMs: 1000 })
  const names = Array.from({ length: AGENTS }, (_, i) => `agent-${i}`)
  const agents = []
  for (const agent of names)
    agents.push(await openAgent(house.url, await house.mint({ agent, peripherals: ['explore'] })))
  expect(house.gateway().connections()).toBe(AGENTS)

  for (let at = 0; at < AGENTS; at += TOGETHER) {
    const some = agents.slice(at, at + TOGETHER)
    for (const { welcome } of some) await house.say(`@${welcome.agent} who are you?`, `to-${welcome.agent}`)
    const answers = some.map(async (agent) => {
      const { invoke_id } = await agent.next('invoke')
      const read = await agent.ask({ type: 'tool_action', tool: 'read', args: { path: 'README.md' } })
      const ended = await agent.ask({ type: 'invoke_result', invoke_id, result: agent.welcome.agent })
      return [read.type, ended.type]
    })
    expect(await Promise.all(answers)).toEqual(some.map(() => ['tool_result', 'invoke_ended']))
  }

  const told = await Promise.all(names.map(async (name) => (await house.store.get(`to-${name}.${name}.ended`))?.body))
  expect(told.map((body) => body?.event === 'turn-ended' && body.answer)).toEqual(names)
  await Promise.all(agents.map((agent) => agent.cut()))
  await eventually('all of them to be gone', () => house.gateway().connections() === 0)
}, 3_600_000)
