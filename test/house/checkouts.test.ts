import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { openWorkshop } from '../peripherals/workshop.ts'
import { startTestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis } from '../support/redis.ts'
import { must } from '../support/store.ts'
import { git } from '../workspace/shadow-folders.ts'

const CONFIG = `
agents:
  - { id: claude-1, type: claude, runner: rehearsal, peripheral: edit }
  - { id: codex-1, type: codex, runner: rehearsal, peripheral: edit, worktree: true }
  - { id: codex-2, type: codex, runner: rehearsal, peripheral: edit, worktree: true }
`

test('two agents work in checkouts of their own; what they did is merged, reported where it collides, and undone', async () => {
  await using house = await startTestHouse({ config: CONFIG })
  const { workspace } = house.settings
  const user = async (...args: string[]) => (await git(workspace, ...args)).stdout
  const client = createClient({ url: house.url, token: house.tokens.operator, face: 'cli' })
  const say = async (id: string, text: string) => must(await client.say({ id, room: 'lobby', text }))
  const ask = async (id: string, text: string) => (await say(id, text)).answer?.split('\n') ?? []
  const answerOf = async (turn: string) => {
    const ended = await eventually(`${turn} to end`, () => house.store.get(`${turn}.ended`))
    return ended.body.event === 'turn-ended' ? ended.body.answer : ''
  }
  const use = async (id: string, agent: string, tool: string, args: object) => {
    await say(id, `@${agent} use ${tool} ${JSON.stringify(args)}`)
    return answerOf(`${id}.${agent}`)
  }
  const here = (name: string) => readFileSync(join(workspace, name), 'utf8')

  // Without a repository there is nothing to check out, and so it is not ready: nothing is done in the workspace instead.
  const early = await client.say({ id: 'early', room: 'lobby', text: '@codex-1 read README.md' })
  expect(early.ok ? '' : early.refusal.message).toContain('the workspace is no git repository of its own')
  await user('init', '--quiet')
  await user('add', '--all')
  await user('commit', '--quiet', '--message', 'first')

  await eventually('both to be ready', async () => {
    const { agents } = must(await client.ask('who'))
    return agents.every(({ readiness }) => readiness === 'ready')
  })

  const edit = (to: string) => ({ path: 'README.md', old: '# teapot', new: `# ${to}` })
  await use('one', 'codex-1', 'edit', edit('one'))
  expect(await use('look', 'codex-1', 'run', { argv: ['git', 'status', '--short'] })).toContain(' M README.md')
  // In another checkout nobody holds it.
  await use('two', 'codex-2', 'edit', edit('two'))
  expect(here('README.md')).toBe('# teapot\n\nIt pours.\n')
  const [first = '', ...rows] = await ask('checkouts', '/checkouts')
  expect([first.replace(/^codex-1: at [0-9a-f]{12}, (.*); .*$/, '$1'), rows[0]]).toEqual([
    '1 file not merged',
    '  changed README.md +1 -1',
  ])
  expect(await ask('holds', '/holds')).toEqual([
    expect.stringMatching(/^codex-1:README\.md: codex-1, until /),
    expect.stringMatching(/^codex-2:README\.md: codex-2, until /),
  ])

  expect(await ask('merge-1', '/merge codex-1')).toEqual([
    'merged what codex-1 did: 1 file, and committed nothing',
    '  changed README.md +1 -1',
  ])
  expect([here('README.md'), await user('status', '--porcelain')]).toEqual(['# one\n\nIt pours.\n', ' M README.md'])
  expect(await ask('merge-2', '/merge codex-2')).toEqual([
    'nothing was merged:',
    '  README.md was changed on both sides, in the same place',
    'what codex-2 did is the commit refs/bellhop/codex-2: git can merge it, too',
  ])
  expect(await ask('undo', '/undo codex-1')).toEqual([
    expect.stringMatching(/^put back the merge \S+ of codex-1: 1 file$/),
    '  changed README.md +1 -1',
  ])
  expect(here('README.md')).toBe('# teapot\n\nIt pours.\n')
  expect((await ask('merge-3', '/merge codex-2'))[0]).toBe('merged what codex-2 did: 1 file, and committed nothing')

  // Who has nothing of its own left begins with what is committed.
  writeFileSync(join(workspace, 'new.txt'), 'new\n')
  await user('add', '--all')
  await user('commit', '--quiet', '--message', 'second')
  expect(await use('fresh', 'codex-2', 'read', { path: 'new.txt' })).toContain('new')
  expect(await use('stale', 'codex-1', 'read', { path: 'new.txt' })).toContain('there is no file new.txt')
  // What was verified, was verified where it was done.
  for (const turn of ['one.codex-1', 'two.codex-2'])
    await eventually(`${turn} to be verified`, async () => {
      const verified = await house.store.get(`${turn}.stopped.verified`)
      return verified?.body.event === 'verified' && verified.body.ok
    })
  const session = (await house.store.openSession('lobby', 'codex-1'))?.id ?? ''
  expect(must(await client.ask('verify', { session, files: true }))).toMatchObject({ ok: true })
  expect(existsSync(join(house.settings.data, 'checkouts'))).toBe(true)
})

test('nothing that reaches the whole machine is run for an agent that works in a checkout', async () => {
  await using redis = await startTestRedis()
  await using it = await openWorkshop(redis)
  const place = { workspace: { root: it.root, offLimits: [] }, shadow: it.shadow, of: 'codex-1' }
  const command = { argv: ['git', 'push'], rule: null, sandbox: 'full', network: false } as never
  const spec = [...it.specs.values()][0]
  const around = { spec, place, signal: new AbortController().signal, said: () => {} } as never
  await expect(it.workshop.sandbox.execute(command, around)).rejects.toThrow(
    'codex-1 works in a checkout of its own, and nothing is committed, pushed or deployed from there',
  )
})
