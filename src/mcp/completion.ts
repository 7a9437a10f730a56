import { type CompleteRequestParams, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { boundsOf } from '../agents/sight.ts'
import { SubjectType } from '../shapes/evidence.ts'
import type { Principal } from '../shapes/principal.ts'
import type { McpHouse } from './house.ts'
import type { Resources } from './resources.ts'
import { templates } from './target.ts'

/** As many as the protocol lets be said at once; and among how many of the newest entries is looked. */
const MOST = 100
const ENTRIES = 500

type Asked = Pick<CompleteRequestParams, 'ref' | 'argument' | 'context'>

/** What a word that was begun could become, as far as one may see it. */
export const createCompletion = (
  { store, seats, specs }: McpHouse,
  principal: Principal,
  { sessions }: Pick<Resources, 'sessions'>,
) => {
  const newest = async () => {
    const within = await boundsOf(principal, seats)
    const page = within && (await store.query({ ...within, limit: ENTRIES }))
    return page?.ok ? page.value.entries : []
  }
  const subjects = async (type: string | undefined): Promise<string[]> =>
    (await newest())
      .filter(({ subject }) => type === undefined || subject.type === type)
      .map(({ subject }) => subject.id)

  const ids: Record<string, (given: Record<string, string>) => Promise<string[]>> = {
    session: async () => (await sessions()).map(({ id }) => id),
    subject: ({ type }) => subjects(type),
    'subject-by-id': () => subjects(undefined),
    entry: async () => (await newest()).map(({ id }) => id),
    'reply-tree': async () => (await newest()).filter(({ inReplyTo }) => inReplyTo === null).map(({ id }) => id),
    peripheral: async () => [...specs.keys()],
  }

  const forPrompt = (name: string): string[] => (specs.has(name) ? [] : unknown('prompt'))

  const forTemplate = async (uri: string, argument: string, given: Record<string, string>): Promise<string[]> => {
    const { name } = templates.find(({ uriTemplate }) => uriTemplate === uri) ?? unknown('resource template')
    if (argument === 'type' && name === 'subject') return [...SubjectType.options]
    const find = argument === 'id' ? ids[name] : undefined
    return find ? find(given) : []
  }

  const candidates = async ({ ref, argument, context }: Asked): Promise<string[]> =>
    ref.type === 'ref/prompt' ? forPrompt(ref.name) : forTemplate(ref.uri, argument.name, context?.arguments ?? {})

  return async (asked: Asked) => {
    const all = [...new Set(await candidates(asked))].filter((value) => value.startsWith(asked.argument.value))
    return { completion: { values: all.slice(0, MOST), total: all.length, hasMore: all.length > MOST } }
  }
}

const unknown = (what: string): never => {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no such ${what}`)
}
