import type { StepReport } from '../../shapes/turn.ts'
import type { Mind } from '../mind.ts'
import { forms } from './language/forms.ts'
import { parse } from './language/grammar.ts'
import type { Intent } from './language/intent.ts'
import { answer, quoted } from './plans/answer.ts'
import { create, replace } from './plans/change-plans.ts'
import { countFiles, countLines, list, listFolder, readFile, readFiles } from './plans/file-plans.ts'
import { fetchPage, use } from './plans/hand-plans.ts'
import { type Doing, travel } from './plans/journey.ts'
import { define, uses } from './plans/name-plans.ts'
import { commit, hasAdvanced, push } from './plans/release-plans.ts'
import { run, runTests } from './plans/run-plans.ts'
import { lookBack, reflect } from './plans/session-plans.ts'
import type { Plan } from './plans/steps.ts'
import { talk } from './plans/talk.ts'
import { countMatches, search } from './plans/text-plans.ts'

const MOST_STEPS = 12
const SPENT: StepReport = { kind: 'failed', message: `a rehearsal takes at most ${MOST_STEPS} steps a turn` }

/**
 * Stands in where no model is configured: a request becomes tool steps by the grammar, and the answer their results.
 * What it does depends only on the request, the place and the reports, so a turn can be replayed from its evidence.
 */
export const rehearse: Mind = function* (request, place) {
  if (REVIEW.test(request)) return answer('to judge work takes a mind, or a person: /work judge says how.')
  return answer(yield* bounded(travel(parse(request), place, planFor)))
}

/** How a piece of work is given out to be reviewed: it expects a verdict. */
const REVIEW = /^Review w-\d+: /

/** A plan that is told of its calls beyond the most steps that they failed. */
function* bounded<T>(plan: Plan<T>): Plan<T> {
  let left = MOST_STEPS
  let next = plan.next()
  while (!next.done) {
    const calls = next.value.slice(0, left)
    const beyond = next.value.slice(left)
    left -= calls.length
    const reports = calls.length === 0 ? [] : yield calls
    next = plan.next([...reports, ...beyond.map(() => SPENT)])
  }
  return next.value
}

const planFor: Doing = ({ intent, said, after }, { peripheral, tools }, before) => {
  switch (intent.kind) {
    case 'define':
      return define(intent)
    case 'uses':
      return uses(intent)
    case 'search':
      return search(intent)
    case 'list':
      return tools?.includes('list') && intent.where !== null && intent.glob === null
        ? listFolder(intent.where)
        : list(intent)
    case 'read':
      return readFile(intent)
    case 'reads':
      return readFiles(intent)
    case 'count':
      return count(intent)
    case 'replace':
      return replace(intent)
    case 'create':
      return create(intent)
    case 'run':
      return run(intent)
    case 'test':
      return runTests()
    case 'fetch':
      return fetchPage(intent)
    case 'commit':
      return commit(intent, peripheral === 'deploy' && !hasAdvanced(before))
    case 'push':
      return push(peripheral === 'deploy' && !hasAdvanced(before))
    case 'evidence':
      return lookBack()
    case 'reflect':
      return reflect(before, tools?.includes('evidence') ?? true)
    case 'use':
      return use(intent)
    case 'help':
      return say(`I turn a plain request into tool steps, by this grammar:\n${grammar()}`)
    case 'unknown':
      if (peripheral === 'chat') return say(talk(said))
      return say(`I could not make anything of ${quoted(said)}.${after ? '' : ` I know these forms:\n${grammar()}`}`)
  }
}

const count = (intent: Extract<Intent, { kind: 'count' }>): Plan<string> => {
  if (intent.of === 'files') return countFiles(intent)
  return intent.of === 'lines' ? countLines(intent) : countMatches(intent)
}

// biome-ignore lint/correctness/useYield: a plan without steps
function* say(text: string): Plan<string> {
  return text
}

const grammar = (): string => forms.map(({ form, examples }) => `  ${form}, such as: ${examples[0]}`).join('\n')
