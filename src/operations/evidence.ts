import { z } from 'zod'
import { roomDraft } from '../evidence/drafts.ts'
import { count as counted } from '../lib/count.ts'
import { plain } from '../lib/plain.ts'
import { type Body, Entry, Tag } from '../shapes/evidence.ts'
import { Id } from '../shapes/message.ts'
import { authorOf } from '../shapes/person.ts'
import { EvidenceFilters, EvidenceQuery, Facet } from '../shapes/query.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { defineOperation } from './operation.ts'
import { tableOf } from './rows.ts'

const Entries = z.strictObject({ entries: z.array(Entry) })
const Page = Entries.extend({
  /** The cursor of the next page; null where this was the last. */
  next: z.int().nullable(),
  /** The place up to which the store was looked at: a follower goes on from there. */
  through: z.int(),
})

const looks = { role: 'viewer', reads: true, offline: true, group: 'evidence' } as const

export const evidence = defineOperation({
  ...looks,
  name: 'evidence',
  alias: 'query',
  summary: 'find evidence: every filter must hold, newest first unless order=oldest',
  example: 'evidence agent=claude-1 tool=read since=2h limit=5',
  positional: [],
  input: EvidenceQuery,
  output: Page,
  run: (input, { store }) => store.query(input),
  render: ({ entries, next }) =>
    [
      entries.length > 0 ? tableOf(entries) : 'nothing matches',
      ...(next === null ? [] : [`more: cursor=${next}`]),
    ].join('\n'),
})

export const recent = defineOperation({
  ...looks,
  name: 'recent',
  summary: 'what happened last',
  example: 'recent since=1h',
  positional: [],
  input: EvidenceQuery.pick({ room: true, agent: true, since: true }).extend({
    limit: EvidenceQuery.shape.limit.default(20),
  }),
  output: Page,
  run: (input, { store }) => store.query(input),
  render: ({ entries }) => tableOf(entries) || 'nothing happened',
})

export const show = defineOperation({
  ...looks,
  name: 'show',
  summary: 'one entry, whole',
  example: 'show 01hxyz.claude-1',
  positional: ['entry'],
  input: z.strictObject({ entry: Id }),
  output: z.strictObject({ entry: Entry }),
  run: async ({ entry: id }, { store }) => {
    const entry = await store.get(id)
    return entry ? ok({ entry }) : unknown(id)
  },
  render: ({ entry: { body, ...entry } }) =>
    [
      ...Object.entries(entry).map(
        ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ),
      'body:',
      body === null ? '  (not kept any more)' : indented(JSON.stringify(body, null, 2)),
    ]
      .map(plain)
      .join('\n'),
})

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')

const unknown = (id: string): Result<never> => refused(refusal('entry-unknown', `there is no entry ${id}`))

export const tree = defineOperation({
  ...looks,
  name: 'tree',
  alone: true,
  summary: 'the whole reply tree that an entry belongs to, and how it stands',
  example: 'tree 01hxyz.claude-1.ended',
  positional: ['entry'],
  input: z.strictObject({ entry: Id }),
  output: z.strictObject({
    root: Id,
    status: z.enum(['open', 'closed', 'forked', 'stalled']),
    entries: z.array(z.strictObject({ depth: z.int(), entry: Entry })),
    forks: z.array(Entry),
    open: z.array(Id),
    cut: z.boolean(),
  }),
  run: async ({ entry }, { store }) => {
    const found = await store.replyTree(entry)
    return found ? ok(found) : unknown(entry)
  },
  render: ({ root, status, entries, forks, open, cut }) => {
    const depths = new Map(entries.map(({ depth, entry }) => [entry.id, depth]))
    return [
      `${root}: ${status}, ${counted(entries.length, 'entry', 'entries')}`,
      tableOf(
        entries.map(({ entry }) => entry),
        ({ id }) => '  '.repeat(Math.min(depths.get(id) ?? 0, DEEPEST)),
      ),
      ...(cut ? ['…and more than is shown'] : []),
      ...open.map((id) => `waits for an answer: ${id}`),
      ...forks.map(({ id, forkOf }) => `goes on from ${forkOf}: ${id}`),
    ].join('\n')
  },
})

const DEEPEST = 12

export const replies = defineOperation({
  ...looks,
  name: 'replies',
  summary: 'an entry and what it answers, back to the beginning',
  example: 'replies 01hxyz.claude-1.ended',
  positional: ['entry'],
  input: z.strictObject({ entry: Id }),
  output: Entries,
  run: async ({ entry }, { store }) => {
    const entries = await store.replyChain(entry)
    return entries.length > 0 ? ok({ entries }) : unknown(entry)
  },
  render: ({ entries }) => tableOf(entries),
})

export const forks = defineOperation({
  ...looks,
  name: 'forks',
  summary: 'the entries that go on from one in another direction',
  example: 'forks 01hxyz',
  positional: ['entry'],
  input: z.strictObject({ entry: Id }),
  output: Entries,
  run: async ({ entry }, { store }) =>
    (await store.get(entry)) ? ok({ entries: await store.forks(entry) }) : unknown(entry),
  render: ({ entries }) => tableOf(entries) || 'nothing goes on from there',
})

export const questions = defineOperation({
  ...looks,
  name: 'questions',
  summary: 'questions without an answer, and conjectures neither confirmed nor refuted',
  example: 'questions',
  positional: [],
  input: z.strictObject({ limit: z.coerce.number().int().min(1).max(200).default(50).describe('how many, up to 200') }),
  output: z.strictObject({
    open: z.array(z.strictObject({ kind: z.enum(['question', 'conjecture']), entry: Entry })),
  }),
  run: async ({ limit }, { store }) => ok({ open: await store.openPoints(limit) }),
  render: ({ open }) => tableOf(open.map(({ entry }) => entry)) || 'nothing is open',
})

export const count = defineOperation({
  ...looks,
  name: 'count',
  summary: 'how much evidence matches',
  example: 'count tool=read outcome=failed since=7d',
  positional: [],
  input: EvidenceFilters,
  output: z.strictObject({ count: z.int() }),
  run: async (input, { store }) => {
    const found = await store.count(input)
    return found.ok ? ok({ count: found.value }) : found
  },
  render: ({ count }) => counted(count, 'entry', 'entries'),
})

const SHOWN = 50

const Faceted = z.strictObject({
  by: Facet,
  values: z.array(z.strictObject({ value: z.string(), count: z.int() })),
  /** How many values there are besides those shown. */
  more: z.int(),
})
type Faceted = z.infer<typeof Faceted>

const cutTo = (most: number, by: Facet, values: Faceted['values']): Faceted => ({
  by,
  values: values.slice(0, most),
  more: Math.max(0, values.length - most),
})

export const facets = defineOperation({
  ...looks,
  name: 'facets',
  summary: `how much matching evidence there is of each ${Facet.options.join(', ')}`,
  example: 'facets tool agent=claude-1',
  positional: ['by'],
  input: z.strictObject({ by: Facet, ...EvidenceFilters.shape }),
  output: Faceted,
  run: async ({ by, ...filters }, { store }) => {
    const found = await store.facets(by, filters)
    if (!found.ok) return found
    return ok(cutTo(SHOWN, by, found.value))
  },
  render: ({ by, values, more }) =>
    [
      ...values.map(({ value, count }) => `${String(count).padStart(8)}  ${plain(value)}`),
      ...(more > 0 ? [`${String(more).padStart(8)}  more`] : []),
    ].join('\n') || `no evidence has a ${by}`,
})

/** So many values of each are told in a breakdown: what narrows most is what there is most of. */
const NARROWING = 12

export const breakdown = defineOperation({
  ...looks,
  name: 'breakdown',
  summary: 'how much evidence matches, and what it is made of: every facet at once',
  example: 'breakdown agent=claude-1 since=7d',
  positional: [],
  input: EvidenceFilters,
  output: z.strictObject({
    count: z.int(),
    facets: z.array(Faceted),
  }),
  run: async (input, { store }) => {
    const found = await store.breakdown(Facet.options, input)
    if (!found.ok) return found
    return ok({
      count: found.value.count,
      facets: found.value.facets.map(({ by, values }) => cutTo(NARROWING, by, values)),
    })
  },
  render: ({ count, facets }) =>
    [
      counted(count, 'entry', 'entries'),
      ...facets
        .filter(({ values }) => values.length > 0)
        .map(({ by, values, more }) => {
          const named = values.map(({ value, count }) => `${plain(value)} ${count}`).join(', ')
          return `${by}: ${named}${more > 0 ? `, and ${more} more` : ''}`
        }),
    ].join('\n'),
})

/** What people hold, by the word they use for it. */
const held = {
  question: (text) => ({ event: 'asked', text }),
  conjecture: (text) => ({ event: 'supposed', text }),
  conclusion: (text) => ({ event: 'concluded', text }),
  correction: (text) => ({ event: 'corrected', text }),
} as const satisfies Record<string, (text: string) => Body>

const Held = z.enum(Object.keys(held) as [keyof typeof held, ...(keyof typeof held)[]])

export const claim = defineOperation({
  name: 'claim',
  summary: 'write down a question, a conjecture, or the conclusion or correction that settles one',
  example: 'claim conclusion the lease was too short about=01hxyz',
  positional: ['kind', 'text'],
  rest: 'text',
  input: z.strictObject({
    kind: Held,
    text: z.string().min(1),
    about: Id.optional().describe('the entry it is about: a conclusion or a correction settles it'),
    fork: Id.optional().describe('the entry it goes on from in another direction'),
    pattern: Tag.optional().describe('the pattern it is about'),
  }),
  output: z.strictObject({ entry: Id, kind: Held }),
  role: 'operator',
  reads: false,
  offline: false,
  group: 'evidence',
  run: async ({ kind, text, about, fork, pattern }, { person, room, store, newId }) => {
    if (room === null) return refused(refusal('room-unknown', 'a claim is made in a room: ask in one'))
    const draft = {
      ...roomDraft({
        id: newId(),
        room,
        author: authorOf(person),
        body: held[kind](text),
        ...(about ? { inReplyTo: about } : {}),
      }),
      forkOf: fork ?? null,
      pattern: pattern ?? null,
      conjecture: kind === 'conjecture',
    }
    const made = await store.append([draft])
    return made.ok ? ok({ entry: draft.id, kind }) : made
  },
  render: ({ entry, kind }) => `${kind} ${entry} is written down`,
})
