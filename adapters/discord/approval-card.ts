import type { Piece } from '../../src/chat/outlet.ts'
import type { Post } from '../../src/shapes/post.ts'
import { BLANK, type Body, type Button } from './body.ts'
import { COLOURS } from './colours.ts'
import { cut, fenced, plainly, short, unfenced } from './tame.ts'

type Approval = NonNullable<Post['approval']>

/**
 * An approval as one message: what is asked, with its buttons; and once it is decided, who did, without them. What was
 * asked is remembered for that, as far back as it may matter; where it is not, the decision stands alone.
 */
export const createApprovalCards = () => {
  const asked = new Map<string, string>()

  /** What was asked: from the question itself, or as far as it is remembered. */
  const question = (post: Post, { name, state }: Approval): string => {
    if (state !== 'open') return asked.get(name) ?? ''
    asked.set(name, askedText(post))
    const oldest = asked.keys().next().value
    if (asked.size > REMEMBERED && oldest !== undefined) asked.delete(oldest)
    return askedText(post)
  }

  return (post: Post, head: string): Piece<Body>[] => {
    const { approval } = post
    if (!approval) return []
    const isOpen = approval.state === 'open'
    const description = [question(post, approval), isOpen ? howTo(approval) : decidedText(post)]
    const embed = {
      title: `${head}${TITLES[approval.state](short(approval.name, NAME))}`,
      description: cut(description.filter((part) => part !== '').join('\n'), DESCRIPTION),
      color: COLOURS[approval.state],
      footer: { text: approval.name },
    }
    const buttons = isOpen ? buttonsOf(approval) : []
    return [{ card: `approval/${approval.name}`, body: { ...BLANK, embed, buttons, loud: true, at: post.at } }]
  }
}

const REMEMBERED = 200
const DESCRIPTION = 4000
const NAME = 20

const TITLES: Record<Approval['state'], (name: string) => string> = {
  open: (name) => `Approval ${name}`,
  approved: (name) => `Approval ${name}: approved`,
  denied: (name) => `Approval ${name}: denied`,
  lapsed: (name) => `Approval ${name}: lapsed`,
}

/** Each part has its room, so that none takes it from the call, from how to answer, or from who decided. */
const WORDS = 1000
const CALL = 2200
const DECIDED = 600

/** The first lines say what and why; the last is the call, which is shown to the letter. */
const askedText = ({ author, text }: Post): string => {
  const lines = text.split('\n')
  const call = cut(unfenced(lines.slice(2).join('\n')), CALL)
  const words = lines.slice(0, 2).map((line) => cut(plainly(line), WORDS / 2))
  return [`**${plainly(author.id)}** ${words.join('\n')}`, ...(call === '' ? [] : [fenced(call)])].join('\n')
}

const decidedText = ({ author, text }: Post): string => `**${plainly(author.id)}** ${cut(plainly(text), DECIDED)}`

const howTo = ({ name, until }: Approval): string => {
  const time = until === null ? Number.NaN : Math.floor(Date.parse(until) / 1000)
  const limit = Number.isNaN(time) ? '' : `, until <t:${time}:t>`
  return `Approve or deny it below, or say \`/approve ${name}\` or \`/deny ${name}\`${limit}.`
}

const buttonsOf = ({ name }: Approval): Button[] => [
  { id: `approve:${name}`, label: 'Approve', style: 'good' },
  { id: `deny:${name}`, label: 'Deny', style: 'bad' },
]
