import type { Post } from '../../src/shapes/post.ts'
import type { Refusal } from '../../src/shapes/refusal.ts'
import { type DiffLine, diffLines, isDiff } from './diff.ts'
import {
  BOLD_YELLOW,
  block,
  CYAN,
  clean,
  columns,
  DIM,
  GREEN,
  hang,
  type Look,
  PLAIN,
  paint,
  RED,
  shorten,
  YELLOW,
} from './rows.ts'

/** The lines of a post; none for one that says nothing yet. `call` is what the step was asked, where that is known. */
export const show = (post: Post, look: Look, call: string | null = null): string => {
  switch (post.kind) {
    case 'said':
      return speech(post.author.id, post.text, CYAN, look)
    case 'answer':
      return post.turn === null ? answer(post.text, look) : speech(post.author.id, post.text, GREEN, look)
    case 'aside':
      return speech(post.author.id, post.text, DIM, look)
    case 'accepted':
      return block('  · ', post.text, DIM, look)
    case 'working':
      return block('  · ', `${post.author.id} ${post.text}`, DIM, look)
    case 'step':
      return step(post, call, look)
    case 'refusal':
      return trouble(post.text, look)
    case 'notice':
      return notice(post.text, look)
    case 'approval':
      return approval(post, look)
  }
}

/** What a command answered. */
export const answer = (text: string, look: Look): string => {
  const shown = clean(text)
  if (!isDiff(shown)) return block('  ', text, PLAIN, look)
  // Whoever asked for it gets it whole: the terminal breaks what is too wide.
  return diffLines(shown)
    .map(({ kind, text }) => paint(DIFF_COLOURS[kind], `  ${text}`, look))
    .join('\n')
}

/** What is for the person here alone: the room does not read it, and it is not said again. */
export const whisper = (text: string, look: Look): string =>
  `${answer(text, look)}\n${block('  ', '(only you see this)', DIM, look)}`

export const refusalOf = ({ code, message, remedy }: Refusal, look: Look): string =>
  trouble(`${message} [${code}]\n${remedy}`, look)

/** What happened here, besides what was said. */
export const notice = (text: string, look: Look): string => block('— ', text, DIM, look)

/** What the terminal itself has to say: that the house is away. */
export const warning = (text: string, look: Look): string => block('  ! ', text, YELLOW, look)

export const speech = (name: string, text: string, colour: string, look: Look): string => {
  const by = `${clean(name)}: `
  const rows = hang(by, text, look)
  return [paint(colour, by, look) + rows[0]?.slice(by.length), ...rows.slice(1)].join('\n')
}

const trouble = (text: string, look: Look): string => {
  const [message = '', ...remedy] = text.split('\n')
  const why = block('  ✗ ', message, RED, look)
  return remedy.length === 0 ? why : `${why}\n${block('  → ', remedy.join('\n'), PLAIN, look)}`
}

/** Who asks for what, and the two commands that answer it; or what became of it. */
const approval = (post: Post, look: Look): string => {
  const said = `${post.author.id} ${post.text}`
  const { state = 'lapsed' } = post.approval ?? {}
  if (state !== 'open') return decided(state, said, look)
  const [asked = '', ...why] = said.split('\n')
  const { name, until } = post.approval ?? {}
  return [
    block('  ? ', asked, BOLD_YELLOW, look),
    ...(why.length > 0 ? [block('    ', why.join('\n'), PLAIN, look)] : []),
    block('  → ', `/approve ${name} or /deny ${name} WHY${until ? `, until ${until}` : ''}`, BOLD_YELLOW, look),
  ].join('\n')
}

type Decided = 'approved' | 'denied' | 'lapsed'

const DECIDED: Record<Decided, string> = { approved: GREEN, denied: RED, lapsed: YELLOW }

const decided = (state: Decided, said: string, look: Look): string =>
  block(state === 'approved' ? '  ✓ ' : '  ✗ ', said, DECIDED[state], look)

/** One row for a step that ended: what was asked, and how it came out. A step that still runs has no row. */
const step = (post: Post, call: string | null, look: Look): string => {
  if (post.step === null || post.step.state === 'running') return ''
  const { state } = post.step
  const [summary = '', ...said] = clean(post.text).trimEnd().split('\n')
  const tool = `${call?.split(' ')[0]}: `
  const outcome = summary.startsWith(tool) ? summary.slice(tool.length) : summary
  const head = `  ${clean(post.author.id)} ${state === 'ok' ? '✓' : `✗ ${state}:`} `
  // A long call makes way for the outcome, down to where it would say nothing any more.
  const left = Math.max(20, look.width - columns(`${head} — ${outcome}`))
  const asked = call === null ? '' : `${shorten(clean(call).replaceAll('\n', ' '), left)} — `
  const row = paint(state === 'ok' ? DIM : RED, shorten(head + asked + outcome, look.width), look)
  return [row, ...detail(post, said, look)].join('\n')
}

const MOST_DIFF = 40
const MOST_FAILED = 10
const INDENT = '    '

/** Of what a step said: what it changed, from the beginning; or how it failed, up to the end. */
const detail = ({ id, step }: Post, said: readonly string[], look: Look): string[] => {
  const row = (colour: string, text: string) => paint(colour, shorten(INDENT + text, look.width), look)
  const rest = (lines: number, where: string) =>
    lines > 0 ? [block(INDENT, `… ${lines} ${where} ${lines === 1 ? 'line' : 'lines'}: /show ${id}`, DIM, look)] : []
  const text = said.join('\n')
  if (isDiff(text)) {
    const shown = diffLines(text).slice(0, MOST_DIFF)
    return [...shown.map(({ kind, text }) => row(DIFF_COLOURS[kind], text)), ...rest(said.length - MOST_DIFF, 'more')]
  }
  if (step?.state !== 'failed') return []
  const shown = said.slice(-MOST_FAILED).map((line) => row(DIM, line))
  return [...rest(said.length - MOST_FAILED, 'earlier'), ...shown]
}

const DIFF_COLOURS: Record<DiffLine['kind'], string> = {
  added: GREEN,
  removed: RED,
  hunk: CYAN,
  file: DIM,
  other: PLAIN,
}
