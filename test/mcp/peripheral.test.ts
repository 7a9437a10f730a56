import { afterAll, beforeAll, expect, test } from 'vitest'
import { ToolName } from '../../src/shapes/peripheral.ts'
import { tools } from '../../src/tools/table.ts'
import { connect, ERAS, errorOf } from './clients.ts'
import { startMcpHouse, type TestMcp } from './house.ts'

let house: TestMcp
beforeAll(async () => {
  house = await startMcpHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

const wallOf = (id: string) => {
  const spec = house.house.specs.get(id)
  return spec ?? expect.fail(`there is no ${id}`)
}

test.each(ERAS)('what is listed is the peripheral, tool by tool and in its order (%s)', async (era) => {
  for (const { id } of house.house.specs.values()) {
    await using agent = await connect(house, await house.agent({ agent: `${id}-${era}`, peripheral: id }), era)
    const { tools: listed } = await agent.client.listTools()
    expect([id, listed.map(({ name }) => name)]).toEqual([id, wallOf(id).tools])
    expect(listed.map(({ name, description }) => [name, description])).toEqual(
      wallOf(id).tools.map((name) => [name, tools[name as ToolName].help]),
    )
    expect(listed.every(({ inputSchema, outputSchema }) => inputSchema.type === 'object' && outputSchema)).toBe(true)
  }
})

test.each(ERAS)(
  'every tool outside of it is refused in one wording, and every refusal is evidence (%s)',
  async (era) => {
    const name = `outside-${era}`
    await using agent = await connect(house, await house.agent({ agent: name }), era)
    const { tools: inside } = wallOf('explore')
    const outside = [...ToolName.options.filter((tool) => !inside.includes(tool)), 'frobnicate', 'docs.search']
    const answers: unknown[] = []
    for (const tool of outside) answers.push(await errorOf(agent.client.callTool({ name: tool, arguments: {} })))
    const wording = (tool: string) => `${tool} is not a tool of explore; its tools are ${inside.join(', ')}`
    expect(answers).toEqual(
      outside.map((tool) => ({ code: -32_602, message: expect.stringContaining(wording(tool)) as unknown })),
    )
    const session = await house.store.openSession('lobby', name)
    const chain = await house.store.chain(session?.id ?? '')
    expect(chain.flatMap(({ body }) => (body.event === 'step-refused' ? [body.call.tool] : []))).toEqual(outside)
  },
)

test('annotations say what a tool can do at most behind this wall', async () => {
  await using agent = await connect(house, await house.agent({ agent: 'annotated' }), 'modern')
  const { tools: listed } = await agent.client.listTools()
  const hints = Object.fromEntries(listed.map(({ name, annotations }) => [name, annotations]))
  const looks = { readOnlyHint: true, openWorldHint: false }
  expect(hints).toEqual({
    read: looks,
    'pattern-search': looks,
    'pattern-read': looks,
    list: looks,
    glob: looks,
    grep: looks,
    evidence: looks,
    run: looks,
    'web-fetch': { readOnlyHint: true, openWorldHint: true },
    hop: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    bell: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    whistle: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    park: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  })
  await using editor = await connect(house, await house.agent({ agent: 'annotated-2', peripheral: 'edit' }), 'modern')
  const { tools: more } = await editor.client.listTools()
  expect(more.find(({ name }) => name === 'write')?.annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    openWorldHint: false,
  })
})

test.each(ERAS)('a call is a step: it goes through the gate, and is answered as text and as data (%s)', async (era) => {
  const name = `reader-${era}`
  await using agent = await connect(house, await house.agent({ agent: name }), era)
  await agent.client.listTools()
  const read = await agent.client.callTool({ name: 'read', arguments: { path: 'README.md' } })
  expect(read).toMatchObject({
    content: [{ type: 'text', text: '# teapot\n\nIt pours.\n' }],
    structuredContent: {
      kind: 'ok',
      output: '# teapot\n\nIt pours.\n',
      paths: ['README.md'],
      step: expect.any(String),
    },
  })
  expect(read.isError).toBeUndefined()
  const refused = await agent.client.callTool({ name: 'read', arguments: { path: '../outside' } })
  expect(refused).toMatchObject({
    isError: true,
    structuredContent: { kind: 'refused', refusal: { code: 'out-of-scope' } },
  })
  const failed = await agent.client.callTool({ name: 'read', arguments: { path: 'nothing.txt' } })
  expect(failed).toMatchObject({ isError: true, structuredContent: { kind: 'failed' } })
  const wrong = await agent.client.callTool({ name: 'read', arguments: { path: 'README.md', follow: true } })
  expect(wrong).toMatchObject({ isError: true, structuredContent: { refusal: { code: 'arguments-invalid' } } })
  const session = await house.store.openSession('lobby', name)
  const events = (await house.store.chain(session?.id ?? '')).map(({ body, author }) => `${author.id} ${body.event}`)
  expect(events.slice(3)).toEqual([
    `${name} peripheral-started`,
    `${name} step-intended`,
    `${name} step-ended`,
    `${name} step-refused`,
    `${name} step-intended`,
    `${name} step-ended`,
    `${name} step-refused`,
  ])
})
