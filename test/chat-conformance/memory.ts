import type { Network, Outlet, Piece, Sent } from '../../src/chat/outlet.ts'
import type { Capabilities, Line, NetworkPort } from '../../src/chat/port.ts'
import { plain } from '../../src/lib/plain.ts'
import type { Post } from '../../src/shapes/post.ts'

/** A message of a network that is only here: what it says, its buttons, and who alone sees it. */
export type Shown = { ref: string; text: string; buttons: readonly Button[]; file: string | null; to: string | null }
type Button = { label: string; line: string }
type Body = Pick<Shown, 'text' | 'buttons' | 'file'>
type Options = { port: NetworkPort; capabilities: Capabilities; channel: string }

/** How much of a text one message holds, where it does not hold all of it. */
const MOST = 1200

/**
 * The smallest network there can be, and its adapter: a list of messages in this process. It can do what its capabilities
 * say and no more, so that the suite itself is held to both: to what a face can do, and to what it does instead.
 */
export const createMemory = ({ port, capabilities, channel }: Options) => {
  const shown: Shown[] = []
  const rest = new Map<string, string[]>()
  const waiting: { line: Line; to: string }[] = []
  let connected = true
  let count = 0
  let busy = false

  const show = (body: Body, to: string | null = null): string => {
    const ref = `r${++count}`
    shown.push({ ref, ...body, to })
    return ref
  }
  const tell = (text: string, to: string | null): string => show({ ...NOTHING, text }, to)

  const says = async (who: string, text: string, place = channel): Promise<void> => {
    if (!connected) return
    if (text === '!more') return more(place)
    const sender = { network: port.network, account: who, visit: null, nick: who, bot: false, groups: [] }
    waiting.push({ line: { id: `${port.network}~${++count}`, room: port.roomOf(place) ?? '', text, sender }, to: who })
    void work()
  }

  /** One line after the other, each until the house has it. */
  const work = async (): Promise<void> => {
    if (busy) return
    busy = true
    for (let next = waiting[0]; next; next = waiting[0]) {
      const answer = await port.say(next.line).catch(() => null)
      if (answer === null) continue
      waiting.shift()
      if (answer.ok && answer.value.whisper) whisper(answer.value.whisper, next.to)
    }
    busy = false
  }

  const whisper = (text: string, to: string): void => {
    if (capabilities.whispers) tell(text, to)
    else tell(`${to}: that is for you alone, and here everybody reads it. Ask on the web page.`, null)
  }

  const more = (place: string): void => {
    const [next, ...others] = rest.get(place) ?? []
    rest.set(place, others)
    tell(next ?? 'there is no more', null)
  }

  const pieces = (post: Post): Piece<Body>[] => {
    const card = capabilities.edits && post.approval ? `approval ${post.approval.name}` : null
    if (capabilities.edits ? IN_CARD.has(post.kind) : post.kind === 'step') return []
    if (post.kind === 'said' && post.id.startsWith(`${port.network}~`)) return []
    const text = `${post.author.id}: ${plain(post.text)}`
    return [{ card, body: { ...bodyOf(post, text), ...questionOf(post, text, capabilities) } }]
  }

  const bodyOf = (post: Post, text: string): Body => {
    if (capabilities.most === null || Buffer.byteLength(text) <= MOST) return { ...NOTHING, text }
    const [first = '', ...others] = pagesOf(text)
    if (capabilities.files) return { ...NOTHING, text: `${first}\n(the whole text is attached)`, file: post.text }
    rest.set(channel, others)
    return { ...NOTHING, text: `${first}\n(!more, or ${port.linkTo(post)})` }
  }

  const outlet: Outlet<Body> = {
    capabilities,
    pieces,
    send: async (_spot, body): Promise<Sent> =>
      connected ? { kind: 'sent', ref: show(body) } : { kind: 'later', why: 'away' },
  }
  if (capabilities.edits) {
    outlet.card = {
      everyMs: 0,
      of: ({ agent, state, steps }) => ({ ...NOTHING, text: `${agent}: ${state}, ${steps.taken} steps` }),
    }
    outlet.edit = async (_spot, ref, body) => {
      const at = shown.findIndex((one) => one.ref === ref)
      if (at < 0) return { kind: 'gone', why: 'it was taken away' }
      shown[at] = { ref, to: null, ...body }
      return { kind: 'sent', ref }
    }
  }
  const network: Network = { outlet: outlet as Outlet<unknown>, run: async () => {} }

  return {
    network,
    says,
    /** What somebody sees. */
    seenBy: (who: string): Shown[] => shown.filter(({ to }) => to === null || to === who),
    cut: (): void => {
      connected = false
    },
    mend: (): void => {
      connected = true
      tell('I was away: what was said meanwhile I have not heard', null)
    },
  }
}

const NOTHING: Body = { text: '', buttons: [], file: null }

/** What the card of a turn says. */
const IN_CARD: ReadonlySet<Post['kind']> = new Set(['accepted', 'working', 'step'])

/** An approval that is open, by two buttons or in words. */
const questionOf = ({ approval }: Post, text: string, { buttons }: Capabilities): Partial<Body> => {
  if (approval?.state !== 'open') return {}
  const answers = ['approve', 'deny'].map((label) => ({ label, line: `/${label} ${approval.name}` }))
  if (!buttons) return { text: `${text}\nSay !approve ${approval.name} or !deny ${approval.name}` }
  return { text: `${text}\n${approval.name}: approve or deny`, buttons: answers }
}

/** Pieces no longer than a message may be: of whole words, and of whole characters where a word is longer than that. */
const pagesOf = (text: string): string[] => {
  const pages = ['']
  const put = (part: string): void => {
    const page = pages.at(-1) ?? ''
    if (Buffer.byteLength(page + part) <= MOST) pages[pages.length - 1] = page + part
    else pages.push(part)
  }
  for (const word of text.split(/(?<=\s)/)) {
    if (Buffer.byteLength(word) <= MOST) put(word)
    else for (const character of word) put(character)
  }
  return pages
}
