import type { Entry, WholeDraft } from '../shapes/evidence.ts'
import type { Facet } from '../shapes/query.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { sha256 } from './hash.ts'

/** What a term may have in bytes: PostgreSQL's indexes take no more than 2,700. */
const LONGEST = 500

/** A term by kind and value. Whatever a path or a tag holds, the term is one that every engine takes. */
export const termOf = (kind: string, value: string): string => {
  const name = `${kind}:${value}`
  return name.length <= LONGEST && !ODD.test(name) ? name : tamed(name)
}

const ODD = /[\0\uD800-\uDFFF]/

const tamed = (odd: string): string => {
  const name = odd.toWellFormed().replaceAll('\0', '\uFFFD')
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST - 65).toWellFormed()}#${sha256(name)}`
}

export const EPHEMERAL = termOf('flag', 'ephemeral')
export const CONJECTURE = termOf('flag', 'conjecture')

/** The kind and the beginning of the terms that a facet counts: what is tagged by family is a tag like any other. */
export const facetPrefix = (facet: Facet): string => (OWN.has(facet) ? `${facet}:` : `tag:${facet}/`)

const OWN: ReadonlySet<string> = new Set(['session', 'subject', 'type', 'claim', 'event', 'author'])

type Found = WholeDraft & Pick<Entry, 'type' | 'claim'>

/** Every term an entry is found by: its own fields, its tags, and what its body tells of tools, outcomes and paths. */
export const termsOf = (entry: Found): string[] => {
  const { session, subject, author, type, claim, body, tags, pattern, conjecture, ephemeral } = entry
  const names = new Set<string>()
  names.add(`session:${session}`)
  names.add(termOf('subject', `${subject.type}/${subject.id}`))
  names.add(`type:${type}`)
  names.add(`claim:${claim}`)
  names.add(`event:${body.event}`)
  names.add(termOf('author', author.id))
  for (const tag of tags) names.add(termOf('tag', tag))
  for (const tag of derivedTags(body)) names.add(termOf('tag', tag))
  if (pattern !== null) names.add(termOf('tag', `pattern/${pattern}`))
  if (conjecture) names.add(CONJECTURE)
  if (ephemeral) names.add(EPHEMERAL)
  return [...names]
}

type Derive = { [E in Entry['body']['event']]?: (body: Extract<Entry['body'], { event: E }>) => string[] }

const derive: Derive = {
  'step-intended': ({ call, reads = [], writes = [] }) => [
    `tool/${call.tool}`,
    ...pathTags([call.args['path'], ...reads, ...writes]),
  ],
  'step-refused': ({ call }) => [`tool/${call.tool}`, 'outcome/refused', ...pathTags([call.args['path']])],
  'step-ended': ({ tool, outcome }) => [`tool/${tool}`, `outcome/${outcome.kind}`, ...pathTags(pathsIn(outcome))],
  'approval-asked': ({ call }) => [`tool/${call.tool}`, ...pathTags([call.args['path']])],
  restoring: ({ files }) => pathTags(files.map(({ path }) => path)),
  restored: ({ files }) => pathTags(files.map(({ path }) => path)),
  merged: ({ files }) => pathTags(files),
  'peripheral-started': ({ peripheral }) => [peripheralTag(peripheral)],
  // A hop is found by where it began and by where it leads.
  'peripheral-stopped': ({ peripheral, to }) => [peripheral, ...(to === undefined ? [] : [to])].map(peripheralTag),
  'wall-declared': ({ peripheral }) => [peripheralTag(peripheral)],
  'tool-seen': ({ server, tool }) => [`tool/${server}.${tool}`],
  'tool-pinned': ({ server, tool }) => [`tool/${server}.${tool}`],
  'turn-ended': ({ outcome }) => [`outcome/${outcome}`],
  refused: () => ['outcome/refused'],
}

const derivedTags = (body: Entry['body']): string[] => {
  const look = derive[body.event] as ((body: Entry['body']) => string[]) | undefined
  return look?.(body) ?? []
}

const peripheralTag = (name: string): string => `peripheral/${name}`

const pathsIn = (outcome: StepOutcome): string[] => {
  if (outcome.kind === 'interrupted') return []
  const { changed = [], files = [] } = outcome
  return [...(outcome.kind === 'ok' ? outcome.paths : []), ...changed, ...files.map(({ path }) => path)]
}

/** A path is found by its own name, and by each folder it lies in. */
const pathTags = (paths: unknown[]): string[] =>
  paths.flatMap((path) => (typeof path === 'string' ? lineage(normal(path)) : [])).map((path) => `path/${path}`)

const lineage = (path: string): string[] => {
  const names: string[] = []
  for (let end = path.indexOf('/', 1); end !== -1; end = path.indexOf('/', end + 1)) names.push(path.slice(0, end))
  return path === '' || path === '.' ? names : [...names, path]
}

/** A path as it is looked up: without `./` before and `/` after it. */
export const normal = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '')
