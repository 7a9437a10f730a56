import { expect, test } from 'vitest'
import { type Due, dueIn, type Last } from '../../src/bulletins/due.ts'
import type { BulletinSettings } from '../../src/shapes/bulletin.ts'
import type { Situation } from '../../src/shapes/situation.ts'
import { agent, approval, budget, calm, settings } from './situations.ts'

const NIGHT = { quiet: { from: '22:00', to: '07:00' } }
const NEAR = { about: 'budget', text: 'budget near: claude-1 has used 850 of the 1,000 tokens of its day' }
const SPENT = { about: 'budget', text: 'budget spent: claude-1 has used 850 of the 1,000 tokens of its day' }
const LATE = {
  about: 'approval',
  text: 'half of its time is over: codex-1 waits for a person: kqzfm, to run git push; /approve kqzfm or /deny kqzfm',
}
const GONE = { about: 'agent', text: 'codex-1 is lost, and 2 turns wait for it' }
const DONE = { about: 'mission', text: 'mission done: The retries (m-1)' }

const RETRIES = { id: 'm-1', title: 'The retries', status: 'in-progress' as const }
const AT_WORK = { agents: [agent('claude-1', { doing: 'read it' })] }
const ENDED = { ended: { since: '2026-01-02T08:00:00.000Z', done: 1, failed: 0, cancelled: 0 } }

const lastAt = (at: string, part: Partial<Last> = {}): Last => ({
  at: `2026-01-02T${at}:00.000Z`,
  slot: null,
  held: [],
  situation: calm(),
  ...part,
})

type Case = {
  settings?: Partial<BulletinSettings>
  last: Last | null
  now: string
  situation?: Partial<Situation>
  due: Due | null
}

const due = (kind: Due['kind'], told: unknown[], part: Partial<Due> = {}): Due =>
  ({ kind, slot: null, told, held: [], ...part }) as Due

const cases: Record<string, Case> = {
  'the first is posted at once': { last: null, now: '09:17', due: due('scheduled', []) },
  'the first waits until the quiet hours are over': { settings: NIGHT, last: null, now: '23:00', due: null },
  'nothing is due where nothing changed and there is no schedule': { last: lastAt('08:00'), now: '09:00', due: null },
  'the schedule says what is new': {
    settings: { at: ['09:00'] },
    last: lastAt('08:00'),
    now: '09:00',
    situation: AT_WORK,
    due: due('scheduled', [], { slot: '2026-01-02 09:00' }),
  },
  'the schedule says nothing where nothing is new': {
    settings: { at: ['09:00'] },
    last: lastAt('08:00'),
    now: '09:00',
    due: null,
  },
  'that a turn has ended since is new, though all is calm again': {
    settings: { at: ['09:00'] },
    last: lastAt('08:00'),
    now: '09:00',
    situation: ENDED,
    due: due('scheduled', [], { slot: '2026-01-02 09:00' }),
  },
  'a time of the schedule is served once': {
    settings: { at: ['09:00'] },
    last: lastAt('09:00', { slot: '2026-01-02 09:00' }),
    now: '09:05',
    situation: AT_WORK,
    due: null,
  },
  'the schedule has what changed, too, and it is not said twice': {
    settings: { every: '1h' },
    last: lastAt('08:00'),
    now: '09:00',
    situation: { budgets: [budget()] },
    due: due('scheduled', [NEAR], { slot: '2026-01-02T09:00:00.000Z' }),
  },
  'what changed is said without a schedule': {
    last: lastAt('08:00'),
    now: '09:17',
    situation: { budgets: [budget()] },
    due: due('change', [NEAR]),
  },
  'all that changed is one post': {
    last: lastAt('08:00', { situation: calm({ missions: { open: [RETRIES], done: [] } }) }),
    now: '09:17',
    situation: {
      approvals: [approval({ late: true })],
      agents: [agent('codex-1', { readiness: 'lapsed', waiting: 2, gone: true })],
      missions: { open: [], done: ['m-1'] },
      budgets: [budget({ state: 'spent' })],
    },
    due: due('change', [LATE, GONE, DONE, SPENT]),
  },
  'what changed shortly after the last one is gathered': {
    last: lastAt('09:00'),
    now: '09:00',
    situation: { budgets: [budget()] },
    due: null,
  },
  'what was told before is not told again': {
    last: lastAt('08:00', { situation: calm({ budgets: [budget()], approvals: [approval({ late: true })] }) }),
    now: '09:17',
    situation: { budgets: [budget()], approvals: [approval({ late: true })] },
    due: null,
  },
  'a budget that is near and then spent is told twice': {
    last: lastAt('08:00', { situation: calm({ budgets: [budget()] }) }),
    now: '09:17',
    situation: { budgets: [budget({ state: 'spent' })] },
    due: due('change', [SPENT]),
  },
  'an approval that is asked for is not told of: that is a post of its own': {
    last: lastAt('08:00'),
    now: '09:17',
    situation: { approvals: [approval()] },
    due: null,
  },
  'in quiet hours nothing is said, by the schedule or because something changed': {
    settings: { ...NIGHT, every: '1h' },
    last: lastAt('01:00'),
    now: '02:00',
    situation: { ...AT_WORK, budgets: [budget()] },
    due: null,
  },
  'in quiet hours an approval that waits is said, and the rest is kept back': {
    settings: NIGHT,
    last: lastAt('01:00', { held: [DONE as Due['held'][number]] }),
    now: '02:00',
    situation: { budgets: [budget()], approvals: [approval({ late: true })] },
    due: due('change', [LATE], { held: [DONE, NEAR] as Due['held'] }),
  },
  'when they are over, all that was kept back is one digest': {
    settings: { ...NIGHT, at: ['07:00'] },
    last: lastAt('02:00', { held: [DONE as Due['held'][number]] }),
    now: '07:00',
    situation: { budgets: [budget()] },
    due: due('digest', [DONE, NEAR], { slot: '2026-01-02 07:00' }),
  },
  'a night in which turns ended is worth a digest': {
    settings: NIGHT,
    last: lastAt('02:00'),
    now: '07:20',
    situation: ENDED,
    due: due('digest', []),
  },
  'a night in which nothing happened is not': { settings: NIGHT, last: lastAt('02:00'), now: '07:00', due: null },
  'there is one digest of a night': {
    settings: NIGHT,
    last: lastAt('07:00'),
    now: '07:20',
    situation: ENDED,
    due: null,
  },
  'what was kept back is told as well where nobody was up when the night was over': {
    settings: NIGHT,
    last: lastAt('02:00', { held: [DONE as Due['held'][number]] }),
    now: '11:00',
    due: due('change', [DONE]),
  },
}

test.each(Object.entries(cases))('%s', (_name, { settings: part = {}, last, now, situation = {}, due: expected }) => {
  const time = Date.parse(`2026-01-02T${now}:30.000Z`)
  expect(dueIn({ settings: settings(part), last, situation: calm(situation), now: time })).toEqual(expected)
})

test('a mission that began and ended between two looks is told; one of many that are long done is not', () => {
  const many = Array.from({ length: 200 }, (_, i) => `m-${1000 + i}`)
  const look = (before: string[], after: string[]) =>
    dueIn({
      settings: settings(),
      last: lastAt('08:00', { situation: calm({ missions: { open: [], done: before } }) }),
      situation: calm({ missions: { open: [], done: after } }),
      now: Date.parse('2026-01-02T09:00:00.000Z'),
    })?.told.map(({ text }) => text)
  expect([look([], ['m-7']), look(many, ['m-0999', ...many, 'm-1200'])]).toEqual([
    ['mission done: m-7'],
    ['mission done: m-1200'],
  ])
})
