import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startAnthropic } from '../../src/rig/anthropic.ts'
import { startOpenai } from '../../src/rig/openai.ts'
import type { StubModel } from '../../src/rig/script.ts'
import { INSTALL_MS } from '../support/cached-packages.ts'
import { findClis } from '../support/clis.ts'
import { scratch } from '../support/folder.ts'
import { pidsOf, startUp } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

let models: { claude: StubModel; codex: StubModel }
let clis: { claude: string; codex: string }
beforeAll(async () => {
  clis = await findClis()
  models = {
    claude: await startAnthropic(() => ({ do: 'say', text: 'done' })),
    codex: await startOpenai(() => ({ do: 'say', text: 'done' })),
  }
}, INSTALL_MS)
afterAll(() => Promise.all(Object.values(models).map((model) => model.close())))

const agentsOf = () =>
  (['claude', 'codex'] as const)
    .map(
      (name) =>
        `  - { id: ${name}-1, type: ${name}, runner: ${name}, peripheral: explore, program: ${clis[name]}, model: ${name === 'claude' ? 'claude-rig' : 'gpt-5.5'}, provider: { url: "${models[name].url}" }, key: RIG_KEY }`,
    )
    .join('\n')

/** An instance as a person starts it, with agents that are programs. */
const startInstance = async (config: string) => {
  const folder = scratch()
  folder.write('work/README.md', '# teapot\n')
  const file = folder.write('mine.yaml', config)
  const data = `${folder.path}/data`
  const up = await startUp({
    workspace: `${folder.path}/work`,
    data,
    args: ['--config', file],
    env: { RIG_KEY: 'sk-rig', HOME: folder.path },
  })
  return { folder, data, up }
}

test('a worker that is killed in the middle of two answers leaves no program behind, and the next one goes on with both', async () => {
  const { folder, data, up } = await startInstance(
    `agents:\n${agentsOf()}\nrooms: [{ id: lobby, faces: [cli, api], listener: null }]\n`,
  )
  using _folder = folder
  const { client } = up
  const endOf = (turn: string) =>
    eventually(`the end of ${turn}`, async () => {
      const { entries } = must(await client.ask('evidence', { event: 'turn-ended', limit: 10 }))
      return entries.find(({ id }) => id === `${turn}.ended`)
    })
  // Not in its first turn: a conversation that goes on is gone on with.
  const before = must(await client.say({ room: 'lobby', text: '@all hello' }))
  await Promise.all(before.assignments.map(({ turn }) => endOf(turn)))
  for (const model of Object.values(models)) {
    model.asked.length = 0
    model.play(() => ({ do: 'hang', text: 'thinking' }))
  }
  const receipt = must(await client.say({ room: 'lobby', text: '@all what is this?' }))
  const turns = receipt.assignments.map(({ turn }) => turn)
  await eventually('both models to be asked', () => Object.values(models).every(({ asked }) => asked.length > 0))
  const programs = async () => [...(await pidsOf(data, clis.claude)), ...(await pidsOf(data, clis.codex))]
  const running = await programs()
  expect(running.length).toBeGreaterThanOrEqual(2)
  for (const model of Object.values(models)) model.play(() => ({ do: 'say', text: 'a teapot' }))
  for (const pid of await up.pidsOf('worker')) process.kill(pid, 'SIGKILL')
  const ended = await Promise.all(turns.map(endOf))
  expect(ended.map(({ body }) => body.event === 'turn-ended' && [body.outcome, body.answer])).toEqual([
    ['done', 'a teapot'],
    ['done', 'a teapot'],
  ])
  const isAlive = (pid: number) => programs().then((now) => now.includes(pid))
  expect(await Promise.all(running.map(isAlive))).toEqual(running.map(() => false))
  const { entries } = must(await client.ask('evidence', { event: 'turn-noted', limit: 10 }))
  expect(entries.map(({ body }) => body.event === 'turn-noted' && body.about)).toEqual(['resumed', 'resumed'])
  expect(await up.stop()).toBe(0)
  expect(await programs()).toEqual([])
})

test('a call that waits for a person waits on over a restart, is done once, and the agent is told', async () => {
  const { folder, data, up } = await startInstance(
    `agents:\n${agentsOf()}\nprofile: careful\nrooms: [{ id: lobby, faces: [cli, api], listener: null }]\n`,
  )
  using _folder = folder
  await using _up = up
  const { client } = up
  const wants = 'make a file'
  models.claude.play(({ texts }) =>
    texts.join('\n').includes('made.txt')
      ? { do: 'say', text: 'it is there' }
      : { do: 'call', calls: [{ tool: 'write', args: { path: 'made.txt', text: 'made\n' } }] },
  )
  const receipt = must(await client.say({ room: 'lobby', text: `/edit @claude-1 ${wants}` }))
  const turn = receipt.assignments[0]?.turn ?? ''
  const asked = await eventually('the question', async () => must(await client.ask('approvals')).approvals[0])
  for (const pid of await up.pidsOf('worker')) process.kill(pid, 'SIGKILL')
  await eventually('another worker', async () => (await pidsOf(data, 'worker')).length > 0)
  must(await client.command('approve', { approval: asked.approval }, { room: 'lobby' }))
  const ended = await eventually('the end', async () => {
    const { entries } = must(await client.ask('evidence', { event: 'turn-ended', limit: 5 }))
    return entries.find(({ id }) => id === `${turn}.ended`)?.body
  })
  expect(ended).toMatchObject({ outcome: 'done', answer: 'it is there' })
  const { entries } = must(await client.ask('evidence', { event: 'step-intended', limit: 10 }))
  expect(entries.map(({ body }) => body.event === 'step-intended' && body.call.tool)).toEqual(['write'])
  expect(readFileSync(`${folder.path}/work/made.txt`, 'utf8')).toBe('made\n')
})

test('without a program there is a rehearsal, and the room can read why; a program that is asked for is not ready', async () => {
  const { folder, up } = await startInstance(`
rooms: [{ id: lobby, faces: [cli, api], listener: null }]
agents:
  - { id: claude-1, type: claude, runner: auto, program: no-such-claude, peripheral: explore }
  - { id: claude-2, type: claude, runner: claude, program: no-such-claude, peripheral: explore }
  - { id: claude-3, type: claude, runner: claude, program: ${clis.claude}, peripheral: explore }
`)
  using _folder = folder
  await using _up = up
  const missing = 'program: there is no program no-such-claude: npm install -g @anthropic-ai/claude-code@2.1.325'
  const { agents } = must(await up.client.ask('who'))
  expect(agents.map(({ id, readiness, reason, activity }) => ({ id, readiness, reason, activity }))).toEqual([
    { id: 'claude-1', readiness: 'ready', reason: null, activity: `a rehearsal (${missing})` },
    { id: 'claude-2', readiness: 'registered', reason: missing, activity: undefined },
    {
      id: 'claude-3',
      readiness: 'registered',
      reason: expect.stringMatching(/^sign-in: not signed in.*bellhop login claude-3.*ANTHROPIC_API_KEY/),
      activity: undefined,
    },
  ])
  expect(up.output()).toContain(`claude-1 is a rehearsal (${missing})`)
  expect(up.output()).toContain(`claude-2 is not ready: ${missing}`)
  const refused = await up.client.say({ room: 'lobby', text: '@claude-2 hello' })
  expect(refused.ok ? null : refused.refusal.code).toBe('agent-not-ready')
  expect(must(await up.client.say({ room: 'lobby', text: '@claude-1 read README.md' })).assignments).toHaveLength(1)
})
