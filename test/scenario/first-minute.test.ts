import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { converse } from '../../src/client/converse.ts'
import type { BodyOf, Entry, EventName } from '../../src/shapes/evidence.ts'
import { bellhop, pidsOf, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { whoamiText } from '../support/whoami.ts'
import { testWorkspace } from '../support/workspace.ts'

const patience = () => AbortSignal.timeout(60_000)

const nothingRuns = async (data: string) => {
  const parts = await Promise.all(['gateway', 'worker', 'redis-server'].map((part) => pidsOf(data, part)))
  return parts.flat().length === 0
}

test('a newcomer starts it, asks, gets an answer from the files, and leaves nothing running', async () => {
  using workspace = testWorkspace()
  const instance = await startUp({ workspace: workspace.path })
  expect(await (await fetch(`${instance.url}/readyz`)).json()).toEqual({
    ready: true,
    version: '0.1.0',
    up: { redis: 'up', evidence: 'up', 'claude-1': 'ready', 'codex-1': 'ready', 'tickle-1': 'ready' },
    reasons: [],
  })

  const said = await bellhop(['say', '--data', instance.data, 'where is boil defined?', '--json'])
  expect(said.exitCode).toBe(0)
  const { receipt, replies } = JSON.parse(said.stdout)
  expect(receipt).toEqual({
    message: receipt.message,
    room: 'lobby',
    mode: 'action',
    assignments: [
      {
        turn: `${receipt.message}.claude-1`,
        session: expect.stringMatching(/^s-/),
        agent: 'claude-1',
        peripheral: 'explore',
      },
    ],
    answer: null,
  })
  expect(replies.map((reply: { text: string }) => reply.text)).toEqual([
    expect.stringMatching(/rehearsal.*src\/boil\.py:3/s),
  ])

  expect(await instance.stop()).toBe(0)
  expect(instance.output()).toContain('everything that was started has ended')
  expect(await nothingRuns(instance.data)).toBe(true)
})

test('a second start on the same folder brings back what was there', async () => {
  using workspace = testWorkspace()
  const first = await startUp({ workspace: workspace.path })
  const before = must(await converse(first.client, { room: 'lobby', text: '@codex read README.md' }, patience()))
  await first.stop()

  await using second = await startUp({ workspace: workspace.path })
  expect(second.secrets).toEqual(first.secrets)
  const after = must(await converse(second.client, { room: 'lobby', text: '@codex find LIMIT' }, patience()))
  expect(after.receipt.assignments[0]?.session).toBe(before.receipt.assignments[0]?.session)
  const kept = must(
    await second.client.ask('evidence', { tag: ['agent/codex-1'], event: 'turn-ended', order: 'oldest' }),
  )
  expect(kept.entries.map(({ id }) => id)).toEqual(
    [before, after].map(({ receipt }) => `${receipt.assignments[0]?.turn}.ended`),
  )
  expect((await bellhop(['verify', '--all', '--data', second.data])).exitCode).toBe(0)
})

test('whoever kills it outright leaves nothing running either', async () => {
  using workspace = testWorkspace()
  const instance = await startUp({ workspace: workspace.path })
  instance.kill('SIGKILL')
  await instance.ended
  await eventually('everything to end', () => nothingRuns(instance.data))
})

test('an admin may speak as somebody else, and the evidence shows both names', async () => {
  using workspace = testWorkspace()
  await using instance = await startUp({ workspace: workspace.path })
  const said = await bellhop(['say', '--as', 'grace', '--data', instance.data, '/whoami', '--json'])
  const { receipt } = JSON.parse(said.stdout)
  expect(receipt.answer).toBe(whoamiText({ name: 'grace', role: 'admin', face: 'cli', via: userInfo().username }))
  const found = await bellhop(['evidence', '--author', 'grace', '--data', instance.data, '--json'])
  expect(JSON.parse(found.stdout).entries.map((entry: { author: unknown }) => entry.author)).toEqual([
    { kind: 'person', id: 'grace', face: 'cli', via: expect.stringMatching(/^\S+$/) },
  ])
})

test('nobody may speak as an agent', async () => {
  using workspace = testWorkspace()
  await using instance = await startUp({ workspace: workspace.path })
  for (const name of ['claude-1', 'Codex', 'bellhop']) {
    const said = await bellhop(['say', '--as', name, '--data', instance.data, 'hello', '--json'])
    expect(JSON.parse(said.stdout).refusal.code).toBe('impersonation-refused')
  }
})

test('what is refused at the door is evidence too, without what was said', async () => {
  using workspace = testWorkspace()
  await using instance = await startUp({ workspace: workspace.path })
  const post = (body: string, token: string) =>
    fetch(`${instance.url}/api/say`, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } })
  const bodies = [
    JSON.stringify({ text: 'secret words' }),
    'no json',
    '{"text":"secret words","extra":1}',
    'x'.repeat(70_000),
  ]
  const tokens = ['wrong', instance.secrets.operator, instance.secrets.operator, instance.secrets.operator]
  const statuses = []
  for (const [i, body] of bodies.entries()) statuses.push((await post(body, tokens[i] ?? '')).status)
  expect(statuses).toEqual([401, 400, 400, 413])
  const found = await bellhop([
    'evidence',
    '--session',
    'house',
    '--event',
    'refused',
    '--order',
    'oldest',
    '--data',
    instance.data,
    '--json',
  ])
  const { entries } = JSON.parse(found.stdout)
  expect(
    entries.map((entry: { body: { stage: string; refusal: { code: string } } }) => [
      entry.body.stage,
      entry.body.refusal.code,
    ]),
  ).toEqual([
    ['authenticate', 'unauthenticated'],
    ['read', 'request-invalid'],
    ['read', 'request-invalid'],
    ['read', 'request-too-large'],
  ])
  expect(found.stdout).not.toContain('secret words')
})

test('the demo plays three agents into three chains of one store, and leaves nothing', async () => {
  const played = await bellhop(['demo', '--json'])
  expect(played.exitCode).toBe(0)
  const { ok, sessions, chains, verdicts } = JSON.parse(played.stdout)
  expect(ok).toBe(true)
  expect(sessions.map(({ agent }: { agent: string }) => agent)).toEqual(['tickle-1', 'claude-1', 'codex-1'])
  const walls = chains.map((chain: Entry[]) =>
    chain.flatMap(({ body }) => (body.event === 'peripheral-started' ? [body.peripheral] : [])),
  )
  expect(walls).toEqual([['mission-control', 'mission-control'], ['explore'], ['edit', 'test', 'edit']])
  const positions: number[] = chains.flatMap((chain: Entry[]) => chain.map(({ position }) => position))
  expect(new Set(positions).size).toBe(positions.length)
  const reviewed = chains[0].flatMap(({ body }: Entry) => (body.event === 'turn-ended' ? [body.answer] : []))
  expect(reviewed).toEqual([
    'lobby is focused on M-green [in-progress]: Green tea that is not bitter',
    [
      'Portfolio: 3 missions (1 complete, 1 in-progress, 1 blocked).',
      'Coverage: 1 of 3 have evidence of work (33%). Drift: 1. Complaints: 0.',
      'Actionable items: 1',
      '  M-green [in-progress]: unlocks 1 mission (+10), is begun (+6), 1 of 3 boxes are done (+3), 3 turns went into it (+3)',
      'Drift:',
      '  M-retry says complete, and the evidence has no work on it',
    ].join('\n'),
  ])
  const bodies: BodyOf<EventName>[] = chains[2].map(({ body }: Entry) => body)
  const told = bodies.flatMap((body) => {
    if (body.event === 'peripheral-stopped')
      return [[body.peripheral, body.to ?? null, body.fruit.tests?.result ?? null]]
    return body.event === 'step-refused' ? [[body.call.tool, body.refusal.code]] : []
  })
  expect(told).toEqual([
    ['edit', 'test', null],
    ['test', null, 'pass'],
    ['write', 'out-of-scope'],
    ['edit', null, null],
  ])
  expect(new Set(sessions.map(({ session }: { session: string }) => session)).size).toBe(3)
  expect(verdicts.map((verdict: { ok: boolean }) => verdict.ok)).toEqual([true, true, true])
  for (const chain of chains)
    expect(chain.map((entry: { seq: number }) => entry.seq)).toEqual(chain.map((_: unknown, i: number) => i + 1))
  const [, home] = /^bellhop: starting Redis on a socket in (\S+)$/m.exec((await bellhop(['demo'])).stdout) ?? []
  expect(home && existsSync(home)).toBe(false)
})
