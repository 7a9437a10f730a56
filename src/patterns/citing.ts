import type { Store } from '../evidence/store.ts'
import { oneLine } from '../lib/plain.ts'
import type { Entry } from '../shapes/evidence.ts'

type Reader = Pick<Store, 'get' | 'query'>

/** A step as it is cited: by its id, or by that of its intent or its outcome. */
export const stepCited = (cited: string): string => cited.replace(/\.(?:intent|outcome)$/, '')

/** What only says something, or leads elsewhere: that it went well shows nothing of the work. */
const SAYING =
  /^(?:pattern-.*|mc-.*|tickle-.*|terminal|world-(?:state|reset)|cycle-(?:get|list)|ledger-(?:query|impact)|gate-check|(?:proof|mission)-load|reflect|evidence|advance|hop|bell|whistle|park)$/

/** Whether a step ended well, and did something: what was only begun in a terminal, or left tests failing, shows nothing. */
const shows = ({ body }: Entry): boolean => {
  if (body?.event !== 'step-ended' || body.outcome.kind !== 'ok' || SAYING.test(body.tool)) return false
  const { run } = body.outcome
  return body.tool === 'run' ? run !== undefined && !run.report?.failed : true
}

type Citing = {
  session: string
  after: Pick<Entry, 'position'>
  outcome: 'worked' | 'failed'
  steps: readonly string[]
}

/**
 * Why the steps that are cited do not show what is said; null where they do. Each must have been taken in this session,
 * since the pattern was chosen; and nothing worked that no step shows which ended well.
 */
export const wrongCiting = async (store: Reader, citing: Citing): Promise<string | null> => {
  const { session, after, outcome, steps } = citing
  const cited: Entry[] = []
  for (const step of steps) {
    const ended = await store.get(`${step}.outcome`)
    const isStep = ended?.body?.event === 'step-ended' || ended?.body?.event === 'step-refused'
    if (!ended || !isStep || ended.session !== session) return `${oneLine(step, 80)} is no step of this session`
    if (ended.position < after.position) return `the step ${step} was taken before the pattern was chosen`
    cited.push(ended)
  }
  if (outcome === 'failed' || cited.some(shows)) return null
  return `that it worked is shown by a step that did something and ended well; ${await candidates(store, citing)}`
}

const LOOKED_AT = 50
const TOLD = 5

/** The steps that could be cited, the last ones: whoever works may not have kept their ids. */
const candidates = async (store: Reader, { session, after }: Citing): Promise<string> => {
  const found = await store.query({ session, event: 'step-ended', outcome: 'ok', limit: LOOKED_AT })
  if (!found.ok) throw new Error(found.refusal.message)
  const since = found.value.entries.filter((entry) => entry.position > after.position && shows(entry))
  const named = since.slice(0, TOLD).flatMap(({ body }) => (body.event === 'step-ended' ? [body] : []))
  if (named.length === 0) return 'there is none since it was chosen'
  return `there is ${named.map(({ step, tool }) => `${step} (${tool})`).join(', ')}`
}
