import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { eventually } from '../support/poll.ts'

const CLI = join(import.meta.dirname, '../../dist/src/cli.js')

/** A process of the house under test. */
export type Member = Awaited<ReturnType<typeof startMember>>

/** From when to when nothing could be expected of a process; of one that is still away, no end. */
type Away = { from: number; to: number | null }

type Options = {
  name: string
  args: readonly string[]
  env: Record<string, string>
  /** What it is started through: a program that takes a command and becomes it. */
  through?: readonly string[]
}

/**
 * A gateway, a worker or a bridge as a process of its own, that a drill can kill, freeze and start again. It ends by
 * itself when the tests are gone, as it would with `bellhop up`.
 */
export const startMember = async ({ name, args, env, through = [] }: Options) => {
  const [program = '', ...words] = [...through, process.execPath, CLI, ...args]
  const away: Away[] = []
  let output = ''
  let child = run()

  function run() {
    // From here on somebody is there again, who takes over as soon as that can be.
    isBack()
    const started = execa(program, words, {
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...env },
      extendEnv: false,
      ipc: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      reject: false,
      cleanup: false,
      detached: true,
    })
    for (const stream of [started.stdout, started.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output = `${output}${chunk}`.slice(-20_000)
      })
    return started
  }

  function goes(): void {
    if (away.at(-1)?.to !== null) away.push({ from: Date.now(), to: null })
  }
  function isBack(): void {
    const last = away.at(-1)
    if (last?.to === null) last.to = Date.now()
  }

  const ready = async (): Promise<void> => {
    const report = await Promise.race([child.getOneMessage().catch(() => null), child.then(() => null)])
    const { kind } = (report ?? { kind: 'none' }) as { kind: string }
    if (kind !== 'ready') throw new Error(`the ${name} did not start: ${JSON.stringify(report)}\n${output}`)
  }

  const signal = (which: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(child.pid, which)
  }

  const kill = async (): Promise<void> => {
    goes()
    signal('SIGKILL')
    await child
  }

  await ready()
  return {
    name,
    away: away as readonly Away[],
    pid: () => child.pid ?? 0,
    output: () => output,
    ended: (): Promise<unknown> => child,
    /** How it has ended; null while it runs. */
    endedBy: (): string | null => child.signalCode ?? (child.exitCode === null ? null : `exit ${child.exitCode}`),
    kill,
    /** Starts it again, and waits until it says that it is ready. */
    start: async (): Promise<void> => {
      child = run()
      await ready()
    },
    /** Starts it again whenever that may succeed: what it needs may be away as well. */
    startAtLast: async (): Promise<void> => {
      await eventually(
        `the ${name} to start`,
        async () => {
          child = run()
          return ready().then(
            () => true,
            () => false,
          )
        },
        120_000,
      )
    },
    freeze: async (): Promise<void> => {
      goes()
      signal('SIGSTOP')
      await eventually(`the ${name} to stand still`, () => stateOf(child.pid) === 'T')
    },
    thaw: (): void => {
      signal('SIGCONT')
      isBack()
    },
    /** For what keeps it from being of use while it runs, such as a network that is cut. */
    goes,
    isBack,
    stop: async (): Promise<void> => {
      signal('SIGCONT')
      signal('SIGTERM')
      await child
    },
  }
}

const stateOf = (pid: number | undefined): string | null => {
  try {
    return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}
