import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerConfig } from '../../src/shapes/config.ts'
import type { PeripheralSpec, SourceTool } from '../../src/shapes/peripheral.ts'
import type { StepReport } from '../../src/shapes/turn.ts'
import { createSources } from '../../src/sources/sources.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { ROOT } from '../architecture/sources.ts'
import { openWorkshop, request, SESSION } from '../peripherals/workshop.ts'
import { wall } from '../support/explore.ts'
import type { TestRedis } from '../support/redis.ts'

const HERE = import.meta.dirname
const NEVER = new AbortController().signal

type Options = {
  tools?: SourceTool[]
  wall?: Partial<PeripheralSpec>
  server?: Partial<ServerConfig>
  files?: Record<string, string>
}

/** The server of the tests, as a config would have it; `mark` is on the command line of all its processes. */
export const serverOf = (mark: string, more: Partial<ServerConfig> = {}): ServerConfig => ({
  sandbox: 'read-only',
  network: false,
  env: {},
  ...more,
  argv: [process.execPath, join(HERE, 'server.mjs'), ...(more.argv ?? []), mark],
})

export const READABLE = [HERE, join(ROOT, 'node_modules')]

/** A session behind a wall that has tools of another server; its calls are steps, made one by one. */
export const openStay = async (
  redis: TestRedis,
  { tools = ['docs.echo'], server = {}, files = {}, ...more }: Options,
) => {
  const mark = `mark-${randomUUID()}`
  const spec = wall({ tools: ['read', ...tools], ...more.wall })
  const servers = { docs: serverOf(mark, server) }
  const it = await openWorkshop(redis, { spec, files, servers, readable: READABLE })
  await it.accept('work')
  await it.enter()
  let steps = 0
  return {
    ...it,
    spec,
    /** Makes a call and answers its report. */
    call: async (tool: string, args: Record<string, unknown> = { text: 'x' }): Promise<StepReport> => {
      const asked = request(steps++, { tool, args })
      await it.mailbox.put(SESSION, JSON.stringify(asked))
      await it.steps.drain(SESSION, NEVER)
      const body = (await it.store.get(`${asked.step}.outcome`))?.body
      if (body?.event === 'step-ended') return body.outcome
      if (body?.event === 'step-refused') return { kind: 'refused', refusal: body.refusal }
      throw new Error(`no report of ${asked.step}`)
    },
    /** How many processes of the server there are. */
    processes: (): number => processesWith(mark),
    /** What another worker has of the same servers, with the same evidence. */
    another: async () => {
      const workspace = await openWorkspace(it.root, [])
      const sources = createSources({
        store: it.store,
        servers,
        jobFor: async ({ argv, network, env }, mode, { limits }) => ({
          argv,
          mode,
          network,
          env,
          workspace,
          hidden: [],
          readable: READABLE,
          path: process.env['PATH'] ?? '',
          limits: { ...limits, outputBytes: 2 ** 20 },
          signal: NEVER,
        }),
        plantedBy: async () => null,
      })
      return { ...sources, [Symbol.asyncDispose]: () => sources.end() }
    },
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  }
}

const processesWith = (mark: string): number =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(mark)).length

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

export const said = (output: string): StepReport => ({ kind: 'ok', output, paths: [], cut: null })
