import { afterAll, beforeAll, expect, test } from 'vitest'
import { formsOf } from '../../../adapters/discord/command-forms.ts'
import { approvals } from '../../../src/operations/approvals.ts'
import { rooms } from '../../../src/operations/rooms.ts'
import { sessions, status } from '../../../src/operations/sessions.ts'
import { threads } from '../../../src/operations/threads.ts'
import type { Post } from '../../../src/shapes/post.ts'
import { refusal } from '../../../src/shapes/refusal.ts'
import { eventually } from '../../support/poll.ts'
import { COMMANDS, command, option } from './commands.ts'
import { createHouse } from './house.ts'
import { openStage, type Stage, start } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** Runs a command, and waits until it was answered. */
const asked = async (name: string, options: Record<string, string | number | boolean> = {}) => {
  const used = stage.ada.slash(stage.channel, name, options)
  await eventually(`/${name} to be answered`, () => used.state === 'answered')
  return used
}
const lineOf = (id: string) => stage.house.heard.find((line) => line.id === `discord~${id}`)

test('the commands of the house are the commands of the server', () => {
  const { discord, guild } = stage
  const there = discord.commands(guild.id)
  expect(there.map(({ name }) => name).sort()).toEqual(COMMANDS.map(({ name }) => name).sort())
  const approve = there.find(({ name }) => name === 'approve')
  expect(
    approve?.options?.map(({ name, required = false, autocomplete = false }) => [name, required, autocomplete]),
  ).toEqual([
    ['approval', true, true],
    ['note', false, false],
  ])
  expect(there.find(({ name }) => name === 'recent')?.options?.map(({ type }) => type)).toEqual([4, 5])
  expect(there.map((one) => one.default_member_permissions).filter((one) => one !== null)).toEqual([])
})

test('a second start writes nothing where nothing has changed, and what has changed where something has', async () => {
  const { discord, guild, channel } = stage
  const writes = () =>
    discord.requests
      .filter(({ method, path }) => method !== 'GET' && path.includes('/commands'))
      .map(({ method, body }) => [method, (body as { name?: string } | null)?.name ?? null])
  const before = writes().length
  const again = createHouse({ channels: { [channel]: 'lobby' } })
  await (await start(discord, again)).stop()
  expect(writes().slice(before)).toEqual([])

  const changed = COMMANDS.filter(({ name }) => name !== 'watch').map((one) =>
    one.name === 'who' ? { ...one, summary: 'who is here' } : one,
  )
  const other = createHouse({ channels: { [channel]: 'lobby' }, commands: [...changed, command('tokens')] })
  await (await start(discord, other)).stop()
  expect(writes().slice(before)).toEqual([
    ['DELETE', null],
    ['PATCH', 'who'],
    ['POST', 'tokens'],
  ])
  await (await start(discord, createHouse({ channels: { [channel]: 'lobby' } }))).stop()
  expect(
    discord
      .commands(guild.id)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(COMMANDS.map(({ name }) => name).sort())
})

test('what does not fit as a command or an option is reached by one that does', () => {
  const many = Array.from({ length: 130 }, (_, i) => command(`c${i}`, { summary: 'x'.repeat(300) }))
  const forms = formsOf(many)
  expect([forms.length, forms.at(-1)?.name, forms.at(-1)?.description]).toEqual([
    100,
    'more-commands',
    '31 more commands, such as c99',
  ])
  expect(forms.filter(({ description }) => description.length > 100)).toEqual([])
  const wide = command('wide', { options: Array.from({ length: 30 }, (_, i) => option(`o${i}`)) })
  const [form] = formsOf([wide])
  expect([form?.options.length, form?.options.at(-1)?.name, form?.options.at(-1)?.description]).toEqual([
    25,
    'more',
    'more, as name=value: o24, o25, o26, o27, o28, o29',
  ])
})

test('a command that looks is answered to who asked, one that changes something to everybody', async () => {
  const { house, ada, discord, channel } = stage
  house.answerWith(({ command: given }) => ({ answer: `${given?.name} @everyone ${ada.mention}` }))
  const [looks, changes] = [
    await asked('recent', { limit: 5, all: true }),
    await asked('stop', { why: 'wrong branch' }),
  ]
  const text = (name: string) => `${name} @\u200beveryone <@\u200b${ada.id}>`
  expect([looks.ephemeral, looks.message()?.content]).toEqual([true, text('recent')])
  expect([changes.ephemeral, changes.message()?.content, changes.message()?.mentions]).toEqual([
    false,
    text('stop'),
    [],
  ])
  expect(lineOf(looks.id)).toEqual({
    id: `discord~${looks.id}`,
    room: 'lobby',
    text: '/recent limit=5 all=true',
    command: { name: 'recent', input: { limit: 5, all: true } },
    sender: { network: 'discord', account: ada.id, visit: null, nick: 'ada', bot: false, groups: [] },
  })
  expect(lineOf(changes.id)?.text).toBe('/stop why="wrong branch"')
  expect(discord.messages(channel).filter(({ content }) => content.startsWith('recent'))).toEqual([])
  house.answerWith(() => ({}))
})

test('work for an agent says which; where none is named, the line does', async () => {
  const { house } = stage
  const assignments = [{ turn: 'x.claude-1', session: 's1', agent: 'claude-1', peripheral: 'explore' }]
  house.answerWith(() => ({ assignments }))
  const [named, unnamed] = [
    await asked('explore', { request: 'where is main?', agent: 'claude-1' }),
    await asked('explore', { request: 'where is main?' }),
  ]
  expect(named.message()?.content).toBe('**claude-1** has it, in explore')
  const [one, two] = [lineOf(named.id), lineOf(unnamed.id)]
  expect([one?.text, one?.command]).toEqual([
    '/explore @claude-1 where is main?',
    { name: 'explore', input: { agent: 'claude-1', request: 'where is main?' } },
  ])
  expect([two?.text, two?.command]).toEqual(['/explore where is main?', undefined])
  house.answerWith(() => ({}))
})

test('a refusal and a whisper are for who asked alone, also where the answer would have been for everybody', async () => {
  const { house, discord, channel, grace } = stage
  house.answerWith(() => refusal('role-too-low', 'that needs an operator'))
  const text = 'that needs an operator [role-too-low]\n-# ask someone with the role the message names'
  const [looks, changes] = [await asked('who'), stage.ada.slash(channel, 'mode', { to: 'execute' })]
  expect([looks.ephemeral, looks.message()?.content]).toEqual([true, text])
  const [followed] = await eventually('the refusal', () =>
    changes.followUps().length > 0 ? changes.followUps() : null,
  )
  expect([followed?.ephemeral, followed?.content, changes.message()]).toEqual([true, text, null])
  house.answerWith(() => ({ answer: 'look below', whisper: 'the code is kfwqz' }))
  const whispered = await asked('mode')
  await eventually('the whisper', () =>
    whispered.followUps().some((one) => one.content === 'the code is kfwqz' && one.ephemeral),
  )
  const others = discord.visibleTo(grace, channel).map(({ content }) => content)
  expect(others.filter((content) => /kfwqz|role-too-low/.test(content))).toEqual([])
  house.answerWith(() => ({}))
})

test('a long answer is a file', async () => {
  const { house, discord } = stage
  const long = Array.from({ length: 400 }, (_, i) => `row ${i}`).join('\n')
  house.answerWith(() => ({ answer: long }))
  const used = await asked('who')
  const [attachment] = used.message()?.attachments ?? []
  expect([attachment?.filename, Buffer.from(attachment ? discord.file(attachment) : []).toString()]).toEqual([
    'answer.txt',
    long,
  ])
  house.answerWith(() => ({}))
})

/** The post that the house makes of an answer. */
const receiptOf = (id: string, text: string): Post => ({
  position: 1,
  id: `discord~${id}.receipt`,
  at: new Date().toISOString(),
  room: 'lobby',
  kind: 'answer',
  author: { kind: 'house', id: 'bellhop', face: 'house', via: null },
  text,
  session: null,
  turn: null,
  step: null,
  approval: null,
})

test('what was answered in its place is not said again, also while it is being answered', async () => {
  const { house, discord, channel, outlet, spot } = stage
  let delivered: Promise<unknown> = Promise.resolve()
  house.answerWith(({ id }) => {
    const [piece] = outlet.pieces(receiptOf(id.replace('discord~', ''), 'once only'), spot)
    if (piece) delivered = outlet.send(spot, piece.body, { key: id, again: false })
    return { answer: 'once only' }
  })
  const used = await asked('stop')
  expect(await delivered).toEqual({ kind: 'sent', ref: null })
  await eventually('that it is remembered', () => house.memory.get(`answered/discord~${used.id}`))
  expect(discord.messages(channel).filter(({ content }) => content === 'once only').length).toBe(1)
  house.answerWith(() => ({}))
})

test('an answer that takes a while was deferred in time; after fifteen minutes it is a message of its own', async () => {
  const { house, discord, ada, channel, outlet, spot } = stage
  let release = (): void => undefined
  house.answerWith(
    () =>
      new Promise((done) => {
        release = () => done({ answer: 'at last' })
      }),
  )
  const slow = ada.slash(channel, 'mode')
  await eventually('the house to be asked', () => house.attempts.some(({ id }) => id === `discord~${slow.id}`))
  expect(slow.state).toBe('deferred')
  discord.pass(60_000)
  release()
  await eventually('the answer', () => slow.message()?.content === 'at last')

  const slower = ada.slash(channel, 'mode')
  await eventually('the house to be asked', () => house.attempts.some(({ id }) => id === `discord~${slower.id}`))
  discord.pass(16 * 60_000)
  release()
  await eventually('the house to have answered', () => lineOf(slower.id))
  const [piece] = outlet.pieces(receiptOf(slower.id, 'at last, and later'), spot)
  if (piece) await outlet.send(spot, piece.body, { key: 'later', again: false })
  expect(discord.messages(channel).filter(({ content }) => content === 'at last, and later').length).toBe(1)
  house.answerWith(() => ({}))
})

test('a command that could not be answered within three seconds is not done behind the back of who used it', async () => {
  const { house, discord, ada, channel } = stage
  const late = ada.slash(channel, 'stop')
  discord.pass(4000)
  await eventually('that it is dropped', () => house.drops.some(({ who }) => who === late.id))
  expect([late.state, lineOf(late.id)]).toEqual(['expired', undefined])
})

const AT = '2026-03-01T12:00:00.000Z'
const row = { room: 'lobby', agent: 'claude-1', by: 'ada' }

/** What the rows of the table answer, held to their own forms: so it is what the house really says. */
const ROWS: Record<string, unknown> = {
  rooms: rooms.output.parse({
    rooms: [
      { id: 'lobby', mode: 'diagnose', listener: null },
      { id: 'attic', mode: 'discuss', listener: null },
    ],
  }),
  threads: threads.output.parse({
    threads: [{ ...row, id: 't-1', name: 'the flaky test', from: null, archived: false, at: AT }],
    next: null,
  }),
  approvals: approvals.output.parse({
    approvals: [
      {
        approval: 'kfwqz',
        agent: 'claude-1',
        room: 'lobby',
        turn: 'm1.claude-1',
        step: 'm1.claude-1.1',
        why: 'deploy asks before each',
        opens: 'run git push',
        until: AT,
        approvers: [],
      },
    ],
  }),
  status: status.output.parse({
    turns: Array.from({ length: 40 }, (_, i) => ({
      ...row,
      turn: `m${i}.claude-1`,
      session: 's-1',
      peripheral: 'explore',
      request: 'x',
      state: 'running',
      detail: '',
      ahead: 0,
      steps: { taken: 0, failed: 0, refused: 0 },
      approval: null,
      accepted: AT,
      started: AT,
      ended: null,
    })),
  }),
  sessions: sessions.output.parse({
    sessions: [
      {
        id: 's-1',
        room: 'lobby',
        agent: 'claude-1',
        open: true,
        peripheral: null,
        began: '2026-01-01T00:00:00.000Z',
        last: '2026-01-01T00:00:00.000Z',
        entries: 1,
        turns: 0,
        turn: null,
      },
    ],
    next: null,
  }),
}

test('what can be named is suggested as far as it is typed', async () => {
  const { house, ada, channel } = stage
  house.lookWith(({ name }) => ROWS[name] ?? {})
  const complete = async (name: string, focused: string, typed: string) =>
    (await ada.completes(channel, name, { [focused]: typed }, focused)).map(({ name: shown, value }) => [shown, value])
  expect(await complete('stop', 'agent', 'co')).toEqual([['codex-1: codex', 'codex-1']])
  expect(await complete('watch', 'room', '')).toEqual([
    ['lobby: diagnose', 'lobby'],
    ['attic: discuss', 'attic'],
  ])
  expect(await complete('archive', 'thread', 'flaky')).toEqual([['t-1: claude-1, the flaky test', 't-1']])
  expect(await complete('approve', 'approval', '')).toEqual([['kfwqz: claude-1, run git push', 'kfwqz']])
  expect(await complete('reset', 'session', 's')).toEqual([['s-1: claude-1, lobby', 's-1']])
  expect((await complete('stop', 'turn', '')).length).toBe(25)
  expect(await complete('stop', 'turn', 'm39')).toEqual([['m39.claude-1: claude-1, running', 'm39.claude-1']])
  expect(await complete('help', 'command', 'expl')).toEqual([['explore: what explore does', 'explore']])
  house.lookWith(() => {
    throw new Error('the house is away')
  })
  expect(await complete('watch', 'room', '')).toEqual([])
  house.lookWith(() => ({}))
})

test('a command in a channel that leads nowhere is refused to who used it', async () => {
  const { ada, other } = stage
  const used = ada.slash(other, 'stop')
  const [followed] = await eventually('the refusal', () => (used.followUps().length > 0 ? used.followUps() : null))
  expect([followed?.ephemeral, followed?.content.split('\n')[0]]).toEqual([
    true,
    'this channel leads to no room [room-unknown]',
  ])
})
