import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inOrder, type Move } from '../../src/rig/script.ts'
import { INSTALL_MS } from '../support/cached-packages.ts'
import { eventually } from '../support/poll.ts'
import { call, done, notesOf, type ProgramHouse, startProgramHouse } from '../support/programs.ts'
import { must } from '../support/store.ts'

let it: ProgramHouse
beforeAll(async () => {
  const more = 'budget: { turn: { tokens: 2000 } }'
  it = await startProgramHouse({
    claude: more,
    codex: `${more}\n    worktree: true`,
    config: `
prices: { asOf: 2026-11-01, models: { claude-rig: { input: 10, cached: 1, output: 50 } } }`,
    repository: true,
  })
}, INSTALL_MS)
afterAll(() => it[Symbol.asyncDispose]())

describe.each(['claude', 'codex'] as const)('%s', (name) => {
  const agent = `${name}-1`
  const model = () => it.models[name]
  beforeEach(() => it.anew(name))

  test('a budget in tokens ends a turn, whether or not its price is known', async () => {
    model().play(
      () => ({ ...call('read', { path: 'README.md' }), usage: { input: 700, cached: 100, output: 50 } }) as Move,
    )
    const came = await it.ask(`@${agent} on and on`)
    expect(came.outcome).toBe('failed')
    expect(came.answer).toMatch(/2,000 tokens/)
    expect(came.entries.filter(({ body }) => body.event === 'usage-noted').length).toBeLessThanOrEqual(4)
    const { rows } = must(await it.client.ask('usage', { turn: came.turn, by: 'model' }))
    expect(rows).toEqual([expect.objectContaining({ name: name === 'claude' ? 'claude-rig' : 'gpt-5.5' })])
  })

  test('what waits can be changed and taken out before it is begun', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    model().play(async ({ nth }) => {
      if (nth === 1) await gate
      return done
    })
    const first = await it.say(`@${agent} first`)
    await it.until(first, 'turn-briefed')
    const second = await it.say(`@${agent} second`)
    const third = await it.say(`@${agent} third`)
    must(await it.client.command('amend', { turn: second, text: 'another second' }, { room: 'lobby' }))
    must(await it.client.command('unqueue', { turn: third }, { room: 'lobby' }))
    const { turns } = must(await it.client.ask('queue'))
    expect(turns.filter((row) => row.agent === agent).map((row) => [row.turn, row.request, row.state])).toEqual([
      [first, 'first', 'running'],
      [second, 'another second', 'accepted'],
      [third, 'third', 'removed'],
    ])
    release()
    await it.ended(second)
    expect((await it.ended(third)).outcome).toBe('cancelled')
    const asked = model()
      .asked.flatMap(({ texts }) => texts)
      .join('\n')
    expect([asked.includes('another second'), asked.includes('| third')]).toEqual([true, false])
  })

  test('what it may not do alone waits for a person, and goes on with their answer', async () => {
    must(await it.client.command('profile', { to: 'careful' }, { room: 'lobby' }))
    try {
      model().play(inOrder(call('write', { path: `${name}.txt`, text: 'made\n' }), done))
      const turn = await it.say(`/edit @${agent} make a file`)
      const asked = await it.until(turn, 'approval-asked')
      const approval = asked.body.event === 'approval-asked' ? asked.body.approval : ''
      must(await it.client.command('approve', { approval }, { room: 'lobby' }))
      const came = await it.ended(turn)
      expect([came.outcome, came.answer]).toEqual(['done', 'done'])
      const verdict = must(await it.client.ask('verify', { session: asked.session }))
      expect(verdict).toMatchObject({ ok: true })
    } finally {
      must(await it.client.command('profile', { to: 'none' }, { room: 'lobby' }))
    }
  })

  test('a thread that goes on from another is told what that one came to', async () => {
    model().play(inOrder(call('grep', { pattern: 'sugar' }), { do: 'say', text: 'sugar is a TODO' }))
    const { output } = must(await it.client.command('new', { agent }, { room: 'lobby' }))
    const thread = output?.thread.id ?? ''
    await it.ask(`/explore where is sugar?`, thread)
    const forked = must(await it.client.command('fork', { thread }, { room: 'lobby' })).output?.thread.id ?? ''
    model().asked.length = 0
    model().play(() => done)
    const came = await it.ask('/explore and now?', forked)
    const opened = came.entries.find(({ body }) => body.event === 'conversation-opened')?.body
    expect(opened).toMatchObject({ why: 'forked' })
    expect(model().asked[0]?.texts.join('\n')).toContain('sugar is a TODO')
  })

  test('a conversation that is full begins anew, from what the evidence says', async () => {
    model().play(inOrder({ do: 'fail', status: 400, body: TOO_LONG[name] }, done))
    const came = await it.ask(`@${agent} one more thing`)
    expect([came.outcome, came.answer]).toEqual(['done', 'done'])
    expect(notesOf(came).map((note) => note.split(':')[0])).toEqual(['retry', 'compacted'])
    expect(model().asked.at(-1)?.texts.join('\n')).toContain('one more thing')
  })
})

test('what one did in its checkout is brought over, and what is in the way is told', async () => {
  const { workspace } = it.house.settings
  it.models.codex.play(
    inOrder(
      call('read', { path: 'README.md' }),
      call('edit', { path: 'README.md', old: 'It pours.', new: 'It pours well.' }),
      done,
    ),
  )
  await it.client.command('reset', { agent: 'codex-1' }, { room: 'lobby' })
  expect((await it.ask('/edit @codex-1 say that it pours well')).outcome).toBe('done')
  expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toContain('It pours.')
  writeFileSync(join(workspace, 'README.md'), '# teapot\n\nIt leaks.\n')
  const clash = must(await it.client.command('merge', { agent: 'codex-1' }, { room: 'lobby' })).output
  expect(clash?.conflicts).toEqual([expect.objectContaining({ path: 'README.md' })])
  expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toContain('It leaks.')
  execFileSync('git', ['checkout', 'README.md'], { cwd: workspace, stdio: 'ignore' })
  must(await it.client.command('merge', { agent: 'codex-1' }, { room: 'lobby' }))
  expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toContain('It pours well.')
})

test('an agent whose key is refused is not ready any more, and says how that is put right', async () => {
  it.models.claude.play(() => ({ do: 'fail', status: 401 }))
  const came = await it.ask('@claude-1 hello')
  expect(came.outcome).toBe('failed')
  expect(came.answer).toMatch(/^is not signed in to its model: .*bellhop login claude-1.*RIG_KEY/)
  const presence = await eventually('it to step back', async () => {
    const { agents } = must(await it.client.ask('who'))
    return agents.find(
      ({ id, readiness, reason }) => id === 'claude-1' && readiness === 'registered' && reason !== null,
    )
  })
  expect(presence.reason).toMatch(/^model: /)
  const refused = await it.client.say({ room: 'lobby', text: '@claude-1 hello?' })
  expect(refused.ok ? null : refused.refusal.code).toBe('agent-not-ready')
})

const TOO_LONG = {
  claude: {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 300000 tokens > 200000' },
  },
  codex: {
    error: { message: 'Your input exceeds the context window of this model.', code: 'context_length_exceeded' },
  },
}
