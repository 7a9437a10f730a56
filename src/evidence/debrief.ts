import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import { DEBRIEF_ITEMS, DEBRIEF_LENGTH, type Debrief, type Findings } from '../shapes/debrief.ts'
import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import type { Fruit } from '../shapes/fruit.ts'
import { type Collected, createFindings, namesIn, SOURCES } from './findings.ts'
import { createLessons, type Lessons } from './lessons.ts'

/**
 * What there is to learn from a session, from its chain alone, entry by entry: what was tried, what worked and what did not,
 * what nobody would have expected, and what follows from it by rule. The same chain always teaches the same.
 */
export const createDebrief = (session: string): { take: (entry: Entry) => void; made: () => Debrief } => {
  const seen: Seen = {
    requests: new Map(),
    changed: new Map(),
    tried: createFindings(),
    worked: createFindings(),
    didNot: createFindings(),
    surprises: createFindings(),
    lessons: createLessons(session),
  }
  return {
    take: (entry) => {
      seen.lessons.take(entry)
      const look = looks[entry.body?.event] as ((seen: Seen, body: Entry['body'], entry: Entry) => void) | undefined
      look?.(seen, entry.body, entry)
    },
    made: () => ({
      session,
      tried: seen.tried.made(),
      worked: withFiles(seen),
      didNot: seen.didNot.made(),
      surprises: seen.surprises.made(),
      suggestions: seen.lessons.made(),
    }),
  }
}

type Seen = {
  /** What each turn asks for, as it was last said. */
  requests: Map<string, string>
  /** The files that are different, and the entry that says so. */
  changed: Map<string, string>
  tried: Collected
  worked: Collected
  didNot: Collected
  surprises: Collected
  lessons: Lessons
}

type Looks = { [E in EventName]?: (seen: Seen, body: BodyOf<E>, entry: Entry) => void }

const REQUEST = 120

const looks: Looks = {
  accepted: ({ tried, requests }, { request }, { id }) => {
    requests.set(id, request)
    tried.add(`asked: ${oneLine(request, REQUEST)}`, id)
  },
  'turn-amended': ({ tried, requests }, { turn, request }, { id }) => {
    requests.set(turn, request)
    tried.add(`asked instead: ${oneLine(request, REQUEST)}`, id)
  },
  'peripheral-started': ({ tried }, { peripheral }, { id }) => tried.add(`worked in ${peripheral}`, id),
  'turn-ended': ({ worked, didNot, requests }, { turn, outcome, answer }, { id }) => {
    const request = oneLine(requests.get(turn) ?? turn, REQUEST)
    if (outcome === 'done') worked.add(`done: ${request}`, id)
    else didNot.add(`${outcome}: ${request}${outcome === 'failed' ? `: ${oneLine(answer, REQUEST)}` : ''}`, id)
  },
  'step-refused': ({ didNot }, { call, refusal }, { id }) =>
    didNot.add(`${call.tool} was refused: ${refusal.message} [${refusal.code}]`, id),
  'step-ended': (seen, { tool, outcome }, { id }) => {
    if (outcome.kind === 'interrupted') {
      seen.didNot.add(`${tool} was interrupted: ${outcome.message}`, id)
      return
    }
    for (const { path } of outcome.files ?? []) seen.changed.set(path, id)
    if (outcome.kind === 'ok') return
    seen.didNot.add(`${tool} failed: ${oneLine(outcome.message, REQUEST)}`, id)
    if (outcome.hint) seen.surprises.add(`${tool} failed in the same way again and again`, id)
  },
  restored: ({ changed, surprises }, { what, files }, { id, author }) => {
    for (const { path } of files) changed.delete(path)
    surprises.add(`${author.id} put back ${oneLine(what, REQUEST)}`, id)
  },
  'peripheral-stopped': (seen, { fruit }, { id }) => fruitOf(seen, fruit, id),
  'approval-decided': ({ surprises }, { approval, decision, note }, { id, author }) => {
    const why = note === '' ? '' : `: ${oneLine(note, REQUEST)}`
    if (decision === 'denied') surprises.add(`${author.id} denied ${approval}${why}`, id)
    if (decision === 'lapsed') surprises.add(`nobody answered ${approval} in time`, id)
  },
  'stop-asked': ({ surprises }, { why, queued }, { id, author }) => {
    const what = queued ? 'took a turn out of the line' : 'told it to stop'
    surprises.add(`${author.id} ${what}${why === '' ? '' : `: ${oneLine(why, REQUEST)}`}`, id)
  },
  steered: ({ surprises }, { text }, { id, author }) =>
    surprises.add(`${author.id} added: ${oneLine(text, REQUEST)}`, id),
  'turn-noted': ({ surprises }, { about, text }, { id }) => {
    if (about !== 'steer') surprises.add(`it ${oneLine(text, REQUEST)}`, id)
  },
  'conversation-opened': ({ surprises }, { why }, { id }) => {
    if (why === 'lost') surprises.add('its program had forgotten the conversation', id)
  },
  verified: ({ surprises }, { ok, violations }, { id }) => {
    const [first] = violations
    if (!ok) surprises.add(`verify failed: ${first ? `${first.what} [${first.rule}]` : 'it does not say why'}`, id)
  },
}

const fruitOf = (seen: Seen, { tests, checks = [], deploy }: Fruit, id: string): void => {
  if (tests) testsOf(seen, tests, id)
  for (const { name, ok, said } of checks)
    if (!ok) seen.didNot.add(`the check ${name} failed: ${oneLine(said, REQUEST)}`, id)
  const { commits = [], pushed = [] } = deploy ?? {}
  if (commits.length > 0) seen.worked.add(`committed: ${count(commits.length, 'commit')}`, id)
  for (const ref of pushed) seen.worked.add(`pushed ${oneLine(ref, REQUEST)}`, id)
}

const testsOf = ({ worked, didNot, surprises }: Seen, tests: NonNullable<Fruit['tests']>, id: string): void => {
  const { result, passed, failed, failures } = tests
  if (result === 'pass') worked.add(`tests passed: ${passed}`, id)
  if (result === 'fail') didNot.add(`tests failed: ${failed} of ${failed + passed}${namesIn(failures)}`, id)
  if (result === 'flaky') surprises.add(`tests failed and passed on the same files${namesIn(failures)}`, id)
}

/** What is different in the end is one thing that worked, however many files it is; it goes first. */
const withFiles = ({ worked, changed }: Seen): Findings => {
  const made = worked.made()
  const paths = [...changed.keys()].sort()
  if (paths.length === 0) return made
  const says = oneLine(`changed ${count(paths.length, 'file')}${namesIn(paths)}`, DEBRIEF_LENGTH)
  const all = [{ says, from: [...new Set(changed.values())].slice(0, SOURCES) }, ...made.shown]
  return { shown: all.slice(0, DEBRIEF_ITEMS), more: made.more + Math.max(0, all.length - DEBRIEF_ITEMS) }
}
