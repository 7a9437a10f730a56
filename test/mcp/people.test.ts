import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../../src/operations/table.ts'
import { mayAct, Role } from '../../src/shapes/person.ts'
import { must } from '../support/store.ts'
import { whoami } from '../support/whoami.ts'
import { connect, ERAS, errorOf } from './clients.ts'
import { startMcpHouse, type TestMcp } from './house.ts'

let house: TestMcp
beforeAll(async () => {
  house = await startMcpHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

test.each(ERAS)('a person has what can be asked of Bellhop, as far as the role goes (%s)', async (era) => {
  for (const role of Role.options) {
    await using person = await connect(house, await house.person(`p-${role}`, role), era)
    expect(await person.toolNames()).toEqual([
      ...(role === 'viewer' ? [] : ['say']),
      ...commands.filter((row) => mayAct(role, row.role)).map(({ name }) => name),
    ])
  }
})

test.each(ERAS)(
  'what only looks is answered at once, as text and as data that its schema describes (%s)',
  async (era) => {
    await using eve = await connect(house, await house.person('eve', 'viewer'), era)
    // The library holds every answer against the schema that was listed.
    const { tools } = await eve.client.listTools()
    // A viewer changes nothing but who they are on the networks.
    const looking = tools.filter(({ annotations }) => annotations?.readOnlyHint === true)
    expect(tools.filter((tool) => !looking.includes(tool)).map(({ name }) => name)).toEqual(['pair', 'unpair'])
    const without = looking.filter(({ inputSchema }) => (inputSchema.required ?? []).length === 0)
    for (const { name } of without) {
      const answer = await eve.client.callTool({ name, arguments: {} })
      expect([name, answer.content]).toEqual([name, [{ type: 'text', text: expect.any(String) }]])
    }
    expect(await eve.client.callTool({ name: 'whoami', arguments: {} })).toMatchObject({
      structuredContent: whoami({ name: 'eve', role: 'viewer', face: 'api', via: null }),
    })
    expect(await eve.client.callTool({ name: 'show', arguments: { entry: 'nothing' } })).toMatchObject({
      isError: true,
    })
  },
)

test.each(ERAS)('what changes something is said in a room, and is in its chain (%s)', async (era) => {
  const name = `bob-${era}`
  await using bob = await connect(house, await house.person(name, 'operator'), era)
  await bob.client.listTools()
  const to = era === 'legacy' ? 'diagnose' : 'discuss'
  const answer = await bob.client.callTool({ name: 'mode', arguments: { to, room: 'quiet' } })
  expect(answer).toMatchObject({
    content: [{ type: 'text', text: `quiet is in ${to}` }],
    structuredContent: { room: 'quiet', mode: to },
  })
  const { value } = (await house.store.query({ author: name, room: 'quiet' })) as { value: { entries: unknown[] } }
  expect(value.entries).toMatchObject([{ body: { event: 'mode-changed' } }, { body: { event: 'message' } }])
  expect(await bob.client.callTool({ name: 'mode', arguments: { room: 'nowhere' } })).toMatchObject({ isError: true })
  expect(await bob.client.callTool({ name: 'mode', arguments: { room: 7 } })).toMatchObject({ isError: true })
})

test.each(ERAS)(
  'a room that is an input of the command itself stays that: it is said in the first room (%s)',
  async (era) => {
    const name = `amy-${era}`
    await using amy = await connect(house, await house.person(name, 'admin'), era)
    await amy.client.listTools()
    const hash = (era === 'legacy' ? 'a' : 'b').repeat(64)
    const answer = await amy.client.callTool({ name: 'mint', arguments: { hash, agent: 'scout', room: 'quiet' } })
    expect(answer).toMatchObject({ structuredContent: { grant: { agent: 'scout', room: 'quiet' } } })
    const { value } = (await house.store.query({ author: name, event: 'message' })) as { value: { entries: unknown[] } }
    expect(value.entries).toMatchObject([
      { tags: expect.arrayContaining(['room/lobby']), body: { text: `/mint hash=${hash} agent=scout room=quiet` } },
    ])
  },
)

test.each(ERAS)('a schema names one type at a time, for those who know no lists of them (%s)', async (era) => {
  await using amy = await connect(house, await house.person('amy', 'admin'), era)
  const { tools } = await amy.client.listTools()
  const lists = tools.filter((tool) => JSON.stringify(tool).includes('"type":['))
  expect(lists.map((tool) => tool.name)).toEqual([])
})

test.each(ERAS)('a call beyond the role is refused in the same wording, and written down (%s)', async (era) => {
  await using eve = await connect(house, await house.person(`eve-${era}`, 'viewer'), era)
  const names = await eve.toolNames()
  const wording = (tool: string) => `${tool} is not a tool of the role viewer; its tools are ${names.join(', ')}`
  for (const tool of ['say', 'compact', 'seat', 'read'])
    expect(await errorOf(eve.client.callTool({ name: tool, arguments: {} }))).toEqual({
      code: -32_602,
      message: expect.stringContaining(wording(tool)),
    })
  const written = (await house.refusals()).map(([, message]) => message)
  expect(written).toEqual(expect.arrayContaining(['say', 'compact', 'seat', 'read'].map(wording)))
})

test.each(ERAS)('a person says a line, and waits for what the agents answer (%s)', async (era) => {
  await using bob = await connect(house, await house.person('bob', 'operator'), era)
  await bob.client.listTools()
  const talk = await bob.client.callTool({ name: 'say', arguments: { text: 'good morning' } })
  expect(talk).toMatchObject({
    structuredContent: { room: 'lobby', mode: 'coordination', replies: [], complete: true },
  })
  const work = await bob.client.callTool({ name: 'say', arguments: { text: '@claude read README.md', wait: 30 } })
  expect(work).toMatchObject({
    structuredContent: { mode: 'action', replies: [{ agent: 'claude-1', outcome: 'done' }], complete: true },
  })
  const late = await bob.client.callTool({ name: 'say', arguments: { text: '@claude read README.md', wait: 0 } })
  expect(late).toMatchObject({ structuredContent: { assignments: [{ agent: 'claude-1' }] } })
  expect(
    await bob.client.callTool({ name: 'say', arguments: { text: '@nobody-1 hello', room: 'nowhere' } }),
  ).toMatchObject({
    isError: true,
  })
  expect(await bob.client.callTool({ name: 'say', arguments: { txt: 'x' } })).toMatchObject({ isError: true })
})

test('what is asked for again and again and is not there does not fill the store', async () => {
  await using eve = await connect(house, await house.person('persistent', 'viewer'), 'modern')
  const refused = async () => must(await house.store.count({ event: 'refused' }))
  const before = await refused()
  for (let i = 0; i < 30; i++) await errorOf(eve.client.callTool({ name: `nothing-${i}`, arguments: {} }))
  expect((await refused()) - before).toBe(10)
})
