import { z } from 'zod'
import { oneLine } from '../lib/plain.ts'
import { PatternAction, Patterns } from '../shapes/pattern.ts'
import { ok } from '../shapes/result.ts'
import { defineOperation, defineWork } from './operation.ts'
import { tooLowAt } from './standing.ts'

export const patterns = defineOperation({
  name: 'patterns',
  files: true,
  summary: 'know-how that can be used again: search it, with how each pattern did, and what is proposed',
  example: 'patterns flaky test',
  positional: ['words'],
  rest: 'words',
  input: z.strictObject({
    words: z
      .string()
      .max(500)
      .regex(/[\p{L}\p{N}]/u, 'expected words')
      .optional()
      .describe('what it is to help with; all of them without'),
  }),
  output: Patterns,
  role: 'viewer',
  reads: true,
  offline: false,
  run: async ({ words = null }, context) =>
    ok(
      await context.patterns(
        words,
        async (room) => (await tooLowAt(room, 'viewer', 'to look at it', context)) === null,
      ),
    ),
  render: ({ patterns: found, proposals, complaints }) =>
    [
      ...(found.length === 0 ? ['no pattern has one of these words'] : found.slice(0, MOST).map(rowText)),
      ...(found.length > MOST ? [`... and ${found.length - MOST} more`] : []),
      ...proposals.map(({ kind, pattern: name, why, says }) =>
        kind === 'new' ? `proposed: new ${name}: "${says}"; ${why}` : `proposed: retire ${name}: ${why}`,
      ),
      ...complaints.slice(0, MOST).map(({ path, line, what, right }) => `${path}:${line}: ${what}; ${right}`),
    ].join('\n'),
})

const MOST = 20

type Row = Patterns['patterns'][number]

const rowText = ({ id, description, retired, record: { selected, worked, failed } }: Row): string => {
  const did = selected === 0 ? 'never chosen' : `chosen ${selected}, worked ${worked}, failed ${failed}`
  return `${id}${retired ? ' [retired]' : ''}: ${oneLine(description, 120)} (${did})`
}

/** A turn of Tickle in discipline: what is asked is a step there, with evidence like any other. */
export const pattern = defineWork({
  name: 'pattern',
  summary:
    'one pattern: find, show or look at its record; what is proposed: accept or decline it; retire or restore one',
  example: 'pattern show bisect-a-regression',
  positional: ['action', 'rest'],
  rest: 'rest',
  input: z.strictObject({
    action: PatternAction.default('find').describe(PatternAction.options.join(', ')),
    rest: z.string().max(1000).optional().describe('words to find it by; else its name, and for a decision also why'),
  }),
  gives: ({ action, rest = '' }) => ({
    agent: 'tickle',
    peripheral: 'discipline',
    request: `pattern ${action} ${rest}`.trim(),
  }),
})
