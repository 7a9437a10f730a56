import { BELLHOP, sessionDraft } from '../../src/evidence/drafts.ts'
import { openStore } from '../../src/evidence/store.ts'
import type { Author, Body, Draft } from '../../src/shapes/evidence.ts'
import { ADA, CLAUDE, must } from '../support/store.ts'

const DAY_MS = 86_400_000
/** How many turns each of the last days had, the oldest first: some are quiet. */
const TURNS = [3, 5, 2, 0, 1, 6, 8, 4, 7, 0, 2, 9, 6, 5]

const REQUESTS = ['where is the retry logic?', 'who uses withRetry?', 'read src/retry.js', 'find TODOs in src']

/** What was done before today, as it would be written: turns with a step and what a model took for them. */
export const writeHistory = async (url: string): Promise<void> => {
  let now = 0
  const store = await openStore({ url, clock: () => now })
  for (const [day, turns] of TURNS.entries()) {
    now = Date.now() - (TURNS.length - day) * DAY_MS
    if (turns > 0) must(await store.append(dayOf(`s-0-${String(day).padStart(2, '0')}`, turns)))
  }
  await store.close()
}

const dayOf = (session: string, turns: number): Draft[] => {
  const put = (id: string, author: Author, body: Body): Draft =>
    sessionDraft({ session, room: 'quiet', agent: 'claude-1', id, author, body, tags: ['mission/M-retry'] })
  const turnOf = (n: number): Draft[] => {
    const turn = `${session}-${n}.claude-1`
    const step = `${turn}.0`
    const paths = ['src/retry.js']
    const request = REQUESTS[n % REQUESTS.length] ?? ''
    const asked = { agent: 'claude-1', room: 'quiet', peripheral: 'explore', request } as const
    const failed = n % 5 === 4
    return [
      put(turn, ADA, { event: 'accepted', ...asked }),
      put(`${turn}.started`, CLAUDE, { event: 'turn-started', turn }),
      put(`${step}.intent`, CLAUDE, {
        event: 'step-intended',
        turn,
        step,
        call: { tool: 'read', args: { path: 'src/retry.js' } },
      }),
      put(`${step}.outcome`, CLAUDE, {
        event: 'step-ended',
        turn,
        step,
        tool: 'read',
        outcome: { kind: 'ok', output: 'export const MAX_ATTEMPTS = 3\n', paths, cut: null },
      }),
      put(`${turn}.usage-0`, BELLHOP, {
        event: 'usage-noted',
        turn,
        model: 'claude-sonnet-4',
        usage: { input: 9000 + 700 * n, cached: 4000, written: 0, output: 800 + 90 * n, reasoning: 0 },
        usd: 0.04 + 0.01 * n,
        person: 'ada',
      }),
      put(`${turn}.ended`, CLAUDE, {
        event: 'turn-ended',
        turn,
        outcome: failed ? 'failed' : 'done',
        answer: failed ? 'the model could not be reached' : 'It tries three times.',
      }),
    ]
  }
  return [
    put(`${session}.opened`, ADA, { event: 'session-opened', agent: 'claude-1', room: 'quiet' }),
    ...Array.from({ length: turns }, (_, n) => turnOf(n)).flat(),
    put(`${session}.closed`, BELLHOP, { event: 'session-closed', reason: 'the day was over' }),
  ]
}
