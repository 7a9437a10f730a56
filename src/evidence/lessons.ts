import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import type { Findings } from '../shapes/debrief.ts'
import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import type { TestResult } from '../shapes/fruit.ts'
import { type RefusalCode, refusals } from '../shapes/refusal.ts'
import { createFindings, namesIn } from './findings.ts'

export type Lessons = ReturnType<typeof createLessons>

/** What follows from what happened, by rule: each lesson from the entries that teach it. */
export const createLessons = (session: string) => {
  const noted: Noted = {
    open: new Map(),
    refused: new Map(),
    tests: null,
    untested: [],
    interrupted: [],
    retried: [],
    steered: [],
    broken: [],
    denied: [],
    lapsed: [],
  }
  return {
    take: (entry: Entry): void => {
      const note = notes[entry.body?.event] as ((noted: Noted, body: Entry['body'], id: string) => void) | undefined
      note?.(noted, entry.body, entry.id)
    },
    made: (): Findings => {
      const lessons = createFindings()
      for (const { says, from } of rules.flatMap((rule) => rule(noted, session)))
        if (from.length > 0) lessons.add(says, ...from)
      return lessons.made()
    },
  }
}

type Noted = {
  /** The requests of turns that have not ended. */
  open: Map<string, string>
  refused: Map<RefusalCode, string[]>
  /** What the last tests came to. */
  tests: { result: TestResult; failures: string[]; id: string } | null
  /** What changed files since tests passed last. */
  untested: string[]
  interrupted: string[]
  retried: string[]
  steered: { id: string; text: string }[]
  broken: string[]
  denied: string[]
  lapsed: string[]
}

type Notes = { [E in EventName]?: (noted: Noted, body: BodyOf<E>, id: string) => void }

const notes: Notes = {
  accepted: ({ open }, { request }, id) => void open.set(id, request),
  'turn-ended': ({ open }, { turn }) => void open.delete(turn),
  'step-refused': ({ refused }, { refusal: { code } }, id) =>
    void refused.set(code, [...(refused.get(code) ?? []), id]),
  'step-ended': (noted, { outcome }, id) => {
    if (outcome.kind === 'interrupted') noted.interrupted.push(id)
    else if (outcome.kind === 'ok' && outcome.run?.for === 'test') noted.untested = []
    else if ((outcome.files ?? []).length > 0) noted.untested.push(id)
  },
  'peripheral-stopped': (noted, { fruit: { tests } }, id) => {
    if (tests && tests.result !== 'none') noted.tests = { result: tests.result, failures: tests.failures, id }
  },
  'approval-decided': (noted, { decision }, id) => {
    if (decision !== 'approved') noted[decision].push(id)
  },
  steered: ({ steered }, { text }, id) => void steered.push({ id, text }),
  'turn-noted': ({ retried }, { about }, id) => {
    if (about === 'retry' || about === 'fallback') retried.push(id)
  },
  verified: ({ broken }, { ok }, id) => {
    if (!ok) broken.push(id)
  },
}

const TEXT = 100
/** From how many times on something is worth a word. */
const OFTEN = 2

type Lesson = { says: string; from: readonly string[] }
type Rule = (noted: Noted, session: string) => Lesson[]

const rules: readonly Rule[] = [
  ({ broken }, session) => [{ says: `look at what is not as it should be: /verify ${session}`, from: broken }],
  ({ tests }) => (tests ? testLessons[tests.result](namesIn(tests.failures), tests.id) : []),
  ({ untested: from }) => [{ says: 'run the tests: none has passed since files were changed last', from }],
  ({ interrupted: from }) => [
    { says: 'look whether what was interrupted is done: it is not run again by itself', from },
  ],
  ({ refused }) =>
    [...refused]
      .filter(([, from]) => from.length >= OFTEN)
      .map(([code, from]) => ({ says: `${refusals[code].remedy} (${code}, ${count(from.length, 'time')})`, from })),
  ({ denied: from }) => [{ says: 'say with the request what would not be approved', from }],
  ({ lapsed: from }) => [
    { says: 'have somebody there to answer, or give approvals more time (approvals.minutes)', from },
  ],
  ({ retried: from }) =>
    from.length < OFTEN
      ? []
      : [{ says: `name a fallback, or look at the provider: the model failed ${from.length} times`, from }],
  ({ steered }) =>
    steered.map(({ id, text }) => ({ says: `ask for this at once the next time: ${oneLine(text, TEXT)}`, from: [id] })),
  ({ open }) =>
    [...open].map(([id, request]) => ({
      says: `ask again for what was not ended: ${oneLine(request, TEXT)}`,
      from: [id],
    })),
]

const testLessons: Record<TestResult, (names: string, id: string) => Lesson[]> = {
  none: () => [],
  pass: () => [],
  fail: (names, id) => [{ says: `the tests fail still: go on there${names}`, from: [id] }],
  flaky: (names, id) => [{ says: `mend what fails now and then before a pass is trusted${names}`, from: [id] }],
}
