import { z } from 'zod'
import { Role } from '../shapes/person.ts'
import { ok } from '../shapes/result.ts'
import { approvals, approve, deny } from './approvals.ts'
import { claim, count, evidence, facets, forks, questions, recent, replies, show, tree } from './evidence.ts'
import { hops, steps } from './history.ts'
import { compact, digest, head, verify } from './keeping.ts'
import { defineOperation, type Operation, usageOf } from './operation.ts'
import { mode, rooms, who, whoami } from './rooms.ts'
import { act, hop, leave, seat, start } from './seat.ts'
import { reset, sessions, status } from './sessions.ts'
import { accept, sources } from './sources.ts'
import { steer } from './steer.ts'
import { archive, begin, fork, threads, unarchive } from './threads.ts'
import { mint, revoke, tokens } from './tokens.ts'
import { diff, rewind, undo } from './undo.ts'
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
  run: async (_input, { specs }) =>
    ok({
      operations: [
        ...[...specs.values()].map(({ id, purpose, role }) => ({
          name: id,
          usage: `${id} [@agent] REQUEST`,
          summary: purpose,
          example: `${id} where is main defined?`,
          role,
        })),
        ...operations
          .filter(({ agents }) => !agents)
          .map((row) => ({
            name: row.name,
            usage: usageOf(row),
            summary: row.summary,
            example: row.example,
            role: row.role,
          })),
      ],
    }),
  render: ({ operations }) =>
    [
      ...operations.map(({ usage, summary }) => `/${usage}: ${summary}`),
      'Anything else is for the agents: "@codex find TODOs in src", "claude: where is X defined?", "@all read README.md".',
    ].join('\n'),
})

const rows = [
  help,
  who,
  whoami,
  rooms,
  mode,
  peripherals,
  status,
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
