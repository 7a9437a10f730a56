import type { Once, Piece, Sent, Spot } from '../chat/outlet.ts'
import type { oneAtATime } from '../lib/one-at-a-time.ts'
import type { Post } from '../shapes/post.ts'
import type { Delivering } from './deliver.ts'
import { untilLeft } from './leaving.ts'
import type { Flight, OpenCard, Standing, Stream } from './ledger.ts'
import { isHopeless, waitAfter } from './patience.ts'

const DAY_MS = 86_400_000

type Where = { stream: Stream; standing: Standing; signal: AbortSignal }

/** A piece of a post, and the card that it opens. */
type Part = Piece<unknown> & { opens: OpenCard | null }

/** A post that is being said: how far it has come, and how the piece at hand fares. */
type Saying = Where & {
  post: Post
  spot: Spot
  parts: Part[]
  /** Which piece is next. */
  next: number
  /** Whether that may have been said before, how often it was tried, and since when. */
  again: boolean
  tries: number
  since: number
  /** Whether it is written down that something of this post was said once more. */
  noted: boolean
}

/** What came of a try · said: go on with the next piece · over: the post is done with · left: ended meanwhile */
type Came = { kind: 'said' } | { kind: 'wait'; ms: number } | { kind: 'over' } | { kind: 'left' }

/** Says one post after the other; answers false where the signal ended it before a post was said. */
export const createSay = (options: Delivering, inChannel: ReturnType<typeof oneAtATime>) => {
  const { ledger, outlet, cards, spotOf, note, clock, now, sleep, random, giveUpMs = DAY_MS } = options

  const begin = async (post: Post, where: Where): Promise<Saying> => {
    const { hand } = where.standing
    const spot = await spotOf(where.stream)
    const parts = await partsOf(post, spot, where.stream)
    const next = hand?.position === post.position ? hand.settled : 0
    const saying = { ...where, post, spot, parts, next, again: false, tries: 0, since: now(), noted: false }
    return { ...saying, again: isDoubtful(saying) }
  }

  const partsOf = async (post: Post, spot: Spot, stream: Stream): Promise<Part[]> => {
    const pieces = await piecesOf(post, spot, stream)
    const first = await cards?.first(post)
    return first ? [...pieces, { ...first.piece, opens: first.opens }] : pieces
  }

  const piecesOf = async (post: Post, spot: Spot, stream: Stream): Promise<Part[]> => {
    try {
      return outlet.pieces(post, spot).map((piece) => ({ ...piece, opens: null }))
    } catch (error) {
      // One post that cannot be translated must not keep all others back.
      await fail(post, stream, `it could not be put into words: ${(error as Error).message}`)
      return []
    }
  }

  const fail = (post: Post, stream: Stream, text: string): Promise<void> =>
    note({ ...stream, about: 'failed', post: post.id, position: post.position, text })

  /** Says as many pieces as can be said without waiting: nobody else says anything in the channel meanwhile. */
  const sayOn = async (saying: Saying): Promise<Came> => {
    for (let part = saying.parts[saying.next]; part; part = saying.parts[saying.next]) {
      if (saying.signal.aborted) return { kind: 'left' }
      const came = await sayNext(saying, part)
      if (came.kind !== 'said') return came
      Object.assign(saying, { next: saying.next + 1, tries: 0, since: now() })
      saying.again = isDoubtful(saying)
    }
    return { kind: 'over' }
  }

  const sayNext = async (saying: Saying, part: Part): Promise<Came> => {
    const { stream, post, next, signal } = saying
    const flight: Flight = { position: post.position, post: post.id, piece: next, key: keyOf(stream, post, next) }
    const ref = await refOf(part, stream)
    if (!(await ledger.fly(stream, flight))) return { kind: 'over' }
    const tried = await untilLeft(attempt(saying, part, { ref, key: flight.key }), signal, sleep)
    // Nothing takes back that it is in flight: it is said once more, marked as such, after the restart.
    if (tried === null) return { kind: 'left' }
    const { sent, anew } = tried
    if (sent.kind !== 'sent') return fallShort(saying, sent, anew)
    if (anew && saying.again) await noteAgain(saying)
    await settle(stream, flight, part, sent.ref ?? ref)
    return { kind: 'said' }
  }

  const refOf = async ({ card }: Part, stream: Stream): Promise<string | null> =>
    card === null || !outlet.edit ? null : ledger.ref(stream, card)

  const settle = async (stream: Stream, flight: Flight, part: Part, ref: string | null): Promise<void> => {
    const { card: name, body, opens } = part
    // Nothing can be changed that the network has no name for.
    const card = name === null || ref === null ? null : { name, ref, opens }
    await ledger.settle(stream, flight, card)
    if (card?.opens) cards?.opened(stream, card.opens, { ref: card.ref, body })
  }

  /** Changes the message that a card is, or says it anew; `anew` where something was said that might be there twice. */
  const attempt = async (
    { spot, again }: Saying,
    { body }: Part,
    { ref, key }: { ref: string | null; key: string },
  ): Promise<{ sent: Sent; anew: boolean }> => {
    const { edit } = outlet
    const changed = ref !== null && edit ? await honestly(() => edit(spot, ref, body)) : null
    if (changed && changed.kind !== 'gone') return { sent: changed, anew: false }
    const once: Once = { key, again }
    return { sent: await honestly(() => outlet.send(spot, body, once)), anew: true }
  }

  /** A piece was not said, or nobody knows: it is tried again, or given up. */
  const fallShort = async (saying: Saying, sent: Exclude<Sent, { kind: 'sent' }>, anew: boolean): Promise<Came> => {
    const { stream, post } = saying
    const patience = { age: clock() - Date.parse(post.at), tried: now() - saying.since, giveUpMs }
    if (isFinal(sent) || isHopeless(patience)) {
      await fail(post, stream, sent.why)
      return { kind: 'over' }
    }
    const { kind, afterMs } = { afterMs: undefined, ...sent }
    if (kind === 'unsure') saying.again ||= anew
    else if (!saying.again) await ledger.lift(stream)
    saying.tries += 1
    return { kind: 'wait', ms: waitAfter(saying.tries, afterMs, random) }
  }

  const noteAgain = async (saying: Saying): Promise<void> => {
    const { stream, post } = saying
    if (saying.noted) return
    saying.noted = true
    const text = 'nobody knew whether it had been said'
    await note({ ...stream, about: 'again', post: post.id, position: post.position, text })
  }

  return async (post: Post, where: Where): Promise<boolean> => {
    const { stream, standing, signal } = where
    cards?.heard(stream, post)
    const saying = await begin(post, where)
    for (;;) {
      const came = await inChannel(stream.channel, () => sayOn(saying))
      if (came.kind === 'left') return false
      if (came.kind === 'over') break
      if (came.kind === 'wait') await sleep(came.ms, signal)
    }
    await ledger.land(stream, post.position, standing.doubt)
    options.done?.(post, stream)
    return true
  }
}

/**
 * How a piece is told from every other: the same entry can be a post of two rooms that lead to one channel, and of one
 * room that several channels are told of.
 */
const keyOf = ({ channel, room }: Stream, { id }: Post, piece: number): string => `${channel}/${room}/${id}/${piece}`

/** Whether the next piece may have been said before this was started. */
const isDoubtful = ({ post, next, standing: { doubt, flight } }: Saying): boolean =>
  post.position <= doubt || (flight?.position === post.position && flight.piece === next)

/** An outlet that throws has broken its word, and what it was given may have been said. */
const honestly = (send: () => Promise<Sent>): Promise<Sent> =>
  send().catch((error: Error) => ({ kind: 'unsure', why: error.message }))

const isFinal = ({ kind }: Sent): boolean => kind === 'never' || kind === 'gone'
