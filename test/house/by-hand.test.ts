import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import type { Role } from '../../src/shapes/person.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { agentGrant } from '../support/grant.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

const admin = () => createClient({ url: house.url, token: house.tokens.admin })

type Answer = (text: string, id?: string) => Promise<string | null>

/** Somebody in a room, who says something and is answered; a refusal is answered by its code. */
const personIn = async (
  room: string,
  name: string,
  role: Role = 'operator',
  at: TestHouse = house,
): Promise<Answer> => {
  const client = createClient({ url: at.url, token: await at.mint({ kind: 'person', name, role }), face: 'terminal' })
  return async (text, id) => {
    const receipt = await client.say({ room, text, ...(id === undefined ? {} : { id }) })
    return receipt.ok ? receipt.value.answer : `[${receipt.refusal.code}] ${receipt.refusal.message}`
  }
}

/** A room of its own for a test: a thread, which nobody else works in. */
const newRoom = async (): Promise<string> => must(await admin().command('new', {})).output?.thread.id ?? ''

const sessionIn = async (room: string, at: TestHouse = house) => (await at.store.openSession(room, 'by-hand'))?.id ?? ''

/** The events of a chain, with who signed them, through which face and for whom; verdicts come when they come. */
const chainOf = async (session: string) =>
  (await house.store.chain(session))
    .filter(({ body }) => body.event !== 'verified')
    .map(({ body, author: { kind, id, face, via } }) => [body.event, `${kind} ${id}`, face, via])

test('a person starts, takes steps behind the wall, and leaves; all of it is evidence, says who it was, and verifies', async () => {
  const ada = await personIn('quiet', 'ada')
  expect(await ada('!start explore see what it does')).toMatch(
    /^by-hand is in explore, with read, .*hop, bell, whistle, park, pattern-search, pattern-read$/,
  )
  expect(await ada('!step read path=README.md')).toBe('# teapot\n\nIt pours.')
  expect(await ada('!step write new.txt text=new')).toMatch(
    /^refused: explore has no tool write.*\[tool-not-allowed\]\n/,
  )
  expect(await ada('!leave it pours')).toBe('explore is left')
  expect(await ada('!leave')).toBe('there was nothing to leave')

  const session = await sessionIn('quiet')
  const hand = ['agent by-hand', 'terminal', 'ada']
  expect(await chainOf(session)).toEqual([
    ['session-opened', 'person ada', 'terminal', null],
    ['accepted', 'person ada', 'terminal', null],
    ['turn-started', ...hand],
    ['peripheral-started', ...hand],
    ['step-intended', ...hand],
    ['step-ended', ...hand],
    ['step-refused', ...hand],
    ['peripheral-stopped', ...hand],
    ['turn-ended', ...hand],
  ])
  const ended = (await house.store.chain(session)).find(({ body }) => body.event === 'turn-ended')
  expect(ended?.body).toMatchObject({ outcome: 'done', answer: 'it pours' })
  for (const chain of [session, 'room-quiet', 'house'])
    expect(must(await admin().ask('verify', { session: chain }))).toMatchObject({ ok: true })
})

test('a hop leads to another wall, where what was found lets it, and another gateway goes on from there', async () => {
  const room = await newRoom()
  const ada = await personIn(room, 'ada')
  await ada('!start explore')
  expect(await ada('!hop edit')).toMatch(/^refused: .*\[hop-refused\]\n/)
  await ada('!step read README.md')
  expect(await ada('!hop edit')).not.toMatch(/refused/)
  expect(await ada('!seat')).toMatch(/^by-hand is in edit, with /)
  await house.stopGateway()
  await house.startGateway()
  expect(await ada('!step edit README.md old="It pours." new="It pours."')).toMatch(/^failed: /)
  expect(await ada('!step write poured.txt text="It did."')).toBe('Made poured.txt, 1 lines.')
  await ada('!leave')
  expect(await ada('!seat')).toBe('by-hand is in no peripheral')
  expect(must(await admin().ask('verify', { session: await sessionIn(room) }))).toMatchObject({ ok: true })
})

test('the seat is theirs who started, until they leave or somebody stops it', async () => {
  const room = await newRoom()
  const [ada, grace] = [await personIn(room, 'ada'), await personIn(room, 'grace')]
  expect(await grace('!step list')).toBe(
    `[peripheral-inactive] nobody works by hand in ${room}: /start explore begins it`,
  )
  await ada('!start explore')
  const taken = `[peripheral-active] ada works by hand in ${room} already, one person at a time`
  for (const line of ['!step list', '!hop chat', '!leave', '!start explore']) expect(await grace(line)).toBe(taken)
  expect(await ada('!start edit')).toBe(taken)
  const { id: turn = '' } = (await house.store.nextTurn(await sessionIn(room))) ?? {}
  expect(await grace('!stop by-hand enough')).toBe(`stopping by-hand (${turn})`)
  await eventually('the turn to end', () => house.store.get(`${turn}.ended`))
  expect((await house.store.get(`${turn}.ended`))?.body).toMatchObject({
    outcome: 'cancelled',
    answer: 'stopped by grace: enough',
  })
  expect(await grace('!start explore')).toMatch(/^by-hand is in explore/)
  await grace('!leave')
  expect(must(await admin().ask('verify', { session: await sessionIn(room) }))).toMatchObject({ ok: true })
})

test('room and role are what they are for everybody’s work', async () => {
  const viewer = await personIn('quiet', 'grace', 'viewer')
  expect(await viewer('!start explore')).toMatch(/^\[role-too-low\] /)
  expect(await viewer('!step list')).toBe('[role-too-low] /step needs the role operator; you are viewer')
  const room = await newRoom()
  const ada = await personIn(room, 'ada')
  expect(await ada('!start nowhere')).toMatch(/^\[peripheral-unknown\] there is no peripheral nowhere; there is /)
  expect(await ada('!start deploy')).toMatch(/^\[(entry-refused|role-too-low)\] /)
  must(await admin().command('mode', { to: 'discuss' }, { room }))
  expect(await ada('!start explore')).toMatch(/^\[mode-forbids\] /)
  expect(await house.store.openSession(room, 'by-hand')).toBeNull()
})

test('it is for people in a room alone: no agent says it, and nobody gives work to it', async () => {
  const scout = createClient({ url: house.url, token: await house.mint(agentGrant()) })
  expect(await scout.say({ room: 'lobby', text: '/start explore' })).toEqual(
    refused(refusal('grant-exceeded', 'scout is an agent, and /start is for people')),
  )
  const { assignments } = must(await admin().say({ room: 'quiet', text: '@by-hand read README.md' }))
  expect(assignments).toEqual([])
  expect(await admin().command('start', {})).toMatchObject({ refusal: { code: 'agents-only' } })
})

test('the same line again is answered again, and no step is taken twice', async () => {
  const room = await newRoom()
  const ada = await personIn(room, 'ada')
  const started = await ada('!start explore', 'begins')
  expect(await ada('!start explore', 'begins')).toBe(started)
  const read = await ada('!step read README.md', 'reads')
  expect(await ada('!step read README.md', 'reads')).toBe(read)
  const events = (await chainOf(await sessionIn(room))).map(([event]) => event)
  expect(events.filter((event) => event === 'turn-started' || event === 'step-intended')).toEqual([
    'turn-started',
    'step-intended',
  ])
  await ada('!leave')
})

test('a step that waits keeps nobody waiting, and keeps the seat; which is given up when nobody takes another', async () => {
  await using hasty = await startTestHouse({ config: HASTY })
  const boss = createClient({ url: hasty.url, token: hasty.tokens.admin })
  const ada = await personIn('quiet', 'ada', 'operator', hasty)
  await ada('!start edit')
  const session = await sessionIn('quiet', hasty)
  const { id: turn = '' } = (await hasty.store.nextTurn(session)) ?? {}
  const answer = await ada('!step run escalate.why="the registry is elsewhere" cargo fetch')
  const said = /^it waits for an approval: \/approve (\w+) lets (\S+) go on$/.exec(answer ?? '')
  const [, approval = '', step = ''] = said ?? []
  expect((await hasty.store.turn(turn))?.status).toBe('running')
  expect(await ada(`!approve ${approval}`)).toMatch(/^\[role-too-low\]/)
  must(await boss.command('deny', { approval }, { room: 'quiet' }))
  const outcome = await eventually('the step to be refused', () => hasty.store.get(`${step}.outcome`))
  expect(outcome).toMatchObject({ author: { id: 'by-hand', via: 'ada' }, body: { event: 'step-refused', step } })

  const ended = await eventually('the turn to end', () => hasty.store.get(`${turn}.ended`))
  expect(ended.body).toMatchObject(LEFT)
  expect((await hasty.store.get(`${turn}.stopped`))?.body).toMatchObject({ reason: 'left-alone' })

  // As it is left by a gateway that is killed in the middle of a start.
  const wanted = { agent: 'by-hand', room: 'quiet', peripheral: 'explore', request: 'look', role: 'operator' } as const
  const author = { kind: 'person', id: 'ada', face: 'terminal', via: null } as const
  const lost = { session, agent: 'by-hand', room: 'quiet', author, body: { event: 'accepted', ...wanted } } as const
  must(await hasty.store.append([sessionDraft({ id: 'lost.by-hand', ...lost })]))
  expect((await eventually('that to end', () => hasty.store.get('lost.by-hand.ended'))).body).toMatchObject(LEFT)
  expect(must(await boss.ask('verify', { session }))).toMatchObject({ ok: true })
})

/** Leases that a test lives to see end. */
const HASTY = 'doors: { clientMs: 500 }\nlease: { ms: 1000, heartbeatMs: 300 }\n'
const LEFT = { outcome: 'cancelled', answer: 'nobody took a step for some time' }

test('a seat that nobody keeps is given up also where a thousand turns have been waiting for longer', async () => {
  await using hasty = await startTestHouse({ config: HASTY })
  const boss = createClient({ url: hasty.url, token: hasty.tokens.admin })
  must(await boss.command('pause', { agent: 'claude-1' }, { room: 'quiet' }))
  const author = { kind: 'person', id: 'ada', face: 'cli', via: null } as const
  const waiting = Array.from({ length: 1100 }, (_, i) => {
    const place = { session: `s-old-${i % 4}`, room: `old-${i % 4}`, agent: 'claude-1', author }
    const body = { event: 'accepted', agent: 'claude-1', room: place.room, peripheral: 'explore', request: '' } as const
    return sessionDraft({ ...place, id: `old-${i}.claude-1`, body })
  })
  must(await hasty.store.append(waiting))
  const ada = await personIn('quiet', 'ada', 'operator', hasty)
  await ada('!start explore')
  const { id: turn = '' } = (await hasty.store.nextTurn(await sessionIn('quiet', hasty))) ?? {}
  const ended = await eventually('the turn to end', () => hasty.store.get(`${turn}.ended`))
  expect(ended.body).toMatchObject(LEFT)
})

test('who leaves is not kept waiting for a check that takes long; the turn ends as they said when that has passed', async () => {
  await using careful = await startTestHouse({
    config: 'checks: { tests: [sh, -c, "until [ -e go.txt ]; do sleep 0.1; done"] }\n',
  })
  const ada = await personIn('quiet', 'ada', 'operator', careful)
  await ada('!start edit')
  const { id: turn = '' } = (await careful.store.nextTurn(await sessionIn('quiet', careful))) ?? {}
  await ada('!step write new.txt text=new')
  const answers: (string | null)[] = []
  const left = ada('!leave it is written').then((answer) => answers.push(answer))
  await eventually('an answer', () => answers.length > 0)
  expect(answers).toEqual(['edit is being left: the room reads the end of the turn'])
  // It is under way, and nothing that is asked for meanwhile gets in its way.
  await eventually('the check to begin', () => careful.store.get(`${turn}.leave.check-tests.intent`))
  expect(await ada('!seat')).toMatch(/^by-hand is in edit, with /)
  expect(await ada('!leave again')).toBe('edit is being left: the room reads the end of the turn')
  writeFileSync(join(careful.settings.workspace, 'go.txt'), '')
  const ended = await eventually('the turn to end', () => careful.store.get(`${turn}.ended`))
  expect(ended.body).toMatchObject({ outcome: 'done', answer: 'it is written' })
  expect((await careful.store.get(`${turn}.stopped`))?.body).toMatchObject({
    fruit: { checks: [{ name: 'tests', ok: true }] },
  })
  expect(await ada('!leave')).toBe('there was nothing to leave')
  await left
})
