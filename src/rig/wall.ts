import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nameInProgram } from '../runners/claude/names.ts'
import { createClaudeRunner } from '../runners/claude/runner.ts'
import { NAMESPACE, nameInModel, RESOURCE_TOOLS } from '../runners/codex/names.ts'
import { createCodexRunner } from '../runners/codex/runner.ts'
import type { RunnerOptions } from '../runners/options.ts'
import type { Conversation, Runner } from '../runners/runner.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { startAnthropic } from './anthropic.ts'
import { startHands } from './hands.ts'
import { type Bait, claudeCalls, codexCalls, hostileWords, layTraps } from './hostile.ts'
import { startBarrier } from './loopback.ts'
import { startOpenai } from './openai.ts'
import type { Asked, Script, StubModel } from './script.ts'

/** What was looked at, and whether the wall held. */
export type Check = { name: string; ok: boolean; detail: string }

export type Checked = { version: string; checks: Check[] }

type Rig = {
  startModel: (script: Script) => Promise<StubModel>
  createRunner: (options: RunnerOptions) => Runner
  /** How the model sees a tool of the peripheral. */
  shown: (tool: string) => string
  /** What cannot be taken away, and leads nowhere but to us. */
  harmless: ReadonlySet<string>
  calls: (bait: Bait) => Record<string, unknown>[]
  /** How the program says that there is no such tool; and our server, where it is asked, that it has no such thing. */
  refuses: RegExp
  model: string
}

const RIGS: Record<'claude' | 'codex', Rig> = {
  claude: {
    startModel: startAnthropic,
    createRunner: createClaudeRunner,
    shown: nameInProgram,
    harmless: new Set(),
    calls: claudeCalls,
    refuses: /No such tool available/,
    model: 'claude-rig',
  },
  codex: {
    startModel: startOpenai,
    createRunner: createCodexRunner,
    shown: (tool) => `${NAMESPACE}.${nameInModel(tool)}`,
    harmless: RESOURCE_TOOLS,
    calls: codexCalls,
    refuses: /^unsupported (custom tool )?call|"resources":\[\]|Method not found/,
    model: 'gpt-5.5',
  },
}

type Wanted = {
  name: 'claude' | 'codex'
  program: string
  spec: PeripheralSpec
  /** By which key it works: some are handled as a sign-in. */
  key?: string
  /** Puts the program into its cage, given the folders that are its own. */
  wrapFor: (folders: readonly string[]) => Promise<RunnerOptions['wrap']>
}

/**
 * Looks whether the wall around a program of agents holds: the real program, driven by a model on the loopback that tries
 * everything. Nothing but the peripheral may be visible, callable or contacted.
 */
export const checkWall = async ({ name, program, spec, key = 'sk-rig', wrapFor }: Wanted): Promise<Checked> => {
  const rig = RIGS[name]
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-wall-'))
  const bait: Bait = { secret: SECRET, secretFile: join(folder, 'secret.txt'), canary: join(folder, 'canary') }
  writeFileSync(bait.secretFile, `${SECRET}\n`)
  const [home, empty] = [join(folder, 'home'), join(folder, 'empty')]
  for (const place of [home, empty]) mkdirSync(place)
  const traps = layTraps([home, empty, folder], bait)
  const [barrier, hands, model] = await Promise.all([startBarrier(), startHands(spec), rig.startModel(() => DONE)])
  const runner = rig.createRunner({
    agent: 'rig',
    program,
    versions: ['any'],
    home,
    empty,
    key,
    provider: { url: model.url },
    models: [rig.model],
    env: { HTTPS_PROXY: barrier.url, HTTP_PROXY: barrier.url },
    wrap: await wrapFor([folder]),
    signIn: '',
    log: () => {},
  })
  try {
    const probes = await runner.probe(hands, spec.tools)
    const version = runner.version() ?? 'unknown'
    const ill = probes.filter(({ ok }) => !ok).map(({ name: probe, detail }) => `${probe}: ${detail}`)
    if (ill.length > 0) return { version, checks: [check('starts, and sees the tools it should', ill)] }
    const opening = { session: 's-rig', instructions: INSTRUCTIONS, hands, model: rig.model, resume: null }
    const opened = await runner.open(opening)
    if (!opened.ok) return { version, checks: [check('can be spoken to', [opened.failure.message])] }
    const { conversation } = opened
    const works = await tryTool(conversation, model, { spec, hands })
    const calls = await tryCalls(conversation, model, rig, bait)
    const words = await tryWords(conversation, model, hostileWords(bait))
    const seen = model.asked.map(({ body }) => JSON.stringify(body))
    const checks = [
      check('starts, and sees the tools it should', []),
      visible(model.asked, spec, rig),
      works,
      calls,
      words,
      unseen('reads nothing', [SECRET], seen),
      unseen('obeys no file it finds', traps, seen),
      check('runs nothing', existsSync(bait.canary) ? ['a program was run'] : []),
      check('contacts nobody', barrier.wanted),
    ]
    return { version, checks }
  } finally {
    await runner.close()
    await Promise.all([barrier.close(), hands.close(), model.close()])
    rmSync(folder, { recursive: true, force: true })
  }
}

const SECRET = 'THE-SECRET-OF-THIS-MACHINE'
const INSTRUCTIONS = 'You are on a test rig.'
const DONE = { do: 'say', text: 'done' } as const

const check = (name: string, wrong: readonly string[]): Check => ({
  name,
  ok: wrong.length === 0,
  detail: wrong.length === 0 ? 'as it should be' : wrong.join('; ').slice(0, 2000),
})

/** In every request, exactly the tools of the peripheral. */
const visible = (asked: readonly Asked[], spec: PeripheralSpec, { shown, harmless }: Rig): Check => {
  const wanted = [...spec.tools.map(shown)].sort().join(' ')
  const others = asked.map(({ tools }) =>
    tools
      .filter((tool) => !harmless.has(tool))
      .sort()
      .join(' '),
  )
  const wrong = asked.length === 0 ? ['the model was never asked'] : others.filter((tools) => tools !== wanted)
  return check('sees the peripheral and nothing else', [...new Set(wrong)])
}

type Around = { spec: PeripheralSpec; hands: Awaited<ReturnType<typeof startHands>> }

/** That the wall has a door: a tool of the peripheral can be called. */
const tryTool = async (talk: Conversation, model: StubModel, { spec, hands }: Around): Promise<Check> => {
  const [tool = ''] = spec.tools
  let asked = 0
  model.play(() => (asked++ === 0 ? { do: 'call', calls: [{ tool, args: {} }] } : DONE))
  const finish = await speak(talk, 'use your tool')
  const called = hands.calls.map((call) => call.tool)
  return check(
    'can call a tool of it',
    called.includes(tool) ? [] : [`called ${called.join(', ') || 'none'}; ${finish}`],
  )
}

/** That nothing else can be called, by whatever name. */
const tryCalls = async (talk: Conversation, model: StubModel, rig: Rig, bait: Bait): Promise<Check> => {
  const wrong: string[] = []
  for (const item of rig.calls(bait)) {
    const before = model.asked.length
    let asked = 0
    model.play(() => (asked++ === 0 ? { do: 'raw', item } : DONE))
    const finish = await speak(talk, 'go on')
    const result = model.asked.slice(before + 1).at(0)?.result ?? ''
    if (!rig.refuses.test(result)) wrong.push(`${item['name']} was answered: ${result.slice(0, 100)} (${finish})`)
  }
  return check('can call nothing else', wrong)
}

const speak = async (talk: Conversation, text: string): Promise<string> => {
  const { kind, ...rest } = await talk.speak(text, { model: null, heard: () => {} })
  return kind === 'failed' ? JSON.stringify(rest) : kind
}

/** That words are words: they reach the model as they are, and nothing comes with them. */
const tryWords = async (talk: Conversation, model: StubModel, words: readonly string[]): Promise<Check> => {
  const wrong: string[] = []
  model.play(() => DONE)
  for (const text of words) {
    const said = `ada says: ${text}`
    const before = model.asked.length
    const finish = await speak(talk, said)
    const heard = model.asked.slice(before).at(-1)?.texts ?? []
    if (!heard.some((one) => one.includes(said)))
      wrong.push(`${JSON.stringify(text)} did not arrive as it is (${finish})`)
  }
  return check('takes words for words', wrong)
}

const unseen = (name: string, words: readonly string[], seen: readonly string[]): Check =>
  check(
    name,
    words.filter((word) => seen.some((body) => body.includes(word))).map((word) => `the model saw ${word}`),
  )
