import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusal } from '../../../src/shapes/refusal.ts'
import type { TurnView } from '../../../src/shapes/turn-view.ts'
import { eventually } from '../../support/poll.ts'
import { bodyOf, openStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

let shown = 0

/** A message with buttons, as the outlet makes them. */
const show = async (ids: string[]): Promise<string> => {
  shown += 1
  const buttons = ids.map((id) => ({ id, label: id, style: 'plain' as const }))
  const body = bodyOf({ content: 'a card', buttons })
  const sent = await stage.outlet.send(stage.spot, body, { key: `card ${shown}`, again: false })
  return sent.kind === 'sent' ? (sent.ref ?? '') : ''
}

const buttonsOf = (ref: string) =>
  stage.discord
    .message(ref)
    ?.components.flatMap((row) => row.components ?? [])
    .map(({ custom_id }) => custom_id)

test('a button is a command of whoever presses it, and gone once it was heard', async () => {
  const { grace, house } = stage
  house.answerWith(() => ({ answer: 'kfwqz is approved: claude-1 may push' }))
  const ref = await show(['approve:kfwqz', 'deny:kfwqz'])
  const pressed = grace.clicks(ref, 'approve:kfwqz')
  const [told] = await eventually('the answer', () => (pressed.followUps().length > 0 ? pressed.followUps() : null))
  expect([told?.ephemeral, told?.content]).toEqual([true, 'kfwqz is approved: claude-1 may push'])
  expect(buttonsOf(ref)).toEqual([])
  expect(stage.discord.message(ref)?.content).toBe('a card')
  expect(house.heard.at(-1)).toEqual({
    id: `discord~${pressed.id}`,
    room: 'lobby',
    text: '/approve approval=kfwqz',
    command: { name: 'approve', input: { approval: 'kfwqz' } },
    sender: { network: 'discord', account: grace.id, visit: null, nick: 'grace', bot: false, groups: [] },
  })
  expect(() => grace.clicks(ref, 'deny:kfwqz')).toThrow()
  await eventually('that it is remembered', () => house.memory.get(`answered/discord~${pressed.id}`))
})

test('of two who press at once the first decides, and the second is told so', async () => {
  const { ada, grace, house } = stage
  let decided = false
  house.answerWith(() => {
    if (decided) return refusal('approval-closed', 'it was decided before')
    decided = true
    return { answer: 'decided' }
  })
  const ref = await show(['approve:bcdfg', 'deny:bcdfg'])
  const clicks = [ada.clicks(ref, 'approve:bcdfg'), grace.clicks(ref, 'deny:bcdfg')]
  await eventually('both to be answered', () => clicks.every((click) => click.followUps().length > 0))
  expect(clicks.map((click) => click.followUps()[0]?.content.split('\n')[0])).toEqual([
    'decided',
    'it was decided before [approval-closed]',
  ])
  expect(buttonsOf(ref)).toEqual([])
})

test('whoever may not press is told so alone, and the button stays for others', async () => {
  const { ada, house, discord, grace, channel } = stage
  house.answerWith(() => refusal('role-too-low', 'that needs an approver'))
  const ref = await show(['approve:hjkmn'])
  const pressed = ada.clicks(ref, 'approve:hjkmn')
  await eventually('the refusal', () => pressed.followUps().some((one) => one.ephemeral))
  expect(buttonsOf(ref)).toEqual(['approve:hjkmn'])
  expect(discord.visibleTo(grace, channel).filter(({ content }) => content.includes('needs an approver'))).toEqual([])
})

const view = (part: Partial<TurnView>): TurnView => ({
  turn: 'm1.claude-1',
  session: 's1',
  room: 'attic',
  agent: 'claude-1',
  peripheral: null,
  by: 'ada',
  request: 'x',
  state: 'running',
  detail: '',
  ahead: 0,
  steps: { taken: 0, failed: 0, refused: 0 },
  approval: null,
  accepted: '2026-03-01T12:00:00.000Z',
  started: null,
  ended: null,
  ...part,
})

test('a turn is cancelled in the room it is in; one that is over is not, and its button goes', async () => {
  const { ada, house, outlet } = stage
  house.answerWith(() => ({ answer: 'stopping claude-1' }))
  outlet.card?.of(view({}))
  const ref = await show(['cancel:m1.claude-1'])
  ada.clicks(ref, 'cancel:m1.claude-1')
  await eventually('the button to go', () => buttonsOf(ref)?.length === 0)
  const { room, command } = house.heard.at(-1) ?? {}
  expect({ room, command }).toEqual({ room: 'attic', command: { name: 'stop', input: { turn: 'm1.claude-1' } } })

  const before = house.heard.length
  const over = 'This is over already: there is nothing to cancel.'
  outlet.card?.of(view({ state: 'done' }))
  // One was seen to end; of the other the queue does not know.
  house.lookWith(({ name }) => (name === 'queue' ? { turns: [] } : {}))
  for (const turn of ['m1.claude-1', 'm2.claude-1']) {
    const stale = await show([`cancel:${turn}`])
    const pressed = ada.clicks(stale, `cancel:${turn}`)
    await eventually('that it is told', () => pressed.followUps().some((one) => one.ephemeral && one.content === over))
    await eventually('the button to go', () => buttonsOf(stale)?.length === 0)
  }
  expect(house.heard.length).toBe(before)
})

test('a button that nobody knows any more leads nowhere, and says so', async () => {
  const { ada } = stage
  const ref = await show(['launch:rocket'])
  const pressed = ada.clicks(ref, 'launch:rocket')
  await eventually('that it is told', () => pressed.followUps().some(({ content }) => content.includes('nowhere')))
  await eventually('the button to go', () => buttonsOf(ref)?.length === 0)
})

test('a button that could not be answered within three seconds does nothing behind the back of who pressed it', async () => {
  const { ada, discord, house } = stage
  const before = house.heard.length
  const ref = await show(['approve:vwxyz'])
  const late = ada.clicks(ref, 'approve:vwxyz')
  discord.pass(4000)
  await eventually('that it is dropped', () => house.drops.some(({ who }) => who === late.id))
  expect([late.state, house.heard.length, buttonsOf(ref)]).toEqual(['expired', before, ['approve:vwxyz']])
})
