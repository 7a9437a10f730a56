import { count } from '../lib/count.ts'
import { DIGEST_BYTES, type Digest, type DigestFiles } from '../shapes/digest.ts'
import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import { foldFiles, fromLines, jsonBytes, toLines } from './fold-files.ts'

export type Digested = { digest: Digest; files: DigestFiles }

/**
 * Digests a session from its chain alone, entry by entry and in order, going on from an earlier digest where there is
 * one. The law: however a chain is cut into pieces, digesting piece after piece comes to the same as digesting it whole.
 * So all that is carried on is in what was made; each list has bytes of its own, whatever the others take; and what lies
 * behind the last moment without an open step is left to the next digest, which begins after `through`.
 */
export const createDigest = (
  session: string,
  previous: Digested | null,
): { take: (entry: Entry) => void; made: () => Digested } => {
  let covered: Folded = previous ? goingOn(previous.digest) : nothing(session)
  // What was taken since: it counts once no step is open. Of its files only names are held, of all else a bounded fold.
  let ahead = covered
  const files = previous ? toSets(filesOf(previous)) : toSets({ read: [], changed: [] })
  const filesAhead = toSets({ read: [], changed: [] })
  const open = new Set<string>()

  const take = (entry: Entry): void => {
    if (entry.seq <= ahead.through) return
    ahead = { ...fold(ahead, entry), through: entry.seq }
    addFiles(filesAhead, entry)
    follow(open, entry)
    if (open.size > 0) return
    covered = ahead
    moveAll(filesAhead.read, files.read)
    moveAll(filesAhead.changed, files.changed)
  }

  const made = (): Digested => {
    const names = { read: [...files.read].sort(), changed: [...files.changed].sort() }
    return {
      digest: withFiles(covered, names),
      files: { read: toLines(names.read), changed: toLines(names.changed) },
    }
  }

  return { take, made }
}

type Names = { read: string[]; changed: string[] }

/** The whole lists of the files a session read and changed, sorted. */
export const filesOf = ({ files }: Digested): Names => ({
  read: fromLines(files.read),
  changed: fromLines(files.changed),
})

// ── the bounds ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Bytes of JSON for each text; and for each list its bytes, or how many it shows. Files have what the rest leaves. */
const GOALS = { item: 200, first: 500, last: 700 }
const DECISIONS = { item: 240, first: 300, last: 1000 }
const PERIPHERALS = { most: 6, name: 32, tools: 100 }
const REFUSALS = { most: 6, code: 32, last: 80 }
const TOOLS = { most: 12, name: 24 }
const NEXT = { bytes: 1000, what: 120 }
const NAME = 128
const REASON = 120
/** Of the bytes that are left for files, the share of those that were changed; what they do not need is for those read. */
const CHANGED = 2 / 3

const CUT = '…'

/** Untrusted text on one line of so many bytes of JSON at most, without any code that something might obey. */
const oneLine = (text: string, bytes: number): string => {
  // A character takes a byte at least: what lies far beyond is not even looked at, however much it is.
  const near = text.slice(0, 4 * bytes)
  const clean = shownOf(near)
  if (near.length === text.length && jsonBytes(clean) - 2 <= bytes) return clean
  let kept = ''
  let room = bytes - Buffer.byteLength(CUT)
  for (const character of clean) {
    room -= jsonBytes(character) - 2
    if (room < 0) break
    kept += character
  }
  return `${kept.trimEnd()}${CUT}`
}

const shownOf = (text: string): string =>
  withoutControls(text.replace(/[\s\u0085]/g, ' '))
    .replace(/ +/g, ' ')
    .trim()

const withoutControls = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')

// ── the fold ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A digest but for its files. */
type Folded = Omit<Digest, 'files'>
type Folds = { [E in EventName]?: (was: Folded, body: BodyOf<E>, entry: Entry) => Folded }

const nothing = (session: string): Folded => ({
  session: oneLine(session, NAME),
  agent: null,
  room: null,
  closed: null,
  through: 0,
  goals: { first: [], left: 0, last: [] },
  constraints: { peripherals: { shown: [], left: 0 }, refusals: { shown: [], left: 0 } },
  progress: {
    turns: { accepted: 0, done: 0, failed: 0, cancelled: 0 },
    steps: { ok: 0, failed: 0, interrupted: 0, refused: 0 },
    tools: { shown: [], left: 0 },
  },
  decisions: { first: [], left: 0, last: [] },
  next: { shown: [], left: 0 },
})

/** An earlier digest as this one counts: what those of before could not hold was not there. */
const goingOn = (digest: Digest): Folded => ({
  ...digest,
  progress: { ...digest.progress, turns: { cancelled: 0, ...digest.progress.turns } },
})

/** What an entry adds. One whose body was let go adds nothing, and neither does an earlier digest. */
const fold = (was: Folded, entry: Entry): Folded => {
  if (entry.body === null) return was
  const add = folds[entry.body.event] as ((was: Folded, body: Entry['body'], entry: Entry) => Folded) | undefined
  return add?.(was, entry.body, entry) ?? was
}

const folds: Folds = {
  'session-opened': (was, { agent, room }) => ({ ...was, agent: oneLine(agent, NAME), room: oneLine(room, NAME) }),
  'session-closed': (was, { reason }) => ({ ...was, closed: oneLine(reason, REASON) }),
  accepted: (was, { request }, { id }) => ({
    ...was,
    goals: added(was.goals, oneLine(request, GOALS.item), GOALS),
    next: opened(was.next, { entry: id, kind: 'turn', what: oneLine(request, NEXT.what) }),
    progress: { ...was.progress, turns: oneMore(was.progress.turns, 'accepted') },
  }),
  'turn-ended': (was, { turn, outcome, answer }) => ({
    ...was,
    decisions: decided(was.decisions, outcome === 'done' ? answer : `${outcome}: ${answer}`),
    next: closed(was.next, turn),
    progress: { ...was.progress, turns: oneMore(was.progress.turns, outcome) },
  }),
  'peripheral-started': (was, { peripheral, tools }) => ({
    ...was,
    constraints: { ...was.constraints, peripherals: walled(was.constraints.peripherals, peripheral, tools) },
  }),
  'step-refused': (was, { refusal }) => ({
    ...was,
    constraints: {
      ...was.constraints,
      refusals: refusedOnce(was.constraints.refusals, refusal.code, refusal.message),
    },
    progress: { ...was.progress, steps: oneMore(was.progress.steps, 'refused') },
  }),
  'step-ended': (was, { tool, outcome }) => ({
    ...was,
    progress: {
      ...was.progress,
      steps: oneMore(was.progress.steps, outcome.kind),
      tools: usedOnce(was.progress.tools, tool),
    },
  }),
  'approval-asked': (was, { call, why }, { id }) => ({
    ...was,
    next: opened(was.next, { entry: id, kind: 'approval', what: oneLine(`${call.tool}: ${why}`, NEXT.what) }),
  }),
  'approval-decided': (was, _body, { inReplyTo }) => ({ ...was, next: closed(was.next, inReplyTo ?? '') }),
  asked: (was, { text }, { id }) => ({
    ...was,
    next: opened(was.next, { entry: id, kind: 'question', what: oneLine(text, NEXT.what) }),
  }),
  supposed: (was, { text }, { id }) => ({
    ...was,
    next: opened(was.next, { entry: id, kind: 'conjecture', what: oneLine(text, NEXT.what) }),
  }),
  concluded: (was, { text }, { inReplyTo }) => settled(was, text, inReplyTo),
  corrected: (was, { text }, { inReplyTo }) => settled(was, text, inReplyTo),
}

const settled = (was: Folded, text: string, answers: string | null): Folded => ({
  ...was,
  decisions: decided(was.decisions, text),
  next: { ...was.next, shown: was.next.shown.filter(({ entry }) => entry !== answers) },
})

const decided = (decisions: Items, text: string): Items => added(decisions, oneLine(text, DECISIONS.item), DECISIONS)

// ── bounded lists ───────────────────────────────────────────────────────────────────────────────────────────────────

type Items = Digest['goals']
type Some<T> = { shown: T[]; left: number }
type Next = Digest['next']

const oneMore = <T extends Record<string, number | undefined>>(counts: T, key: keyof T & string): T => ({
  ...counts,
  [key]: (counts[key] ?? 0) + 1,
})

/** Fills the first bytes once and for all; what comes after pushes the oldest out of the last ones. */
const added = (items: Items, text: string, bytes: { first: number; last: number }): Items => {
  const first = [...items.first, text]
  if (items.last.length === 0 && jsonBytes(first) <= bytes.first) return { ...items, first }
  const last = [...items.last, text]
  while (jsonBytes(last) > bytes.last) last.shift()
  return { ...items, left: items.left + items.last.length + 1 - last.length, last }
}

/** One item renewed, or a new one where there is room: who comes first has a place, and keeps it. */
const placed = <T>(list: Some<T>, is: (item: T) => boolean, most: number, renew: (item: T | null) => T): Some<T> => {
  const at = list.shown.findIndex(is)
  if (at >= 0) return { ...list, shown: list.shown.with(at, renew(list.shown[at] ?? null)) }
  if (list.shown.length < most) return { ...list, shown: [...list.shown, renew(null)] }
  return { ...list, left: list.left + 1 }
}

const usedOnce = (list: Digest['progress']['tools'], name: string): Digest['progress']['tools'] => {
  const tool = oneLine(name, TOOLS.name)
  return placed(
    list,
    (item) => item.tool === tool,
    TOOLS.most,
    (item) => ({ tool, count: (item?.count ?? 0) + 1 }),
  )
}

type Refusals = Digest['constraints']['refusals']

const refusedOnce = (list: Refusals, name: string, message: string): Refusals => {
  const code = oneLine(name, REFUSALS.code)
  return placed(
    list,
    (item) => item.code === code,
    REFUSALS.most,
    (item) => ({ code, count: (item?.count ?? 0) + 1, last: oneLine(message, REFUSALS.last) }),
  )
}

type Peripherals = Digest['constraints']['peripherals']

const walled = (list: Peripherals, name: string, tools: string[]): Peripherals => {
  const peripheral = oneLine(name, PERIPHERALS.name)
  return placed(
    list,
    (item) => item.peripheral === peripheral,
    PERIPHERALS.most,
    () => ({ peripheral, tools: leading(tools) }),
  )
}

/** The tools of a wall, as many as fit. */
const leading = (tools: string[]): Some<string> => {
  const shown: string[] = []
  for (const tool of tools) {
    const name = oneLine(tool, TOOLS.name)
    if (jsonBytes([...shown, name]) > PERIPHERALS.tools) break
    shown.push(name)
  }
  return { shown, left: tools.length - shown.length }
}

const opened = (next: Next, item: Next['shown'][number]): Next => {
  const shown = [...next.shown, item]
  return jsonBytes(shown) <= NEXT.bytes ? { ...next, shown } : { ...next, left: next.left + 1 }
}

/** A turn ends once, and so does an approval: where it is not among those shown, it was one of those only counted. */
const closed = (next: Next, id: string): Next => {
  const shown = next.shown.filter(({ entry }) => entry !== id)
  const hidden = shown.length === next.shown.length && next.left > 0
  return { shown, left: hidden ? next.left - 1 : next.left }
}

// ── steps and files ─────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Follows which steps are open: by their claims, which an entry keeps when its body is let go. What a person puts back is
 * no step, and its body is never let go.
 */
const follow = (open: Set<string>, { id, claim, inReplyTo, body }: Entry): void => {
  // A wall that was taken down leaves no step behind it open.
  if (body?.event === 'peripheral-stopped') open.clear()
  if (claim === 'step' && body?.event !== 'restoring') open.add(id)
  if (claim === 'evidence' && inReplyTo !== null) open.delete(inReplyTo)
}

type NameSets = { read: Set<string>; changed: Set<string> }

const toSets = ({ read, changed }: Names): NameSets => ({ read: new Set(read), changed: new Set(changed) })

/** A step that failed may have changed something too, and what was put back was changed once more. */
const addFiles = ({ read, changed }: NameSets, { body }: Entry): void => {
  if (body?.event === 'restored') for (const { path } of body.files) changed.add(path)
  if (body?.event !== 'step-ended' || body.outcome.kind === 'interrupted') return
  const { outcome } = body
  for (const name of outcome.kind === 'ok' ? outcome.paths : []) read.add(name)
  for (const name of outcome.changed ?? []) changed.add(name)
  for (const { path } of outcome.files ?? []) changed.add(path)
}

const moveAll = (from: Set<string>, to: Set<string>): void => {
  for (const name of from) to.add(name)
  from.clear()
}

/** The digest with its files: made anew from the whole lists each time, so it may fill whatever room there is. */
const withFiles = (folded: Folded, names: Names): Digest => {
  const room =
    DIGEST_BYTES - jsonBytes({ ...folded, files: { read: unshown(names.read), changed: unshown(names.changed) } })
  const changed = foldFiles(names.changed, Math.floor(room * CHANGED))
  const read = foldFiles(names.read, room - jsonBytes(changed.folded) + jsonBytes(''))
  return { ...folded, files: { read, changed } }
}

const unshown = ({ length }: string[]): Digest['files']['read'] => ({ count: length, folded: '', left: length })

// ── for reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A digest as text for a person or an agent, in as many bytes as its JSON may have. */
export const brief = (digest: Digest): string => {
  const { goals, constraints, progress, decisions, next, files } = digest
  const { turns, steps, tools } = progress
  const parts = [
    [
      `Session ${digest.session}: ${digest.agent ?? 'nobody'} in ${digest.room ?? 'no room'}, up to entry ${digest.through}`,
      ...(digest.closed === null ? [] : [`Closed: ${digest.closed}`]),
    ],
    titled('Goals', itemLines(goals)),
    titled('Peripherals', someLines(constraints.peripherals, wallText)),
    titled(
      'Refusals',
      someLines(constraints.refusals, (item) => `${item.code} (${item.count}): ${item.last}`),
    ),
    titled('Progress', [
      `turns: ${turns.accepted} accepted, ${turns.done} done, ${turns.failed} failed, ${turns.cancelled ?? 0} cancelled`,
      `steps: ${steps.ok} ok, ${steps.failed} failed, ${steps.interrupted} interrupted, ${steps.refused} refused`,
      `tools: ${listText(tools, (item) => `${item.tool} ${item.count}`) || 'none'}`,
    ]),
    titled('Decisions', itemLines(decisions)),
    titled(
      'Next',
      someLines(next, ({ entry, kind, what }) => `${kind} ${entry}: ${what}`),
    ),
    titled('Files', [`changed: ${filesText(files.changed)}`, `read: ${filesText(files.read)}`]),
  ]
  return withinBytes(parts.flat().map(withoutControls))
}

const titled = (title: string, lines: string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}`)]

const more = (left: number): string[] => (left === 0 ? [] : [`${left} more`])

const itemLines = ({ first, left, last }: Items): string[] => [...first, ...more(left), ...last]

const someLines = <T>({ shown, left }: Some<T>, text: (item: T) => string): string[] => [
  ...shown.map(text),
  ...more(left),
]

const listText = <T>(list: Some<T>, text: (item: T) => string): string => someLines(list, text).join(', ')

const wallText = ({ peripheral, tools }: Peripherals['shown'][number]): string =>
  `${peripheral}: ${listText(tools, (tool) => tool)}`

const filesText = ({ count: all, folded, left }: Digest['files']['read']): string =>
  [count(all, 'file'), folded, ...more(left)].filter((part) => part !== '').join(' ')

/** Whole lines as far as they fit: those of a digest that was made here all do. */
const withinBytes = (lines: string[]): string => {
  let room = DIGEST_BYTES - Buffer.byteLength(CUT)
  const fitting = lines.findIndex((line) => {
    room -= Buffer.byteLength(line) + 1
    return room < 0
  })
  return (fitting < 0 ? lines : [...lines.slice(0, fitting), CUT]).join('\n')
}
