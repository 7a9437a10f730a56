import { posix } from 'node:path'
import fc from 'fast-check'
import type { Page } from '../../src/evidence/find.ts'
import { type BodyOf, Claim, type Entry, EventName, EvidenceType } from '../../src/shapes/evidence.ts'
import { type Facet, Outcome } from '../../src/shapes/query.ts'

// ── what each filter means, said once more without a database ───────────────────────────────────────────────────────

export type Filters = {
  session?: string
  subject?: string
  type?: string
  claim?: string
  event?: string
  author?: string
  tag?: string[]
  any?: string[]
  room?: string
  agent?: string
  mission?: string
  pattern?: string
  peripheral?: string
  tool?: string
  outcome?: string
  path?: string
  text?: string
  conjecture?: boolean
  ephemeral?: 'without' | 'with' | 'only'
  since?: string
  before?: string
}
type Name = keyof Filters
type Meaning<F extends Name> = (entry: Entry, wanted: Required<Filters>[F], now: number) => boolean

const isMarked = (entry: Entry, mark: string): boolean => marksOf(entry).has(mark)
const family =
  (name: string) =>
  (entry: Entry, wanted: string): boolean =>
    isMarked(entry, `${name}/${wanted}`)

const meanings: { [F in Name]-?: Meaning<F> } = {
  session: ({ session }, wanted) => session === wanted,
  subject: ({ subject }, wanted) => `${subject.type}/${subject.id}` === wanted,
  type: ({ type }, wanted) => type === wanted,
  claim: ({ claim }, wanted) => claim === wanted,
  event: ({ body }, wanted) => body.event === wanted,
  author: ({ author }, wanted) => author.id === wanted,
  tag: (entry, wanted) => wanted.every((tag) => isMarked(entry, tag)),
  any: (entry, wanted) => wanted.some((tag) => isMarked(entry, tag)),
  room: family('room'),
  agent: family('agent'),
  mission: family('mission'),
  pattern: family('pattern'),
  peripheral: family('peripheral'),
  tool: family('tool'),
  outcome: family('outcome'),
  path: (entry, wanted) => isMarked(entry, `path/${plainPath(wanted)}`),
  text: ({ body }, wanted) => {
    const words = wordsIn(body)
    const looked = [...plainText(wanted).matchAll(/([\p{L}\p{N}_]+)(\*?)/gu)]
    const isThere = ([, word = '', star]: RegExpExecArray) =>
      words.some((one) => (star ? one.startsWith(word) : one === word))
    return looked.length > 0 && looked.every(isThere)
  },
  conjecture: ({ conjecture }, wanted) => conjecture === wanted,
  ephemeral: ({ ephemeral }, wanted) => wanted === 'with' || ephemeral === (wanted === 'only'),
  since: ({ at }, wanted, now) => Date.parse(at) >= momentOf(wanted, now),
  before: ({ at }, wanted, now) => Date.parse(at) < momentOf(wanted, now),
}
const names = Object.keys(meanings) as Name[]

/** All that an entry is marked with: its tags, its pattern, and what its body tells. */
const marksOf = ({ tags, pattern, body }: Entry): Set<string> =>
  new Set([...tags, ...(pattern === null ? [] : [`pattern/${pattern}`]), ...toldBy(body)])

type Tells = { [E in EventName]?: (body: BodyOf<E>) => string[] }

const tells: Tells = {
  refused: () => ['outcome/refused'],
  'turn-ended': ({ outcome }) => [`outcome/${outcome}`],
  'peripheral-started': ({ peripheral }) => [`peripheral/${peripheral}`],
  'peripheral-stopped': ({ peripheral, to }) => [peripheral, to ?? peripheral].map((name) => `peripheral/${name}`),
  'wall-declared': ({ peripheral }) => [`peripheral/${peripheral}`],
  'tool-seen': ({ server, tool }) => [`tool/${server}.${tool}`],
  'tool-pinned': ({ server, tool }) => [`tool/${server}.${tool}`],
  'step-intended': ({ call, reads, writes }) => [...callMarks(call), ...pathMarks([reads, writes].flat())],
  'step-refused': ({ call }) => ['outcome/refused', ...callMarks(call)],
  'approval-asked': ({ call }) => callMarks(call),
  'step-ended': ({ tool, outcome }) => {
    const named = outcome.kind === 'ok' ? outcome.paths : []
    const touched =
      outcome.kind === 'interrupted' ? [] : [outcome.changed, outcome.files?.map(({ path }) => path)].flat()
    return [`tool/${tool}`, `outcome/${outcome.kind}`, ...pathMarks([...named, ...touched])]
  },
  restoring: ({ files }) => pathMarks(files.map(({ path }) => path)),
  restored: ({ files }) => pathMarks(files.map(({ path }) => path)),
  merged: ({ files }) => pathMarks(files),
}

const toldBy = (body: Entry['body']): string[] =>
  (tells[body.event] as ((body: Entry['body']) => string[]) | undefined)?.(body) ?? []

const callMarks = ({ tool, args }: { tool: string; args: Record<string, unknown> }): string[] => [
  `tool/${tool}`,
  ...pathMarks([args['path']]),
]

const plainPath = (path: string): string => posix.normalize(path).replace(/\/$/, '')

/** A path, the folder it lies in, and so on upwards. */
const pathMarks = (paths: unknown[]): string[] =>
  paths
    .filter((path) => typeof path === 'string')
    .flatMap((path) => {
      const found: string[] = []
      for (let at = plainPath(path); !['', '.', '/'].includes(at); at = posix.dirname(at)) found.push(`path/${at}`)
      return found
    })

const plainText = (text: string): string => text.normalize('NFKC').toLowerCase()

const wordsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return plainText(value).split(/[^\p{L}\p{N}_]+/u)
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(wordsIn) : []
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

const momentOf = (moment: string, now: number): number => {
  const [, count, unit] = /^(\d+)([smhdw])$/.exec(moment) ?? []
  return unit === undefined ? Date.parse(moment) : now - Number(count) * (UNITS[unit] ?? 0)
}

const holds = (name: Name, entry: Entry, filters: Filters, now: number): boolean => {
  const means = meanings[name] as (entry: Entry, wanted: unknown, now: number) => boolean
  return filters[name] === undefined || means(entry, filters[name], now)
}

export const matching = (all: Entry[], given: Filters, now = 0): Entry[] => {
  const presence = given.event === 'presence' || given.type === 'presence-event'
  const filters: Filters = { ...given, ephemeral: givenOr(given.ephemeral, presence) }
  return all.filter((entry) => names.every((name) => holds(name, entry, filters, now)))
}

export type Question = Filters & { order: 'newest' | 'oldest'; cursor?: number; limit: number }

/** The page that a question has to be answered with. Where a page is full, there may be more. */
export const pageFor = (all: Entry[], { order, cursor, limit, ...filters }: Question, now: number): Page => {
  const past = ({ position }: Entry): boolean =>
    cursor === undefined || (order === 'newest' ? position < cursor : position > cursor)
  const found = matching(order === 'newest' ? all.toReversed() : all, filters, now).filter(past)
  const entries = found.slice(0, limit)
  return { entries, next: entries.length === limit ? (entries.at(-1)?.position ?? null) : null, through: all.length }
}

const valuesOf = (facet: Facet, entry: Entry): string[] => {
  const { session, subject, type, claim, body, author } = entry
  const own: Record<string, string> = { session, type, claim, event: body.event, author: author.id }
  if (facet === 'subject') return [`${subject.type}/${subject.id}`]
  const value = own[facet]
  if (value !== undefined) return [value]
  const prefix = `${facet}/`
  return [...marksOf(entry)].filter((mark) => mark.startsWith(prefix)).map((mark) => mark.slice(prefix.length))
}

export const facetsOf = (facet: Facet, entries: Entry[]): { value: string; count: number }[] => {
  const counts = new Map<string, number>()
  for (const value of entries.flatMap((entry) => valuesOf(facet, entry))) {
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const found = [...counts].map(([value, count]) => ({ value, count }))
  return found.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

// ── any question ────────────────────────────────────────────────────────────────────────────────────────────────────

const time = fc
  .tuple(fc.constantFrom(-90_000, 0, 1, 999, 1000, 60_000, 61_000), fc.constantFrom('.000Z', 'Z', '.500Z', '.5+00:00'))
  .map(([ms, end]) => new Date(Date.parse('2026-01-02T03:04:05Z') + ms).toISOString().replace(/\.\d+Z$/, end))
const moment = fc.oneof(time, fc.constantFrom('2026-01-02', '2026-01-03', '0s', '1s', '2m', '1h', '7d', '999999w'))

const tags = fc.subarray(['a', 'b', 'path/src', 'room/den', 'agent/claude-1', 'tool/read', 'nothing'], {
  minLength: 1,
  maxLength: 2,
})

const values: { [F in Name]-?: fc.Arbitrary<Required<Filters>[F]> } = {
  session: fc.constantFrom('s-1', 's-2', 'room-lobby', 'room-den', 'nowhere'),
  subject: fc.constantFrom('room/lobby', 'room/attic', 'session/s-1', 'house/house'),
  type: fc.constantFrom(...EvidenceType.options),
  claim: fc.constantFrom(...Claim.options),
  event: fc.constantFrom(...EventName.options),
  author: fc.constantFrom('ada', 'bob', 'claude-1', 'bellhop', 'nobody'),
  tag: tags,
  any: tags,
  room: fc.constantFrom('lobby', 'den', 'attic', 'nowhere'),
  agent: fc.constantFrom('claude-1', 'codex-1'),
  mission: fc.constantFrom('m', 'n'),
  pattern: fc.constantFrom('p', 'p/q', 'q'),
  peripheral: fc.constantFrom('explore', 'edit'),
  tool: fc.constantFrom('read', 'grep', 'glob'),
  outcome: fc.constantFrom(...Outcome.options),
  path: fc.constantFrom('src', './src', 'src/b', 'src/b/', './src/a.ts', 'docs', 'docs/x y.md', '/etc', 'passwd'),
  text: fc.constantFrom('retry', 'retr*', 'RETRIES the', 'größe', 'gr*', 'file', '東京', 'x_1', 'x', 'no 5', 'grep'),
  conjecture: fc.boolean(),
  ephemeral: fc.constantFrom('without', 'with', 'only'),
  since: moment,
  before: moment,
}

/** Up to three filters: with more of them, hardly anything is found. */
export const anyFilters: fc.Arbitrary<Filters> = fc
  .subarray(names, { maxLength: 3 })
  .chain((chosen) => fc.record(Object.fromEntries(chosen.map((name) => [name, values[name]]))) as fc.Arbitrary<Filters>)

export const anyView = fc.record(
  {
    order: fc.constantFrom('newest' as const, 'oldest' as const),
    cursor: fc.integer({ min: 0, max: 27 }),
    limit: fc.integer({ min: 1, max: 30 }),
  },
  { requiredKeys: ['order', 'limit'] },
)

/** What is let go after a while is left out, unless it is asked for. */
const givenOr = (ephemeral: Filters['ephemeral'] = 'without', presence: boolean): 'without' | 'with' | 'only' =>
  presence && ephemeral === 'without' ? 'with' : ephemeral
