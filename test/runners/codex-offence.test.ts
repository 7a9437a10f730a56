import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseJson } from '../../src/lib/parse-json.ts'
import { createCodexRunner } from '../../src/runners/codex/runner.ts'
import { scratch } from '../support/folder.ts'
import { codexOptions, listener, opened } from './codex-setup.ts'

const STAND_IN = join(import.meta.dirname, 'codex-stand-in.mjs')
const threadId = 'thread-1'
const HANDS = { url: 'http://127.0.0.1:9/mcp', token: 'token-of-ada' }

/** Speaks with a program that says these lines in its turn. */
const speakWith = async (lines: (object | string)[]) => {
  using place = scratch()
  const logged: string[] = []
  const more = { program: process.execPath, provider: null, models: [], env: { STAND_IN: JSON.stringify(lines) } }
  const wrap = ([node = '', ...args]: readonly string[]) => [node, STAND_IN, ...args]
  const log = (message: string, fields: object) => void logged.push(`${message}: ${Object.values(fields).join()}`)
  const runner = createCodexRunner(await codexOptions(place.path, { ...more, wrap, log }))
  const talk = await opened(runner, HANDS, { model: null })
  const { how, words, said } = listener()
  const finish = await talk.speak('hello', how)
  await runner.close()
  return { finish, words: words(), alive: said.length - words().length, logged, told: toldIn(place.path) }
}

const toldIn = (folder: string): unknown[] => {
  try {
    return readFileSync(join(folder, 'home/told'), 'utf8').trim().split('\n').map(parseJson)
  } catch {
    return []
  }
}

const offence = (what: string) => ({
  kind: 'failed',
  failure: { kind: 'wall', message: `the program reached for ${what}, which is not behind its wall`, retryMs: null },
})

test.each([
  ['item/commandExecution/requestApproval', { decision: 'cancel' }],
  ['item/fileChange/requestApproval', { decision: 'cancel' }],
  ['mcpServer/elicitation/request', { action: 'cancel', content: null, _meta: null }],
  ['item/tool/requestUserInput', { answers: {} }],
  ['item/tool/call', { contentItems: [], success: false }],
])('whoever asks for %s gets no, and the turn is over', async (method, result) => {
  const { finish, told, logged } = await speakWith([{ id: 7, method, params: { threadId } }])
  expect({ finish, told, logged }).toEqual({
    finish: offence(method),
    told: [{ id: 7, result }],
    logged: [`the program asked what it cannot ask behind its wall: ${method}`],
  })
})

test('what nobody knows how to answer is an error for whoever asked it', async () => {
  const { finish, told } = await speakWith([
    { id: 'a', method: 'item/permissions/requestApproval', params: { threadId } },
  ])
  expect(finish).toEqual(offence('item/permissions/requestApproval'))
  expect(told).toEqual([{ id: 'a', error: { code: -32601, message: 'there is nobody to ask' } }])
})

test.each([
  ['commandExecution', { type: 'commandExecution', id: 'i', command: 'id' }],
  ['fileChange', { type: 'fileChange', id: 'i' }],
  ['imageView', { type: 'imageView', id: 'i' }],
  ['something-new', { type: 'something-new' }],
  ['other/read', { type: 'mcpToolCall', id: 'i', server: 'other', tool: 'read' }],
])('whoever does %s has left the wall', async (what, item) => {
  const { finish } = await speakWith([{ method: 'item/started', params: { threadId, item } }])
  expect(finish).toEqual(offence(what))
})

test('lines that are no messages, and messages that nobody knows, do no harm', async () => {
  const { finish, words, alive, logged } = await speakWith([
    'Listening on port 80',
    '[1, 2]',
    { method: 'no/such/notice', params: { threadId } },
    { method: 'item/started', params: { threadId, item: 'none' } },
    { method: 'item/started', params: { threadId: 'thread-2', item: { type: 'commandExecution', id: 'i' } } },
    { id: 99, result: {} },
    { method: 'item/completed', params: { threadId, item: { type: 'agentMessage', id: 'm', text: 'hello' } } },
    { method: 'turn/completed', params: { threadId, turn: { id: 'turn-0', status: 'failed', error: null } } },
    { method: 'turn/completed', params: { threadId, turn: { id: 'turn-1', status: 'completed', error: null } } },
  ])
  expect({ finish, words, alive, logged }).toEqual({
    finish: { kind: 'answered', text: 'hello' },
    words: [{ kind: 'message', text: 'hello' }],
    alive: 2,
    logged: ['said what is no message: Listening on port 80', 'said what is no message: [1, 2]'],
  })
})
