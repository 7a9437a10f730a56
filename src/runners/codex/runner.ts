import { oneAtATime } from '../../lib/one-at-a-time.ts'
import { failed } from '../failures.ts'
import type { RunnerOptions } from '../options.ts'
import type { Opened, Opening, Runner } from '../runner.ts'
import { probeCodex } from './probe.ts'
import { type AppServer, type Started, startServer } from './server.ts'
import { openThread } from './thread.ts'

/** How long the program has to end by itself. */
const GRACE_MS = 1000

/**
 * The program `codex`: one process, started when it is first needed and again when it has ended, in which every
 * conversation is a thread with a token of its own. `extra` are flags besides those of the wall, for tests.
 */
export const createCodexRunner = (options: RunnerOptions, extra: readonly string[] = []): Runner => {
  const alone = oneAtATime()
  let server: AppServer | null = null
  let version: string | null = null
  let closed = false

  const running = (): Promise<Started> =>
    alone('server', async () => {
      if (closed) return { ok: false, failure: failed('crashed', 'it was closed') }
      if (server && !server.isOver()) return { ok: true, server }
      const started = await startServer(options, extra)
      server = started.ok ? started.server : null
      return started
    })

  const open = async (opening: Opening, forgotten: boolean): Promise<Opened> => {
    const started = await running()
    return started.ok ? openThread(started.server, opening, { empty: options.empty, forgotten }) : started
  }

  return {
    probe: (hands, expected) =>
      probeCodex({
        options,
        expected,
        open: () => open({ session: 'probe', instructions: '', hands, model: null, resume: null }, true),
        found: (found) => {
          version = found
        },
      }),
    version: () => version,
    open: (opening) => open(opening, false),
    pids: () => (server && !server.isOver() ? [server.pid] : []),
    close: () =>
      alone('server', async () => {
        closed = true
        await server?.end(GRACE_MS)
      }),
  }
}
