import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { oneLine } from '../lib/plain.ts'
import type { Ran } from '../sandbox/job.ts'
import type { CommandRule, PeripheralSpec, SandboxMode } from '../shapes/peripheral.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import type { RunResult, StepOutcome } from '../shapes/turn.ts'
import { describe, listed, matchCommand } from './commands.ts'
import { pushObjection, watchGit } from './git.ts'
import { readReport } from './reports.ts'
import { shown, spoken } from './shown.ts'
import { TerminalName } from './terminal.ts'
import { type Bench, type Command, defineTool, Escalate, failed, narrower } from './tool.ts'
import { watched } from './watched.ts'
import { withheld } from './withheld.ts'

const MOST_BYTES = 32_768

const Word = z.string().refine((word) => word.isWellFormed() && !word.includes('\0'), 'expected whole characters')

const args = z.strictObject({
  argv: z
    .array(Word)
    .min(1)
    .max(200)
    .refine((argv) => Buffer.byteLength(argv.join(' ')) <= MOST_BYTES, `expected at most ${MOST_BYTES} bytes`),
  terminal: TerminalName.optional(),
  escalate: Escalate.optional(),
})

export const run = defineTool({
  args,
  help: 'run {argv, terminal?, escalate?}: runs a program, its words one by one; with a terminal it goes on between steps',
  reach: ({ argv, terminal }, spec) => {
    if (terminal !== undefined && !spec.tools.includes('terminal')) {
      return refused(
        refusal('tool-not-allowed', `${spec.id} has no tool terminal, so nothing can go on running in one`),
      )
    }
    const matched = matchCommand(spec.commands, argv)
    if (!matched) return refused(refusal('command-not-allowed', notAllowed(argv, spec)))
    const { rule, paths } = matched
    return ok({
      command: rule,
      sandbox: sandboxFor(rule, spec),
      reads: paths,
      alone: sandboxFor(rule, spec) !== 'read-only',
      ask: rule.approve ? `${spec.id} asks before each ${rule.argv.join(' ')}` : null,
    })
  },
  run: async ({ argv, terminal }, bench) => {
    const matched = matchCommand(bench.spec.commands, argv)
    if (!matched) return failed(notAllowed(argv, bench.spec))
    const { rule } = matched
    const command = { argv, rule, sandbox: sandboxFor(rule, bench.spec), network: rule.network }
    const objection = await pushObjection(command, bench)
    if (objection !== null) return failed(objection)
    const may = await withheld(command, bench)
    if (!may.ok) return failed(may.why)
    const allowed = { ...command, argv: may.argv }
    if (terminal !== undefined) return begin(terminal, allowed, bench)
    return watched(command.sandbox, bench, () => runOnce(argv, allowed, bench))
  },
})

const notAllowed = (argv: readonly string[], spec: PeripheralSpec): string => {
  const more = spec.approval.policy === 'never' ? [] : (spec.ceiling?.commands ?? [])
  const closed = more.filter((rule) => !spec.commands.includes(rule))
  const open = closed.length > 0 ? `; with escalate {why} a person may also open: ${listed(closed)}` : ''
  return `${spec.id} may not run ${named(argv)}; ${describe(spec.commands)}${open}`
}

/** The rule's sandbox, but never a wider one than the peripheral's. */
const sandboxFor = (rule: CommandRule, spec: PeripheralSpec): SandboxMode =>
  narrower(rule.sandbox ?? spec.sandbox, spec.sandbox)

const begin = async (name: string, command: Command, { terminals }: Bench): Promise<StepOutcome> => {
  const started = await terminals.start(name, command)
  if (!started.ok) return failed(`cannot start ${named(command.argv)}: ${started.why}`)
  const output = `started ${named(command.argv)} in the terminal ${name}; terminal {name: "${name}", do: "read"} shows what it says`
  return { kind: 'ok', output, paths: [], cut: null }
}

const runOnce = async (argv: readonly string[], command: Command, bench: Bench) => {
  const git = command.rule.for === 'git' ? await watchGit(command, bench) : null
  const ran = await bench.execute(command)
  const facts = git ? await git.after(ran) : { commit: null, pushed: [] }
  const details = {
    ...(await shown(spoken(ran.output), bench, HEAD_SHARE)),
    run: { argv: [...argv], for: command.rule.for, ...ended(ran), report: reportOf(command, ran), ...facts },
  }
  const wrong = wrongWith(ran, argv, bench.limits)
  if (wrong !== null) return { kind: 'failed' as const, message: wrong, ...details }
  return { kind: 'ok' as const, paths: await filesNamed(bench), ...details }
}

/** How much of a cut output is its beginning: what a run came to stands at its end. */
const HEAD_SHARE = 0.25

const ended = ({ exit, ended }: Ran): Pick<RunResult, 'exit' | 'ended'> => ({ exit, ended })

const reportOf = ({ rule }: Command, { output, exit }: Ran): RunResult['report'] =>
  rule.for === 'test' || rule.for === 'check' ? readReport(output, exit) : null

/** In a sentence, how it did not end well; null where it did. */
const wrongWith = ({ exit, ended }: Ran, argv: readonly string[], limits: Bench['limits']): string | null => {
  if (ended === 'exit') return exit === 0 ? null : `${named(argv)} exited with ${exit}`
  const why = {
    signal: 'was ended by a signal',
    time: `took longer than ${limits.seconds} s and was ended`,
    memory: `used more than ${limits.memoryMb} MB of memory and was ended`,
    processes: `was more than ${limits.processes} processes and was ended`,
    output: 'said too much and was ended',
    cancelled: 'was cancelled',
  }[ended]
  return `${named(argv)} ${why}`
}

const named = (argv: readonly string[]): string => oneLine(argv.join(' '), 100)

/** The paths of the call that are files: others can be names of something else, such as a branch. */
const filesNamed = async ({ targets }: Bench): Promise<string[]> => {
  const files = await Promise.all(
    [...targets.values()].map(({ real, name }) =>
      stat(real).then(
        (found) => (found.isFile() ? [name] : []),
        () => [],
      ),
    ),
  )
  return [...new Set(files.flat())]
}
