import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Post } from '../../../src/shapes/post.ts'
import type { TurnView } from '../../../src/shapes/turn-view.ts'
import { eventually } from '../../support/poll.ts'
import { bodyOf, openStage, type Stage, spotOf } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const AT = '2026-03-01T12:00:00.000Z'
const agent = { kind: 'agent', id: 'claude-1', face: 'worker', via: null } as const
const house = { kind: 'house', id: 'bellhop', face: 'house', via: null } as const
const grace = { kind: 'person', id: 'gr*ce', face: 'irc', via: null } as const

let position = 0
const postOf = (part: Partial<Post>): Post => {
  position += 1
  const blank = { session: null, turn: null, step: null, approval: null, text: '' }
  return { position, id: `e${position}`, at: AT, room: 'lobby', kind: 'answer', author: agent, ...blank, ...part }
}

/** Says a post as whoever delivers would, and what Discord has of it then. */
const said = async (post: Post, spot = stage.spot) => {
  const { outlet, discord } = stage
  const shown: { content: string; flags: number; files: string[] }[] = []
  for (const [i, { body }] of outlet.pieces(post, spot).entries()) {
    const sent = await outlet.send(spot, body, { key: `${post.position}.${i}`, again: false })
    const message = sent.kind === 'sent' && sent.ref ? discord.message(sent.ref) : null
    if (!message) throw new Error(`not sent: ${JSON.stringify(sent)}`)
    const files = message.attachments.map(({ filename }) => filename)
    shown.push({ content: message.content, flags: message.flags, files })
  }
  return shown
}

const [QUIET, LOUD] = [4096 | 4, 4]

test('posts are said as what they are, and what the card of a turn shows is not said again', async () => {
  const plain = (content: string, flags: number) => [{ content, flags, files: [] }]
  expect(await said(postOf({ text: '**bold** @everyone <@1>' }))).toEqual(
    plain('**claude-1**\n**bold** @\u200beveryone <@\u200b1>', LOUD),
  )
  expect(await said(postOf({ author: house, text: 'claude-1: ready' }))).toEqual(plain('claude-1: ready', LOUD))
  expect(
    await said(postOf({ kind: 'refusal', author: house, text: 'no such agent [agent-unknown]\nsay /who' })),
  ).toEqual(plain('no such agent [agent-unknown]\n-# say /who', LOUD))
  expect(await said(postOf({ kind: 'said', author: grace, text: 'I *said* # this' }))).toEqual(
    plain('**gr\\*ce** (irc): I \\*said\\* \\# this', LOUD),
  )
  expect(await said(postOf({ kind: 'said', id: 'discord~5', text: 'said here' }))).toEqual([])
  expect(await said(postOf({ kind: 'notice', author: house, text: 'claude-1 is ready' }))).toEqual(
    plain('-# claude-1 is ready', QUIET),
  )
  expect(await said(postOf({ kind: 'aside', text: 'first\n\n```\nsecond' }))).toEqual(
    plain('-# **claude-1**: first\n-# `\u200b`\u200b`\n-# second', QUIET),
  )
  for (const kind of ['accepted', 'working', 'step'] as const)
    expect(await said(postOf({ kind, text: 'x' }))).toEqual([])
})

test('a quiet channel is told less, and one that watches another room is told which', async () => {
  const quiet = spotOf(stage.channel, { show: 'quiet' })
  for (const kind of ['notice', 'aside', 'step'] as const)
    expect(await said(postOf({ kind, text: 'x' }), quiet)).toEqual([])
  expect((await said(postOf({ text: 'x' }), quiet)).map(({ content }) => content)).toEqual(['**claude-1**\nx'])
  const watched = spotOf(stage.channel, { room: 'attic', watched: true })
  const contents = async (post: Post) => (await said(post, watched)).map(({ content }) => content)
  expect(await contents(postOf({ room: 'attic', text: 'x' }))).toEqual(['[attic] **claude-1**\nx'])
  expect(await contents(postOf({ room: 'attic', kind: 'said', author: grace, text: 'x' }))).toEqual([
    '[attic] **gr\\*ce** (irc): x',
  ])
})

test('an answer replies to the line it answers, and calls nobody', async () => {
  const { ada, channel, discord, outlet, spot } = stage
  const line = ada.says(channel, '@claude-1 go')
  const [piece] = outlet.pieces(postOf({ turn: `discord~${line.id}.claude-1`, text: `${ada.mention} done` }), spot)
  const sent = await outlet.send(spot, piece?.body ?? bodyOf({}), { key: 'reply', again: false })
  const message = discord.message(sent.kind === 'sent' ? (sent.ref ?? '') : '')
  expect([message?.message_reference?.message_id, message?.mentions, message?.content]).toEqual([
    line.id,
    [],
    `**claude-1**\n<@\u200b${ada.id}> done`,
  ])
})

test('a long answer is a few messages, and a very long one a file', async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, i) => `row ${i} ${'語'.repeat(40)}`).join('\n')
  const few = await said(postOf({ text: rows(100) }))
  expect([few.length, few.map(({ content }) => content.length <= 2000)]).toEqual([3, [true, true, true]])
  const [one, ...more] = await said(postOf({ text: rows(2000) }))
  expect([one?.files, more]).toEqual([['answer.md'], []])
  const [attachment] = stage.discord.messages(stage.channel).at(-1)?.attachments ?? []
  expect(Buffer.from(attachment ? stage.discord.file(attachment) : []).toString()).toBe(rows(2000))
})

test('nobody is called by anything that was sent or changed', () => {
  const written = stage.discord.requests.filter(({ method, route }) => method !== 'GET' && route.includes('/messages'))
  const allowed = written.map(({ body }) => (body as { allowed_mentions?: unknown }).allowed_mentions)
  expect(allowed.length).toBeGreaterThan(10)
  expect(allowed.filter((one) => JSON.stringify(one) !== '{"parse":[],"replied_user":false}')).toEqual([])
})

const view: TurnView = {
  turn: 'discord~1.claude-1',
  session: 's1',
  room: 'lobby',
  agent: 'claude-1',
  peripheral: 'explore',
  by: 'a_da',
  request: 'look at\n**this** @everyone',
  state: 'queued',
  detail: '',
  ahead: 2,
  steps: { taken: 0, failed: 0, refused: 0 },
  approval: null,
  accepted: AT,
  started: null,
  ended: null,
}

test('a turn is one message that changes, with a button to cancel it until it is over', async () => {
  const { outlet, discord, spot, channel } = stage
  const card = outlet.card
  if (!card || !outlet.edit) throw new Error('there is no card')
  expect(card.everyMs).toBe(1500)
  const sent = await outlet.send(spot, card.of(view), { key: 'card', again: false })
  const ref = sent.kind === 'sent' ? (sent.ref ?? '') : ''
  const shown = () => {
    const message = discord.message(ref)
    const [embed] = message?.embeds ?? []
    const buttons = message?.components.flatMap((row) => row.components ?? []).map(({ custom_id }) => custom_id)
    const fields = embed?.fields?.map(({ name, value }) => `${name}: ${value}`)
    return { title: embed?.title, text: embed?.description, fields, footer: embed?.footer?.text, buttons }
  }
  const seconds = Date.parse(AT) / 1000
  expect(shown()).toEqual({
    title: 'claude-1 · explore',
    text: '**in line, 2 before it**\n> look at \\*\\*this\\*\\* @\u200beveryone',
    fields: ['Asked by: a\\_da', 'Steps: 0', `Since: <t:${seconds}:R>`],
    footer: 'lobby · discord~1.claude-1',
    buttons: ['cancel:discord~1.claude-1'],
  })
  expect(discord.message(ref)?.flags).toBe(4096)
  const steps = { taken: 7, failed: 1, refused: 2 }
  await outlet.edit(spot, ref, card.of({ ...view, state: 'running', detail: 'read `x`', steps, ahead: 0 }))
  expect([shown().text, shown().fields?.[1]]).toEqual([
    '**at work**: read \\`x\\`\n> look at \\*\\*this\\*\\* @\u200beveryone',
    'Steps: 7, 1 failed, 2 refused',
  ])
  await eventually('that somebody types', () => discord.typing(channel))
  await outlet.edit(spot, ref, card.of({ ...view, state: 'done', steps, ended: AT }))
  expect([shown().text?.split('\n')[0], shown().buttons]).toEqual(['**done**', []])
  expect(discord.message(ref)?.history.length).toBe(2)
})

test('an approval is one message with buttons, which are gone once it is decided', async () => {
  const { outlet, discord, spot } = stage
  const asked = postOf({
    kind: 'approval',
    text: 'asks to run git push\ndeploy asks before each\nrun {"argv":["git","push","```"]}',
    approval: { name: 'kfwqz', state: 'open', until: AT },
  })
  const [open] = outlet.pieces(asked, spot)
  const sent = await outlet.send(spot, open?.body ?? bodyOf({}), { key: 'ask', again: false })
  const ref = sent.kind === 'sent' ? (sent.ref ?? '') : ''
  const shown = () => {
    const { embeds = [], components = [], flags } = discord.message(ref) ?? {}
    const ids = components.flatMap((row) => row.components ?? []).map(({ custom_id }) => custom_id)
    return { title: embeds[0]?.title, lines: embeds[0]?.description?.split('\n'), ids, flags }
  }
  const question = [
    '**claude-1** asks to run git push',
    'deploy asks before each',
    '```',
    'run {"argv":["git","push","`\u200b`\u200b`"]}',
    '```',
  ]
  const until = `<t:${Date.parse(AT) / 1000}:t>`
  expect(shown()).toEqual({
    title: 'Approval kfwqz',
    lines: [...question, `Approve or deny it below, or say \`/approve kfwqz\` or \`/deny kfwqz\`, until ${until}.`],
    ids: ['approve:kfwqz', 'deny:kfwqz'],
    flags: 0,
  })
  const approval = { name: 'kfwqz', state: 'approved', until: null } as const
  const [decided] = outlet.pieces(postOf({ kind: 'approval', author: grace, text: 'approved kfwqz', approval }), spot)
  expect([open?.card, decided?.card]).toEqual(['approval/kfwqz', 'approval/kfwqz'])
  await outlet.edit?.(spot, ref, decided?.body ?? bodyOf({}))
  expect(shown()).toEqual({
    title: 'Approval kfwqz: approved',
    lines: [...question, '**gr\\*ce** approved kfwqz'],
    ids: [],
    flags: 0,
  })
})

test('however long an approval is, its call, how to answer it and who decided are shown', async () => {
  const { outlet, discord, spot } = stage
  const call = `run ${'```*'.repeat(240)}… whole: /show e1`
  const text = [`asks to ${'_'.repeat(1000)}`, '*'.repeat(1000), call].join('\n')
  const open = { name: 'bcdfg', state: 'open', until: AT } as const
  const [asked] = outlet.pieces(postOf({ kind: 'approval', text, approval: open }), spot)
  const sent = await outlet.send(spot, asked?.body ?? bodyOf({}), { key: 'long', again: false })
  const ref = sent.kind === 'sent' ? (sent.ref ?? '') : ''
  const shown = () => discord.message(ref)?.embeds[0]?.description?.split('\n') ?? []
  const called = call.replaceAll('```', '`\u200b`\u200b`')
  expect(shown().slice(2)).toEqual([
    '```',
    called,
    '```',
    `Approve or deny it below, or say \`/approve bcdfg\` or \`/deny bcdfg\`, until <t:${Date.parse(AT) / 1000}:t>.`,
  ])
  const denied = { name: 'bcdfg', state: 'denied', until: null } as const
  const why = postOf({ kind: 'approval', author: grace, text: `denied bcdfg: ${'*'.repeat(1000)}`, approval: denied })
  await outlet.edit?.(spot, ref, outlet.pieces(why, spot)[0]?.body ?? bodyOf({}))
  expect([shown().slice(2, 5), shown()[5]?.startsWith('**gr\\*ce** denied bcdfg: ')]).toEqual([
    ['```', called, '```'],
    true,
  ])
})
