import type { Piece, Spot } from '../../src/chat/outlet.ts'
import type { NetworkPort } from '../../src/chat/port.ts'
import type { Post } from '../../src/shapes/post.ts'
import { createApprovalCards } from './approval-card.ts'
import { boardOf } from './board.ts'
import { BLANK, type Body } from './body.ts'
import { MOST, sayings } from './long.ts'
import { cut, plainly, short, tame, unfenced } from './tame.ts'

type Port = Pick<NetworkPort, 'network' | 'linkTo'>
type Say = (post: Post, spot: Spot) => Piece<Body>[]

/** The messages that posts are said by. What a turn does is on its card, so its steps have none of their own. */
export const createPieces = ({ network, linkTo }: Port): Say => {
  const approval = createApprovalCards()
  const own = `${network}~`

  const answer: Say = (post, spot) => {
    const { author, text } = post
    const byAgent = author.kind === 'agent'
    const head = `${roomIn(spot)}${byAgent ? `**${plainly(author.id)}**\n` : ''}`
    const name = byAgent ? 'answer.md' : 'answer.txt'
    const said = sayings({ head, text: text.trim() === '' ? '(nothing)' : text, name, link: linkTo(post) })
    const { receipt, reply } = whereTo(post, spot)
    return said.map(({ content, file }, i) =>
      piece({ ...at(post), content, file, loud: true, receipt, reply: i === 0 ? reply : null }),
    )
  }

  const refusal: Say = (post, spot) => [
    piece({ ...at(post), ...whereTo(post, spot), content: refusalText(post.text, roomIn(spot)), loud: true }),
  ]

  /** What was said elsewhere; what was said here everybody has read. */
  const said: Say = (post, spot) => {
    if (post.id.startsWith(own) && !spot.watched) return []
    const head = `${roomIn(spot)}**${plainly(short(post.author.id, NAME))}** (${plainly(post.author.face)}): `
    return [piece({ ...at(post), content: cut(`${head}${plainly(post.text)}`, MOST), loud: true })]
  }

  const small: Say = (post, spot) =>
    spot.show === 'quiet' ? [] : [piece({ ...at(post), content: smallText(post, roomIn(spot)) })]

  /** How things stand is on the board; that something changed is said as well, and a room that only looks on reads it. */
  const bulletin = (post: Post, spot: Spot, { kind, situation }: NonNullable<Post['bulletin']>): Piece<Body>[] => {
    const words = piece({ ...at(post), content: smallText(post, roomIn(spot)), loud: kind === 'change' })
    if (spot.watched) return [words]
    return [{ card: 'board', body: boardOf(situation) }, ...(kind === 'scheduled' ? [] : [words])]
  }

  /** The line that a post answers: the message it came from, and the one that its turn is for. */
  const whereTo = (post: Post, { watched }: Spot): Pick<Body, 'receipt' | 'reply'> => {
    const line = lineOf(post)
    if (line === null || !line.startsWith(own)) return { receipt: null, reply: null }
    const [, reply = null] = /^(\d+)$/.exec(line.slice(own.length)) ?? []
    return { receipt: post.id.endsWith(RECEIPT) ? line : null, reply: watched ? null : reply }
  }

  const kinds: Record<Post['kind'], Say> = {
    said,
    accepted: () => [],
    working: () => [],
    step: () => [],
    answer,
    aside: small,
    refusal,
    notice: small,
    approval: (post, spot) => approval(post, roomIn(spot)),
  }
  return (post, spot) => (post.bulletin ? bulletin(post, spot, post.bulletin) : kinds[post.kind](post, spot))
}

const NAME = 64
const RECEIPT = '.receipt'

const piece = (body: Partial<Body>): Piece<Body> => ({ card: null, body: { ...BLANK, ...body } })

const at = ({ at: time }: Post): Pick<Body, 'at'> => ({ at: time })

/** Where it is from, where that is not the room of the channel. */
const roomIn = ({ watched, room }: Spot): string => (watched ? `[${room}] ` : '')

/** The id of the line that a post follows from: ids are made by adding to it after a dot. */
const lineOf = ({ id, turn }: Post): string | null => (turn ?? id).split('.')[0] ?? null

/** Why not, and below it, smaller, what to do instead. */
export const refusalText = (text: string, head = ''): string => {
  const [why = '', ...remedy] = unfenced(text).split('\n')
  return cut(
    [`${head}${why}`, ...remedy.filter((line) => line.trim() !== '').map((line) => `-# ${line}`)].join('\n'),
    MOST,
  )
}

const SMALL = 1500

const smallText = ({ kind, author, text }: Post, head: string): string => {
  const who = kind === 'aside' ? `**${plainly(author.id)}**: ` : ''
  const lines = cut(unfenced(text), SMALL).split('\n')
  const shown = lines
    .filter((line) => line.trim() !== '')
    .map((line, i) => `-# ${i === 0 ? `${head}${who}` : ''}${tame(line)}`)
  return cut(shown.join('\n') || '-# (nothing)', MOST)
}
