import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAnthropic } from '../../src/rig/anthropic.ts'
import { type Asked, inOrder, type Move, type StubModel } from '../../src/rig/script.ts'
import { createClaudeRunner } from '../../src/runners/claude/runner.ts'
import type { Conversation, Runner } from '../../src/runners/runner.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { claudeOptions, INSTRUCTIONS, MODEL, openedBy, openingOf } from './claude-setup.ts'
import { listener, quietly } from './codex-setup.ts'
import { holding, type Peripheral, startPeripheral } from './peripheral.ts'

const folder = scratch()
const slow = holding()
const SHOWN = ['docs.search', 'read', 'slow', 'hop']
let model: StubModel
let peripheral: Peripheral
let runner: Runner
let talk: Conversation

beforeAll(async () => {
  model = await startAnthropic(() => ({ do: 'say', text: 'done' }))
  peripheral = await startPeripheral({
    token: 'token-of-ada',
    shown: SHOWN,
    tools: {
      'docs.search': ({ query }) => `found ${query}`,
      read: () => 'one line',
      slow: slow.work,
      hop: async () => {
        await peripheral.setTools(['hop', 'write'])
        return 'hopped'
      },
      write: () => 'written',
    },
  })
  runner = createClaudeRunner(await claudeOptions(folder.path, { provider: { url: model.url } }))
  talk = await openedBy(runner, peripheral)
})

afterAll(async () => {
  await runner.close()
  await Promise.all([model.close(), peripheral.close()])
  folder[Symbol.dispose]()
})

const lastAsked = (): Asked => model.asked.at(-1) ?? expect.fail('the model was never asked')

/** Answers with what was said last. */
const echo = ({ texts }: Asked): Move => ({ do: 'say', text: `heard ${texts.at(-1)}` })

const usageOf = (input: number, cached: number, output: number, window: number | null) => ({
  kind: 'usage',
  model: MODEL,
  usage: { input, cached, written: 0, output, reasoning: 0 },
  window,
})

describe('a turn', () => {
  test('is told piece by piece, with what it took, and ends with the answer', async () => {
    model.play(() => ({ do: 'say', text: 'Good morning', pieces: 3, usage: { input: 1000, cached: 400, output: 30 } }))
    const { how, words } = listener()
    expect(await talk.speak('ada says: good morning', how)).toEqual({ kind: 'answered', text: 'Good morning' })
    expect(words()).toEqual([
      { kind: 'delta', text: 'Good' },
      { kind: 'delta', text: ' mor' },
      { kind: 'delta', text: 'ning' },
      { kind: 'message', text: 'Good morning' },
      usageOf(1000, 400, 30, null),
    ])
    const { model: name, instructions, texts } = lastAsked()
    expect({ name, texts }).toEqual({ name: MODEL, texts: ['ada says: good morning'] })
    expect(instructions.split('\n').at(-1)).toBe(INSTRUCTIONS)
  })

  test('calls tools of the peripheral, and sees nothing else', async () => {
    const before = model.asked.length
    const calls = [
      { tool: 'docs.search', args: { query: 'walls' } },
      { tool: 'read', args: {} },
    ]
    model.play(inOrder({ do: 'call', say: 'Let me look.', calls }, { do: 'say', text: 'There it is.' }))
    const { how, words } = listener()
    expect(await talk.speak('ada says: look', how)).toEqual({ kind: 'answered', text: 'There it is.' })
    expect(words().filter(({ kind }) => kind === 'message' || kind === 'usage')).toEqual([
      { kind: 'message', text: 'Let me look.' },
      usageOf(100, 0, 20, 200_000),
      { kind: 'message', text: 'There it is.' },
      usageOf(100, 0, 20, 200_000),
    ])
    expect(words().filter(({ kind }) => kind === 'tool')).toEqual([
      { kind: 'tool', state: 'begun' },
      { kind: 'tool', state: 'begun' },
      { kind: 'tool', state: 'ended' },
      { kind: 'tool', state: 'ended' },
    ])
    expect(peripheral.calls).toEqual([
      { tool: 'docs.search', args: { query: 'walls' }, state: 'answered' },
      { tool: 'read', args: {}, state: 'answered' },
    ])
    expect(await talk.tools()).toEqual([...SHOWN].sort())
    const shown = ['docs_search', 'hop', 'read', 'slow'].map((name) => `mcp__bellhop__${name}`)
    expect(model.asked.slice(before).map(({ tools }) => tools)).toEqual([shown, shown])
  })

  test('goes on with another model, and with its own when none is asked for', async () => {
    model.play(() => ({ do: 'say', text: 'done' }))
    await talk.speak('ada says: quickly', { ...quietly, model: 'claude-haiku-4-5' })
    const quick = lastAsked().model
    await talk.speak('ada says: as before', quietly)
    expect([quick, lastAsked().model]).toEqual(['claude-haiku-4-5', MODEL])
  })

  test('is one at a time, and is never told what looks like a command', async () => {
    model.play(echo)
    const first = talk.speak('ada says: one', quietly)
    await expect(talk.speak('ada says: two', quietly)).rejects.toThrow('while it is at work')
    await expect(talk.steer('/clear')).rejects.toThrow('begins with a slash')
    expect(await first).toEqual({ kind: 'answered', text: 'heard ada says: one' })
    await expect(talk.speak('/clear', quietly)).rejects.toThrow('begins with a slash')
    expect(await talk.speak('  /clear', quietly)).toEqual({ kind: 'answered', text: 'heard   /clear' })
  })
})

describe('a line that is added', () => {
  test('is heard after the step that runs', async () => {
    const before = model.asked.length
    model.play(inOrder({ do: 'call', calls: [{ tool: 'slow', args: {} }] }, { do: 'say', text: 'Yes.' }))
    const { how, has } = listener()
    const finish = talk.speak('ada says: take your time', how)
    await eventually('the step', () => has('tool') && peripheral.calls.at(-1)?.tool === 'slow')
    expect(await talk.steer('grace says: hurry up')).toBe('after-step')
    slow.letGo('a while')
    expect(await finish).toEqual({ kind: 'answered', text: 'Yes.' })
    expect(model.asked.length - before).toBe(2)
    expect(lastAsked().result).toContain('a while')
    expect(lastAsked().texts.at(-1)).toContain('grace says: hurry up')
  })

  test('is heard after the answer that is being written, and its own answer is the last', async () => {
    const slowly: Move = { do: 'say', text: 'one two', pieces: 4, everyMs: 50 }
    model.play((asked) => (asked.texts.at(-1) === 'ada says: tell me' ? slowly : echo(asked)))
    const { how, has, words } = listener()
    const finish = talk.speak('ada says: tell me', how)
    await eventually('a word', () => has('delta'))
    expect(await talk.steer('grace says: shorter')).toBe('after-answer')
    expect(await finish).toEqual({ kind: 'answered', text: 'heard grace says: shorter' })
    expect(words().filter(({ kind }) => kind === 'message')).toEqual([
      { kind: 'message', text: 'one two' },
      { kind: 'message', text: 'heard grace says: shorter' },
    ])
  })

  test('is never lost, however close to the end it comes', async () => {
    model.play(echo)
    const lost: string[] = []
    const landed = new Set<unknown>()
    // With each turn it comes one sign of life later: from the first to one after the last.
    for (let at = 0, more = true; more; at++) {
      const line = `grace says: line ${at}`
      let signs = 0
      let landing: ReturnType<Conversation['steer']> | null = null
      const heard = () => {
        if (signs++ === at) landing = talk.steer(line)
      }
      const finish = await talk.speak(`ada says: turn ${at}`, { model: null, heard })
      more = landing !== null
      landed.add(await landing)
      const answer = finish.kind === 'answered' ? finish.text : finish.kind
      if (more && answer !== `heard ${line}`) lost.push(`${line}: ${answer}`)
    }
    expect({ lost, landed: [...landed] }).toEqual({ lost: [], landed: ['after-answer', null] })
  })

  test('comes too late when nothing is under way', async () => {
    expect(await talk.steer('grace says: and now?')).toBeNull()
    let landing: Promise<unknown> = Promise.resolve()
    model.play(echo)
    await talk.speak('ada says: go', quietly).then(() => {
      landing = talk.steer('grace says: and now?')
    })
    expect(await landing).toBeNull()
  })
})

describe('an interrupt', () => {
  test('cancels the call that runs, and what was added is not heard any more', async () => {
    model.play(() => ({ do: 'call', calls: [{ tool: 'slow', args: {} }] }))
    const { how, has } = listener()
    const before = model.asked.length
    const finish = talk.speak('ada says: take your time', how)
    await eventually('the step', () => has('tool') && peripheral.calls.at(-1)?.state === 'running')
    await talk.steer('grace says: and then this')
    await talk.interrupt()
    expect(await finish).toEqual({ kind: 'interrupted' })
    await eventually('the cancelled call', () => peripheral.calls.at(-1)?.state === 'cancelled')
    expect(model.asked.length - before).toBe(1)
  })

  test('breaks an answer off, and the program can be spoken to again', async () => {
    model.play(() => ({ do: 'hang', text: 'I think that' }))
    const { how, has, words } = listener()
    const finish = talk.speak('ada says: think', how)
    await eventually('a word', () => has('delta'))
    await talk.interrupt()
    expect(await finish).toEqual({ kind: 'interrupted' })
    expect(words()).toEqual([{ kind: 'delta', text: 'I think that' }, usageOf(100, 0, 1, 200_000)])
    model.play(echo)
    expect(await talk.speak('ada says: again', quietly)).toEqual({ kind: 'answered', text: 'heard ada says: again' })
  })

  test('ends a turn of which nothing is heard, and one that has only begun', async () => {
    model.play(() => ({ do: 'hang' }))
    const before = model.asked.length
    const silent = talk.speak('ada says: think', quietly)
    await eventually('the request', () => model.asked.length > before)
    await talk.interrupt()
    const atOnce = talk.speak('ada says: think again', quietly)
    await talk.interrupt()
    expect([await silent, await atOnce]).toEqual([{ kind: 'interrupted' }, { kind: 'interrupted' }])
    await talk.interrupt()
    expect(talk.isOpen()).toBe(true)
  })
})

describe('a hop', () => {
  test('changes the tools in the same turn, and what is gone cannot be called', async () => {
    const before = model.asked.length
    const call = (tool: string): Move => ({ do: 'call', calls: [{ tool, args: {} }] })
    model.play(inOrder(call('hop'), call('read'), call('write'), { do: 'say', text: 'done' }))
    expect(await talk.speak('ada says: hop', quietly)).toEqual({ kind: 'answered', text: 'done' })
    const [, afterHop, afterRead, afterWrite] = model.asked.slice(before)
    expect(afterHop?.tools).toContain('mcp__bellhop__write')
    expect([afterHop?.result, afterWrite?.result]).toEqual(['hopped', 'written'])
    expect(afterRead?.result).toContain('No such tool available: mcp__bellhop__read')
    expect(peripheral.calls.slice(-2).map(({ tool }) => tool)).toEqual(['hop', 'write'])
    expect(await talk.tools()).toEqual(['hop', 'write'])
    await peripheral.setTools(SHOWN)
  })
})

describe('a process', () => {
  test('that dies fails its turn, and the conversation goes on in another', async () => {
    model.play(() => ({ do: 'hang' }))
    const before = model.asked.length
    const finish = talk.speak('ada says: remember the teapot', quietly)
    await eventually('the request', () => model.asked.length > before)
    const [pid = 0] = runner.pids()
    process.kill(pid, 'SIGKILL')
    const failure = { kind: 'crashed', message: 'the program ended (SIGKILL)', retryMs: null }
    expect(await finish).toEqual({ kind: 'failed', failure })
    expect(talk.isOpen()).toBe(false)
    expect(await talk.speak('ada says: still there?', quietly)).toEqual({ kind: 'failed', failure })
    const { id } = talk
    talk = await openedBy(runner, peripheral, { resume: id, instructions: 'You are claude-1, back at work.' })
    expect({ id: talk.id, resumed: talk.resumed }).toEqual({ id, resumed: true })
    model.play(echo)
    expect(await talk.speak('ada says: back', quietly)).toEqual({ kind: 'answered', text: 'heard ada says: back' })
    const { texts, instructions } = lastAsked()
    expect(texts).toContain('ada says: good morning')
    expect(instructions.split('\n').at(-1)).toBe('You are claude-1, back at work.')
  })

  test('that does not listen any more is killed by an interrupt', async () => {
    model.play(() => ({ do: 'hang' }))
    const before = model.asked.length
    const finish = talk.speak('ada says: think', quietly)
    await eventually('the request', () => model.asked.length > before)
    const [pid = 0] = runner.pids()
    process.kill(pid, 'SIGSTOP')
    await talk.interrupt()
    expect(await finish).toEqual({ kind: 'interrupted' })
    expect([talk.isOpen(), runner.pids()]).toEqual([false, []])
  })

  test('ends with its conversation, also in the middle of a turn', async () => {
    const { id } = talk
    talk = await openedBy(runner, peripheral, { resume: id })
    model.play(() => ({ do: 'call', calls: [{ tool: 'slow', args: {} }] }))
    const { how, has } = listener()
    const finish = talk.speak('ada says: take your time', how)
    await eventually('the step', () => has('tool') && peripheral.calls.at(-1)?.state === 'running')
    await talk.close()
    expect(await finish).toEqual({ kind: 'interrupted' })
    expect([talk.isOpen(), runner.pids()]).toEqual([false, []])
    await eventually('the cancelled call', () => peripheral.calls.at(-1)?.state === 'cancelled')
  })

  test('says so where there is no conversation to go on with', async () => {
    const resume = '11111111-2222-4333-8444-555555555555'
    const message = `no conversation to go on with: No conversation found with session ID: ${resume}`
    expect(await runner.open(openingOf(peripheral, { resume }))).toEqual({
      ok: false,
      failure: { kind: 'crashed', message, retryMs: null },
    })
    expect(runner.pids()).toEqual([])
  })
})
