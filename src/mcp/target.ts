import { SubjectType } from '../shapes/evidence.ts'
import { Id } from '../shapes/message.ts'
import { PeripheralId } from '../shapes/peripheral.ts'

/** What a URI of ours names. */
export type Target =
  | { kind: 'session' | 'entry' | 'reply-tree' | 'peripheral'; id: string }
  | { kind: 'subject'; type: SubjectName | null; id: string }

type SubjectName = (typeof SubjectType.options)[number]

export const uris = {
  session: (id: string): string => `evidence://session/${id}`,
  peripheral: (id: string): string => `peripheral://${id}`,
}

/** Every kind of resource that there is one of for each id. */
export const templates = [
  {
    uriTemplate: 'evidence://session/{id}',
    name: 'session',
    title: 'A session',
    description: 'the chain of one run of an agent: its newest entries, oldest first',
  },
  {
    uriTemplate: 'evidence://subject/{type}/{id}',
    name: 'subject',
    title: 'A subject',
    description: `the newest entries about a ${SubjectType.options.join(', a ')}, by its type and id`,
  },
  {
    uriTemplate: 'evidence://subject/{id}',
    name: 'subject-by-id',
    title: 'A subject of any type',
    description: 'the newest entries about whatever has this id',
  },
  {
    uriTemplate: 'evidence://entry/{id}',
    name: 'entry',
    title: 'An entry',
    description: 'one entry of the evidence, whole',
  },
  {
    uriTemplate: 'evidence://thread/{id}',
    name: 'reply-tree',
    title: 'A reply tree',
    description: 'the reply tree that an entry belongs to, and how it stands',
  },
  {
    uriTemplate: 'peripheral://{id}',
    name: 'peripheral',
    title: 'A peripheral',
    description: 'a wall as data: its tools, scope, commands, ways in and out, and limits',
  },
].map((template) => ({ ...template, mimeType: 'application/json' }))

/** What a URI names; null where it is none of ours. Nothing of it is guessed: no query, no fragment, no empty part. */
export const targetOf = (uri: string): Target | null => {
  const [, scheme, path = ''] = /^(evidence|peripheral):\/\/([^?#]{1,500})$/.exec(uri) ?? []
  const parts = path.split('/').map(decoded)
  if (scheme === undefined || parts.some((part) => part === null)) return null
  return scheme === 'peripheral' ? peripheralAt(parts as string[]) : evidenceAt(parts as string[])
}

const decoded = (part: string): string | null => {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

const peripheralAt = (parts: string[]): Target | null => {
  const [id = ''] = parts
  return parts.length === 1 && PeripheralId.safeParse(id).success ? { kind: 'peripheral', id } : null
}

const evidenceAt = ([kind, ...rest]: string[]): Target | null => {
  const id = rest.at(-1) ?? ''
  if (!Id.safeParse(id).success) return null
  if (kind === 'subject') return subjectAt(rest, id)
  const known = KINDS.get(kind as 'session')
  return known && rest.length === 1 ? { kind: known, id } : null
}

/** What an address calls it: the one of a reply tree is older than the word. */
const KINDS = new Map([
  ['session', 'session'],
  ['entry', 'entry'],
  ['thread', 'reply-tree'],
] as const)

const subjectAt = (rest: string[], id: string): Target | null => {
  if (rest.length === 1) return { kind: 'subject', type: null, id }
  const type = SubjectType.safeParse(rest[0])
  return rest.length === 2 && type.success ? { kind: 'subject', type: type.data, id } : null
}
