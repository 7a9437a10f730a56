import type { StepReport } from '../../shapes/turn.ts'
import type { Mind } from '../mind.ts'
import { forms } from './language/forms.ts'
import { parse } from './language/grammar.ts'
import type { Intent } from './language/intent.ts'
import { answer, quoted } from './plans/answer.ts'
import { countFiles, countLines, list, readFile } from './plans/file-plans.ts'
import { define, uses } from './plans/name-plans.ts'
import type { Plan } from './plans/steps.ts'
import { countMatches, search } from './plans/text-plans.ts'

const MOST_STEPS = 6
const SPENT: StepReport = { kind: 'failed', message: `a rehearsal takes at most ${MOST_STEPS} steps a turn` }

/**
 * Stands in where no model is configured: a request becomes tool steps by the grammar, and the answer their results.
 * What it does depends only on the request and the reports, so a turn can be replayed from its evidence.
 */
export const rehearse: Mind = function* (request) {
  const plan = planFor(parse(request), request)
  let next = plan.next()
  for (let step = 0; !next.done; step++) {
    const report: StepReport = step < MOST_STEPS ? yield next.value : SPENT
    next = plan.next(report)
  }
  return next.value
}

const planFor = (intent: Intent, request: string): Plan<string> => {
  switch (intent.kind) {
    case 'define':
      return define(intent)
    case 'uses':
      return uses(intent)
    case 'search':
      return search(intent)
    case 'list':
      return list(intent)
    case 'read':
      return readFile(intent)
    case 'count':
      return count(intent)
    case 'help':
      return say(`I turn a plain request into tool steps, by this grammar:\n${grammar()}`)
    case 'unknown':
      return say(`I could not make anything of ${quoted(request)}. I know these forms:\n${grammar()}`)
  }
}

const count = (intent: Extract<Intent, { kind: 'count' }>): Plan<string> => {
  if (intent.of === 'files') return countFiles(intent)
  return intent.of === 'lines' ? countLines(intent) : countMatches(intent)
}

// biome-ignore lint/correctness/useYield: a plan without steps
function* say(text: string): Plan<string> {
  return answer(text)
}

const grammar = (): string => forms.map(({ form, examples }) => `  ${form}, such as: ${examples[0]}`).join('\n')
