import type { BulletinSettings } from '../../src/shapes/bulletin.ts'
import type { Situation } from '../../src/shapes/situation.ts'
import { BULLETINS } from '../support/social.ts'

/** A room where nothing goes on, at a time; a test says what is different. */
export const calm = (part: Partial<Situation> = {}): Situation => ({
  room: 'lobby',
  at: '2026-01-02T09:00:00.000Z',
  agents: [agent('claude-1')],
  work: { running: 0, queued: 0, waiting: 0, stuck: 0 },
  approvals: [],
  budgets: [],
  missions: { open: [], done: [] },
  ended: { since: null, done: 0, failed: 0, cancelled: 0 },
  more: { agents: 0, approvals: 0, budgets: 0, missions: 0 },
  ...part,
})

type Agent = Situation['agents'][number]

export const agent = (id: string, part: Partial<Agent> = {}): Agent => ({
  id,
  readiness: 'ready',
  doing: null,
  waiting: 0,
  gone: false,
  ...part,
})

export const approval = (part: Partial<Situation['approvals'][number]> = {}): Situation['approvals'][number] => ({
  approval: 'kqzfm',
  agent: 'codex-1',
  opens: 'run git push',
  asked: '2026-01-02T08:50:00.000Z',
  until: '2026-01-02T09:20:00.000Z',
  late: false,
  ...part,
})

export const budget = (part: Partial<Situation['budgets'][number]> = {}): Situation['budgets'][number] => ({
  agent: 'claude-1',
  of: 'day',
  unit: 'tokens',
  state: 'near',
  says: 'claude-1 has used 850 of the 1,000 tokens of its day',
  ...part,
})

export const settings = (part: Partial<BulletinSettings> = {}): BulletinSettings => ({ ...BULLETINS, ...part })
