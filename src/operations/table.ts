import { z } from 'zod'
import { Role } from '../shapes/person.ts'
import { ok } from '../shapes/result.ts'
import { approvals, approve, deny } from './approvals.ts'
import { claim, count, evidence, facets, forks, questions, recent, replies, show, thread } from './evidence.ts'
import { compact, digest, head, verify } from './keeping.ts'
import { defineOperation, type Operation, usageOf } from './operation.ts'
import { mode, rooms, who, whoami } from './rooms.ts'
import { reset, sessions, status } from './sessions.ts'
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
        ...operations.map((row) => ({
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

/** Everything that can be asked of Bellhop, once. */
export const operations: readonly Operation[] = [
  help,
  who,
  whoami,
  rooms,
  mode,
  peripherals,
  status,
  stop,
  approvals,
  approve,
  deny,
  holds,
  release,
  diff,
  undo,
  rewind,
  sessions,
  reset,
  evidence,
  recent,
  show,
  thread,
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
]

export const operationNamed = (name: string): Operation | null => operations.find((row) => row.name === name) ?? null
