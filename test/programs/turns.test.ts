import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { inOrder } from '../../src/rig/script.ts'
import { INSTALL_MS } from '../support/cached-packages.ts'
import { eventually } from '../support/poll.ts'
import { call, done, eventsOf, notesOf, type ProgramHouse, startProgramHouse } from '../support/programs.ts'
import { must } from '../support/store.ts'

let it: ProgramHouse
beforeAll(async () => {
  it = await startProgramHouse({
    claude: 'fallback: claude-small',
    codex: 'fallback: gpt-5.4',
    config: 'prices: { asOf: 2026-11-01, models: { claude-rig: { input: 1, cached: 1, output: 1, window: 258400 } } }',
  })
}, INSTALL_MS)
afterAll(() => it[Symbol.asyncDispose]())

test('both are ready, by what their programs were seen to do', async () => {
  const { agents } = must(await it.client.ask('who'))
  expect(agents.map(({ id, readiness, reason }) => [id, readiness, reason])).toEqual([
    ['claude-1', 'ready', null],
    ['codex-1', 'ready', null],
    ['tickle-1', 'ready', null],
  ])
})

describe.each(['claude', 'codex'] as const)('%s', (name) => {
  const agent = `${name}-1`
  const model = () => it.models[name]
  beforeEach(() => it.anew(name))

  test('a request is answered by steps behind the wall, and all of it is evidence that verifies', async () => {
    model().play(
      inOrder(
        { do: 'call', say: 'let me look', calls: [{ tool: 'grep', args: { pattern: 'sugar' } }] },
        { do: 'say', text: 'sugar is in src/pour.ts' },
      ),
    )
    const came = await it.ask(`/explore @${agent} where is sugar?`)
    expect([came.outcome, came.answer]).toEqual(['done', 'sugar is in src/pour.ts'])
    // When a program says what it used, and when a chain is verified, is its own affair.
    const asides = ['usage-noted', 'verified']
    expect(eventsOf(came).filter((event) => !asides.includes(event))).toEqual([
      'accepted',
      'turn-started',
      'peripheral-started',
      'conversation-opened',
      'turn-briefed',
      'agent-said',
      'step-intended',
      'step-ended',
      'peripheral-stopped',
      'turn-ended',
    ])
    const step = came.entries.find(({ body }) => body.event === 'step-ended')
    expect(step?.author).toEqual({ kind: 'agent', id: agent, face: name, via: null })
    expect(step?.body).toMatchObject({ tool: 'grep', outcome: { kind: 'ok', paths: ['src/pour.ts'] } })
    const verdict = must(await it.client.ask('verify', { session: step?.session ?? '' }))
    expect(verdict).toMatchObject({ ok: true })
    const [first, second] = model().asked
    expect(second?.result).toContain('src/pour.ts')
    expect(first?.texts.join('\n')).toContain('where is sugar?')
    expect(first?.instructions).toContain(agent)
  })

  test('a conversation goes on over turns, with the same instructions to the byte', async () => {
    await it.ask(`@${agent} one`)
    await it.ask(`@${agent} two`)
    const [first, second] = model().asked
    expect(second?.instructions).toBe(first?.instructions)
    expect(second?.texts.join('\n')).toContain('one')
  })

  test('a conversation that is nearly full begins anew with the next turn, from what the evidence says', async () => {
    const usage = { input: 240_000, cached: 0, output: 20 }
    model().play(() => ({ do: 'say', text: 'the pot is blue', usage }))
    await it.ask(`@${agent} which colour?`)
    model().asked.length = 0
    model().play(() => done)
    const came = await it.ask(`@${agent} sure?`)
    expect(notesOf(came)).toEqual(['compacted: begins a new conversation, from what the evidence says'])
    const texts = model().asked[0]?.texts ?? []
    // One message, which has what was said before as evidence, and not as the conversation that it was.
    expect([texts.length, texts.join('\n').includes('the pot is blue')]).toEqual([1, true])
  })

  test('a hop changes the tools in the same turn, and a call of the old ones is refused', async () => {
    model().play(
      inOrder(
        call('read', { path: 'README.md' }),
        call('hop', { to: 'reflect' }),
        call('grep', { pattern: 'x' }),
        done,
      ),
    )
    const came = await it.ask(`/explore @${agent} look and think`)
    expect(came.outcome).toBe('done')
    const tools = model().asked.map(({ tools: seen }) => seen.map((tool) => tool.replace(/^mcp__bellhop(__|\.)/, '')))
    const own = (at: number) => (tools[at] ?? []).filter((tool) => !tool.includes('mcp_resource')).sort()
    const spec = (id: string) =>
      eventually('the walls', async () => {
        const { peripherals } = must(await it.client.ask('peripherals', { id }))
        return peripherals[0]?.tools.map((tool) => tool.name.replaceAll('-', name === 'codex' ? '_' : '-')).sort()
      })
    expect(own(0)).toEqual(await spec('explore'))
    // Claude goes on to list what it had, for the sake of its provider's cache, and refuses it; Codex lists what there is.
    const reflect = await spec('reflect')
    expect(name === 'codex' ? own(2) : own(2).filter((tool) => reflect.includes(tool))).toEqual(reflect)
    expect(model().asked[3]?.result).toMatch(/No such tool available|unsupported call/)
    expect(
      came.entries.filter(({ body }) => body.event === 'step-refused' || body.event === 'step-ended'),
    ).toHaveLength(2)
    const hops = came.entries.filter(({ body }) => body.event === 'peripheral-started')
    expect(hops.map(({ body }) => body.event === 'peripheral-started' && body.peripheral)).toEqual([
      'explore',
      'reflect',
    ])
  })

  test('what is said while it works reaches it, in order, and the room is told when', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    model().play(async ({ nth }) => {
      if (nth === 1) return { do: 'call', say: 'looking', calls: [{ tool: 'read', args: { path: 'README.md' } }] }
      await gate
      return { do: 'say', text: 'an answer' }
    })
    const turn = await it.say(`/explore @${agent} begin`)
    await it.until(turn, 'step-ended')
    await eventually('the model to be asked again', () => model().asked.length === 2)
    // It was asked by an admin, and may do what an admin may: no operator says what that is.
    const operator = createClient({ url: it.house.url, token: it.house.tokens.operator })
    const lower = await operator.command('steer', { text: 'and mine' }, { room: 'lobby' })
    expect(lower.ok ? null : lower.refusal.code).toBe('role-too-low')
    must(await it.client.command('steer', { text: 'and the tests' }, { room: 'lobby' }))
    await it.until(turn, 'turn-noted')
    release()
    const came = await it.ended(turn)
    expect(came.outcome).toBe('done')
    expect(notesOf(came)).toEqual([
      name === 'codex' ? 'steer: hears it at once' : 'steer: hears it after the answer it is writing',
    ])
    expect(model().asked.at(-1)?.texts.join('\n')).toContain('and the tests')
  })

  test('a turn is stopped in the middle of an answer, and the next one is taken', async () => {
    model().play(() => ({ do: 'hang', text: 'thinking' }))
    const turn = await it.say(`@${agent} think`)
    await eventually('the model to be asked', () => model().asked.length === 1)
    must(await it.client.command('stop', { agent, why: 'enough' }, { room: 'lobby' }))
    const came = await it.ended(turn)
    expect(came.outcome).toBe('cancelled')
    expect(came.answer).toMatch(/^stopped by .*: enough$/)
    model().play(() => done)
    expect((await it.ask(`@${agent} and now?`)).answer).toBe('done')
  })

  test.each([
    ['rate-limit', 429, /rate|429/i],
    ['overload', 529, /overload|529/i],
  ])('%s: it tries again, and the room reads why', async (_kind, status) => {
    model().play(inOrder({ do: 'fail', status }, done))
    const came = await it.ask(`@${agent} try`)
    expect(came.answer).toBe('done')
    expect(notesOf(came)).toEqual([expect.stringMatching(/^retry: .* tries again in \d+ ms, 1 of \d$/)])
  })

  test('a model that stays overloaded gives way to the fallback', async () => {
    model().play(({ model: by }) => (/small|5\.4/.test(by) ? done : { do: 'fail', status: 529 }))
    const came = await it.ask(`@${agent} try`)
    expect(came.answer).toBe('done')
    expect(notesOf(came).at(-1)).toMatch(
      /^fallback: finds its model overloaded .*: goes on with (claude-small|gpt-5\.4)$/,
    )
  })

  test('what the model refuses ends the turn with a sentence', async () => {
    model().play(() => ({ do: 'fail', status: 400 }))
    const came = await it.ask(`@${agent} try`)
    expect(came.outcome).toBe('failed')
    expect(came.answer).toMatch(/^was refused by its model: .* What to do: /)
  })

  test('a process that dies is started again, and goes on', async () => {
    model().play(inOrder({ do: 'cut', text: 'half an' }, done))
    const came = await it.ask(`@${agent} try`)
    expect(came.answer).toBe('done')
  })

  test('what it says is shown while it says it', async () => {
    model().play(() => ({ do: 'say', text: 'piece by piece it comes', pieces: 4, everyMs: 150 }))
    const heard: string[] = []
    const over = new AbortController()
    const following = it.client.items(
      { room: 'lobby' },
      (event) => {
        if (event.kind === 'delta' && event.type === 'agentMessage') heard.push(event.text)
      },
      over.signal,
    )
    const came = await it.ask(`@${agent} speak`)
    expect(came.answer).toBe('piece by piece it comes')
    over.abort()
    await following
    expect(heard.join('')).toContain('piece')
  })
})

test('a request that speaks of another agent hands over what that one left, and not a paste', async () => {
  it.models.claude.play(inOrder(call('grep', { pattern: 'sugar' }), { do: 'say', text: 'it is in src/pour.ts' }))
  const found = await it.ask('/explore @claude-1 where is sugar?')
  it.models.codex.asked.length = 0
  it.models.codex.play(
    inOrder(
      call('read', { path: 'src/pour.ts' }),
      call('edit', { path: 'src/pour.ts', old: ' // TODO: sugar', new: '' }),
      { do: 'say', text: 'it is gone' },
    ),
  )
  const came = await it.ask('@codex-1 fix what claude found')
  expect([came.outcome, came.answer]).toEqual(['done', 'it is gone'])
  expect(readFileSync(join(it.house.settings.workspace, 'src/pour.ts'), 'utf8')).toBe('export const pour = () => 42\n')
  const briefed = came.entries.find(({ body }) => body.event === 'turn-briefed')?.body
  expect(briefed?.event === 'turn-briefed' && briefed.from).toContain(`${found.turn}.ended`)
  expect(it.models.codex.asked[0]?.texts.join('\n')).toContain('src/pour.ts')
})
