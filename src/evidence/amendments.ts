import type { Author, Draft } from '../shapes/evidence.ts'
import { sessionDraft } from './drafts.ts'
import type { Store, TurnRecord } from './store.ts'

/** As many times as what a turn is asked for may be put otherwise. */
export const MOST_AMENDMENTS = 32

/** The nth time that somebody asked for something else instead, from 0 on: the last one counts. */
const amendmentId = (turn: string, n: number): string => `${turn}.amend-${n}`

type Reader = Pick<Store, 'get'>

/** What a turn is asked for, as it was last amended; null where there is no such turn. */
export const requestOf = async (store: Reader, turn: string): Promise<string | null> => {
  const accepted = (await store.get(turn))?.body
  if (accepted?.event !== 'accepted') return null
  return (await amendmentsOf(store, turn)).at(-1) ?? accepted.request
}

/** All that was asked for instead, in that order. */
export const amendmentsOf = async (store: Reader, turn: string): Promise<string[]> => {
  const requests: string[] = []
  for (;;) {
    const body = (await store.get(amendmentId(turn, requests.length)))?.body
    if (body?.event !== 'turn-amended') return requests
    requests.push(body.request)
  }
}

/** The nth amendment of a turn. It is written unless the turn was begun or taken out of the line: nobody would hear it. */
export const amendDraft = (
  { id: turn, session, room, agent }: TurnRecord,
  { n, request, author }: { n: number; request: string; author: Author },
): { draft: Draft; unless: string[] } => {
  const body = { event: 'turn-amended', turn, request } as const
  const draft = sessionDraft({ id: amendmentId(turn, n), session, room, agent, author, body, inReplyTo: turn })
  return { draft, unless: [`${turn}.started`, `${turn}.stop`] }
}
