import { z } from 'zod'
import type { SandboxMode, SourceTool } from '../shapes/peripheral.ts'
import { ok } from '../shapes/result.ts'
import { shown, spoken } from './shown.ts'
import { type Bench, defineTool, narrower, type Tool } from './tool.ts'
import { watched } from './watched.ts'

/** A tool of another MCP server, once what it is was looked up and found to be what was accepted. */
export type Sourced = {
  /** The entry that accepted it. */
  pin: string
  /** What its server may do at most. */
  sandbox: SandboxMode
  /** What is wrong with arguments, by the schema that was accepted; null where nothing is. */
  wrong: (args: Args) => string | null
  call: (args: Args, around: Around) => Promise<Said>
}

type Args = Record<string, unknown>

/** What a call is made within. */
export type Around = { sandbox: SandboxMode; seconds: number; signal: AbortSignal }

/** What a server answered; and where that is no success, why not. */
export type Said = { text: string; failed: string | null }

/** How a tool of another server is called, as far as it can be said without asking the server. */
export const sourceHelp = (name: SourceTool): string =>
  `${name} {…}: a tool of another server; /sources ${name} shows what it takes`

/** A tool of another server as one of ours: behind the gate it is a program that runs in the sandbox. */
export const sourceTool = (name: SourceTool, { sandbox, wrong, call }: Sourced): Tool =>
  defineTool({
    args: z.record(z.string(), z.unknown()).check(({ value, issues }) => {
      const message = wrong(value)
      if (message !== null) issues.push({ code: 'custom', message, input: value, path: [] })
    }),
    help: sourceHelp(name),
    reach: (_args, spec) => {
      const own = narrower(sandbox, spec.sandbox)
      return ok({ sandbox: own, alone: own !== 'read-only' })
    },
    run: (args, bench) => {
      const own = narrower(sandbox, bench.spec.sandbox)
      return watched(own, bench, () => ask(name, bench, (around) => call(args, { sandbox: own, ...around })))
    },
  })

/** How much of a long answer is shown from its beginning. */
const HEAD_SHARE = 0.75

const ask = async (name: SourceTool, bench: Bench, call: (around: Omit<Around, 'sandbox'>) => Promise<Said>) => {
  const { text, failed } = await call({ seconds: bench.limits.seconds, signal: bench.signal })
  const output = await shown(spoken(text), bench, HEAD_SHARE)
  if (failed === null) return { kind: 'ok' as const, paths: [], ...output }
  return { kind: 'failed' as const, message: `${name} ${spoken(failed)}`, ...output }
}
