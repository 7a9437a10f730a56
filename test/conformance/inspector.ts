import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import type { Way } from './clients.ts'
import type { Tools } from './tools.ts'

export type Era = 'legacy' | 'auto' | 'modern'

/** What may come of one call; a machine under load is slow to start a program. */
const CALL_MS = 50_000

/** How the inspector gets to the server. What takes many values comes last but for the command itself. */
const target = (way: Way): { before: string[]; after: string[] } => {
  if (way.kind === 'http') return { before: [way.url], after: ['--header', `Authorization: Bearer ${way.token}`] }
  const env = Object.entries(way.env).flatMap(([key, value]) => ['-e', `${key}=${value}`])
  return { before: [], after: [...env, '--', way.command, ...way.args] }
}

export type Inspector = ReturnType<typeof createInspector>

/** The inspector's two programs, in a home of their own: one call at a time, or connections that a daemon keeps. */
export const createInspector = ({ node, inspector, mcpdo }: Tools) => {
  const home = scratch()
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.path, MCP_INSPECTOR_SECRET_STORE: 'file' }
  const options = { env, extendEnv: false, reject: false, cwd: home.path, timeout: CALL_MS, stdin: 'ignore' } as const
  const keeper = (args: string[]) => execa(node, [mcpdo, '--format', 'json', ...args], options)

  return {
    /** One call over a connection of its own: its result. */
    call: async (way: Way, era: Era, method: string[]): Promise<unknown> => {
      const { before, after } = target(way)
      const patient = ['--connect-timeout', String(CALL_MS)]
      const how = [...before, ...patient, '--protocol-era', era, '--format', 'json', '-q', '--method', ...method]
      const { exitCode, stdout, stderr } = await execa(node, [inspector, '--cli', ...how, ...after], options)
      if (exitCode !== 0) throw new Error(`the inspector ended with ${exitCode}: ${stdout}\n${stderr}`)
      return JSON.parse(stdout).result
    },
    /** Watches a resource over a connection that is kept; answers what was said of it so far, line by line. */
    watch: async (way: Way & { kind: 'http' }, era: Era, uri: string) => {
      const { before, after } = target(way)
      const connected = await keeper(['connect', ...before, '--connection', era, '--era', era, ...after])
      if (connected.exitCode !== 0) throw new Error(`mcpdo did not connect: ${connected.stdout}\n${connected.stderr}`)
      const watching = keeper(['--connection', era, 'resources/subscribe', uri])
      const said: string[] = []
      createInterface({ input: watching.stdout }).on('line', (line) => {
        const type = /"type": "(.*)"/.exec(line)?.[1]
        if (type) said.push(type)
      })
      await eventually('the inspector to watch', () => said.includes('subscribed'))
      return {
        said,
        [Symbol.asyncDispose]: async () => {
          watching.kill()
          await watching
        },
      }
    },
    [Symbol.asyncDispose]: async () => {
      await keeper(['daemon', 'stop'])
      home[Symbol.dispose]()
    },
  }
}
