import { defused, type LaidLine } from './layout.ts'
import type { Link, Message } from './link.ts'
import { batchesOf, type Multiline } from './multiline.ts'
import { createWatch, UNSURE, type Watch } from './watch.ts'

/**
 * What came of it · said: the server has taken it · unwritten: nothing of it was sent · unsure: it was sent, and the
 * connection ended before the server said so · refused: the server did not take it · partly: it did not take all of it
 */
export type Spoke =
  | { kind: 'said'; ref: string | null }
  | { kind: 'unwritten'; why: string }
  | { kind: 'unsure'; why: string }
  | { kind: 'partly'; why: string }
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
  let takesBatches = true

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
  const inParts = async (target: string, blocks: readonly string[][]): Promise<Spoke> => {
    let first: Spoke | null = null
    for (let at = 0; at < blocks.length; at += window) {
      const spoke = await part(target, blocks.slice(at, at + window))
      if (spoke.kind !== 'said') return first === null ? spoke : cutShort(spoke)
      first ??= spoke
    }
    return first ?? { kind: 'said', ref: null }
  }
  const speak = async (target: string, lines: readonly LaidLine[]): Promise<Spoke> => {
    const multiline = takesBatches && lines.length > 1 ? multilineOf(link) : null
    if (multiline === null) return inParts(target, linesTo(target, lines))
    const spoke = await inParts(target, batchesOf(target, lines, multiline))
    // A server that does not take what it offered is spoken to like any other from then on.
    return spoke.kind === 'refused' && !takesBatches ? inParts(target, linesTo(target, lines)) : spoke
  }

  return {
    line: (line: Message) => {
      if (line.command === 'FAIL' && line.params[0] === 'BATCH') takesBatches = false
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

/** What it is where something was said before. */
const cutShort = ({ kind, why }: Exclude<Spoke, { kind: 'said' }>): Spoke => ({
  kind: kind === 'refused' || kind === 'partly' ? 'partly' : 'unsure',
  why: `only a part was said: ${why}`,
})

/** Blocks that are sent one by one: each line is one. */
const linesTo = (target: string, lines: readonly LaidLine[]): string[][] =>
  lines.map(({ text }) => [`PRIVMSG ${target} :${defused(text)}`])

const multilineOf = (link: Link): Multiline | null => {
  if (!link.has('draft/multiline') || !link.has('batch')) return null
  const [, bytes] = /(?:^|,)max-bytes=(\d+)/.exec(link.saidOf('draft/multiline')) ?? []
  const [, lines] = /(?:^|,)max-lines=(\d+)/.exec(link.saidOf('draft/multiline')) ?? []
  return { maxBytes: Number(bytes ?? DEFAULT_BATCH_BYTES), maxLines: Number(lines ?? DEFAULT_BATCH_LINES) }
}

const DEFAULT_BATCH_BYTES = 4096
const DEFAULT_BATCH_LINES = 24
