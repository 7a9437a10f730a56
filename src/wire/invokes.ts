import { signatureOf } from '../agents/seats.ts'
import type { TurnRecord } from '../evidence/store.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { AgentsHouse } from './house.ts'
import { isOf, keep, type Peer } from './peer.ts'
import type { Roster } from './roster.ts'
import { stopped } from './work.ts'

type Options = Pick<AgentsHouse, 'store' | 'seats' | 'hold' | 'lease' | 'log'> & {
  roster: Roster
  stopOf: (turn: string) => Promise<Parameters<typeof stopped>[0]>
}

/**
 * Work that people give to connected agents: begun here, and handed to the program as an invoke. One question for all of
 * them, asked when the evidence says that there is something new, and at every beat.
 */
export const createInvokes = ({ store, seats, hold, lease, log, roster, stopOf }: Options) => {
  let looking: Promise<void> | null = null
  let again = false

  /** Looks for work; a look that is wanted while there is one under way comes after it. */
  const look = (): void => {
    again = true
    looking ??= lookOut()
      .catch((error: Error) => log('work could not be looked for', { error: error.message }))
      .finally(() => {
        looking = null
      })
  }

  const lookOut = async (): Promise<void> => {
    while (again && roster.size() > 0) {
      again = false
      await Promise.all(firstOfEach(await store.unfinishedTurns({ agents: roster.agents() })).map(offer))
    }
  }

  const offer = async (turn: TurnRecord): Promise<void> => {
    const peer = roster.of(turn.agent)
    if (!peer || peer.offered.has(turn.id) || peer.ending.has(turn.id) || !isOf(peer, turn)) return
    keep(peer.offered, turn.id)
    try {
      await (turn.status === 'running' ? takeUp(peer, turn) : begin(peer, turn))
    } catch (error) {
      peer.offered.delete(turn.id)
      throw error
    }
  }

  /** A turn that runs already: an agent that comes back is told again what it was asked for. */
  const takeUp = async (peer: Peer, turn: TurnRecord): Promise<void> => {
    if (!(await isOwn(peer, turn))) await invoke(peer, turn, true)
  }

  const begin = async (peer: Peer, turn: TurnRecord): Promise<void> => {
    // What the agent starts by itself on this connection is begun where it asked for that.
    if (turn.position > peer.since && (await isOwn(peer, turn))) return
    await hold(turn.session, lease.ms, peer.holder)
    const begun = await seats.conduct(turn, signatureOf(peer.principal))
    if (begun.ok) return invoke(peer, turn, false)
    log('a turn could not be begun', { turn: turn.id, code: begun.refusal.code })
    peer.offered.delete(turn.id)
  }

  const isOwn = async (peer: Peer, turn: TurnRecord): Promise<boolean> =>
    (await store.get(turn.id))?.author.id === peer.grant.agent

  const invoke = async (peer: Peer, { id, session }: TurnRecord, isAgain: boolean): Promise<void> => {
    const accepted = (await store.get(id))?.body
    const seat = await seats.at(peer.principal)
    if (!seat.ok || accepted?.event !== 'accepted') return
    peer.turn = { id, session }
    peer.outbox.tell({
      type: 'invoke',
      invoke_id: id,
      prompt: accepted.request,
      session_id: session,
      peripheral_id: seat.value.spec.id,
      tools: [...seat.value.spec.tools],
      again: isAgain,
    })
  }

  const turnEnded = async (peer: Peer, turn: string): Promise<void> => {
    if (peer.turn?.id === turn) {
      peer.turn = null
      if (!peer.ending.has(turn)) peer.outbox.tell(stopped(await stopOf(turn), false).value)
    }
    look()
  }

  /** The agent whose session an entry is of, where it is connected here. */
  const peerIn = ({ tags }: Entry): Peer | undefined =>
    roster.of(tags.find((tag) => tag.startsWith(OF_AGENT))?.slice(OF_AGENT.length) ?? '')

  const failed = (error: Error): void => log('an entry could not be dealt with', { error: error.message })

  return {
    look,
    /** What is written, as far as it concerns an agent that is here. */
    heard: (entry: Entry): void => {
      const { body } = entry
      const peer = body && peerIn(entry)
      if (!peer) return
      if (body.event === 'accepted') look()
      if (body.event === 'turn-ended') turnEnded(peer, body.turn).catch(failed)
    },
    settled: async (): Promise<void> => {
      again = false
      await looking
    },
  }
}

const OF_AGENT = 'agent/'

/** The oldest of each session: the others wait for it. */
const firstOfEach = (turns: readonly TurnRecord[]): TurnRecord[] => {
  const first = new Map<string, TurnRecord>()
  for (const turn of turns) if (!first.has(turn.session)) first.set(turn.session, turn)
  return [...first.values()]
}
