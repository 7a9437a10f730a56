import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { agentGrant } from '../support/grant.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { whoami } from '../support/whoami.ts'

const agentOf = async (house: TestHouse, grant = agentGrant()) =>
  createClient({ url: house.url, token: await house.mint(grant) })

const people = (house: TestHouse) => createClient({ url: house.url, token: house.tokens.admin })

/** The events of a session's chain, with who signed them. */
const chainOf = async ({ store }: TestHouse, session: string) =>
  (await store.chain(session)).map(({ body, author }) => `${author.id}/${author.kind} ${body.event}`)

const READ = { tool: 'read', args: { path: 'README.md' } }

test('an agent with a token starts, works within its wall, and leaves; all of it is evidence, and verifies', async () => {
  await using house = await startTestHouse()
  const scout = await agentOf(house)
  const before = must(await scout.ask('seat'))
  expect(before).toEqual({
    agent: 'scout',
    room: 'lobby',
    session: null,
    turn: null,
    peripheral: 'explore',
    active: false,
    tools: expect.arrayContaining(['read', 'grep']),
  })
  const seat = must(await scout.command('start', { request: 'look around' }))
  expect(seat).toEqual({ ...before, active: true, session: expect.any(String), turn: expect.any(String) })
  const session = seat.session ?? ''

  const read = must(await scout.command('act', { ...READ, step: 'one' }))
  expect(read).toMatchObject({ step: `${seat.turn}.one`, report: { kind: 'ok', output: '# teapot\n\nIt pours.\n' } })
  // The same step again is answered again, and not done again.
  expect(must(await scout.command('act', { ...READ, step: 'one' }))).toEqual(read)

  const write = must(await scout.command('act', { tool: 'write', args: { path: 'x', content: 'x' } }))
  expect(write.report).toMatchObject({ kind: 'refused', refusal: { code: 'tool-not-allowed' } })
  expect(must(await scout.command('leave', { answer: 'it pours' }))).toMatchObject({
    turn: seat.turn,
    peripheral: 'explore',
    fruit: { steps: 2, found: ['README.md'] },
  })
  expect(must(await scout.command('leave', {}))).toEqual({ turn: null, peripheral: null, fruit: null })

  // When the verdict comes does not matter, only that it does.
  const isVerdict = (line: string) => line === 'bellhop/house verified'
  await eventually('the stop to be verified', async () => (await chainOf(house, session)).some(isVerdict))
  expect((await chainOf(house, session)).filter((line) => !isVerdict(line))).toEqual([
    'scout/agent session-opened',
    'scout/agent accepted',
    'scout/agent turn-started',
    'scout/agent peripheral-started',
    'scout/agent step-intended',
    'scout/agent step-ended',
    'scout/agent step-refused',
    'scout/agent peripheral-stopped',
    'scout/agent turn-ended',
  ])
  for (const chain of [session, 'room-lobby', 'house']) {
    expect(must(await people(house).ask('verify', { session: chain }))).toMatchObject({ ok: true })
  }
})

test('a hop changes the wall within the turn', async () => {
  await using house = await startTestHouse()
  const scout = await agentOf(house)
  must(await scout.command('start', {}))
  must(await scout.command('act', READ))
  expect(must(await scout.command('hop', { to: 'edit' })).report).toMatchObject({ kind: 'ok' })
  expect(must(await scout.ask('seat'))).toMatchObject({ peripheral: 'edit', active: true })
  const change = { path: 'README.md', old: 'It pours.', new: 'It pours well.' }
  expect(must(await scout.command('act', { tool: 'edit', args: change })).report).toMatchObject({ kind: 'ok' })
  must(await scout.command('leave', {}))
})

test('a hop leads where the token names, and nowhere else, whatever other tokens of the agent name', async () => {
  await using house = await startTestHouse()
  const narrow = await agentOf(house, agentGrant({ peripherals: ['explore', 'test'] }))
  await agentOf(house)
  must(await narrow.command('start', {}))
  must(await narrow.command('act', READ))
  expect(must(await narrow.command('hop', { to: 'edit' })).report).toEqual({
    kind: 'refused',
    refusal: refusal('hop-refused', 'scout cannot inhabit edit; it can explore, test'),
  })
  expect(must(await narrow.ask('seat'))).toMatchObject({ peripheral: 'explore', active: true })
})

test('an agent is let into what its token names, and into nothing of people’s', async () => {
  await using house = await startTestHouse()
  const scout = await agentOf(house, agentGrant({ peripherals: ['explore'] }))
  expect(await scout.command('start', { peripheral: 'edit' })).toEqual(
    refused(refusal('peripheral-not-inhabited', 'scout cannot inhabit edit; it can explore')),
  )
  const forPeople = [
    await scout.ask('evidence', {}),
    await scout.ask('tokens'),
    await scout.command('approve', { approval: 'k7f2q' }),
    await scout.command('mode', { to: 'discuss' }),
  ]
  expect(forPeople.map((answer) => (answer.ok ? answer : answer.refusal.code))).toEqual(
    forPeople.map(() => 'grant-exceeded'),
  )
  expect(await people(house).command('start', {})).toEqual(
    refused(refusal('agents-only', expect.stringContaining('for agents') as unknown as string)),
  )
  const elsewhere = await scout.say({ room: 'quiet', text: 'hello' })
  expect(elsewhere).toEqual(refused(refusal('grant-exceeded', 'the token is for the room lobby, and not for quiet')))
})

test('a token opens what it names, though a newer one of the same agent names more', async () => {
  await using house = await startTestHouse()
  const narrow = await agentOf(house, agentGrant({ peripherals: ['explore'] }))
  await agentOf(house)
  expect(await narrow.command('start', { peripheral: 'edit' })).toEqual(
    refused(refusal('peripheral-not-inhabited', 'scout cannot inhabit edit; it can explore')),
  )
})

test('an agent gives nobody work behind a wall that it may not stand behind itself', async () => {
  await using house = await startTestHouse()
  const narrow = await agentOf(house, agentGrant({ peripherals: ['explore'] }))
  expect(await narrow.say({ room: 'lobby', text: '/edit @codex create x.txt' })).toEqual(
    refused(refusal('grant-exceeded', 'scout cannot inhabit edit, and so gives nobody work there')),
  )
  expect(must(await narrow.say({ room: 'lobby', text: '/explore @codex read README.md' })).assignments).toHaveLength(1)
})

test('a token does nothing behind a wall that another token of the same agent went behind', async () => {
  await using house = await startTestHouse()
  const wide = await agentOf(house)
  const narrow = await agentOf(house, agentGrant({ peripherals: ['explore'] }))
  const viewer = await agentOf(house, agentGrant({ role: 'viewer' }))
  must(await wide.command('start', { peripheral: 'edit' }))
  const write = { tool: 'write', args: { path: 'x.txt', text: 'x' } }
  expect(await narrow.command('act', write)).toEqual(
    refused(refusal('grant-exceeded', 'the token is for explore, and scout is in edit')),
  )
  expect(await viewer.command('act', write)).toEqual(
    refused(refusal('grant-exceeded', 'the turn was begun by a token of the role operator; this one is viewer')),
  )
  expect(must(await wide.command('act', write)).report).toMatchObject({ kind: 'ok' })
})

test('work that an agent gives leads no further than its token, and breaks nobody’s chain', async () => {
  await using house = await startTestHouse()
  const narrow = await agentOf(house, agentGrant({ peripherals: ['explore'] }))
  const receipt = must(await narrow.say({ room: 'lobby', text: '/explore @codex read README.md, then hop to edit' }))
  const { turn, session } = receipt.assignments[0] ?? { turn: '', session: '' }
  await eventually('the turn to end', () => house.store.get(`${turn}.ended`))
  expect(must(await people(house).ask('verify', { session }))).toMatchObject({ ok: true })
  const hops = (await house.store.chain(session)).flatMap(({ body }) =>
    body.event === 'step-refused' && body.call.tool === 'hop' ? [body.refusal.message] : [],
  )
  expect(hops).toEqual(['codex-1 cannot inhabit edit; it can explore'])
})

test('an agent that starts twice at once starts once, and is not locked out', async () => {
  await using house = await startTestHouse()
  const scout = await agentOf(house)
  const started = await Promise.all([1, 2, 3, 4].map(() => scout.command('start', {})))
  expect(started.map((answer) => (answer.ok ? 'started' : answer.refusal.code)).sort()).toEqual([
    'peripheral-active',
    'peripheral-active',
    'peripheral-active',
    'started',
  ])
  must(await scout.command('act', READ))
  must(await scout.command('leave', {}))
  must(await scout.command('start', {}))
})

test('work that an agent gave itself in the room is the first thing it does', async () => {
  await using house = await startTestHouse()
  const scout = await agentOf(house)
  const { assignments } = must(await scout.say({ room: 'lobby', text: '@scout look at the README' }))
  expect(must(await scout.command('start', {}))).toMatchObject({ active: true, turn: assignments[0]?.turn })
})

test('an agent that leaves while it waits for a person is gone at once, and the call with it', async () => {
  await using house = await startTestHouse()
  const scout = await agentOf(house)
  const { turn } = must(await scout.command('start', { peripheral: 'edit' }))
  const escalate = { why: 'the registry is elsewhere' }
  const waiting = scout.command('act', { tool: 'run', args: { argv: ['cargo', 'fetch'], escalate }, step: 'fetch' })
  await eventually('a person to be asked', () => house.store.get(`${turn}.fetch.approval`))
  expect(must(await scout.command('leave', { answer: 'not now' }))).toMatchObject({ turn, peripheral: 'edit' })
  expect(await waiting).toMatchObject({ ok: true, value: { report: { kind: 'refused' } } })
  expect((await house.store.get(`${turn}.ended`))?.body).toMatchObject({ outcome: 'done', answer: 'not now' })
  expect(must(await people(house).ask('approvals'))).toEqual({ approvals: [] })
})

test('a seat is kept while a step is under way, however long that takes', async () => {
  await using house = await startTestHouse({
    config: 'doors: { clientMs: 500 }\nlease: { ms: 1000, heartbeatMs: 300 }\n',
    inWorkspace: (path) => writeFileSync(join(path, 'nap.js'), 'setTimeout(() => console.log("rested"), 5000)\n'),
  })
  const scout = await agentOf(house)
  const { turn } = must(await scout.command('start', { peripheral: 'edit' }))
  const acted = must(await scout.command('act', { tool: 'run', args: { argv: ['node', 'nap.js'] }, step: 'nap' }))
  expect([acted.report.kind, (await house.store.turn(turn ?? ''))?.status]).toEqual(['ok', 'running'])
})

test('an exit that is checked for long is waited for, and the check is not stopped by whoever asks for it again', async () => {
  await using house = await startTestHouse({ config: 'checks: { tests: [sleep, "20"] }\n' })
  const scout = await agentOf(house)
  const { turn } = must(await scout.command('start', { peripheral: 'edit' }))
  must(await scout.command('act', { tool: 'write', args: { path: 'new.txt', text: 'new' }, step: 'new' }))
  const left = scout.command('leave', { answer: 'it is written' })
  await eventually('the check to begin', () => house.store.get(`${turn}.leave.check-tests.intent`))
  const again = scout.command('leave', { answer: 'it is written' })
  expect(must(await left)).toMatchObject({ turn, fruit: { checks: [{ name: 'tests', ok: true }] } })
  expect(must(await again)).toMatchObject({ turn })
  expect((await house.store.get(`${turn}.ended`))?.body).toMatchObject({ outcome: 'done', answer: 'it is written' })
})

/** A check that goes on until there is a file, in a house that waits for no call at its end; and leases that a test lives to see end. */
const UNTIL_GO = 'drainMs: 1000\nchecks: { tests: [sh, -c, "until [ -e go.txt ]; do sleep 0.1; done"] }\n'
const HASTY = 'doors: { clientMs: 500 }\nlease: { ms: 1000, heartbeatMs: 300 }\n'

const letGo = ({ settings }: TestHouse) => writeFileSync(join(settings.workspace, 'go.txt'), '')

/** Starts to edit, and changes something: the exit is to be checked. */
const startToEdit = async (agent: Awaited<ReturnType<typeof agentOf>>) => {
  const { turn, session } = must(await agent.command('start', { peripheral: 'edit' }))
  must(await agent.command('act', { tool: 'write', args: { path: 'new.txt', text: 'new' }, step: 'new' }))
  return { turn: turn ?? '', session: session ?? '' }
}

const logsOf = ({ settings }: TestHouse): string =>
  readdirSync(join(settings.data, 'log'))
    .map((name) => readFileSync(join(settings.data, 'log', name), 'utf8'))
    .join('')

const beginsToCheck = ({ store }: TestHouse, turn: string) =>
  eventually('the check to begin', () => store.get(`${turn}.leave.check-tests.intent`))

test('a check whose worker has died is waited for no longer than a step of its wall may take', async () => {
  await using house = await startTestHouse({
    config: UNTIL_GO,
    peripherals: { 'edit.yaml': 'narrows: edit\nlimits: { seconds: 1 }\n' },
  })
  const scout = await agentOf(house)
  const { turn, session } = await startToEdit(scout)
  await house.stopWorker()
  // As a worker leaves it that is killed in the middle of a check.
  const call = { tool: 'run', args: { argv: ['sleep', '1'] } }
  const body = { event: 'step-intended', turn, step: `${turn}.leave.check-tests`, call } as const
  const author = { kind: 'agent', id: 'scout', face: 'http', via: null } as const
  const lost = { id: `${body.step}.intent`, session, room: 'lobby', agent: 'scout', author, body, inReplyTo: turn }
  must(await house.store.append([sessionDraft(lost)]))
  const answers: unknown[] = []
  const left = scout.command('leave', { answer: 'it is written' }).then((answer) => answers.push(answer))
  await eventually('an answer', () => answers.length > 0)
  expect(answers).toEqual([refused(refusal('store-failed', 'the peripheral could not be left: no worker answers'))])
  await left
  await house.startWorker()
  expect(must(await scout.command('leave', { answer: 'it is written' }))).toMatchObject({ turn })
  expect((await house.store.get(`${turn}.ended`))?.body).toMatchObject({ outcome: 'done', answer: 'it is written' })
})

test('who leaves and is gone before the exit was checked has left all the same, with what it said', async () => {
  await using house = await startTestHouse({ config: `${HASTY}${UNTIL_GO}` })
  const scout = await agentOf(house)
  const { turn } = await startToEdit(scout)
  const gone = new AbortController()
  const left = fetch(`${house.url}/api/leave`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await house.mint(agentGrant())}`, 'content-type': 'application/json' },
    body: JSON.stringify({ answer: 'it is written' }),
    signal: gone.signal,
  })
  await beginsToCheck(house, turn)
  gone.abort()
  await expect(left).rejects.toThrow('aborted')
  letGo(house)
  const ended = await eventually('the turn to end', () => house.store.get(`${turn}.ended`))
  expect(ended.body).toMatchObject({ outcome: 'done', answer: 'it is written' })
})

test('while the exit of a lapsed seat is checked others are ended, and nothing is said to have failed', async () => {
  await using house = await startTestHouse({ config: `${HASTY}${UNTIL_GO}` })
  const { turn } = await startToEdit(await agentOf(house))
  await beginsToCheck(house, turn)
  const finder = await agentOf(house, agentGrant({ agent: 'finder', type: 'finder' }))
  const other = must(await finder.command('start', {})).turn
  const closed = { outcome: 'cancelled', answer: 'its connection was closed' }
  const ended = await eventually('the other turn to end', () => house.store.get(`${other}.ended`))
  expect(ended.body).toMatchObject(closed)
  expect(await house.store.get(`${turn}.ended`)).toBeNull()
  letGo(house)
  expect((await eventually('the turn to end', () => house.store.get(`${turn}.ended`))).body).toMatchObject(closed)
  expect((await house.store.get(`${turn}.stopped`))?.body).toMatchObject({
    fruit: { checks: [{ name: 'tests', ok: true }] },
  })
  expect(logsOf(house)).not.toContain('a turn could not be ended')
})

test('a person stops also a turn whose exit is being checked', async () => {
  await using house = await startTestHouse({ config: `${HASTY}${UNTIL_GO}` })
  const { turn } = await startToEdit(await agentOf(house))
  await beginsToCheck(house, turn)
  must(await people(house).command('stop', { agent: 'scout', why: 'enough' }))
  const ended = await eventually('the turn to end', () => house.store.get(`${turn}.ended`))
  expect(ended.body).toMatchObject({ outcome: 'cancelled' })
  expect((await house.store.get(`${turn}.leave.check-tests.outcome`))?.body).toMatchObject({
    outcome: { kind: 'failed' },
  })
})

test('a step whose name is too long is refused, and nothing waits for it', async () => {
  await using house = await startTestHouse()
  const scout = await agentOf(house, agentGrant({ agent: 'a'.repeat(32), type: 'a'.repeat(32) }))
  expect(await scout.command('act', { ...READ, step: 's'.repeat(64) })).toEqual(
    refused(refusal('arguments-invalid', 'the name of the step is too long: give it a shorter one, or none')),
  )
})

test('what an agent says to nobody is for nobody: two of them cannot talk for ever', async () => {
  await using house = await startTestHouse()
  const scout = await agentOf(house)
  expect(must(await scout.say({ room: 'lobby', text: 'good morning' })).assignments).toEqual([])
  expect(must(await people(house).say({ room: 'lobby', text: 'good morning' })).assignments).toHaveLength(1)
})

test('a token that was revoked or is past its time lets nobody in', async () => {
  await using house = await startTestHouse()
  const token = await house.mint(agentGrant())
  const late = await house.mint(agentGrant(), '2020-01-01T00:00:00.000Z')
  const scout = createClient({ url: house.url, token })
  must(await scout.ask('seat'))
  const [row] = must(await people(house).ask('tokens')).tokens
  must(await people(house).command('revoke', { token: row?.token ?? '', why: 'lost' }))
  const nobody = refused(refusal('unauthenticated', 'no token, or not one of this instance'))
  expect(await scout.ask('seat')).toEqual(nobody)
  expect(await createClient({ url: house.url, token: late }).ask('seat')).toEqual(nobody)
})

test('a person’s token has the role it was made with', async () => {
  await using house = await startTestHouse()
  const viewer = createClient({
    url: house.url,
    token: await house.mint({ kind: 'person', name: 'bob', role: 'viewer' }),
  })
  expect(await viewer.ask('whoami')).toEqual(ok(whoami({ name: 'bob', role: 'viewer', face: 'api', via: null })))
  must(await viewer.ask('evidence', {}))
  expect(await viewer.say({ room: 'lobby', text: '@claude read README.md' })).toEqual(
    refused(refusal('role-too-low', expect.stringContaining('operator') as unknown as string)),
  )
})

test('a seat that nobody keeps is given up once, and says why', async () => {
  await using house = await startTestHouse()
  const scout = await agentOf(house)
  const { session, turn } = must(await scout.command('start', {}))
  // The gateway goes down, and comes up on another that knows nothing of the seat; Redis has let it go.
  await house.stopGateway()
  await house.redis.redis.flushall()
  await house.startGateway()
  await eventually('the turn to end', async () => (await house.store.turn(turn ?? ''))?.status === 'cancelled')
  const chain = await house.store.chain(session ?? '')
  const stops = chain.flatMap(({ body }) => (body.event === 'peripheral-stopped' ? [body.reason] : []))
  expect(stops).toEqual(['connection-closed'])
  expect(must(await scout.ask('seat'))).toMatchObject({ active: false })
})

test('a person can stop what an agent with a token is at', async () => {
  await using house = await startTestHouse()
  const scout = await agentOf(house)
  const { turn } = must(await scout.command('start', {}))
  must(await people(house).command('stop', { agent: 'scout', why: 'enough' }))
  await eventually('the turn to end', async () => (await house.store.turn(turn ?? ''))?.status === 'cancelled')
  expect((await house.store.get(`${turn}.ended`))?.body).toMatchObject({ answer: expect.stringContaining('enough') })
})
