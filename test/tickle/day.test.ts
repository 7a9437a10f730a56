import { expect, test } from 'vitest'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { killed, liveThrough, type Script, says } from './day.ts'
import { POSTS } from './day-posts.ts'

const MISSIONS = ['M-01', 'M-02', 'M-03', 'M-04', 'M-05', 'M-06', 'M-07', 'M-08']

const BOTH = 'VERDICT: APPROVE\nor rather\nVERDICT: REQUEST-CHANGES'

/** Ten missions, three agents; stalls, deaths, restarts in the middle of a page, contradictory verdicts. */
const DAY: Script = {
  minutes: {
    1: says(
      ...MISSIONS.map((mission) => `/work from-mission ${mission}`),
      '/work from-mission M-09 priority=low after=w-1',
      '/work from-mission M-10 priority=high',
    ),
    // w-3 is silent from 12 on, w-4 from 13 on: both are paged; the process is killed at one page, and restarted after the other.
    22: killed,
    25: async (stage) => stage.restart(),
    // One dies in the middle of w-7, for longer than it is waited for; another for less.
    35: (stage) => stage.becomes('codex-2', 'lapsed'),
    42: (stage) => stage.becomes('claude-1', 'lapsed'),
    46: (stage) => stage.becomes('claude-1', 'ready'),
    60: (stage) => stage.becomes('codex-2', 'ready'),
    110: says('/work judge w-6 approve both of it is fine'),
  },
  turns: {
    'w-2 review 1': { says: 'a test is missing\nVERDICT: REQUEST-CHANGES' },
    'w-3 work 1': { heard: [11], takes: 13 },
    'w-4 work 1': { takes: 18 },
    'w-5 review 1': { says: BOTH },
    'w-6 review 1': { says: BOTH },
    'w-6 review 2': { says: 'I cannot APPROVE this' },
    'w-7 work 1': { heard: [4, 8, 12, 16], takes: 20 },
    'w-8 work 1': { says: 'no space left', outcome: 'failed' },
  },
}

test('a day with ten missions is told in few posts, the right ones, in order; and the rest of it is quiet', async () => {
  await using stage = await liveThrough(DAY, 600)
  expect(await stage.posts()).toEqual(POSTS)
  const events = ['paged', 'steered', 'page-acknowledged', 'page-escalated', 'work-ended']
  expect(await Promise.all(events.map(stage.count))).toEqual([2, 2, 2, 1, 10])
  expect((await stage.entries('tickle-cycled')).at(-1)?.at.slice(11, 16)).toBe('04:54')
  expect(await verifyChain(stage.store, 'room-lobby')).toMatchObject({ ok: true, violations: [] })
  expect(await verifyChain(stage.store, 'house')).toMatchObject({ ok: true, violations: [] })
})
