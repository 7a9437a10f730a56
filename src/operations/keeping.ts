import { z } from 'zod'
import { count } from '../lib/count.ts'
import { Digest } from '../shapes/digest.ts'
import { Id } from '../shapes/message.ts'
import { Flag } from '../shapes/query.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { type Check, Proof, StoreVerdict, type Verdict, type Violation } from '../shapes/verdict.ts'
import { type Context, defineOperation } from './operation.ts'

const HEAD = /^(\d{1,15}):([0-9a-f]{64})$/

export const verify = defineOperation({
  name: 'verify',
  summary: 'prove from evidence alone that a chain is whole and every step was within its wall',
  example: 'verify all',
  positional: ['session'],
  input: z
    .strictObject({
      session: Id.optional(),
      all: Flag.default(false).describe('every chain, and the store as a whole'),
      head: z
        .string()
        .regex(HEAD, 'expected POSITION:ROOT, as `head` shows it')
        .optional()
        .describe('hold it against a head that was kept elsewhere'),
      files: Flag.default(false).describe('also whether the files are still what the session left'),
    })
    .refine(({ session, all }) => all !== (session !== undefined), 'expected a session, or "all"'),
  output: z.strictObject({ ok: z.boolean(), verdicts: z.array(Proof), store: StoreVerdict.nullable() }),
  role: 'viewer',
  reads: true,
  offline: true,
  long: true,
  alone: true,
  group: 'evidence',
  run: async ({ session, all, head, files }, context) => {
    const whole = all || session === 'all'
    if (whole && files) return refused(refusal('command-invalid', 'files are those of a session: name one'))
    if (whole) return verifyAll(context, head)
    if (head !== undefined) return refused(refusal('command-invalid', 'a head is of the whole store: verify all of it'))
    const verdict = await context.verify(session ?? '')
    if (verdict.entries === 0) return refused(refusal('session-unknown', `there is no session ${session}`))
    const wrong = files ? await context.verifyFiles(session ?? '') : []
    const judged = {
      ...verdict,
      ok: verdict.ok && wrong.length === 0,
      violations: [...verdict.violations, ...wrong],
      checks: [...verdict.checks, ...(files ? [checkOfFiles(verdict, wrong)] : [])],
    }
    return ok({ ok: judged.ok, verdicts: [judged], store: null })
  },
  render: ({ ok, verdicts, store }) =>
    [
      ...bounded(verdicts).flatMap(verdictLines),
      ...leftOut(verdicts),
      ...(store ? storeLines(store) : []),
      ok ? `verified: ${count(verdicts.length, 'chain')}, all whole` : 'NOT verified: see above',
    ].join('\n'),
  passes: ({ ok }) => ok,
})

/** The files themselves, which are held against what the steps say they left. */
const checkOfFiles = ({ steps }: Verdict, { length: broken }: Violation[]): Check => ({
  rule: 'files',
  entries: steps,
  broken,
  judged: true,
})

/** A room reads so many lines at most; with --json there are all. */
const CHAINS = 20
const LINES = 5

/** What is broken first; of what is whole, a few. */
const bounded = (verdicts: Verdict[]): Verdict[] =>
  [...verdicts].sort((a, b) => Number(a.ok) - Number(b.ok)).slice(0, CHAINS)

const leftOut = (verdicts: Verdict[]): string[] => {
  const rest = verdicts.length - CHAINS
  const broken = verdicts.filter(({ ok }) => !ok).length - CHAINS
  return rest > 0 ? [`and ${count(rest, 'more chain')}, ${broken > 0 ? `${broken} of them BROKEN` : 'all whole'}`] : []
}

const verdictLines = ({ session, ok, entries, steps, dropped, violations, more }: Verdict): string[] => [
  `${ok ? 'whole ' : 'BROKEN'} ${session}: ${count(entries, 'entry', 'entries')}, ${count(steps, 'step')}${dropped > 0 ? `, ${count(dropped, 'body', 'bodies')} not kept` : ''}`,
  ...violations.slice(0, LINES).map(({ entry, rule, what }) => `       ${rule}: ${entry} ${what}`),
  ...(unlisted(violations.length, more) > 0 ? [`       and ${unlisted(violations.length, more)} more`] : []),
]

const unlisted = (listed: number, more: number): number => Math.max(0, listed - LINES) + more

const verifyAll = async ({ store, verify, verifyStore }: Context, head: string | undefined) => {
  const verdicts: Proof[] = []
  for (const chain of await store.chains()) verdicts.push(await verify(chain))
  const [, position, root = ''] = HEAD.exec(head ?? '') ?? []
  const whole = await verifyStore(position === undefined ? null : { position: Number(position), root })
  return ok({ ok: whole.ok && verdicts.every((verdict) => verdict.ok), verdicts, store: whole })
}

const storeLines = ({ ok, position, signed, violations }: StoreVerdict): string[] => [
  `${ok ? 'whole ' : 'BROKEN'} store: ${count(position, 'entry', 'entries')}, ${signed === null ? 'no signed head' : `signed up to ${signed}`}`,
  ...violations.slice(0, CHAINS).map(({ rule, what }) => `       ${rule}: ${what}`),
  ...(violations.length > CHAINS ? [`       and ${violations.length - CHAINS} more`] : []),
]

export const head = defineOperation({
  name: 'head',
  summary: 'where the store stands: kept elsewhere, it shows to `verify` what was cut off or rewritten',
  example: 'head',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ head: z.string(), position: z.int(), root: z.string() }),
  role: 'viewer',
  reads: true,
  offline: true,
  group: 'evidence',
  run: async (_input, { store }) => {
    const { position, root } = await store.tip()
    return ok({ head: `${position}:${root}`, position, root })
  },
  render: (output) => output.head,
})

export const digest = defineOperation({
  name: 'digest',
  summary: 'what a session came to: goals, walls, progress, answers, files',
  example: 'digest s-01hxyz',
  positional: ['session'],
  input: z.strictObject({ session: Id }),
  output: z.strictObject({ digest: Digest, text: z.string() }),
  role: 'viewer',
  reads: true,
  offline: true,
  group: 'evidence',
  run: async ({ session }, { store, digest }) => {
    if (!(await store.session(session))) return refused(refusal('session-unknown', `there is no session ${session}`))
    return ok(await digest(session))
  },
  render: ({ text }) => text,
})

export const compact = defineOperation({
  name: 'compact',
  summary: 'let bodies go that are older than the config keeps them',
  example: 'compact dry=true',
  positional: [],
  input: z.strictObject({ dry: Flag.default(false).describe('only count them') }),
  output: z.strictObject({
    dry: z.boolean(),
    bodies: z.int(),
    bytes: z.int(),
    left: z.array(z.strictObject({ session: Id, why: z.string() })),
  }),
  role: 'admin',
  reads: false,
  offline: false,
  group: 'evidence',
  run: async ({ dry }, { compact }) => {
    const done = await compact(dry)
    return done.ok ? ok({ dry, ...done.value }) : done
  },
  render: ({ dry, bodies, bytes, left }) =>
    [
      `${dry ? 'would let go of' : 'let go of'} ${count(bodies, 'body', 'bodies')}, ${bytes} bytes`,
      ...left.map(({ session, why }) => `left alone: ${session}: ${why}`),
    ].join('\n'),
})
