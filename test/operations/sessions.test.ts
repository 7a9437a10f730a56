import { describe, expect, test } from 'vitest'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Context } from '../../src/operations/operation.ts'
import { sessions } from '../../src/operations/sessions.ts'
import type { Draft } from '../../src/shapes/evidence.ts'
import { ADA, must, sessionOfOneStep, testStore } from '../support/store.ts'

type Answer = { sessions: Record<string, unknown>[]; next: string | null }

const ask = async (store: Store, input: Record<string, unknown> = {}): Promise<Answer> =>
  must(await sessions.run(sessions.input.parse(input), { store } as Context)) as Answer

const opened = (session: string, room: string, agent: string): Draft =>
  sessionDraft({
    id: `${session}.opened`,
    session,
    room,
    agent,
    author: ADA,
    body: { event: 'session-opened', agent, room },
  })

const AT = '2026-01-02T03:04:05.000Z'
const LATER = '2026-01-02T03:05:05.000Z'
const fresh = { open: true, peripheral: null, began: LATER, last: LATER, entries: 1, turns: 0, turn: null }

/** A session with a turn, and later three of others. */
const filled = async () => {
  const house = await testStore()
  must(await house.store.append(sessionOfOneStep()))
  house.clock.now += 60_000
  const others = [opened('s-2', 'lobby', 'codex-1'), opened('s-3', 'den', 'codex-1'), opened('s-4', 'den', 'claude-1')]
  must(await house.store.append(others))
  return house
}

describe('sessions', () => {
  test('are told with when they were, how long they are, and what was asked last', async () => {
    await using house = await filled()
    const { sessions: all, next } = await ask(house.store)
    const chain = await house.store.chain('s-1')
    expect([all, next]).toEqual([
      [
        { id: 's-4', room: 'den', agent: 'claude-1', ...fresh },
        { id: 's-3', room: 'den', agent: 'codex-1', ...fresh },
        { id: 's-2', room: 'lobby', agent: 'codex-1', ...fresh },
        {
          id: 's-1',
          room: 'lobby',
          agent: 'claude-1',
          open: true,
          peripheral: null,
          began: AT,
          last: chain.at(-1)?.at,
          entries: chain.length,
          turns: 1,
          turn: { status: 'done', request: 'read README.md' },
        },
      ],
      null,
    ])
  })

  test.each([
    [{ agent: 'codex-1' }, ['s-3', 's-2'], null],
    [{ room: 'den' }, ['s-4', 's-3'], null],
    [{ room: 'den', agent: 'codex-1' }, ['s-3'], null],
    [{ open: 'false' }, [], null],
    [{ open: 'true', limit: 2 }, ['s-4', 's-3'], 's-3'],
    [{ before: 's-3', limit: 1 }, ['s-2'], 's-2'],
    [{ before: 's-2' }, ['s-1'], null],
  ])('that match %j are %j', async (input, ids, next) => {
    await using house = await filled()
    const answer = await ask(house.store, input)
    expect([answer.sessions.map(({ id }) => id), answer.next]).toEqual([ids, next])
  })
})
