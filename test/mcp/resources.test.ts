import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { must, said } from '../support/store.ts'
import { connect, ERAS, errorOf } from './clients.ts'
import { startMcpHouse, type TestMcp } from './house.ts'

let house: TestMcp
let session = ''
let token = ''
beforeAll(async () => {
  house = await startMcpHouse()
  token = await house.agent({ agent: 'scout' })
  await using scout = await connect(house, token, 'legacy')
  await scout.client.callTool({ name: 'read', arguments: { path: 'README.md' } })
  session = (await house.store.openSession('lobby', 'scout'))?.id ?? ''
  must(await house.store.append([said('m1', 'good morning'), said('m2', 'and to you', 'm1')]))
})
afterAll(() => house[Symbol.asyncDispose]())

const person = async (era: (typeof ERAS)[number] = 'legacy') => connect(house, await house.person('ada', 'viewer'), era)

const readJson = async ({ client }: Awaited<ReturnType<typeof connect>>, uri: string) => {
  const { contents } = await client.readResource({ uri })
  const [content] = contents
  return content && 'text' in content ? JSON.parse(content.text) : null
}

test.each(ERAS)('a person reads sessions, subjects, entries, reply trees and peripherals (%s)', async (era) => {
  await using ada = await person(era)
  const { resources } = await ada.client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual([
    ...[...house.house.specs.keys()].map((id) => `peripheral://${id}`),
    `evidence://session/${session}`,
  ])
  const { resourceTemplates } = await ada.client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'evidence://session/{id}',
    'evidence://subject/{type}/{id}',
    'evidence://subject/{id}',
    'evidence://entry/{id}',
    'evidence://thread/{id}',
    'peripheral://{id}',
  ])
  const chain = await house.store.chain(session)
  expect(await readJson(ada, `evidence://session/${session}`)).toEqual({
    session: await house.store.session(session),
    entries: JSON.parse(JSON.stringify(chain)),
    older: false,
  })
  const entry = await house.store.get('m2')
  expect(await readJson(ada, 'evidence://entry/m2')).toEqual(entry)
  const tree = await readJson(ada, 'evidence://thread/m2')
  expect([tree.root, tree.entries.map((one: { entry: { id: string } }) => one.entry.id)]).toEqual(['m1', ['m1', 'm2']])
  const lobby = await readJson(ada, 'evidence://subject/room/lobby')
  expect(await readJson(ada, 'evidence://subject/lobby')).toEqual(lobby)
  expect(lobby.entries.map(({ id }: { id: string }) => id)).toContain('m1')
  expect(await readJson(ada, 'peripheral://explore')).toEqual(house.house.specs.get('explore'))
})

test.each(ERAS)('what is not there, may not be seen or is no URI of ours is not found, all alike (%s)', async (era) => {
  await using ada = await person(era)
  await using chatter = await connect(house, await house.agent({ agent: 'chatter', peripheral: 'test' }), era)
  const none = [
    'evidence://session/nothing',
    'evidence://entry/m1?x=1',
    'evidence://entry/m1#f',
    'evidence://entry/',
    'evidence://entry/m1/',
    'evidence://entry/%zz',
    'evidence://entry/a%2Fb',
    'evidence://subject/planet/lobby',
    'evidence://session/../entry/m1',
    'EVIDENCE://entry/m1',
    'peripheral://nowhere',
    'file:///etc/passwd',
  ]
  const answers = await Promise.all(none.map((uri) => errorOf(ada.client.readResource({ uri }))))
  expect(answers.map(({ code }) => code)).toEqual(none.map(() => -32_602))
  // The wall test shows only the session's own evidence: another's is as if it were not there.
  const hidden = [
    `evidence://session/${session}`,
    'evidence://entry/m1',
    'evidence://thread/m1',
    'evidence://subject/lobby',
  ]
  const refused = await Promise.all(hidden.map((uri) => errorOf(chatter.client.readResource({ uri }))))
  expect(refused.map(({ code }) => code)).toEqual(hidden.map(() => -32_602))
  expect((await chatter.client.listResources()).resources.some(({ uri }) => uri.startsWith('evidence:'))).toBe(false)
})

test('an id that is written with percent signs is the same id', async () => {
  await using ada = await person()
  expect(await readJson(ada, 'evidence://entry/%6D1')).toEqual(await house.store.get('m1'))
})

test('ids are completed, as far as one may see them', async () => {
  await using ada = await person()
  const complete = async (uri: string, name: string, value: string, given?: Record<string, string>) =>
    (
      await ada.client.complete({
        ref: { type: 'ref/resource', uri },
        argument: { name, value },
        ...(given ? { context: { arguments: given } } : {}),
      })
    ).completion.values
  expect(await complete('evidence://session/{id}', 'id', session.slice(0, 4))).toEqual([session])
  expect(await complete('evidence://subject/{type}/{id}', 'type', 'r')).toEqual(['room'])
  expect(await complete('evidence://subject/{type}/{id}', 'id', 'lo', { type: 'room' })).toEqual(['lobby'])
  expect(await complete('evidence://entry/{id}', 'id', 'm')).toEqual(expect.arrayContaining(['m1', 'm2']))
  expect(await complete('evidence://thread/{id}', 'id', 'm1')).toEqual(['m1'])
  expect(await complete('peripheral://{id}', 'id', 'ex')).toEqual(['explore'])
  expect(await errorOf(complete('evidence://nothing/{id}', 'id', ''))).toMatchObject({ code: -32_602 })
})

test.each(ERAS)('one prompt for each peripheral tells how to work there (%s)', async (era) => {
  await using ada = await person(era)
  const { prompts } = await ada.client.listPrompts()
  expect(prompts.map(({ name }) => name)).toEqual([...house.house.specs.keys()])
  const { messages } = await ada.client.getPrompt({ name: 'explore', arguments: { request: 'find the kettle' } })
  const [message] = messages
  const text = message?.content.type === 'text' ? message.content.text : ''
  expect(text).toMatch(/^You work in explore: Look around/)
  expect(text).toMatch(/\n\nfind the kettle$/)
  expect(text).toContain('You may hop on: found-target: to edit; always: to reflect or chat or discipline.')
  expect(await errorOf(ada.client.getPrompt({ name: 'explore' }))).toMatchObject({ code: -32_602 })
  expect(await errorOf(ada.client.getPrompt({ name: 'nowhere', arguments: { request: 'x' } }))).toMatchObject({
    code: -32_602,
  })
})

test.each(ERAS)(
  'whoever watches a resource is told of what is written, once for what comes together (%s)',
  async (era) => {
    await using ada = await person(era)
    const [root, reply] = [`w-${era}`, `w2-${era}`]
    const tree = `evidence://thread/${root}`
    await ada.listen(['evidence://subject/room/lobby', 'evidence://subject/lobby', `evidence://entry/${reply}`, tree])
    must(await house.store.append([said(root, 'one'), said(reply, 'two', root), said(`w3-${era}`, 'three', reply)]))
    await eventually('the reply tree', () => ada.told.includes(`resources/updated ${tree}`))
    await eventually('all of them', () => ada.told.length >= 4)
    expect(ada.told.sort()).toEqual(
      [
        `resources/updated evidence://entry/${reply}`,
        'resources/updated evidence://subject/lobby',
        'resources/updated evidence://subject/room/lobby',
        `resources/updated ${tree}`,
      ].sort(),
    )
  },
)

test.each(ERAS)('what may not be seen is not told either, whoever watches it (%s)', async (era) => {
  const name = `watcher-${era}`
  await using watcher = await connect(house, await house.agent({ agent: name, peripheral: 'test' }), era)
  await using ada = await person(era)
  const room = 'evidence://subject/room/lobby'
  await watcher.listen([room, `evidence://session/${session}`])
  await ada.listen([room])
  must(await house.store.append([said(`s-${era}`, 'a secret')]))
  await eventually('somebody who may to be told', () => ada.told.includes(`resources/updated ${room}`))
  await watcher.client.listResources()
  expect(watcher.told).toEqual([])
})

test('a client of the older era that watches no more is told no more', async () => {
  await using ada = await person()
  await using bob = await connect(house, await house.person('bob', 'viewer'), 'legacy')
  const room = 'evidence://subject/room/lobby'
  await ada.listen([room])
  await bob.listen([room])
  await ada.client.unsubscribeResource({ uri: room })
  must(await house.store.append([said('u1', 'hello')]))
  await eventually('the other to be told', () => bob.told.includes(`resources/updated ${room}`))
  expect(ada.told).toEqual([])
  expect(await errorOf(ada.client.subscribeResource({ uri: 'file:///etc/passwd' }))).toMatchObject({ code: -32_602 })
})
