import { sessionDraft } from '../../src/evidence/drafts.ts'
import type { Store, TurnRecord } from '../../src/evidence/store.ts'
import { usageDraft } from '../../src/evidence/usage.ts'
import type { Author, BodyOf, Draft } from '../../src/shapes/evidence.ts'
import type { Usage } from '../../src/shapes/usage.ts'
import { must } from '../support/store.ts'

/** Where something is used: a turn of an agent in a room. */
export type Where = { turn: string; agent: string; room: string }

const session = ({ agent, room }: Where): string => `s-${room}-${agent}`
const author = (id: string): Author => ({ kind: 'person', id, face: 'cli', via: null })

/** Opens the session of an agent in a room, and takes a request there. */
export const acceptedIn = (where: Where, person = 'ada'): Draft[] => {
  const { turn, agent, room } = where
  const place = { session: session(where), room, agent, author: author(person) }
  const opened = { event: 'session-opened', agent, room } as const
  const accepted = { event: 'accepted', agent, room, peripheral: 'explore', request: `do ${turn}` } as const
  return [
    sessionDraft({ ...place, author: author('ada'), id: `${place.session}.opened`, body: opened }),
    sessionDraft({ ...place, id: turn, body: accepted }),
  ]
}

type Noted = Partial<Omit<BodyOf<'usage-noted'>, 'event' | 'turn' | 'usage'>> & { usage?: Partial<Usage> }

export const usageOf = (part: Partial<Usage>): Usage => ({
  input: 0,
  cached: 0,
  written: 0,
  output: 0,
  reasoning: 0,
  ...part,
})

/** What the nth request of a turn took, for ada. */
export const notedIn = (where: Where, n: number, { usage = {}, ...more }: Noted = {}): Draft => {
  const { turn: id, agent, room } = where
  const turn: TurnRecord = {
    id,
    session: session(where),
    agent,
    room,
    peripheral: 'explore',
    status: 'running',
    position: 0,
  }
  return usageDraft(turn, n, { model: 'opus', usd: null, person: 'ada', ...more, usage: usageOf(usage) })
}

/** Takes the request, and notes what its first request to a model took. */
export const useIn = async (store: Pick<Store, 'append'>, where: Where, noted: Noted): Promise<void> => {
  must(await store.append([...acceptedIn(where), notedIn(where, 0, noted)]))
}
