import type { Spot } from '../../src/chat/outlet.ts'
import type { Command } from '../../src/shapes/command.ts'
import type { Post } from '../../src/shapes/post.ts'
import { oneLine } from './text.ts'

/** What is said for a post, before it is known which nick says it and how long a line can be. */
export type Body = {
  /** The agent that says it: its own nick, or else its name in front. */
  by: string | null
  /** The nick it is for. */
  to: string | null
  lead: string
  text: string
  /** Whether the house says it: that is no Markdown, and a file or a diff in it is shown as it is. */
  house: boolean
  /** The post to go on with, where it may be long. */
  post: { room: string; id: string } | null
}

type Options = {
  network: string
  commands: readonly Pick<Command, 'name' | 'aliases'>[]
  askerOf: (post: Post) => string | null
}

const LONGEST = 300
const LONGEST_ASKED = 600

/** What a channel is told of a post; null where it is told nothing. */
export const phrase = (post: Post, spot: Spot, options: Options): Body | null => {
  if (!isTold(post, spot, options.network)) return null
  const said = { ...plainly(post), ...phrases[post.kind]?.(post, spot.watched ? null : options.askerOf(post)) }
  const house = post.author.kind === 'house'
  return {
    ...said,
    house,
    lead: spot.watched ? `[${post.room}] ${said.lead}` : said.lead,
    text: house ? withSigns(said.text, options.commands) : said.text,
  }
}

const QUIET: ReadonlySet<Post['kind']> = new Set<Post['kind']>(['answer', 'refusal', 'approval'])
const NORMAL: ReadonlySet<Post['kind']> = new Set<Post['kind']>([...QUIET, 'said', 'accepted', 'aside', 'notice'])

const isTold = (post: Post, { show, watched }: Spot, network: string): boolean => {
  if (post.text.trim() === '') return false
  // What was said in the channel is there already.
  if (post.kind === 'said' && !watched && post.id.startsWith(`${network}~`)) return false
  if (post.kind === 'step' && post.step?.state === 'running') return false
  // Whoever is told how things stand has asked for it.
  if (show === 'all' || post.bulletin) return true
  return (show === 'quiet' ? QUIET : NORMAL).has(post.kind)
}

type Said = Pick<Body, 'by' | 'to' | 'lead' | 'text' | 'post'>

/** On one line, by nobody in particular. */
const plainly = (post: Post): Said => ({ by: null, to: null, lead: '', text: oneLine(post.text, LONGEST), post: null })

const agentIn = ({ author }: Post): string | null => (author.kind === 'agent' ? author.id : null)

const whole = ({ room, id, text }: Post): Pick<Said, 'text' | 'post'> => ({ text, post: { room, id } })

const phrases: Partial<Record<Post['kind'], (post: Post, asker: string | null) => Partial<Said>>> = {
  said: (post) => ({ ...whole(post), lead: `<${oneLine(`${post.author.id}@${post.author.face}`, LONGEST)}> ` }),
  answer: (post, to) => ({ ...whole(post), by: agentIn(post), to }),
  refusal: ({ text }, to) => {
    const [message = '', ...remedy] = text.split('\n')
    const why = message.replace(/ \[[a-z-]+\]$/, '')
    return { to, text: oneLine([why, ...remedy].filter((part) => part.trim() !== '').join('; '), LONGEST_ASKED) }
  },
  accepted: (_, to) => ({ to }),
  working: (post) => ({ text: oneLine(`${post.author.id} ${post.text}`, LONGEST) }),
  aside: (post) => ({ by: agentIn(post) }),
  notice: (post) => (post.bulletin ? whole(post) : {}),
  step: (post) => ({
    by: agentIn(post),
    text: oneLine(`${post.step?.state === 'ok' ? '✓' : `✗ ${post.step?.state}:`} ${post.text.split('\n')[0]}`, LONGEST),
  }),
  approval: (post) => ({ text: approval(post) }),
}

const approval = ({ author, text, approval }: Post): string => {
  const asked = oneLine(`${author.id} ${text.split('\n').join('; ')}`, LONGEST_ASKED)
  if (approval?.state !== 'open') return asked
  const { name, until } = approval
  const answers = `→ !approve ${name} or !deny ${name}${until ? `, until ${until}` : ''}`
  return asked.length + answers.length > LONGEST ? `${asked}\n${answers}` : `${asked} ${answers}`
}

/** The house says its commands with a slash, which clients of IRC take for their own: here they begin with `!`. */
export const withSigns = (text: string, commands: Options['commands']): string => {
  const names = new Set(commands.flatMap(({ name, aliases }) => [name, ...aliases]))
  return text.replace(/(?<![\w/.~-])\/([a-z][a-z-]*)(?![\w/.])/g, (whole, name: string) =>
    names.has(name) ? `!${name}` : whole,
  )
}
