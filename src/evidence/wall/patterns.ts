import type { BodyOf, Entry, EventName } from '../../shapes/evidence.ts'
import type { StepOutcome } from '../../shapes/turn.ts'
import type { Finding } from '../complain.ts'
import type { Intent } from './intent.ts'

/** Fields of an entry, and the arguments of the call that they repeat. */
type Fields = readonly (readonly [string, string])[]

type Ended = { position: number; did: boolean }

/** What of a call each entry repeats, by the tools that write it: the rest is no business of theirs. */
const WRITERS: { readonly [E in EventName]?: Readonly<Record<string, Fields>> } = {
  'pattern-selected': {
    'pattern-select': [['pattern', 'pattern']],
    'pattern-pivot': [['pattern', 'to']],
  },
  'pattern-outcome': {
    'pattern-outcome': [
      ['pattern', 'pattern'],
      ['outcome', 'outcome'],
    ],
  },
  'pattern-pivoted': {
    'pattern-pivot': [
      ['from', 'from'],
      ['to', 'to'],
    ],
  },
  'pattern-punctuated': { 'pattern-punctuate': [] },
  'pattern-added': { 'pattern-new': [] },
  'pattern-retired': { 'pattern-retire': [['pattern', 'pattern']] },
}

/** Tools that talk, ask or go elsewhere. That these went well says nothing of the work. */
const TALK =
  'reflect evidence advance hop bell whistle park terminal world-state world-reset cycle-get cycle-list ledger-query ledger-impact gate-check proof-load mission-load'.split(
    ' ',
  )
const isTalk = (tool: string): boolean => TALK.includes(tool) || /^(?:pattern|mc|tickle)-/.test(tool)

/**
 * Follows the patterns of a chain: what is judged or left was chosen before and is open, the steps that are cited were
 * taken since, and what is said to have worked is shown by one that did something and ended well. A stretch is not ended
 * while something is open. All of it is written by a step of the right tool, and says what its call says.
 */
export const createPatterns = () => {
  const chosen = new Map<string, number>()
  const ends = new Map<string, Ended>()
  // What a step came to whose body is gone, nobody can say.
  let whole = true

  const take = (pattern: string): { since: number | null; findings: Finding[] } => {
    const since = chosen.get(pattern) ?? null
    chosen.delete(pattern)
    return { since, findings: since === null ? [wrong(`speaks of ${pattern}, which was not chosen, or is over`)] : [] }
  }

  const cited = (steps: readonly string[], since: number): Finding[] =>
    steps.flatMap((step) => {
      const end = ends.get(step)
      if (!end) return [wrong(`cites ${step}, which is no step of this chain that has ended`)]
      return end.position > since ? [] : [wrong(`cites ${step}, which was taken before the pattern was chosen`)]
    })

  return {
    ended: ({ position }: Entry, { step, tool, outcome }: BodyOf<'step-ended'>): void =>
      void ends.set(step, { position, did: isDone(tool, outcome) && !isTalk(tool) }),
    refused: ({ position }: Entry, { step }: BodyOf<'step-refused'>): void =>
      void ends.set(step, { position, did: false }),
    lost: (): void => {
      whole = false
    },
    /** Of anything that is said of patterns: that the step which is under way is one that says it. */
    written: ({ body }: Entry, intent: Intent | null | undefined): Finding[] => {
      const tools = WRITERS[body.event]
      if (!tools || intent === null) return []
      const fields = intent && new Map(Object.entries(tools)).get(intent.call.tool)
      if (!intent || !fields) return [wrong(`is ${body.event}, which no step under way has said`)]
      return repeats(body, intent, fields) ? [] : [wrong(`says something else than its step ${intent.step} did`)]
    },
    selected: ({ position }: Entry, { pattern, over }: BodyOf<'pattern-selected'>): Finding[] => {
      const again = chosen.has(pattern)
      chosen.set(pattern, position)
      return [
        ...(again ? [wrong(`chooses ${pattern}, which is chosen already`)] : []),
        ...(over.some((other) => other.pattern === pattern) ? [wrong(`chooses ${pattern} over itself`)] : []),
      ]
    },
    outcome: ({ pattern, outcome, steps }: BodyOf<'pattern-outcome'>): Finding[] => {
      const { since, findings } = take(pattern)
      if (since === null || !whole) return findings
      const shown = outcome === 'failed' || steps.some((step) => ends.get(step)?.did)
      return [
        ...cited(steps, since),
        ...(shown ? [] : [wrong(`says that ${pattern} worked, and no step that it cites shows it`)]),
      ]
    },
    pivoted: ({ from, to, instead }: BodyOf<'pattern-pivoted'>): Finding[] => [
      ...take(from).findings,
      ...(from === to ? [wrong(`leaves ${from} for itself`)] : []),
      ...((to === null) === (instead === null) ? [wrong(`leaves ${from} for nothing, or for two things`)] : []),
    ],
    punctuated: (): Finding[] =>
      chosen.size === 0 ? [] : [wrong(`ends a stretch while ${[...chosen.keys()].join(', ')} is open`)],
    added: ({ path }: BodyOf<'pattern-added'>, intent: Intent | null | undefined): Finding[] =>
      !intent || intent.writes?.includes(path)
        ? []
        : [wrong(`says that ${path} was made, which its step did not write`)],
  }
}

const repeats = (body: Entry['body'], { call, step, turn }: Intent, fields: Fields): boolean => {
  const said = body as Record<string, unknown>
  const same = fields.every(([field, argument]) => said[field] === call.args[argument])
  return same && said['step'] === step && said['turn'] === turn
}

/** A program must have ended, and left no test failing; of everything else it is enough that it went well. */
const isDone = (tool: string, outcome: StepOutcome): boolean =>
  outcome.kind === 'ok' && (tool !== 'run' || (outcome.run !== undefined && (outcome.run.report?.failed ?? 0) === 0))

const wrong = (what: string): Finding => ({ rule: 'pattern', what })
