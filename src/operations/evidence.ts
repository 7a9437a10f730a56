import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { count } from '../lib/count.ts'
import { Entry, EvidenceQuery } from '../shapes/evidence.ts'
import { Id } from '../shapes/message.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { defineOperation } from './operation.ts'

const Entries = z.strictObject({ entries: z.array(Entry) })

export const evidence = defineOperation({
  name: 'evidence',
  summary: 'find evidence: every filter must hold, newest first unless order=oldest',
  example: 'evidence author=claude-1 event=step-ended limit=5',
  positional: [],
  input: EvidenceQuery,
  output: Entries,
  role: 'viewer',
  reads: true,
  offline: true,
  run: async (input, { store }) => {
    const found = await store.query(input)
    return found.ok ? ok({ entries: found.value }) : found
  },
  render: ({ entries }) => entries.map(line).join('\n') || 'nothing matches',
})

export const thread = defineOperation({
  name: 'thread',
  summary: 'an entry and what it answers, back to the beginning',
  example: 'thread 01hxyz.claude-1.ended',
  positional: ['entry'],
  input: z.strictObject({ entry: Id }),
  output: Entries,
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ entry }, { store }) => {
    const entries = await store.replyChain(entry)
    return entries.length > 0 ? ok({ entries }) : refused(refusal('entry-unknown', `there is no entry ${entry}`))
  },
  render: ({ entries }) => entries.map((entry, depth) => '  '.repeat(depth) + line(entry)).join('\n'),
})

const VerdictShape = z.strictObject({
  session: Id,
  ok: z.boolean(),
  entries: z.int(),
  steps: z.int(),
  dropped: z.int(),
  head: z.string(),
  violations: z.array(z.strictObject({ entry: z.string(), rule: z.string(), what: z.string() })),
})

export const verify = defineOperation({
  name: 'verify',
  summary: 'prove from evidence alone that a chain is whole and every step was within its wall',
  example: 'verify all',
  positional: ['session'],
  input: z
    .strictObject({ session: Id.optional(), all: z.stringbool().default(false) })
    .refine(({ session, all }) => all !== (session !== undefined), 'expected a session, or "all"'),
  output: z.strictObject({ ok: z.boolean(), verdicts: z.array(VerdictShape) }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ session, all }, { store, verify }) => {
    const everything = all || session === 'all'
    const verdicts = []
    for (const chain of everything ? await store.chains() : [session ?? '']) {
      verdicts.push(await verify(chain))
      // Others get their turn between two chains: reading one is work without a pause.
      await setImmediate()
    }
    if (!everything && verdicts[0]?.entries === 0) {
      return refused(refusal('session-unknown', `there is no session ${session}`))
    }
    return ok({ ok: verdicts.every((verdict) => verdict.ok), verdicts })
  },
  render: ({ ok, verdicts }) =>
    [
      ...verdicts.flatMap(({ session, ok, entries, steps, dropped, violations }) => [
        `${ok ? 'whole ' : 'BROKEN'} ${session}: ${count(entries, 'entry', 'entries')}, ${count(steps, 'step')}${dropped > 0 ? `, ${count(dropped, 'body', 'bodies')} dropped` : ''}`,
        ...violations.map(({ entry, rule, what }) => `       ${rule}: ${entry} ${what}`),
      ]),
      ok ? `verified: ${count(verdicts.length, 'chain')}, all whole` : 'NOT verified: see above',
    ].join('\n'),
  passes: ({ ok }) => ok,
})

const line = ({ at, author, session, body, id }: Entry): string =>
  `${at.slice(0, 19)}Z ${author.id}: ${body?.event ?? 'no body'} (${id} in ${session})`
