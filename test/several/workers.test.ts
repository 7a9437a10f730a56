import { expect, test } from 'vitest'
import { bellhop } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { type Several, startSeveral } from '../support/several.ts'
import { must } from '../support/store.ts'

/** How the turns ended, by how they did. */
const outcomes = async (it: Several): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { body } of await it.entries({ event: 'turn-ended' })) {
    if (body?.event === 'turn-ended') counts[body.outcome] = (counts[body.outcome] ?? 0) + 1
  }
  return counts
}

test('turns of every agent are done by whichever worker is given them, and none fails for being at the other one', async () => {
  await using it = await startSeveral()
  const [gateway] = await Promise.all([it.start('gateway'), it.start('worker'), it.start('worker')])
  const client = it.clientOf(gateway)
  await eventually('the agents to be ready', async () =>
    must(await client.ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  const TURNS = 48
  for (let i = 0; i < TURNS; i++) {
    const room = it.rooms[i % it.rooms.length] ?? ''
    must(
      await client.say({
        room,
        text: i % 3 === 0 ? '@codex read README.md' : '@claude read README.md',
      }),
    )
  }
  await eventually('all turns to end', async () => (await it.entries({ event: 'turn-ended' })).length === TURNS)
  expect(await outcomes(it)).toEqual({ done: TURNS })
  expect((await bellhop(['verify', '--all', '--data', it.data])).exitCode).toBe(0)
})
