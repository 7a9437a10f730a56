import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { inOrder, type Move } from '../../src/rig/script.ts'
import { INSTALL_MS } from '../support/cached-packages.ts'
import { eventually } from '../support/poll.ts'
import { call, done, type ProgramHouse, startProgramHouse } from '../support/programs.ts'
import { must } from '../support/store.ts'

let it: ProgramHouse
beforeAll(async () => {
  it = await startProgramHouse()
}, INSTALL_MS)
afterAll(() => it[Symbol.asyncDispose]())
beforeEach(() => {
  for (const model of Object.values(it.models)) {
    model.play(() => done)
    model.asked.length = 0
  }
})

const says = (text: string): Move => ({ do: 'say', text })

const verified = async (session: string) => must(await it.client.ask('verify', { session }))

const sessionOf = async (agent: string): Promise<string> =>
  (await it.house.store.openSession('lobby', agent))?.id ?? 'none'

test('work of the queue is done by one program and reviewed by the other, until that one approves', async () => {
  const write = (text: string) => call('write', { path: 'cup.txt', text })
  it.models.codex.play(inOrder(write('tea'), says('there is a cup'), write('tea, and a saucer'), says('and a saucer')))
  it.models.claude.play(
    inOrder(says('where is the saucer?\n\nVERDICT: REQUEST-CHANGES'), says('that is it.\n\nVERDICT: APPROVE')),
  )
  must(await it.client.say({ room: 'lobby', text: '/work add Make a cup of tea' }))
  const story = () => it.house.store.query({ tag: 'work/w-1', order: 'oldest', limit: 100 })
  const entries = await eventually('the work to be done', async () => {
    const found = must(await story()).entries
    return found.at(-1)?.body?.event === 'work-ended' ? found : null
  })
  const told = entries.flatMap(({ body }) => {
    if (body?.event === 'work-given') return [`${body.phase} ${body.round}: ${body.agent}`]
    if (body?.event === 'work-judged') return [`judged ${body.round}: ${body.verdict}`]
    return body?.event === 'work-ended' ? [`ended: ${body.outcome}`] : []
  })
  expect(told).toEqual([
    'work 1: codex-1',
    'review 1: claude-1',
    'judged 1: changes',
    'work 2: codex-1',
    'review 2: claude-1',
    'judged 2: approve',
    'ended: done',
  ])
  expect(readFileSync(join(it.house.settings.workspace, 'cup.txt'), 'utf8')).toBe('tea, and a saucer')
  // What the review wanted is what the worker was told; and what the reviewer is to end with, the reviewer was.
  expect(it.models.codex.asked.at(-1)?.texts.join('\n')).toContain('where is the saucer?')
  expect(it.models.claude.asked[0]?.texts.join('\n')).toContain('VERDICT: APPROVE')
  for (const agent of ['codex-1', 'claude-1'])
    expect(await verified(await sessionOf(agent))).toMatchObject({ ok: true })
})

test('a program whistles for the other and has its answer in the same turn; the other cannot wait for it in return', async () => {
  it.models.claude.play(
    inOrder(call('whistle', { to: 'codex-1', text: 'which colour is the pot?', act: 'query', seconds: 60 }), done),
  )
  it.models.codex.play(inOrder(call('whistle', { to: 'claude-1', text: 'why?', seconds: 60 }), says('it is blue')))
  const came = await it.ask('/explore @claude-1 ask codex for the colour')
  expect(came.outcome).toBe('done')
  expect(it.models.claude.asked.at(-1)?.result).toContain('it is blue')
  // It was told who rings, and what became of its own whistle.
  expect(it.models.codex.asked[0]?.texts.join('\n')).toMatch(/claude-1[\s\S]*query|query[\s\S]*claude-1/)
  expect(it.models.codex.asked.at(-1)?.result).toContain('bell-crossed')
  const answered = await eventually('the bell to be answered', async () => {
    const { entries } = must(await it.house.store.query({ event: 'bell-answered' }))
    return entries.length > 0 ? entries : null
  })
  expect(answered.map(({ body }) => body?.event === 'bell-answered' && [body.outcome, body.told])).toEqual([
    ['done', 'resumed'],
  ])
  expect(await verified(await sessionOf('claude-1'))).toMatchObject({ ok: true })
  expect(await verified(await sessionOf('codex-1'))).toMatchObject({ ok: true })
})
