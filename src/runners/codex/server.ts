import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import type { Failure } from '../../shapes/runner.ts'
import { failed } from '../failures.ts'
import { runOnce } from '../once.ts'
import type { RunnerOptions } from '../options.ts'
import { type Program, startProgram } from '../program.ts'
import { type Catalog, makeCatalog } from './catalog.ts'
import { environmentOf } from './environment.ts'
import { codexFlags } from './flags.ts'
import { createFollowers, type Followers } from './followers.ts'
import { prepareHome } from './home.ts'
import { readNotice } from './notices.ts'
import { type Answer, createWire } from './wire.ts'

/** The program, as it runs: one process, in which there are many threads. */
export type AppServer = Pick<Followers, 'expect' | 'follow' | 'followerOf'> & {
  pid: number
  /** The models it knows, and how much fits into a request to each. */
  windows: Catalog['windows']
  /** Asks something, and waits for the answer for as long as is said. */
  ask: (method: string, params: unknown, ms: number | null) => Promise<Answer>
  isOver: () => boolean
  end: (graceMs: number) => Promise<void>
}

export type Started = { ok: true; server: AppServer } | { ok: false; failure: Failure }

const START_MS = 20_000
const ASK_MS = 10_000

/** Several agents may have one home: of those that make their databases there at the same time, one is turned away. */
const TRIES = 4
const TURNED_AWAY = /sqlite|state runtime/i
const AGAIN_MS = 200

/** Starts the program behind its wall; `extra` are flags besides. Whatever it does not take ends it, and is told. */
export const startServer = async (options: RunnerOptions, extra: readonly string[]): Promise<Started> => {
  for (let tries = 1; ; tries++) {
    const started = await startOnce(options, extra)
    if (started.ok || tries === TRIES || !TURNED_AWAY.test(started.failure.message)) return started
    await setTimeout(tries * AGAIN_MS)
  }
}

const startOnce = async (options: RunnerOptions, extra: readonly string[]): Promise<Started> => {
  await prepareHome(options)
  const catalog = await writeCatalog(options)
  if (typeof catalog === 'string') return { ok: false, failure: failed('crashed', catalog) }
  const { told, lost, ...followers } = createFollowers(options.log)
  let program: Program | null = null

  const wire = createWire({
    write: (line) => program?.write(line) ?? false,
    told: (method, params) => told(threadIn(params), readNotice(method, params)),
    asked: (method, params) => {
      options.log('the program asked what it cannot ask behind its wall', { method })
      told(threadIn(params), { kind: 'offence', what: method })
      return Object.hasOwn(DECLINED, method) ? DECLINED[method] : undefined
    },
    log: options.log,
  })

  const flags = [...codexFlags(options, catalogFile(options)), ...extra]
  program = startProgram({ ...startOf(options, ['app-server', ...flags]), heard: wire.hear })
  if (!program) return { ok: false, failure: failed('crashed', `${options.program} cannot be started`) }
  const running = program
  void running.ended.then(({ how, complaint }) => {
    const why = `the program has ended: ${lastWords(how, complaint)}`
    wire.close(why)
    lost(why)
  })

  const failure = await greet(wire.ask, running, options)
  if (failure) return { ok: false, failure }
  wire.tell('initialized')
  return {
    ok: true,
    server: {
      pid: running.pid,
      windows: catalog.windows,
      ask: wire.ask,
      ...followers,
      isOver: running.isOver,
      end: (graceMs) => {
        running.hangUp()
        return running.end(graceMs)
      },
    },
  }
}

const startOf = (options: RunnerOptions, args: readonly string[]) => ({
  argv: [options.program, ...args],
  env: environmentOf(options),
  cwd: options.empty,
  wrap: options.wrap,
})

/** Agents may share a home, and have models of their own. */
const catalogFile = ({ home, agent }: RunnerOptions): string => join(home, `bellhop-models-${agent}.json`)

/** The models that it may ask, written where it reads them; a sentence where that does not work out. */
const writeCatalog = async (options: RunnerOptions): Promise<Catalog | string> => {
  const printed = await runOnce({ ...startOf(options, ['debug', 'models', '--bundled']), ms: START_MS })
  const catalog = printed && makeCatalog(printed.output, options.models)
  if (!catalog) return `${options.program} does not say which models it knows`
  await writeFile(catalogFile(options), catalog.text)
  return catalog
}

const HELLO = {
  clientInfo: { name: 'bellhop', title: 'Bellhop', version: '1' },
  capabilities: { experimentalApi: true },
}

/** Says hello, and signs in where there is a key for the program's own provider: it is told over the pipe, and not kept. */
const greet = async (ask: AppServer['ask'], program: Program, options: RunnerOptions): Promise<Failure | null> => {
  const hello = await ask('initialize', HELLO, START_MS)
  if (!hello.ok) return ungreeted(program)
  const { key, provider } = options
  if (key === null || provider !== null) return null
  const signedIn = await ask('account/login/start', { type: 'apiKey', apiKey: key }, ASK_MS)
  if (signedIn.ok) return null
  await program.end(0)
  return failed('auth', signedIn.message)
}

/** It ends by itself where it does not take a part of its wall. */
const ungreeted = async (program: Program): Promise<Failure> => {
  const byItself = program.isOver()
  await program.end(0)
  const { how, complaint } = await program.ended
  if (!byItself) return failed('hung', 'the program does not answer')
  const words = lastWords(how, complaint)
  const refused = REFUSED.test(how) && !TURNED_AWAY.test(words)
  return refused ? failed('wall', `the program does not take its wall: ${words}`) : failed('crashed', words)
}

/** From 129 on, whoever it runs within tells of a signal, as shells do: then somebody has killed it. */
const REFUSED = /^exit (?:\d{1,2}|1[01]\d|12[0-8])$/

/** How it ended, and the last of what it complained; that its home is an unusual one is none of it. */
const lastWords = (how: string, complaint: string): string => {
  const lines = stripVTControlCharacters(complaint).split('\n')
  const last = lines.findLast((line) => line.trim() !== '' && !line.startsWith('WARNING: proceeding'))
  return last === undefined ? how : `${how}, ${last.trim()}`
}

const About = z.object({ threadId: z.string().optional(), conversationId: z.string().optional() })

const threadIn = (params: unknown): string => {
  const { data } = About.safeParse(params)
  return data?.threadId ?? data?.conversationId ?? ''
}

/** What it hears when it asks for something that the wall does not have. */
const DECLINED: Record<string, unknown> = {
  'item/commandExecution/requestApproval': { decision: 'cancel' },
  'item/fileChange/requestApproval': { decision: 'cancel' },
  'mcpServer/elicitation/request': { action: 'cancel', content: null, _meta: null },
  'item/tool/requestUserInput': { answers: {} },
  'item/tool/call': { contentItems: [], success: false },
  execCommandApproval: { decision: 'abort' },
  applyPatchApproval: { decision: 'abort' },
}
