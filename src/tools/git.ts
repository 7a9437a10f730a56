import type { Ran } from '../sandbox/job.ts'
import type { RunResult } from '../shapes/turn.ts'
import type { Bench, Command } from './tool.ts'

type Facts = Pick<RunResult, 'commit' | 'pushed'>

/** Looks up what really came of a command of git: not what it said, but where HEAD is, and what the remote has. */
export const watchGit = async (command: Command, bench: Bench): Promise<{ after: (ran: Ran) => Promise<Facts> }> => {
  const at = subcommandAt(command.argv)
  const verb = command.argv[at] ?? ''
  const before = MAKES_COMMITS.has(verb) ? await headOf(command, bench) : null
  return {
    after: async (ran) => ({
      commit: MAKES_COMMITS.has(verb) ? await madeCommit(before, command, bench) : null,
      pushed: verb === 'push' && mayHavePushed(ran) ? await pushedBy(command, at, bench) : [],
    }),
  }
}

/**
 * A push goes to a remote that the repository knows by name, and nowhere else: a folder of the workspace would do for git
 * too, and be a repository with hooks that an agent has written.
 */
export const pushObjection = async (command: Command, bench: Bench): Promise<string | null> => {
  const [program, verb, ...rest] = command.argv
  const remote = rest.find((word) => !word.startsWith('-'))
  if (program !== 'git' || verb !== 'push' || remote === undefined) return null
  const lookup = { ...command, argv: ['git', 'remote'], sandbox: 'read-only', network: false, quiet: true } as const
  const { output } = await bench.execute(lookup)
  const known = output.split('\n').filter((name) => name !== '')
  return known.includes(remote) ? null : `there is no remote ${remote}; there is ${known.join(', ') || 'none'}`
}

/** What moves HEAD only by making a commit: a checkout or a fast-forward moves it too, and makes none. */
const MAKES_COMMITS: ReadonlySet<string> = new Set(['commit', 'cherry-pick', 'revert', 'am'])

const madeCommit = async (before: string | null, command: Command, bench: Bench): Promise<string | null> => {
  const after = await headOf(command, bench)
  return after === before ? null : after
}

/** The commit that HEAD is; null where there is none yet. */
const headOf = async ({ argv, rule }: Command, bench: Bench): Promise<string | null> => {
  const lookup = [...argv.slice(0, subcommandAt(argv)), 'rev-parse', '--quiet', '--verify', 'HEAD']
  const { exit, output } = await bench.execute({
    argv: lookup,
    rule,
    sandbox: 'read-only',
    network: false,
    quiet: true,
  })
  return exit === 0 ? (/^[0-9a-f]{40,64}$/m.exec(output)?.[0] ?? null) : null
}

/** Exit 1: some refs were refused, and others may have been taken. */
const mayHavePushed = ({ exit, ended }: Ran): boolean => ended === 'exit' && (exit === 0 || exit === 1)

/**
 * The refs that are at the remote what they are here: the same push is asked for again without being done, and git says
 * of each ref whether there is anything left to push. No hook runs, and nothing is changed.
 */
const pushedBy = async (command: Command, at: number, bench: Bench): Promise<string[]> => {
  const { argv } = command
  const again = [...argv.slice(0, at + 1), '--porcelain', '--dry-run', '--no-verify', ...argv.slice(at + 1)]
  const { output } = await bench.execute({ ...command, argv: again, quiet: true })
  const same = output.split('\n').flatMap((line) => {
    const [flag, refs = '', said] = line.split('\t')
    const ref = refs.slice(refs.indexOf(':') + 1)
    return flag === '=' && said !== undefined && ref.startsWith('refs/') ? [ref] : []
  })
  return [...new Set(same)]
}

/** Where the word is that says what git is to do: after its own options. */
const subcommandAt = (argv: readonly string[]): number => {
  if (argv[0] !== 'git') return argv.length
  let at = 1
  while (argv[at]?.startsWith('-')) at += TAKES_A_VALUE.has(argv[at] ?? '') ? 2 : 1
  return at
}

const TAKES_A_VALUE: ReadonlySet<string> = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--config-env',
])
