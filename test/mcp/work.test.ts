import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { connect, ERAS } from './clients.ts'
import { startMcpHouse, type TestMcp } from './house.ts'
import { begin, post } from './wire.ts'

let house: TestMcp
beforeAll(async () => {
  house = await startMcpHouse({ limits: { hopMs: 20 } })
})
afterEach(() => rmSync(house.ripgrep.hold, { force: true }))
afterAll(() => house[Symbol.asyncDispose]())

const GREP = { name: 'grep', arguments: { pattern: 'TODO' } }
const READ = { name: 'read', arguments: { path: 'README.md' } }

/** A search that goes on until it is let go. */
const hold = () => {
  rmSync(house.ripgrep.started, { force: true })
  writeFileSync(house.ripgrep.hold, '')
}
const hasStarted = () => eventually('the search to run', () => existsSync(house.ripgrep.started))

const outcomesOf = async (agent: string) => {
  const session = await house.store.openSession('lobby', agent)
  const chain = await house.store.chain(session?.id ?? '')
  return chain.flatMap(({ body }) => (body.event === 'step-ended' ? [`${body.tool} ${body.outcome.kind}`] : []))
}

test.each(ERAS)('a call that is given up stops the step, and the agent goes on (%s)', async (era) => {
  const name = `quitter-${era}`
  await using agent = await connect(house, await house.agent({ agent: name }), era)
  hold()
  const giveUp = new AbortController()
  const call = agent.client.callTool(GREP, { signal: giveUp.signal }).catch((error: Error) => error.name)
  await hasStarted()
  giveUp.abort()
  expect(await call).toEqual(expect.any(String))
  await eventually('the step to be stopped', async () => (await outcomesOf(name)).length === 1)
  // It is stopped while the program would still go on.
  expect(existsSync(house.ripgrep.hold)).toBe(true)
  expect(await outcomesOf(name)).toEqual(['grep failed'])
  expect(await agent.client.callTool(READ)).toMatchObject({ structuredContent: { kind: 'ok' } })
})

test('a call of the older era that was given up leaves no stream open', async () => {
  const token = await house.agent({ agent: 'raw' })
  const id = await begin(house.url, token)
  const headers = { 'mcp-session-id': id }
  hold()
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: GREP }
  const answer = await post(house.url, token, call, headers)
  await hasStarted()
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
  expect((await post(house.url, token, cancelled, headers)).status).toBe(202)
  expect(await answer.text()).toContain('given up')
})

test('a client of the newer era that goes away has given up its call', async () => {
  const name = 'leaver'
  const agent = await connect(house, await house.agent({ agent: name }), 'modern')
  hold()
  const call = agent.client.callTool(GREP).catch(() => 'gone')
  await hasStarted()
  await agent.client.close()
  await call
  await eventually('the step to be stopped', async () => (await outcomesOf(name)).length === 1)
  expect(existsSync(house.ripgrep.hold)).toBe(true)
})

test.each(ERAS)('what a step says while it runs is told to who asked for it (%s)', async (era) => {
  const name = `talker-${era}`
  const token = await house.agent({ agent: name })
  await using agent = await connect(house, token, era)
  await using other = await connect(house, await house.agent({ agent: `${name}-2` }), era)
  await agent.client.callTool(READ)
  hold()
  const [told, overheard]: [string[], string[]] = [[], []]
  const call = agent.client.callTool(GREP, { onprogress: ({ message = '' }) => void told.push(message) })
  const listening = other.client.callTool(GREP, { onprogress: ({ message = '' }) => void overheard.push(message) })
  await hasStarted()
  const seat = await house.way.seats.at(await house.principal(token))
  const session = seat.ok ? (seat.value.session ?? '') : ''
  const chain = await house.store.chain(session)
  const step = chain.flatMap(({ body }) => (body.event === 'step-intended' ? [body.step] : [])).at(-1) ?? ''
  await eventually('something to be told', () => {
    house.parts.progress.say({ room: 'lobby', session, step, text: 'halfway\n' })
    return told.length > 0
  })
  rmSync(house.ripgrep.hold)
  expect(await call).toMatchObject({ structuredContent: { kind: 'ok' } })
  await listening
  expect([told[0], overheard]).toEqual([expect.stringContaining('halfway'), []])
})

test.each(ERAS)('a call that waits for a person says so, and is answered when one has decided (%s)', async (era) => {
  const name = `asker-${era}`
  await using agent = await connect(house, await house.agent({ agent: name }), era)
  await agent.client.callTool(READ)
  await agent.client.callTool({ name: 'hop', arguments: { to: 'edit' } })
  const told: string[] = []
  const call = agent.client.callTool(
    { name: 'run', arguments: { argv: ['npm', 'install'], escalate: { why: 'it needs them' } } },
    { onprogress: ({ message = '' }) => void told.push(message) },
  )
  const [, approval = ''] = await eventually('a person to be asked', () =>
    /^waits for a person: (\w+)$/.exec(told[0] ?? ''),
  )
  await using ada = await connect(house, await house.person('ada', 'approver'), era)
  await ada.client.callTool({ name: 'deny', arguments: { approval } })
  expect(await call).toMatchObject({ isError: true, structuredContent: { refusal: { code: 'approval-denied' } } })
})

test('nothing of a token or of what was said gets into the log', async () => {
  const token = await house.agent({ agent: 'private' })
  await using agent = await connect(house, token, 'modern')
  await agent.client.callTool({ name: 'grep', arguments: { pattern: 'my-secret-word' } })
  await agent.client.callTool({ name: 'write', arguments: { text: 'my-secret-word' } }).catch(() => {})
  await post(house.url, token, { jsonrpc: '2.0', id: 1, method: 'my-secret-word' })
  const log = readFileSync(house.parts.folder.log('gateway'), 'utf8') + house.logged.join('\n')
  expect([log.includes(token), log.includes('my-secret-word'), log.includes('Bearer')]).toEqual([false, false, false])
})
