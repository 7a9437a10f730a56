import { expect, test } from 'vitest'
import { must, sessionOfOneStep } from '../support/store.ts'
import { atHome, openAsking } from './asking.ts'

const ADA = atHome('ada', 'viewer')

test('a debrief is read by the session or by the agent, and nothing is written by that', async () => {
  await using it = await openAsking()
  must(await it.store.append(sessionOfOneStep()))
  const text = [
    's-1: claude-1 in lobby, which is open: so far',
    'tried:',
    '- asked: read README.md [t1]',
    '- worked in explore [t1.peripheral]',
    'worked:',
    '- done: read README.md [t1.ended]',
  ].join('\n')
  expect([
    await it.answer('debrief s-1', ADA, 'lobby'),
    await it.answer('debrief claude-1', ADA, 'lobby'),
    await it.answer('debrief', ADA, 'quiet'),
    await it.answer('debrief s-9', ADA, 'lobby'),
  ]).toEqual([text, text, text, 'session-unknown: there is no session s-9'])
  expect(must(await it.store.count({ event: 'debriefed' }))).toBe(0)
})

test('how things stand is asked for in a room, and is for those who may look', async () => {
  const stands = async (room: string) => ({ situation: {} as never, text: `${room}: no work` })
  await using it = await openAsking({ change: { bulletinOf: stands } })
  expect([await it.answer('bulletin', ADA, 'quiet'), await it.answer('bulletin', ADA, null)]).toEqual([
    'quiet: no work',
    'lobby: no work',
  ])
})
