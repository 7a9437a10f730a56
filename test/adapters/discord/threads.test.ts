import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusal } from '../../../src/shapes/refusal.ts'
import { eventually } from '../../support/poll.ts'
import { openStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** A house that begins a thread of this name. */
const beginning = (thread: string) =>
  stage.house.answerWith(({ command }) => {
    if (command?.name === 'new') return { answer: `${thread}  2026-03-01 12:00, with claude-1` }
    return command?.name === 'bind' ? { answer: 'bound' } : {}
  })

test('a thread that somebody opens is bound at its first line that is for an agent, and is a room from then on', async () => {
  const { ada, channel, house } = stage
  beginning('t-01flaky')
  const thread = ada.opensThread(channel, 'the flaky test').id
  const before = house.heard.length
  ada.says(thread, 'just talking')
  const first = ada.says(thread, '@claude-1 why is it flaky?')
  ada.says(thread, 'and since when?')
  await eventually('the lines', () => house.heard.some(({ text }) => text === 'and since when?'))
  const said = house.heard.slice(before).map(({ id, room, text, command, sender }) => ({
    id,
    room,
    what: command ?? text,
    who: sender?.nick,
  }))
  expect(said.slice(0, 3)).toEqual([
    {
      id: `discord~${first.id}-new`,
      room: 'lobby',
      what: { name: 'new', input: { agent: 'claude-1', name: 'the flaky test' } },
      who: 'ada',
    },
    {
      id: `discord~${first.id}-bind`,
      room: 'lobby',
      what: { name: 'bind', input: { thread: 't-01flaky', network: 'discord', channel: thread } },
      who: 'ada',
    },
    { id: `discord~${first.id}`, room: 't-01flaky', what: '@claude-1 why is it flaky?', who: 'ada' },
  ])
  expect(said.slice(3).map(({ room, what }) => [room, what])).toEqual([['t-01flaky', 'and since when?']])
  expect(house.drops.map(({ code, who }) => [code, who])).toContainEqual(['thread-unknown', 'ada'])
  expect(house.memory.get(`answered/discord~${first.id}-new`)).toBe('1')
})

test('whoever may begin none is told so in the thread, and the line leads nowhere', async () => {
  const { grace, channel, house, discord } = stage
  house.answerWith(({ command }) => (command?.name === 'new' ? refusal('role-too-low', 'that needs an operator') : {}))
  const thread = grace.opensThread(channel, 'mine').id
  grace.says(thread, '/explore where is main?')
  await eventually('the refusal', () =>
    discord.messages(thread).some(({ content }) => content.includes('needs an operator')),
  )
  expect(house.heard.filter(({ text }) => text.includes('where is main'))).toEqual([])
})

test('/new opens a thread of Discord for the thread of the house, and says where it is', async () => {
  const { ada, channel, house, discord } = stage
  beginning('t-02named')
  const used = ada.slash(channel, 'new', { agent: 'claude-1', name: `@everyone ${'n'.repeat(150)}` })
  await eventually('the answer', () => used.state === 'answered')
  const opened = discord.channel(/<#(\d+)>/.exec(used.message()?.content ?? '')?.[1] ?? '')
  expect([opened?.name?.length, opened?.parent_id]).toEqual([100, channel])
  expect(used.message()?.content).toBe(`<#${opened?.id}> t-02named  2026-03-01 12:00, with claude-1`)
  expect(house.port.roomOf(opened?.id ?? '')).toBe('t-02named')
  const line = ada.says(opened?.id ?? '', 'go on')
  const heard = await eventually('the line', () => house.heard.find(({ id }) => id === `discord~${line.id}`))
  expect(heard.room).toBe('t-02named')

  discord.deny(channel, 'CREATE_PUBLIC_THREADS')
  beginning('t-03denied')
  const denied = ada.slash(channel, 'new', { name: 'denied' })
  await eventually('the answer', () => denied.state === 'answered')
  expect(denied.message()?.content.split('\n')).toEqual([
    'no thread of Discord could be opened for it: Missing Permissions',
    't-03denied  2026-03-01 12:00, with claude-1',
  ])
})
