import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { scratch } from '../support/folder.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'
import { git } from '../workspace/shadow-folders.ts'

test('an instance that is saved while it runs goes on elsewhere, with an empty Redis: turns, pauses, tokens, settings', async () => {
  using workspace = testWorkspace()
  using out = scratch()
  using home = scratch()
  const config = home.write(
    'team.yaml',
    'rooms:\n  - { id: team, faces: [cli, api, web, terminal], mode: execute, listener: null }\n',
  )
  const data = join(home.path, 'data')
  const args = ['--config', config]
  const file = join(out.path, 'team.tar.gz')
  let token = ''
  {
    await using instance = await startUp({ workspace: workspace.path, data, args })
    const say = async (id: string, text: string) => must(await instance.client.say({ id, room: 'team', text }))
    await say('m1', '@claude-1 read README.md')
    await say('m2', '/pause codex-1 the branch is frozen')
    await say('m3', '@codex-1 read README.md')
    await say('m4', '/mode diagnose')
    const minted = await bellhop([
      'token',
      'mint',
      '--person',
      'ci',
      '--role',
      'operator',
      '--json',
      '--data',
      data,
      ...args,
    ])
    token = (JSON.parse(minted.stdout) as { token: string }).token
    await eventually('the first turn to end', async () => must(await instance.client.ask('status')).turns.length === 1)
    const saved = await bellhop(['backup', file, '--json', '--data', data, ...args])
    expect(JSON.parse(saved.stdout)).toMatchObject({ ok: true, file, secrets: true, config: 'team.yaml', left: [] })
    expect(readdirSync(out.path)).toEqual(['team.tar.gz'])
    // What comes after it is not in it.
    await say('m5', 'too late')
    const again = await bellhop(['backup', file, '--data', data])
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('is there already')])
    const onto = await bellhop(['restore', file, '--force', '--data', data])
    expect([onto.exitCode, onto.stderr]).toEqual([1, expect.stringContaining('a Bellhop runs on')])
  }
  expect((await bellhop(['backup', '--verify', file])).stdout).toContain('whole: ')
  const elsewhere = join(home.path, 'elsewhere')
  const restored = await bellhop(['restore', file, '--data', elsewhere])
  const restoredConfig = join(elsewhere, 'config/team.yaml')
  expect(restored.stdout).toContain(`start it: bellhop up --data ${elsewhere} --config ${restoredConfig}`)
  expect(readFileSync(restoredConfig, 'utf8')).toBe(readFileSync(config, 'utf8'))

  await using instance = await startUp({
    workspace: workspace.path,
    data: elsewhere,
    args: ['--config', restoredConfig],
  })
  const say = async (id: string, text: string) => must(await instance.client.say({ id, room: 'team', text }))
  const { turns } = must(await instance.client.ask('status'))
  expect(turns.map(({ turn, state }) => [turn, state])).toEqual([['m3.codex-1', 'parked']])
  const rooms = must(await instance.client.ask('rooms')).rooms
  expect(rooms.map(({ id, mode }) => [id, mode])).toEqual([['team', 'diagnose']])
  const byToken = createClient({ url: instance.url, token, face: 'api' })
  expect(must(await byToken.ask('whoami')).name).toBe('ci')
  // A line that was acknowledged is the same line again.
  expect((await say('m1', '@claude-1 read README.md')).assignments).toMatchObject([{ turn: 'm1.claude-1' }])
  await say('m6', '/mode execute')
  await say('m7', '/resume codex-1')
  await eventually(
    'the turn that waited to end',
    async () => must(await instance.client.ask('status')).turns.length === 0,
  )
  const verified = await bellhop(['verify', '--all', '--data', elsewhere])
  expect([verified.exitCode, verified.stderr]).toEqual([0, ''])
})

test('restored into another folder, beside a workspace that has moved, undo still works and what was not merged is still there', async () => {
  using above = scratch()
  using out = scratch()
  const before = join(above.path, 'teapot')
  mkdirSync(before)
  above.write('teapot/README.md', '# teapot\n')
  above.write('teapot/cup.txt', 'empty\n')
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'first'],
  ])
    await git(before, ...args)
  const config = above.write('team.yaml', APART)
  const file = join(out.path, 'it.tar')
  const told = (instance: Awaited<ReturnType<typeof startUp>>) => async (id: string, text: string) =>
    must(await instance.client.say({ id, room: 'team', text })).answer?.split('\n') ?? []
  {
    const data = join(out.path, 'data')
    await using instance = await startUp({ workspace: before, data, args: ['--config', config] })
    const say = told(instance)
    await say('m1', '@claude-1 use edit {"path":"cup.txt","old":"empty","new":"full"}')
    await say('m2', '@codex-1 use edit {"path":"README.md","old":"# teapot","new":"# samovar"}')
    await eventually('both turns to end', async () => must(await instance.client.ask('status')).turns.length === 0)
    expect((await bellhop(['backup', file, '--data', data, '--config', config])).exitCode).toBe(0)
  }
  const workspace = join(above.path, 'kettle')
  renameSync(before, workspace)
  const data = join(out.path, 'restored')
  expect((await bellhop(['restore', file, '--data', data])).exitCode).toBe(0)
  await using instance = await startUp({ workspace, data, args: ['--config', config] })
  const say = told(instance)
  expect(
    (await say('m3', '/checkouts')).map((line) => line.replace(/^codex-1: at [0-9a-f]{12}, (.*); .*$/, '$1')),
  ).toEqual(['1 file not merged', '  changed README.md +1 -1'])
  expect(await say('m4', '/undo claude-1')).toEqual([
    'put back turn m1.claude-1 of claude-1: 1 file',
    '  changed cup.txt +1 -1',
  ])
  expect(await say('m5', '/merge codex-1')).toEqual([
    'merged what codex-1 did: 1 file, and committed nothing',
    '  changed README.md +1 -1',
  ])
  expect(['cup.txt', 'README.md'].map((name) => readFileSync(join(workspace, name), 'utf8'))).toEqual([
    'empty\n',
    '# samovar\n',
  ])
})

const APART = `
rooms:
  - { id: team, faces: [cli, api], mode: execute, listener: null }
agents:
  - { id: claude-1, type: claude, runner: rehearsal, peripheral: edit }
  - { id: codex-1, type: codex, runner: rehearsal, peripheral: edit, worktree: true }
`
