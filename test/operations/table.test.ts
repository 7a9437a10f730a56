import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type ReadName } from '../../src/client/client.ts'
import { BELLHOP, houseDraft, roomDraft, sessionDraft, undertakingDraft } from '../../src/evidence/drafts.ts'
import { hashOfToken } from '../../src/evidence/tokens.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { inputFrom, words } from '../../src/operations/parse.ts'
import { commands, operations, spoken } from '../../src/operations/table.ts'
import { approvalName } from '../../src/peripherals/approvals.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { OWNER, startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { ADA, CLAUDE, must } from '../support/store.ts'
import { UNDERTAKEN } from '../support/undertakings.ts'
import { WALLS, whoami } from '../support/whoami.ts'

let house: TestHouse

/** Names in examples that stand for something: what is there instead. */
const REAL: Record<string, string> = {
  '01hxyz.claude-1.ended': 'first.receipt',
  '01hxyz.claude-1': 'first.receipt',
  '01hxyz': 'first',
  'about=01hxyz': 'about=first',
  's-01hxyz': 's-n',
  'amend 01hxyz.claude-1': 'queued.claude-1',
  'unqueue 01hxyz.claude-1': 'queued.claude-1',
  'm-01hxyz.codex-1.3': 'written.codex-1.0',
  'ack kqzfm': 'bcdfg',
  'approve kqzfm': approvalName('yes.claude-1.0'),
  'deny kqzfm': approvalName('no.claude-1.0'),
  'more 01hxyz.claude-1.ended': 'written.codex-1.ended',
}

beforeAll(async () => {
  house = await startTestHouse({
    config: NETWORK,
    inWorkspace: (folder) => {
      mkdirSync(join(folder, 'missions'))
      writeFileSync(join(folder, 'missions/M-retry.md'), '# M-retry: Try again\n\n- [ ] once more\n')
    },
  })
  const token = await house.mint({ kind: 'person', name: 'bob', role: 'viewer' })
  REAL['3f9c1a22b0de'] = hashOfToken(token).slice(0, 12)
  const { output } = must(await client().command('new', {}))
  const thread = output?.thread.id ?? ''
  REAL['t-01hxyz'] = thread
  REAL['turn=01hxyz.claude-1'] = 'turn=forked.claude-1'
  must(await client().say({ id: 'forked', room: thread, text: 'read README.md' }))
  must(await client().say({ id: 'first', room: 'quiet', text: 'good morning' }))
  must(await house.store.append([sessionDraft({ ...SESSION, id: 's-n.opened', author: ADA, body: OPENED })]))
  must(await house.store.append([roomDraft({ id: 'page-1', room: 'quiet', author: BELLHOP, body: PAGED })]))
  const problem = { undertaking: 'P-sum', n: 1, room: 'quiet', agent: 'codex-1', author: CLAUDE }
  must(await house.store.append([undertakingDraft({ ...problem, body: UNDERTAKEN['undertaking-opened'] })]))
  must(await house.store.append([houseDraft('tool.docs.1', SEEN, []), houseDraft('pair.1', PAIRED, [], ADA)]))
  const use = (tool: string, args: object) => `use ${tool} ${JSON.stringify(args)}`
  const escalated = use('run', { argv: ['cargo', 'fetch'], escalate: { why: 'it is an example' } })
  const file = use('write', { path: 'new.txt', text: 'new' })
  must(await client().say({ id: 'written', room: 'quiet', text: `/edit @codex ${file}` }))
  must(await client().say({ id: 'yes', room: 'quiet', text: `/edit @claude ${escalated}` }))
  must(await client().say({ id: 'no', room: 'lobby', text: `/edit @claude ${escalated}` }))
  await eventually('a file to be written', () => house.store.get('written.codex-1.ended'))
  await eventually('a person to be asked', () => house.store.get('yes.claude-1.0.approval'))
  await eventually('a person to be asked', () => house.store.get('no.claude-1.0.approval'))
  // It waits for as long as the one before it waits for a person.
  must(await client().say({ id: 'queued', room: 'quiet', text: '@claude read README.md' }))
})
afterAll(() => house[Symbol.asyncDispose]())

const client = () => createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })

const SESSION = { session: 's-n', room: 'quiet', agent: 'codex-1' }
const SEEN = { event: 'tool-seen', server: 'docs', tool: 'search', nth: 1, described: '{}', hash: 'x' } as const
const PAGED = {
  event: 'paged',
  page: 'page-1',
  name: 'bcdfg',
  agent: 'claude-1',
  turn: 'yes.claude-1',
  why: 'nothing was heard for long',
  until: '2026-01-02T03:04:05.000Z',
} as const
const PAIRED = { event: 'paired', person: 'grace', role: 'operator', identity: 'libera/ada' } as const
/** A network that nobody answers on: what is asked here does not need it. */
const NETWORK = `
tickle: { on: false }
networks:
  libera: { kind: irc, host: 127.0.0.1, port: 1, tls: false, channels: { '#porch': porch } }
`
const OPENED = { event: 'session-opened', agent: 'codex-1', room: 'quiet' } as const

/** A row's own example, as the words after its name. */
const exampleOf = ({ name, example }: Operation): string[] => {
  const [first, ...rest] = words(example)
  expect(first).toBe(name)
  return rest.map((word) => REAL[`${name} ${word}`] ?? REAL[word] ?? word)
}

describe('every row can be asked', () => {
  test.each(commands.filter(({ reads }) => reads).map((row) => [row.name, row] as const))(
    '%s, at its address: the answer has the declared shape',
    async (name, row) => {
      const input = must(inputFrom(row, exampleOf(row)))
      const answer = must(await client().ask(name as ReadName, input))
      expect(row.output.parse(answer)).toEqual(answer)
    },
  )

  // In the order of the table: whoever works by hand starts before they take a step.
  const run = spoken.filter(({ gives }) => !gives)
  test.each(run.map((row) => [row.name, row] as const))('%s, as a command in a room', async (name, row) => {
    const id = `command-${name}`
    const receipt = must(await client().say({ id, room: 'quiet', text: `/${name} ${exampleOf(row).join(' ')}` }))
    expect(receipt).toEqual({
      message: id,
      room: 'quiet',
      mode: 'coordination',
      assignments: [],
      answer: expect.any(String),
      ...(row.whisper ? { whisper: expect.any(String) } : {}),
    })
    expect(receipt.answer).not.toBe('')
    expect(await house.store.get(`${id}.receipt`)).toMatchObject({
      body: { event: 'answered', operation: name, answer: receipt.answer },
    })
  })

  const given = spoken.filter(({ gives }) => gives !== undefined)
  test.each(given.map((row) => [row.name, row] as const))('%s, as work for an agent', async (name, row) => {
    const id = `command-${name}`
    const receipt = must(await client().say({ id, room: 'quiet', text: `/${name} ${exampleOf(row).join(' ')}` }))
    const { agent, peripheral } = row.gives?.(must(inputFrom(row, exampleOf(row)))) ?? {}
    expect(receipt).toEqual({
      message: id,
      room: 'quiet',
      mode: 'action',
      assignments: [
        {
          turn: `${id}.${agent}-1`,
          session: expect.any(String),
          agent: `${agent}-1`,
          peripheral: peripheral ?? 'explore',
        },
      ],
      answer: null,
    })
  })
})

test.each(operations.filter(({ reads }) => !reads).map(({ name }) => name))(
  '%s changes something, and so cannot be asked for by GET',
  async (name) => {
    expect(await client().ask(name as ReadName)).toEqual({
      ok: false,
      refusal: refusal('route-unknown', `there is nothing at GET /api/${name}`),
    })
  },
)

test('there are no two rows of one name, and none has the name of another address', () => {
  const rows = operations.flatMap(({ name, also = [] }) => [name, ...also])
  const names = [...rows, 'say', 'follow', 'tail', 'items', 'export', 'docs', 'openapi.json']
  expect(names).toEqual([...new Set(names)])
})

test('there are no two commands of one name, also of those that they have in chat alone', () => {
  const rows = spoken.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  // What is carried on behind a wall may be asked for by its name: `/mission @claude …` is work, the rest is asked.
  const shared = ['mission', 'proof']
  const names = [...rows, ...WALLS.filter((wall) => !shared.includes(wall))]
  expect(names).toEqual([...new Set(names)])
  expect(rows.filter((name) => WALLS.includes(name))).toEqual(shared)
})

test('what guests may ask only looks, but for the code by which they are somebody', () => {
  expect(spoken.filter(({ open }) => open).map(({ name, reads }) => [name, reads])).toEqual([
    ['help', true],
    ['who', true],
    ['whoami', true],
    ['pair', false],
    ['more', true],
  ])
})

test('the help has a line for every row that is for people, and for every peripheral', async () => {
  const { operations: lines } = must(await client().ask('help'))
  const names = [...WALLS, ...spoken.map(({ name }) => name)]
  expect(lines.map(({ name }) => name).sort()).toEqual(names.sort())
})

test('who asks is filled in by the face, whatever the input says', async () => {
  expect(must(await client().ask('whoami'))).toEqual(whoami({ name: OWNER, role: 'admin', face: 'cli', via: null }))
  expect(await client().ask('whoami', { name: 'root' } as never)).toEqual({
    ok: false,
    refusal: refusal('command-invalid', 'there is no "name" here; usage: /whoami'),
  })
})
