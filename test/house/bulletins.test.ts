import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

const CONFIG = 'bulletins: { gatherSeconds: 1 }\n'

const found = async ({ store }: TestHouse, filters: Record<string, unknown>): Promise<Entry[]> =>
  must(await store.query({ order: 'oldest', limit: 1000, ...filters })).entries

const adminOf = ({ url, tokens }: TestHouse) => createClient({ url, token: tokens.admin })

test('a room whose people want it is told how things stand, once, also after a restart; and no other room', async () => {
  await using house = await startTestHouse({ config: CONFIG })
  const admin = adminOf(house)
  await eventually('the agents to be ready', async () =>
    must(await admin.ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  must(await admin.command('settings', { setting: 'bulletins', value: 'on' }, { room: 'quiet' }))
  const [first] = await eventually('a bulletin', async () => {
    const all = await found(house, { event: 'bulletin' })
    return all.length > 0 && all
  })
  expect([first?.id, first?.author.id, first?.tags, first?.body.event === 'bulletin' && first.body.text]).toEqual([
    'quiet.bulletin-1',
    'bellhop',
    ['room/quiet'],
    'quiet: 3 of 3 agents ready; no work',
  ])
  await house.stopWorker()
  await house.redis.redis.flushall()
  await house.startWorker()
  await eventually('the agents to be ready again', async () =>
    must(await admin.ask('who')).agents.every(({ readiness }) => readiness === 'ready'),
  )
  // A look goes by: it is scheduled again after what Redis lost, and has nothing new to say.
  await eventually('a look of the new worker', async () =>
    (await house.redis.redis.keys('*bulletins:repeat*')).length > 0 ? true : null,
  )
  expect((await found(house, { event: 'bulletin' })).map(({ id }) => id)).toEqual(['quiet.bulletin-1'])
  const { text } = must(await admin.ask('bulletin'))
  expect(text).toBe('lobby: 3 of 3 agents ready; no work')
})

test('a session that is closed is debriefed, and the room reads a line of it where there is something to learn', async () => {
  await using house = await startTestHouse({ config: CONFIG })
  const admin = adminOf(house)
  const ask = async (text: string, agent: string) => {
    const { assignments } = must(await admin.say({ room: 'quiet', text }))
    const [assigned] = assignments
    await eventually(`${agent} to be done`, () => house.store.get(`${assigned?.turn}.ended`))
    return assigned?.session ?? ''
  }
  const session = await ask('@claude-1 read nowhere.md', 'claude-1')
  const so = must(await admin.ask('debrief', { session }))
  expect([so.open, so.debrief.didNot.shown.length > 0]).toEqual([true, true])
  expect(await found(house, { event: 'debriefed' })).toEqual([])

  must(await admin.command('reset', { agent: 'claude-1' }, { room: 'quiet' }))
  const [written] = await eventually('the debrief', async () => {
    const all = await found(house, { event: 'debriefed' })
    return all.length > 0 && all
  })
  expect([written?.id, written?.body]).toEqual([
    `${session}.debriefed`,
    { event: 'debriefed', debrief: must(await admin.ask('debrief', { session })).debrief },
  ])
  const recalled = must(await admin.ask('recall', { words: 'nowhere' }))
  expect(recalled.sessions.map(({ session: id, about, outcome }) => [id, about, outcome])).toEqual([
    [session, 'read nowhere.md', 'done'],
  ])
})

test('where changes are gathered for long, the schedules are looked at all the same', async () => {
  await using house = await startTestHouse({ config: 'bulletins: { gatherSeconds: 3600 }\n' })
  const { redis } = house.redis
  const every = await eventually('a schedule', async () => {
    const [key] = await redis.keys('*bulletins:repeat:bulletins')
    return key === undefined ? null : redis.hget(key, 'every')
  })
  expect(every).toBe('60000')
})
