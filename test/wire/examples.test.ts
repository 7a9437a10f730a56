import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { startWireHouse, type WireHouse } from './house.ts'

const EXAMPLES = join(import.meta.dirname, '../../docs/examples')

let house: WireHouse
beforeAll(async () => {
  house = await startWireHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

test.each([
  ['typescript', [process.execPath, '--import', 'tsx', join(EXAMPLES, 'agent.ts')]],
  // Debian's own: its package of websockets is for that one.
  ['python', ['/usr/bin/python3', join(EXAMPLES, 'agent.py')]],
])('the example in %s is an agent: it is ready, gets work, uses a tool and answers', async (agent, argv) => {
  const token = await house.mint({ agent })
  const [program = '', ...args] = argv
  const child = execa(program, args, { env: { BELLHOP_URL: house.url, BELLHOP_TOKEN: token }, reject: false })
  try {
    const { registry } = house.gateway().parts
    await eventually(`${agent} to be ready`, async () => (await registry.presence(agent)).readiness === 'ready')
    const answerOf = async (path: string) => {
      const { assignments } = await house.say(`@${agent} ${path}`)
      const ended = await eventually('an answer', () => house.store.get(`${assignments[0]?.turn}.ended`))
      return ended.body?.event === 'turn-ended' && [ended.body.outcome, ended.body.answer]
    }
    expect(await answerOf('README.md')).toEqual(['done', '# teapot'])
    expect(await answerOf('no-such-file')).toEqual(['failed', 'I cannot read that'])
  } finally {
    child.kill()
  }
  expect(await child).toMatchObject({ stderr: '' })
})
