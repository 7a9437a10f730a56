import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { converse } from '../../src/client/converse.ts'
import { focusOf } from '../../src/evidence/focus.ts'
import { todosIn } from '../../src/evidence/todos.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { templateOf } from '../../src/tools/mc-new.ts'
import { OWNER, startTestHouse, type TestHouse } from '../support/gateway.ts'
import { must } from '../support/store.ts'

let house: TestHouse

const MISSIONS: Record<string, string> = {
  'M-pour': '# M-pour: Pour without a drip\n\nStatus: in-progress\nOwner: ada\n\n- [x] find the drip\n- [ ] stop it\n',
  'M-sugar': '# M-sugar: Sugar\n\nStatus: ready\nBlocked by: M-pour\n',
  'M-milk': '# M-milk: Milk\n\nStatus: dnoe\n',
}

beforeAll(async () => {
  house = await startTestHouse({
    inWorkspace: (folder) => {
      mkdirSync(join(folder, 'missions'))
      for (const [id, text] of Object.entries(MISSIONS)) writeFileSync(join(folder, 'missions', `${id}.md`), text)
    },
  })
})
afterAll(() => house[Symbol.asyncDispose]())

const client = () => createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })

/** What a line is answered by the agent that it went to. */
const ask = async (text: string, room = 'quiet'): Promise<string> => {
  const { replies } = must(await converse(client(), { room, text }, AbortSignal.timeout(20_000)))
  return replies.map((reply) => reply.text).join('\n')
}

/** What a line is refused with. */
const refusedWith = async (text: string, room = 'quiet'): Promise<string> => {
  const said = await client().say({ room, text })
  return said.ok ? 'not refused' : `${said.refusal.code}: ${said.refusal.message}`
}

const number = async (event: string): Promise<number> => must(await house.store.count({ event }))

const COMPLAINT =
  'missions/M-milk.md:3: says the status "dnoe", which is none; write ready, in-progress, blocked, complete or deferred (did you mean done?)'

describe('mission control', () => {
  test('says how it stands, in lines that a channel can read', async () => {
    expect(await ask('/mc')).toBe(
      [
        'Mission control: 1 session (1 active)',
        'Agents: claude-1 ready, codex-1 ready, tickle-1 ready',
        'Queue: 0 running, 0 waiting',
        'Approvals: none wait',
        'Missions: 3 (1 in-progress, 1 blocked, 1 unknown)',
      ].join('\n'),
    )
  })

  test('lists missions by how they stand without writing anything down, and has nothing to compare yet', async () => {
    expect(await ask('/mc missions')).toBe(
      [
        '[in-progress] (1): M-pour',
        '[blocked] (1): M-sugar',
        '[unknown] (1): M-milk',
        'Complaints:',
        `  ${COMPLAINT}`,
      ].join('\n'),
    )
    expect(await number('portfolio-reviewed')).toBe(0)
    expect(await ask('/mc diff')).toBe(
      'Not enough review history: there is no review yet. Say /mc review, and again later.',
    )
  })

  test('reviews the portfolio, and what it found is evidence of its step', async () => {
    expect(await ask('/mc review')).toBe(
      [
        'Portfolio: 3 missions (1 in-progress, 1 blocked, 1 unknown).',
        'Coverage: 0 of 3 have evidence of work (0%). Drift: 1. Complaints: 1.',
        'Actionable items: 1',
        '  M-pour [in-progress]: unlocks 1 mission (+10), is begun (+6), 1 of 2 boxes are done (+5)',
        'Drift:',
        '  M-pour says in-progress, and the evidence has no work on it',
        'Complaints:',
        `  ${COMPLAINT}`,
      ].join('\n'),
    )
    const found = must(await house.store.query({ event: 'portfolio-reviewed' })).entries
    expect(found.map(({ id, inReplyTo, author, body }) => [id, inReplyTo, author.id, body])).toEqual([
      [
        expect.stringMatching(/\.tickle-1\.0\.portfolio$/),
        expect.stringMatching(/\.tickle-1\.0\.intent$/),
        'tickle-1',
        {
          event: 'portfolio-reviewed',
          turn: expect.stringMatching(/\.tickle-1$/),
          step: expect.stringMatching(/\.tickle-1\.0$/),
          snapshot: {
            missions: [
              { id: 'M-milk', status: 'unknown', boxes: { done: 0, total: 0 }, turns: 0, drift: [] },
              {
                id: 'M-pour',
                status: 'in-progress',
                boxes: { done: 1, total: 2 },
                turns: 0,
                drift: ['says in-progress, and the evidence has no work on it'],
              },
              { id: 'M-sugar', status: 'blocked', boxes: { done: 0, total: 0 }, turns: 0, drift: [] },
            ],
            complaints: 1,
          },
        },
      ],
    ])
    expect(await ask('/mc diff')).toBe(
      'Not enough review history: there is one review. Say /mc review again, then /mc diff.',
    )
  })

  test('compares the last two reviews', async () => {
    const path = join(house.settings.workspace, 'missions/M-pour.md')
    writeFileSync(path, readFileSync(path, 'utf8').replace('- [ ]', '- [x]').replace('in-progress', 'done'))
    await ask('/mc review')
    expect(await ask('/mc diff')).toBe(
      [
        'Portfolio diff (since last review):',
        '  ~ M-pour [in-progress → complete] boxes 1/2 → 2/2',
        '  ~ M-sugar [blocked → ready]',
        '  Summary: 3 missions (was 3)',
      ].join('\n'),
    )
    writeFileSync(path, MISSIONS['M-pour'] ?? '')
    expect(await ask('/mc next')).toBe(
      'Next:\n  1. M-pour [in-progress]: unlocks 1 mission (+10), is begun (+6), 1 of 2 boxes are done (+5)',
    )
  })

  test('says the right usage where it does not know what is meant', async () => {
    expect(await refusedWith('/mc reviw')).toBe(
      'command-invalid: action: expected status, review, missions, coverage, next, sessions, diff or watch; usage: /mc [action] [rest]',
    )
    expect(await ask('/mission-control @tickle mc dance')).toBe(
      'I do not understand "mc dance"; say /mc status, review, missions, coverage, next, sessions, diff, or watch on, off or default',
    )
    expect(await ask('/mc watch maybe')).toBe(
      'I do not understand "mc watch maybe"; say /mc status, review, missions, coverage, next, sessions, diff, or watch on, off or default',
    )
  })

  test('turns the bulletins of a room on and off, once', async () => {
    const set = async () =>
      must(await house.store.query({ event: 'room-set', order: 'oldest' })).entries.map(({ body, subject, author }) => [
        subject.id,
        author,
        body,
      ])
    expect([await ask('/mc watch on'), await ask('/mc watch on'), await ask('/mc watch default')]).toEqual([
      'bulletins in quiet: on',
      'bulletins in quiet: on',
      'bulletins in quiet: as the config says',
    ])
    const asker = { kind: 'person', id: OWNER, face: 'cli', via: 'tickle-1' }
    const body = { event: 'room-set', setting: 'bulletins' }
    expect(await set()).toEqual([
      ['quiet', asker, { ...body, to: 'on' }],
      ['quiet', asker, { ...body, to: null }],
    ])
    const { answer } = must(await client().say({ room: 'quiet', text: '/settings bulletins off' }))
    expect(answer).toBe('bulletins is off')
  })
})

describe('what a room works on', () => {
  test('is a mission that it is focused on: work that is asked for there has its tag, and is found by it', async () => {
    expect(await ask('/mission')).toBe('quiet is focused on no mission; say /mission focus M-name')
    expect(await ask('/mission focus m-POUR')).toBe('quiet is focused on M-pour [in-progress]: Pour without a drip')
    await ask('@claude read README.md')
    const tagged = must(await house.store.query({ mission: 'M-pour', order: 'oldest' })).entries
    expect(tagged.map(({ body }) => [body.event, body.event === 'accepted' ? body.request : null])).toEqual([
      ['mission-focused', null],
      ['accepted', 'read README.md'],
    ])
    expect(await ask('/mc coverage M-pour')).toBe(
      'M-pour: 1 turn (1 done, 0 failed), 1 step, 0 files changed, no tests, last just now',
    )
    expect(await ask('/mission show')).toBe(
      [
        'M-pour [in-progress] Pour without a drip (ada)',
        '  missions/M-pour.md: 1 of 2 boxes',
        '  1 turn (1 done, 0 failed), 1 step, 0 files changed, no tests, last just now',
      ].join('\n'),
    )
  })

  test('is what a thread that was begun there works on, until it says otherwise', async () => {
    const { output } = must(await client().command('new', { agent: 'claude-1' }, { room: 'quiet' }))
    const thread = output?.thread.id ?? ''
    expect([await focusOf(house.store, thread), await ask('/mission clear', thread)]).toEqual([
      'M-pour',
      `${thread} is focused on no mission`,
    ])
    expect([await focusOf(house.store, thread), await focusOf(house.store, 'quiet')]).toEqual([null, 'M-pour'])
  })

  test('cannot be what is not there: the nearest names are told', async () => {
    expect(await ask('/mission focus M-puor')).toBe(
      'there is no mission M-puor; did you mean M-pour? [mission-unknown]; say /mc missions for those that there are',
    )
    expect(await ask('/mission show M-elephants')).toBe(
      'there is no mission M-elephants; there is M-milk, M-pour, M-sugar [mission-unknown]; say /mc missions for those that there are',
    )
    expect(await ask('/mission clear')).toBe('quiet is focused on no mission')
  })
})

describe('a new mission', () => {
  const path = (name: string) => join(house.settings.workspace, name)

  test('is made from a template through the gate, can be undone, and its session is within its wall', async () => {
    expect(await ask('/mission new M-tray A tray for the cups')).toBe('Made missions/M-tray.md, 11 lines.')
    expect(readFileSync(path('missions/M-tray.md'), 'utf8')).toBe(templateOf('M-tray', 'A tray for the cups', 'nobody'))
    const session = (await house.store.openSession('quiet', 'tickle-1'))?.id ?? ''
    const steps = must(await house.store.query({ session, tool: 'mc-new', event: 'step-intended' })).entries
    expect(steps.map(({ body }) => body.event === 'step-intended' && [body.reads, body.writes])).toEqual([
      [['missions/M-tray.md'], ['missions/M-tray.md']],
    ])
    const { answer } = must(await client().say({ room: 'quiet', text: '/undo tickle-1' }))
    expect([answer?.split('\n')[0], existsSync(path('missions/M-tray.md'))]).toEqual([
      expect.stringMatching(/^put back turn \S+\.tickle-1 of tickle-1: 1 file$/),
      false,
    ])
    const { verdicts } = must(await client().ask('verify', { session }))
    expect(verdicts.map(({ ok, violations }) => [ok, violations])).toEqual([[true, []]])
  })

  test('never overwrites one, and is a mission in its folder or nothing', async () => {
    symlinkSync('../README.md', path('missions/M-link.md'))
    expect([
      await ask('/mission new M-pour again'),
      await ask('/mission new M-../../x y'),
      await ask('/mission new M-link z'),
      await ask('/mission-control @tickle use mc-new {"path": "elsewhere/M-x.md", "title": "x"}'),
      await ask('/mission-control @tickle use mc-new {"path": "README.md", "title": "x"}'),
    ]).toEqual([
      'missions/M-pour.md is there already: a mission is never overwritten',
      'missions/x.md is not among what mission-control may write; stay inside the scope of the peripheral',
      'README.md is not among what mission-control may write; stay inside the scope of the peripheral',
      expect.stringContaining('missions are in missions, docs/missions, and elsewhere/M-x.md is not'),
      expect.stringContaining('README.md is not among what mission-control may write'),
    ])
    expect(readFileSync(path('missions/M-pour.md'), 'utf8')).toBe(MISSIONS['M-pour'])
  })

  test('is made where files may be changed, and nowhere else', async () => {
    must(await client().say({ room: 'lobby', text: '/mode diagnose' }))
    expect(await ask('/mission new M-tray A tray', 'lobby')).toBe(
      'the room is in diagnose: files are changed in execute, say /mode execute',
    )
    must(await client().say({ room: 'lobby', text: '/mode execute' }))
  })
})

test('what is to be done in a room is numbered in its order, ticked off by number or by words, and never lost', async () => {
  expect([
    await ask('/todo'),
    await ask('/todo add water the plants'),
    await ask('/todo add buy green tea'),
    await ask('/todo add buy milk'),
    await ask('/todo list'),
    await ask('/todo done 1'),
    await ask('/todo done buy'),
    await ask('/todo done GREEN tea'),
    await ask('/todo done 1'),
    await ask('/todo done elephants'),
    await ask('/todo add feed the cat'),
    await ask('/todo'),
  ]).toEqual([
    'Nothing is to be done here.',
    'Added: water the plants (#1)',
    'Added: buy green tea (#2)',
    'Added: buy milk (#3)',
    ['  1. water the plants', '  2. buy green tea', '  3. buy milk'].map((line) => `${line} (by ${OWNER})`).join('\n'),
    'Done: water the plants (#1)',
    `Which of these?\n  2. buy green tea (by ${OWNER})\n  3. buy milk (by ${OWNER})\nSay /todo done and the number.`,
    'Done: buy green tea (#2)',
    'Done before: water the plants (#1)',
    'There is no "elephants" to be done here; say /todo list',
    'Added: feed the cat (#4)',
    `  3. buy milk (by ${OWNER})\n  4. feed the cat (by ${OWNER})`,
  ])
  expect([await ask('/todo', 'lobby'), (await todosIn(house.store, 'quiet')).map(({ n, done }) => [n, done])]).toEqual([
    'Nothing is to be done here.',
    [
      [1, true],
      [2, true],
      [3, false],
      [4, false],
    ],
  ])
})

test('over HTTP, work that a row gives is answered with the assignments', async () => {
  const done = must(await client().command('mc', { action: 'sessions' }, { room: 'quiet' }))
  expect(done.output).toEqual({ assignments: done.receipt.assignments })
  expect(done.receipt.assignments.map(({ agent, peripheral }) => [agent, peripheral])).toEqual([
    ['tickle-1', 'mission-control'],
  ])
})

test('the sessions are listed with how each stands', async () => {
  const lines = (await ask('/mc sessions')).split('\n')
  expect(lines.map((line) => line.replace(/s-\S+?\.\. /, 'S ').replace(/\d+ steps?/, 'N steps'))).toEqual(
    expect.arrayContaining(['  S [active in mission-control] N steps: tickle-1 in quiet']),
  )
})

test('all that was written down of it holds: every chain is whole, and each entry is by whom it may be', async () => {
  const verdicts = await Promise.all((await house.store.chains()).map((chain) => verifyChain(house.store, chain)))
  expect(verdicts.filter(({ ok }) => !ok)).toEqual([])
})
