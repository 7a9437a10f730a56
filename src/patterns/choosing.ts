import { sessionDraft } from '../evidence/drafts.ts'
import type { Store } from '../evidence/store.ts'
import { oneLine } from '../lib/plain.ts'
import type { Body } from '../shapes/evidence.ts'
import type { Pattern, PatternId } from '../shapes/pattern.ts'
import { ok, type Result } from '../shapes/result.ts'
import type { Standpoint, Told } from '../tools/control.ts'
import type { Judging, Library, Pivoting, Punctuating, Selecting } from '../tools/library.ts'
import { stepCited, wrongCiting } from './citing.ts'
import { historyOf } from './history.ts'
import { type Known, no, told } from './known.ts'
import { recordText } from './lines.ts'
import { patternNamed } from './named.ts'
import { recordOf, type Use, usesIn } from './record.ts'

type Options = { store: Store; at: Standpoint; known: () => Promise<Known> }

/** How long a reason is kept, what is said of a stretch, and a solution that everybody is told. */
const WHY = 500
const STRETCH = 1000
const SOLUTION = 200

/**
 * To work by patterns: one is chosen with reasons, judged by the steps that were taken since, or left; and a stretch is
 * ended once nothing is open. What cannot be true is refused, and nothing of it is written.
 */
export const choosing = ({ store, at, known }: Options): Pick<Library, 'select' | 'judge' | 'pivot' | 'punctuate'> => {
  const { session, room, turn, step } = at

  const keep = (name: string, body: Body, pattern: string | null): void =>
    at.keep({ ...sessionDraft({ ...at, id: `${step}.${name}`, body, inReplyTo: `${step}.intent` }), pattern })

  /** What this session has chosen and not judged. */
  const openHere = async (): Promise<Map<string, Use>> => {
    const uses = usesIn(await historyOf(store, { session }))
    return new Map(uses.filter(({ end }) => end === null).map((use) => [use.pattern, use]))
  }

  const choose = (pattern: PatternId, why: string, over: { pattern: PatternId; why: string }[]): void =>
    keep('selected', { event: 'pattern-selected', turn, step, pattern, why: oneLine(why, WHY), over }, pattern)

  const select = async ({ pattern: name, why, over }: Selecting): Promise<Result<Told>> => {
    const all = await known()
    const chosen = choice(name, all, await openHere())
    if (!chosen.ok) return chosen
    const { id, text } = chosen.value
    const others = alternatives(id, over, all.patterns)
    if (!others.ok) return others
    choose(id, why, others.value)
    const did = recordText(recordOf(all.uses, id, (one) => one === room))
    const then = 'say with pattern-outcome what came of it, and which steps show it'
    return told(`goes by ${id} (${did}); ${then}\n\n${text}`, [chosen.value])
  }

  const judge = async ({ pattern, outcome, why, steps }: Judging): Promise<Result<Told>> => {
    const use = (await openHere()).get(pattern)
    if (!use) return notChosen(pattern)
    const cited = [...new Set(steps.map(stepCited))]
    const wrong = await wrongCiting(store, { session, after: use.chosen, outcome, steps: cited })
    if (wrong !== null) return no('pattern-refused', wrong)
    const body = { event: 'pattern-outcome', turn, step, pattern: use.pattern, outcome } as const
    keep('judged', { ...body, why: oneLine(why, WHY), steps: cited }, use.pattern)
    return told(`${use.pattern} ${outcome}: it is in its record`)
  }

  const pivot = async (pivoting: Pivoting): Promise<Result<Told>> => {
    const open = await openHere()
    const use = open.get(pivoting.from)
    if (!use) return notChosen(pivoting.from)
    const wrong = wrongPivot(pivoting)
    if (wrong !== null) return no('pattern-refused', wrong)
    const next = await nextOf(pivoting.to, open)
    if (!next.ok) return next
    leave(use.pattern, next.value?.id ?? null, pivoting)
    if (!next.value) return told(`left ${use.pattern} for what no pattern says; name it again when the stretch ends`)
    choose(next.value.id, pivoting.why, [{ pattern: use.pattern, why: oneLine(pivoting.why, WHY) }])
    return told(`left ${use.pattern}; goes by ${next.value.id}\n\n${next.value.text}`, [next.value])
  }

  const nextOf = async (to: string | null, open: ReadonlyMap<string, Use>): Promise<Result<Pattern | null>> =>
    to === null ? ok(null) : choice(to, await known(), open)

  const leave = (from: PatternId, to: PatternId | null, { why, instead }: Pivoting): void => {
    const said = { why: oneLine(why, WHY), instead: instead === null ? null : oneLine(instead, SOLUTION) }
    keep('pivoted', { event: 'pattern-pivoted', turn, step, from, to, ...said }, from)
  }

  const punctuate = async (words: Punctuating): Promise<Result<Told>> => {
    const open = [...(await openHere()).keys()]
    if (open.length > 0) return no('pattern-refused', `say first what came of ${open.join(', ')}`)
    const said = {
      worked: oneLine(words.worked, STRETCH),
      didNot: oneLine(words.didNot, STRETCH),
      surprises: oneLine(words.surprises, STRETCH),
      next: oneLine(words.next, STRETCH),
      solution: words.solution === null ? null : oneLine(words.solution, SOLUTION),
    }
    keep('punctuated', { event: 'pattern-punctuated', turn, step, ...said }, null)
    return told('the stretch is ended, and what was learnt is kept')
  }

  return { select, judge, pivot, punctuate }
}

const notChosen = (name: string): Result<never> =>
  no('pattern-refused', `this session does not go by ${oneLine(name, 80)}: choose it with pattern-select first`)

/** One that can be chosen: it is there, is offered, and is not chosen already. */
const choice = (name: string, { patterns, retired }: Known, open: ReadonlyMap<string, Use>): Result<Pattern> => {
  const pattern = patternNamed(patterns, name)
  if (!pattern.ok) return pattern
  const { id } = pattern.value
  if (retired.has(id)) return no('pattern-refused', `${id} is retired: choose another one`)
  return open.has(id) ? no('pattern-refused', `this session goes by ${id} already: say what came of it`) : pattern
}

/** The others that were thought of: each is a pattern, once, and none is the one that was chosen. */
const alternatives = (
  chosen: PatternId,
  over: Selecting['over'],
  patterns: readonly Pattern[],
): Result<{ pattern: PatternId; why: string }[]> => {
  const others: { pattern: PatternId; why: string }[] = []
  for (const { pattern: name, why } of over) {
    const other = patternNamed(patterns, name)
    if (!other.ok) return other
    const { id } = other.value
    if (id === chosen) return no('pattern-refused', `${id} is the one that is chosen: name others, or none`)
    if (others.some(({ pattern }) => pattern === id)) return no('pattern-refused', `${id} is named twice`)
    others.push({ pattern: id, why: oneLine(why, WHY) })
  }
  return ok(others)
}

const wrongPivot = ({ to, instead }: Pivoting): string | null => {
  if (to === null) return instead === null ? 'say what is done instead, where no pattern says it' : null
  return instead === null ? null : `what is done instead is what ${oneLine(to, 80)} says: leave it out, or name none`
}
