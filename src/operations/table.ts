import { z } from 'zod'
import { mayAct, Role } from '../shapes/person.ts'
import { ok } from '../shapes/result.ts'
import { approvals, approve, deny } from './approvals.ts'
import { claim, count, evidence, facets, forks, questions, recent, replies, show, tree } from './evidence.ts'
import { hops, steps } from './history.ts'
import { compact, digest, head, verify } from './keeping.ts'
import { checkouts, merge } from './merge.ts'
import { defineOperation, type Operation, usageOf } from './operation.ts'
import { profile, profiles } from './profile.ts'
import { amend, queue, unqueue } from './queue.ts'
import { mode, rooms, who, whoami } from './rooms.ts'
import { act, hop, leave, seat, start } from './seat.ts'
import { reset, sessions, status } from './sessions.ts'
import { accept, sources } from './sources.ts'
import { steer } from './steer.ts'
import { archive, begin, fork, threads, unarchive } from './threads.ts'
import { mint, revoke, tokens } from './tokens.ts'
import { diff, rewind, undo } from './undo.ts'
import { usage } from './usage.ts'
import { holds, peripherals, release, stop } from './work.ts'

const help = defineOperation({
  name: 'help',
  summary: 'what can be asked',
  example: 'help',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({
    operations: z.array(
      z.strictObject({ name: z.string(), usage: z.string(), summary: z.string(), example: z.string(), role: Role }),
    ),
  }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async (_input, { specs, person }) => {
    const walls = [...specs.values()].map(({ id, purpose, role }) => {
      const [usage, example] = [`${id} [@agent] REQUEST`, `${id} where is main defined?`]
      return { name: id, usage, summary: purpose, example, role }
    })
    const rows = commands.map((row) => {
      const { name, summary, example, role } = row
      return { name, usage: usageOf(row), summary, example, role }
    })
    // What somebody may not do would only be in the way of what they may.
    return ok({ operations: [...walls, ...rows].filter(({ role }) => mayAct(person.role, role)) })
  },
  render: ({ operations }) =>
    [
      ...operations.map(({ usage, summary }) => `/${short(usage)}: ${summary}`),
      'Anything else is for the agents: "@codex find TODOs in src", "claude: where is X defined?", "@all read README.md".',
    ].join('\n'),
})

/** As many inputs as a line of the help names: what takes more is asked what it takes by a mistake, or at /api/docs. */
const NAMED = 4

const short = (usage: string): string => {
  const words = usage.split(' ')
  return words.length > NAMED + 1 ? [...words.slice(0, NAMED), '…'].join(' ') : usage
}

const rows = [
  help,
  who,
  whoami,
  rooms,
  mode,
  profile,
  profiles,
  peripherals,
  status,
  queue,
  amend,
  unqueue,
  steer,
  stop,
  approvals,
  approve,
  deny,
  holds,
  release,
  diff,
  undo,
  rewind,
  merge,
  checkouts,
  threads,
  begin,
  fork,
  archive,
  unarchive,
  sessions,
  reset,
  steps,
  hops,
  evidence,
  recent,
  show,
  tree,
  replies,
  forks,
  questions,
  claim,
  count,
  facets,
  usage,
  digest,
  verify,
  head,
  compact,
  tokens,
  mint,
  revoke,
  sources,
  accept,
  seat,
  start,
  act,
  hop,
  leave,
] as const

/** Everything that can be asked of Bellhop, once. */
export const operations: readonly Operation[] = rows

/** What people can ask, in a room and elsewhere: agents have tools instead, and a few rows of their own. */
export const commands: readonly Operation[] = operations.filter(({ agents }) => !agents)

/** What each row takes and answers, by its name: types alone, for whoever asks from outside. */
export type Operations = { [Row in (typeof rows)[number] as Row['name']]: NonNullable<Row['types']> }

export const operationNamed = (name: string): Operation | null => operations.find((row) => row.name === name) ?? null
