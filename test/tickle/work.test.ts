import { expect, test } from 'vitest'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import { nextWorkId } from '../../src/tickle/work.ts'
import { must } from '../support/store.ts'
import { openStage, type Stage } from './stage.ts'

/** What was given out, in order: which, for what, and to whom. */
const givings = async (stage: Stage): Promise<string[]> =>
  (await stage.entries('work-given')).map(({ body }) =>
    body.event === 'work-given' ? `${body.work} ${body.phase} ${body.round} ${body.agent}` : '',
  )

const turnOf = async (stage: Stage, work: string): Promise<string> => (await stage.work(work)).given?.turn ?? ''

/** Whoever has it does it, and says something. */
const finishes = async (
  stage: Stage,
  work: string,
  answer: string,
  outcome: 'done' | 'failed' | 'cancelled' = 'done',
) => {
  const turn = await turnOf(stage, work)
  await stage.starts(turn)
  await stage.ends(turn, answer, outcome)
  await stage.tick()
}

const APPROVE = 'it is right\nVERDICT: APPROVE'
const CHANGES = 'the test is missing\nVERDICT: REQUEST-CHANGES'

test('work is given out, reviewed by another, sent back with what the review says, and reported once it is approved', async () => {
  await using stage = await openStage()
  expect(must(await stage.says('/work add fix the lease')).answer).toBe('w-1 [open] fix the lease')
  await stage.tick()
  await finishes(stage, 'w-1', 'I fixed it')
  await finishes(stage, 'w-1', CHANGES)
  await finishes(stage, 'w-1', 'now with a test')
  await finishes(stage, 'w-1', APPROVE)
  expect(await givings(stage)).toEqual([
    'w-1 work 1 codex-1',
    'w-1 review 1 claude-1',
    'w-1 work 2 codex-1',
    'w-1 review 2 claude-1',
  ])
  const asked = (await stage.entries('accepted')).map(({ id, body, author }) => [
    id,
    body.event === 'accepted' && body.peripheral,
    body.event === 'accepted' && body.role,
    author.id,
    author.via,
  ])
  expect(asked).toEqual([
    ['tickle-w-1-1.codex-1', 'edit', 'admin', 'ada', 'tickle-1'],
    ['tickle-w-1-2.claude-1', 'explore', 'admin', 'ada', 'tickle-1'],
    ['tickle-w-1-4.codex-1', 'edit', 'admin', 'ada', 'tickle-1'],
    ['tickle-w-1-5.claude-1', 'explore', 'admin', 'ada', 'tickle-1'],
  ])
  expect(await stage.posts()).toEqual([
    '03:04 ada: /work add fix the lease',
    '03:04 bellhop: w-1 [open] fix the lease',
    '03:04 ada: w-1 for codex-1: fix the lease',
    '03:04 ada: codex-1 has it, in edit',
    '03:04 codex-1: is at work',
    '03:04 codex-1: I fixed it',
    '03:04 ada: w-1 to be reviewed by claude-1: fix the lease',
    '03:04 ada: claude-1 has it, in explore',
    '03:04 claude-1: is at work',
    `03:04 claude-1: ${CHANGES}`,
    '03:04 ada: w-1 for codex-1, round 2: fix the lease',
    '03:04 ada: codex-1 has it, in edit',
    '03:04 codex-1: is at work',
    '03:04 codex-1: now with a test',
    '03:04 ada: w-1 to be reviewed by claude-1, round 2: fix the lease',
    '03:04 ada: claude-1 has it, in explore',
    '03:04 claude-1: is at work',
    `03:04 claude-1: ${APPROVE}`,
    '03:04 tickle-1: w-1 is done: fix the lease (claude-1 approves, in round 2)',
  ])
  expect(await stage.work('w-1')).toMatchObject({ state: 'done', round: 2 })
  expect(await verifyChain(stage.store, 'room-lobby')).toMatchObject({ ok: true, violations: [] })
  expect(await verifyChain(stage.store, 'house')).toMatchObject({ ok: true, violations: [] })
})

test('what the worker is asked has the review, and what the reviewer is asked the two lines it may end with', async () => {
  await using stage = await openStage()
  must(await stage.says('/work add fix the lease mission=M-lease'))
  await stage.tick()
  await finishes(stage, 'w-1', 'I fixed it\n  in two lines')
  await finishes(stage, 'w-1', CHANGES)
  const requests = (await stage.entries('accepted')).map(({ body }) => (body.event === 'accepted' ? body.request : ''))
  expect(requests).toEqual([
    'fix the lease\nThis is w-1 of the work queue, for the mission M-lease.',
    [
      'Review w-1: fix the lease',
      'codex-1 worked on it in the turn tickle-w-1-1.codex-1. Look at what is there by now, and whether it is what was wanted.',
      'What codex-1 says of it:',
      '> I fixed it',
      '>   in two lines',
      'Say what you found. The last line of your answer is exactly one of these two, and the other stands nowhere:',
      'VERDICT: APPROVE',
      'VERDICT: REQUEST-CHANGES',
    ].join('\n'),
    [
      'fix the lease',
      'This is w-1 of the work queue, for the mission M-lease.',
      'It was reviewed; this is round 2. The review says:',
      '> the test is missing',
      '> VERDICT: REQUEST-CHANGES',
    ].join('\n'),
  ])
})

test('what matters more comes first, then what is older; what comes after something waits for that to be done', async () => {
  await using stage = await openStage({ config: { workers: ['codex'] } })
  for (const line of ['one priority=low', 'two', 'three priority=high after=w-2', 'four', 'five priority=high'])
    must(await stage.says(`/work add ${line}`))
  await stage.tick()
  expect(await givings(stage)).toEqual(['w-5 work 1 codex-1', 'w-2 work 1 codex-2'])
  await finishes(stage, 'w-2', 'done')
  await finishes(stage, 'w-2', APPROVE)
  await finishes(stage, 'w-5', 'done')
  expect((await givings(stage)).slice(2)).toEqual([
    'w-2 review 1 claude-1',
    'w-4 work 1 codex-2',
    'w-5 review 1 claude-1',
    'w-3 work 1 codex-1',
  ])
  expect(must(await stage.says('/work')).answer).toBe(
    [
      'w-1 [open, low] one',
      'w-3 [working, high, codex-1] three',
      'w-4 [working, codex-2] four',
      'w-5 [reviewing, high, claude-1] five',
    ].join('\n'),
  )
})

test('it is given to whoever is named, and to nobody who is busy or not ready', async () => {
  await using stage = await openStage()
  must(await stage.says('/edit @codex-2 something else'))
  await stage.becomes('codex-1', 'registered')
  must(await stage.says('/work add one'))
  must(await stage.says('/work add two agent=claude-1 reviewer=codex-2'))
  await stage.tick()
  expect(await givings(stage)).toEqual(['w-2 work 1 claude-1'])
  await stage.becomes('codex-1', 'ready')
  await finishes(stage, 'w-2', 'done')
  expect(await givings(stage)).toEqual(['w-2 work 1 claude-1', 'w-1 work 1 codex-1'])
  await stage.starts('m1.codex-2')
  await stage.ends('m1.codex-2', 'done')
  await stage.tick()
  expect((await givings(stage)).at(-1)).toBe('w-2 review 1 codex-2')
})

test.each([
  ['both verdicts', `${CHANGES}\n${APPROVE}`],
  ['neither', 'I cannot APPROVE this'],
])('a verdict that is not clear is asked for once more, then it is for a person: %s', async (_name, answer) => {
  await using stage = await openStage()
  must(await stage.says('/work add one'))
  await stage.tick()
  await finishes(stage, 'w-1', 'done')
  await finishes(stage, 'w-1', answer)
  expect(await stage.work('w-1')).toMatchObject({ state: 'reviewing', unclear: 1, round: 1 })
  await finishes(stage, 'w-1', answer)
  expect(await stage.work('w-1')).toMatchObject({ state: 'people' })
  expect((await stage.posts()).at(-1)).toBe(
    '03:04 tickle-1: w-1 waits for a person: the verdict of claude-1 is not clear: /work judge w-1 approve|changes WHY',
  )
  expect(must(await stage.says('/work judge w-1 changes name the file')).answer).toBe(
    'w-1 [open, round 2] one: name the file',
  )
  await stage.tick()
  await finishes(stage, 'w-1', 'done')
  await finishes(stage, 'w-1', APPROVE)
  expect(await stage.work('w-1')).toMatchObject({ state: 'done', round: 2 })
})

test('one that is paused is given nothing, and what is meant for it waits until it goes on', async () => {
  await using stage = await openStage()
  must(await stage.says('/pause codex-1 the branch is frozen'))
  must(await stage.says('/work add one'))
  must(await stage.says('/work add two agent=codex-1'))
  await stage.tick()
  expect(await givings(stage)).toEqual(['w-1 work 1 codex-2'])
  must(await stage.says('/resume codex-1'))
  await stage.tick()
  expect(await givings(stage)).toEqual(['w-1 work 1 codex-2', 'w-2 work 1 codex-1'])
})

test('changes go back as often as the config has it, then it is for a person, who may approve it', async () => {
  await using stage = await openStage({ config: { rounds: 1 } })
  must(await stage.says('/work add one'))
  await stage.tick()
  for (let round = 1; round <= 2; round++) {
    await finishes(stage, 'w-1', 'done')
    await finishes(stage, 'w-1', CHANGES)
  }
  expect((await stage.posts()).at(-1)).toBe(
    '03:04 tickle-1: w-1 waits for a person: claude-1 wants changes after 2 rounds: /work judge w-1 approve|changes WHY',
  )
  must(await stage.says('/work judge w-1 approve it is good enough'))
  await stage.tick()
  expect((await stage.posts()).at(-1)).toBe('03:04 tickle-1: w-1 is done: one (it is good enough, in round 2)')
})

test('work that fails comes back and is tried again, three times; then it is for a person, who may want it tried afresh', async () => {
  await using stage = await openStage()
  must(await stage.says('/work add one'))
  await stage.tick()
  for (let n = 0; n < 4; n++) await finishes(stage, 'w-1', 'no', 'failed')
  expect((await stage.posts()).filter((post) => post.includes('tickle-1: '))).toEqual([
    '03:04 tickle-1: w-1 is back in the queue: codex-1 failed (try 1 of 3)',
    '03:04 tickle-1: w-1 is back in the queue: codex-1 failed (try 2 of 3)',
    '03:04 tickle-1: w-1 is back in the queue: codex-1 failed (try 3 of 3)',
    '03:04 tickle-1: w-1 waits for a person: codex-1 failed, after 3 more tries: /work retry w-1 or /work drop w-1',
  ])
  must(await stage.says('/work retry w-1'))
  await stage.tick()
  await finishes(stage, 'w-1', 'done')
  expect(await stage.work('w-1')).toMatchObject({ state: 'reviewing', tries: 0 })
})

test('a review that fails is asked for again, and the work is not done again for that', async () => {
  await using stage = await openStage()
  must(await stage.says('/work add one'))
  await stage.tick()
  await finishes(stage, 'w-1', 'done')
  await finishes(stage, 'w-1', 'no', 'failed')
  await finishes(stage, 'w-1', APPROVE)
  expect(await givings(stage)).toEqual(['w-1 work 1 codex-1', 'w-1 review 1 claude-1', 'w-1 review 1 claude-1'])
  expect(await stage.work('w-1')).toMatchObject({ state: 'done' })
})

test('what a person stops is not begun again by itself', async () => {
  await using stage = await openStage()
  must(await stage.says('/work add one'))
  await stage.tick()
  await finishes(stage, 'w-1', 'stopped', 'cancelled')
  await stage.pass(60)
  expect(await givings(stage)).toEqual(['w-1 work 1 codex-1'])
  expect(await stage.work('w-1')).toMatchObject({ state: 'people', why: 'somebody stopped codex-1' })
})

test('the work of one that is gone for long goes to another, and its turn does not go on when it is back', async () => {
  await using stage = await openStage()
  must(await stage.says('/work add one'))
  await stage.tick()
  await stage.starts('tickle-w-1-1.codex-1')
  await stage.pass(1)
  await stage.becomes('codex-1', 'lapsed')
  await stage.pass(9)
  expect(await givings(stage)).toEqual(['w-1 work 1 codex-1'])
  await stage.pass(1)
  expect(await givings(stage)).toEqual(['w-1 work 1 codex-1', 'w-1 work 1 codex-2'])
  expect(await stage.store.get('tickle-w-1-1.codex-1.stop')).toMatchObject({
    author: { kind: 'person', id: 'ada', via: 'tickle-1' },
    body: { event: 'stop-asked', why: 'w-1 was handed on' },
  })
  expect((await stage.posts()).filter((post) => post.includes('tickle-1: ') || post.includes('is lapsed'))).toEqual([
    '03:05 bellhop: codex-1 is lapsed',
    '03:15 tickle-1: w-1 is back in the queue: codex-1 is gone (try 1 of 3)',
  ])
})

test('one that is back in time keeps its work', async () => {
  await using stage = await openStage()
  must(await stage.says('/work add one'))
  await stage.tick()
  await stage.starts('tickle-w-1-1.codex-1')
  await stage.becomes('codex-1', 'lapsed')
  await stage.pass(9)
  await stage.becomes('codex-1', 'ready')
  await stage.does('tickle-w-1-1.codex-1', 'on it')
  await stage.pass(9)
  expect(await givings(stage)).toEqual(['w-1 work 1 codex-1'])
})

test.each([
  ['before it was asked for', 'message'],
  ['after it was asked for', 'tickle-cycled'],
])('a process that ends when it has given work out does not give it out twice: %s', async (_name, event) => {
  await using stage = await openStage()
  must(await stage.says('/work add one'))
  const { append } = stage.store
  let dead = false
  stage.store.append = async (drafts, ...rest) => {
    if (drafts.some(({ body }) => body.event === event)) dead = true
    if (dead) throw new Error('killed')
    return append(drafts, ...rest)
  }
  await stage
    .rounds()
    .tick()
    .catch(() => null)
  stage.store.append = append
  stage.restart()
  await stage.tick()
  await stage.pass(5)
  expect(await givings(stage)).toEqual(['w-1 work 1 codex-1'])
  expect((await stage.entries('accepted')).map(({ id }) => id)).toEqual(['tickle-w-1-1.codex-1'])
})

test('work that cannot be asked for here is for a person, with the reason', async () => {
  await using stage = await openStage()
  must(await stage.says('/mode diagnose'))
  must(await stage.says('/work add one'))
  await stage.tick()
  expect((await stage.posts()).at(-1)).toBe(
    '03:04 tickle-1: w-1 waits for a person: codex-1 could not be asked: lobby is in diagnose; edit needs execute: ' +
      '/work retry w-1 or /work drop w-1',
  )
})

test('work is done in the role of whoever added it, and no higher', async () => {
  await using stage = await openStage()
  must(await stage.says('/work add one', 'token-of-bob'))
  expect(await stage.says('/work add two', 'token-of-eve')).toMatchObject({ refusal: { code: 'role-too-low' } })
  await stage.tick()
  const [accepted] = await stage.entries('accepted')
  expect(accepted).toMatchObject({ author: { id: 'bob', via: 'tickle-1' }, body: { role: 'operator' } })
})

test('whoever has a lower role than it was added with says nothing of how it goes on, and may drop it', async () => {
  await using stage = await openStage()
  must(await stage.says('/work add one'))
  await stage.tick()
  await finishes(stage, 'w-1', '', 'cancelled')
  const answers: unknown[] = []
  for (const text of ['judge w-1 changes push it', 'judge w-1 approve', 'retry w-1', 'drop w-1']) {
    const said = await stage.says(`/work ${text}`, 'token-of-bob')
    answers.push(said.ok ? said.value.answer : `${said.refusal.code}: ${said.refusal.message}`)
  }
  const low = 'role-too-low: to say how w-1 goes on needs the role admin; you are operator'
  expect(answers).toEqual([low, low, low, 'w-1 [dropped] one: bob dropped it'])
})

test('what cannot be is refused, and says why', async () => {
  await using stage = await openStage()
  must(await stage.says('/work add one'))
  const said = async (text: string) => {
    const answer = await stage.says(text)
    return answer.ok ? answer.value.answer : `${answer.refusal.code}: ${answer.refusal.message}`
  }
  expect([
    await said('/work add'),
    await said('/work add two after=w-9'),
    await said('/work add two agent=nobody'),
    await said('/work add two agent=codex-1 reviewer=codex-1'),
    await said('/work show w-9'),
    await said('/work judge w-1 maybe'),
    await said('/work judge w-1 approve'),
    await said('/work retry w-1'),
    await said('/work from-github'),
    await said('/work drop w-1 not needed'),
    await said('/work drop w-1'),
    await said('/work'),
  ]).toEqual([
    'command-invalid: say what is to be done: /work add TITLE',
    'work-unknown: there is no w-9 that it could come after',
    'agent-unknown: there is no agent nobody; there is claude-1, codex-1, codex-2, tickle-1',
    'command-invalid: codex-1 cannot review its own work: name another reviewer',
    'work-unknown: there is no w-9',
    'command-invalid: usage: /work judge w-1 approve|changes WHY',
    'work-refused: w-1 is open: that cannot be done to it now',
    'work-refused: w-1 is open: that cannot be done to it now',
    'command-invalid: say which: /work from-github repository=OWNER/NAME [label=…]',
    'w-1 [dropped] one: not needed',
    'work-refused: w-1 is dropped: that cannot be done to it now',
    'there is no work',
  ])
})

test('issues and the boxes of missions become work once, however often they are looked for', async () => {
  const issues = async (repository: string, label: string | null) =>
    label === 'bug'
      ? ok([7, 9].map((n) => ({ from: `github:${repository}#${n}`, title: `issue ${n}`, text: 'it **breaks**' })))
      : refused(refusal('source-missing', 'gh is not signed in'))
  const boxesOf = async (mission: string) => ok([{ from: `${mission}#1`, title: 'first box', text: '' }])
  await using stage = await openStage()
  const { contextFor } = stage.social
  stage.social.contextFor = (person, room) => {
    const context = contextFor(person, room)
    return { ...context, tickle: { ...context.tickle, issues, boxesOf } }
  }
  const said = async (text: string) => {
    const answer = await stage.says(text)
    return answer.ok ? answer.value.answer : answer.refusal.message
  }
  expect([
    await said('/work from-github repository=acme/teapot label=bug priority=high'),
    await said('/work from-github repository=acme/teapot label=bug'),
    await said('/work from-github repository=acme/teapot'),
    await said('/work from-mission M-tea'),
    await said('/work from-mission M-tea'),
  ]).toEqual([
    '2 pieces of work from acme/teapot\nw-1 [open, high] issue 7\nw-2 [open, high] issue 9',
    '0 pieces of work from acme/teapot',
    'gh is not signed in',
    '1 piece of work from the mission M-tea\nw-3 [open] first box',
    '0 pieces of work from the mission M-tea',
  ])
  expect(await stage.work('w-3')).toMatchObject({ mission: 'M-tea', from: 'M-tea#1' })
})

test('the same line twice adds one piece of work, and two at once have numbers of their own', async () => {
  await using stage = await openStage()
  await Promise.all(Array.from({ length: 5 }, (_, i) => stage.says(`/work add number ${i}`)))
  const added = (await stage.entries('work-added')).map(({ body }) => (body.event === 'work-added' ? body.work : ''))
  expect([...added].sort()).toEqual(['w-1', 'w-2', 'w-3', 'w-4', 'w-5'])
  expect(nextWorkId([await stage.work('w-5'), await stage.work('w-2')])).toBe('w-6')
})
