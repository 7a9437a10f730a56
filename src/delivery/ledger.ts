import { parseJson } from '../lib/parse-json.ts'
import type { Redis } from '../redis/redis.ts'
import { BEGIN, FLY, GO_BACK, LAND, SETTLE } from './scripts.ts'

/** What one channel is told of one room: within a stream, everything is said in order. */
export type Stream = { network: string; channel: string; room: string }

/** A piece on its way: nobody knows whether it was said until it is settled. */
export type Flight = { position: number; post: string; piece: number; key: string }

export type Standing = {
  /** All up to this position is settled; null where nothing is known of the stream. */
  cursor: number | null
  /** Posts up to this position may have been said before: what was known of them is lost. */
  doubt: number
  /** The post at hand, and how many of its pieces are settled. */
  hand: { position: number; settled: number } | null
  flight: Flight | null
}

/** A card that was said: the network's name for it, and the turn it goes on telling of. */
type SaidCard = { name: string; ref: string; opens: OpenCard | null }
export type OpenCard = { turn: string; session: string }

export type Ledger = ReturnType<typeof createLedger>

type Options = { redis: Redis; prefix: string }

const REMEMBERED_MS = 30 * 86_400_000

/** How long the refs of cards are kept. */
const KEPT_MS = 7 * 86_400_000

/** A stream by one name: what it is made of has no spaces. */
export const streamName = ({ network, channel, room }: Stream): string => `${network} ${channel} ${room}`

/**
 * What was said where, in Redis. A piece is in flight before it is sent and settled after that, so whoever comes after one
 * that was killed knows what was said, what was not, and the one thing of which nobody knows. Lost with Redis; then the
 * evidence says from where on everything is in doubt.
 */
export const createLedger = ({ redis, prefix }: Options) => {
  const key = (stream: Stream, part: string): string => `${prefix}:{delivery ${streamName(stream)}}:${part}`
  const cardKey = (stream: Stream, card: string): string => key(stream, `card:${card}`)
  const memory = (network: string, name: string): string => `${prefix}:delivery:memory:${network}:${name}`

  return {
    standing: async (stream: Stream): Promise<Standing> => readStanding(await redis.hgetall(key(stream, 'standing'))),
    /** Where a stream begins of which nothing is known. */
    begin: async (stream: Stream, cursor: number, doubt: number): Promise<void> => {
      await redis.eval(BEGIN, 1, key(stream, 'standing'), cursor, doubt)
    },
    /** Says that a piece is about to be sent; false where its whole post is settled already. */
    fly: async (stream: Stream, flight: Flight): Promise<boolean> =>
      (await redis.eval(FLY, 1, key(stream, 'standing'), flight.position, JSON.stringify(flight))) === 1,
    /** Takes that back: it was not sent, for certain. */
    lift: async (stream: Stream): Promise<void> => {
      await redis.hdel(key(stream, 'standing'), 'flight')
    },
    /** The piece in flight was said, and is never said again. */
    settle: async (stream: Stream, { position, piece }: Flight, card: SaidCard | null): Promise<void> => {
      const keys = [key(stream, 'standing'), cardKey(stream, card?.name ?? ''), key(stream, 'cards')]
      const { turn = '', session = '' } = card?.opens ?? {}
      await redis.eval(SETTLE, 3, ...keys, position, piece + 1, card?.ref ?? '', KEPT_MS, turn, session)
    },
    /** All of a post is settled; `doubt` is said again, as Redis may have forgotten it. */
    land: async (stream: Stream, position: number, doubt: number): Promise<void> => {
      await redis.eval(LAND, 1, key(stream, 'standing'), position, doubt)
    },
    /** The only move that takes anything back: where the evidence ends before the cursor that was seen. */
    goBack: async (stream: Stream, seen: number, to: number, doubt: number): Promise<void> => {
      await redis.eval(GO_BACK, 1, key(stream, 'standing'), seen, to, doubt)
    },

    /** The network's name for a card; null where it was not said, or long ago. */
    ref: (stream: Stream, card: string): Promise<string | null> => redis.get(cardKey(stream, card)),
    openCards: async (stream: Stream): Promise<OpenCard[]> =>
      Object.entries(await redis.hgetall(key(stream, 'cards'))).map(([turn, session]) => ({ turn, session })),
    closeCard: async (stream: Stream, turn: string): Promise<void> => {
      await redis.hdel(key(stream, 'cards'), turn)
    },

    /** What an adapter wants to know again after a restart; what is not said again for long is forgotten. */
    recall: (network: string, name: string): Promise<string | null> => redis.get(memory(network, name)),
    remember: async (network: string, name: string, value: string): Promise<void> => {
      await redis.set(memory(network, name), value, 'PX', REMEMBERED_MS)
    },
  }
}

const readStanding = ({ cursor, doubt, position, settled, flight }: Record<string, string>): Standing => ({
  cursor: cursor === undefined ? null : Number(cursor),
  doubt: Number(doubt ?? 0),
  hand: position === undefined ? null : { position: Number(position), settled: Number(settled) },
  flight: flight === undefined ? null : ((parseJson(flight) as Flight | undefined) ?? null),
})
