import { randomBytes } from 'node:crypto'
import { defused, type LaidLine } from './layout.ts'
import type { Link, Message } from './link.ts'
import { batchesOf, type Multiline } from './multiline.ts'

/**
 * What came of it · said: the server has taken it · unwritten: nothing of it was sent · unsure: it was sent, and the
 * connection ended before the server said so · refused: the server did not take it
 */
export type Spoke =
  | { kind: 'said'; ref: string | null }
  | { kind: 'unwritten'; why: string }
  | { kind: 'unsure'; why: string }
  | { kind: 'refused'; code: string; why: string }

type Options = {
  /** How many lines are sent before the server is waited for. */
  window: number
  confirmMs: number
}

/** Says something where others hear it, and finds out whether the server took it. */
export const createSpeech = (link: Link, { window, confirmMs }: Options) => {
  const watches = new Set<Watch>()
  const turns = new Map<string, Promise<unknown>>()

  const part = async (target: string, blocks: readonly string[][]): Promise<Spoke> => {
    const watch = createWatch(link, target, blocks.length)
    watches.add(watch)
    try {
      const sent = blocks.map((block, i) => link.put(...watch.marked(block, i)))
      if (!watch.labels) sent.push(link.put(`PING :${watch.token}`))
      const written = await Promise.all(sent)
      if (!written[0]) return { kind: 'unwritten', why: 'the connection ended before its turn came' }
      return written.every((yes) => yes) ? await watch.settled(confirmMs) : UNSURE
    } finally {
      watches.delete(watch)
    }
  }
  /** A long text is sent in parts, each once the server has the one before it: so it never has too much of us. */
  const speak = async (target: string, lines: readonly LaidLine[]): Promise<Spoke> => {
    const blocks = blocksOf(link, target, lines)
    let first: Spoke | null = null
    for (let at = 0; at < blocks.length; at += window) {
      const spoke = await part(target, blocks.slice(at, at + window))
      if (spoke.kind !== 'said')
        return first === null ? spoke : { kind: 'unsure', why: `only a part was said: ${spoke.why}` }
      first ??= spoke
    }
    return first ?? { kind: 'said', ref: null }
  }

  return {
    line: (line: Message) => {
      for (const watch of watches) watch.line(line)
    },
    /** Says lines to a channel, after all that was to be said there before. */
    say: (target: string, lines: readonly LaidLine[]): Promise<Spoke> => {
      const before = turns.get(target) ?? Promise.resolve()
      const spoken = before.then(() => speak(target, lines))
      turns.set(target, spoken)
      return spoken
    },
    end: () => {
      for (const watch of watches) watch.end()
    },
  }
}

const UNSURE: Spoke = { kind: 'unsure', why: 'the connection ended before the server had answered' }

/** The blocks of lines that are sent one by one: each line, or as many as go into a message where there are such. */
const blocksOf = (link: Link, target: string, lines: readonly LaidLine[]): string[][] => {
  const multiline = multilineOf(link)
  if (multiline !== null && lines.length > 1) return batchesOf(target, lines, multiline)
  return lines.map(({ text }) => [`PRIVMSG ${target} :${defused(text)}`])
}

const multilineOf = (link: Link): Multiline | null => {
  if (!link.has('draft/multiline') || !link.has('batch')) return null
  const [, bytes] = /(?:^|,)max-bytes=(\d+)/.exec(link.saidOf('draft/multiline')) ?? []
  const [, lines] = /(?:^|,)max-lines=(\d+)/.exec(link.saidOf('draft/multiline')) ?? []
  return { maxBytes: Number(bytes ?? DEFAULT_BATCH_BYTES), maxLines: Number(lines ?? DEFAULT_BATCH_LINES) }
}

const DEFAULT_BATCH_BYTES = 4096
const DEFAULT_BATCH_LINES = 24

/** What a server answers where it does not take what was said. */
const ERRORS = new Set([
  '401',
  '403',
  '404',
  '407',
  '412',
  '413',
  '415',
  '437',
  '442',
  '477',
  '482',
  '489',
  '531',
  'FAIL',
])

type Watch = ReturnType<typeof createWatch>

/** Waits for what the server makes of some blocks: by labels where it answers them, and else by what it answers after them. */
const createWatch = (link: Link, target: string, count: number) => {
  const token = randomBytes(8).toString('hex')
  const labels = link.has('labeled-response') && link.has('echo-message')
  const open = new Set(labels ? Array.from({ length: count }, (_, i) => `${token}-${i}`) : [token])
  const errors: { code: string; why: string }[] = []
  let ref: string | null = null
  let settle: (spoke: Spoke) => void = () => {}
  const done = new Promise<Spoke>((resolve) => {
    settle = resolve
  })
  const isOurs = ({ command, tags, params }: Message): boolean => {
    if (labels) return open.has(tags['label'] ?? '')
    if (command === 'PONG') return params.some((param) => open.has(param))
    return ERRORS.has(command) && params.slice(1).some((param) => link.fold(param) === link.fold(target))
  }
  const outcome = (): Spoke => {
    const [first] = errors
    if (!first) return { kind: 'said', ref }
    return errors.length < count
      ? { kind: 'unsure', why: `a part was refused: ${first.why}` }
      : { kind: 'refused', ...first }
  }
  return {
    token,
    labels,
    /** A block whose first line carries a label, where labels are answered. */
    marked: (block: readonly string[], index: number): string[] =>
      labels ? block.map((line, i) => (i === 0 ? `@label=${token}-${index} ${line}` : line)) : [...block],
    line: (line: Message) => {
      if (!isOurs(line)) return
      if (ERRORS.has(line.command)) errors.push({ code: line.command, why: line.params.at(-1) ?? line.command })
      else ref ??= line.tags['msgid'] ?? null
      if (labels) open.delete(line.tags['label'] ?? '')
      else if (line.command === 'PONG') open.clear()
      if (open.size === 0) settle(outcome())
    },
    settled: (ms: number): Promise<Spoke> => {
      const timer = setTimeout(
        () => settle({ kind: 'unsure', why: `the server did not answer within ${ms / 1000} s` }),
        ms,
      )
      return done.finally(() => clearTimeout(timer))
    },
    end: () => settle(UNSURE),
  }
}
