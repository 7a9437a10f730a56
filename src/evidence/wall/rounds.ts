import type { BodyOf } from '../../shapes/evidence.ts'
import type { Finding } from '../complain.ts'
import { canonical, sha256 } from '../hash.ts'
import { type Book, changedItems, ORDER, restingOn, saidIn } from './book.ts'
import { type At, type Deed, wrong } from './deeds.ts'

type Moved = BodyOf<'cycle-moved'>
type Round = NonNullable<Book['round']>

/** What is wrong with a move from one phase to another: it does not follow, or what it was left with is not true. */
export const wrongMove = (at: At, body: Moved): Finding[] => {
  const { round } = at.book
  const { n, from, to, why } = body
  if (round?.n !== n || round.phase !== from) return [wrong('phase', `leaves ${from} for ${to}, and was not there`)]
  return why === undefined ? wrongStep(at, round, body) : wrongReturn(at, body)
}

const wrongStep = (at: At, round: Round, body: Moved): Finding[] => {
  const { from, to } = body
  const next = ORDER.indexOf(to) === ORDER.indexOf(from) + 1 && at.deed?.call?.tool !== 'cycle-back'
  if (!next) return [wrong('phase', `leaves ${from} for ${to}, which does not follow`)]
  return BROUGHT[from]?.(at, round, body) ?? []
}

const wrongReturn = ({ book, deed }: At, { from, to, step }: Moved): Finding[] => {
  const [here, there] = [ORDER.indexOf(from), ORDER.indexOf(to)]
  const back = there > 0 && there < here && deed?.call?.tool !== 'advance'
  return [
    ...(back ? [] : [wrong('phase', `goes back from ${from} to ${to}, which was not before it`)]),
    ...(there <= ORDER.indexOf('propose') ? unkept(book, step) : []),
  ]
}

/** What each phase was to be left with, held against what is there to be seen. */
const BROUGHT: Record<string, (at: At, round: Round, body: Moved) => Finding[]> = {
  observe: ({ deeds }, round, { outputs }) => {
    const steps = saidIn(outputs['observed'])
    const bad = steps.filter((step) => !isOf(round, deeds.of(step), () => true))
    return untrue(steps.length > 0 ? bad : ['nothing'], 'validation', 'has looked at something in')
  },
  propose: ({ book }, round, { outputs }) => {
    const [approach = ''] = saidIn(outputs['approach'])
    const wanted = saidIn(outputs['items'])
    const again = book.failed.some(({ item, approach: one }) => item === round.item && bare(one) === bare(approach))
    const known = wanted.includes(round.item) && wanted.every((id) => book.items.has(id))
    return [
      ...(/\S/.test(approach) ? [] : [wrong('approach', 'proposes nothing')]),
      ...(again ? [wrong('approach', `proposes for ${round.item} what has failed before`)] : []),
      ...(known ? [] : [wrong('scope', `proposes to change ${wanted.join(', ') || 'nothing'}`)]),
    ]
  },
  execute: ({ deeds, entry }, _round, { outputs, artifacts = [] }) => {
    const named = [...new Set(saidIn(outputs['artifacts']))].sort().join()
    const kept = artifacts
      .map(({ path }) => path)
      .sort()
      .join()
    const left = deeds.left(entry.id)
    const strange = left === null ? [] : artifacts.filter(({ path, state }) => left.get(path) !== state)
    return [
      ...(named === kept && named !== '' ? [] : [wrong('artifact', `says that ${named} was made, and keeps ${kept}`)]),
      ...strange.map(({ path }) =>
        wrong('artifact', `says that ${path} was made, and no step of the cycle left it so`),
      ),
    ]
  },
  validate: ({ book, deeds, entry }, round, { outputs }) => {
    const steps = saidIn(outputs['validation'])
    const bad = steps.filter((step) => !isOf(round, deeds.of(step), ({ ran }) => ran))
    const left = deeds.left(entry.id)
    const stale = left === null ? [] : round.artifacts.filter(({ path, state }) => left.get(path) !== state)
    return [
      ...untrue(steps.length > 0 ? bad : ['nothing'], 'validation', 'was validated by'),
      ...(book.id.startsWith('P-') && !steps.some((step) => isOn(round, deeds.of(step)))
        ? [wrong('validation', 'was validated by what has nothing to do with what was made')]
        : []),
      ...stale.map(({ path }) => wrong('validation', `was validated, and ${path} was changed since`)),
    ]
  },
  classify: (_at, { item, classified }) =>
    classified.has(item) ? [] : [wrong('honesty', `leaves classify, and ${item} was not classified`)],
  integrate: ({ book: { items } }, { base, classified }, { outputs }) => {
    const said = [...new Set(saidIn(outputs['changes']))].sort().join(', ')
    const found = changedItems(base, items).join(', ')
    const left = [...classified.values()].filter(({ item, status }) => items.get(item)?.status !== status)
    return [
      ...(said === found
        ? []
        : [wrong('ledger', `says that ${said || 'nothing'} has changed, and it was ${found || 'nothing'}`)]),
      ...left.map(({ item, status }) => wrong('ledger', `leaves ${item} as it is, which was classified as ${status}`)),
    ]
  },
  commit: ({ book: { saved, changed } }, _round, { outputs }) => {
    const [path] = saidIn(outputs['saved'])
    const good = saved && saved.file.path === path && saved.through >= changed
    return good ? [] : [wrong('saved', `says that ${path} was saved, and it was not`)]
  },
}

/** Whether a step is of who had a hand in the cycle, in this phase, and came to something. What was let go may have been. */
const isOf = (round: Round, deed: Deed | null, came: (outcome: NonNullable<Deed['outcome']>) => boolean): boolean =>
  deed !== null &&
  round.sessions.has(deed.session) &&
  deed.began > round.since &&
  deed.ended !== null &&
  (deed.outcome === null || (deed.outcome.ok && came(deed.outcome)))

/** Whether a program ran on something that the cycle has made. */
const isOn = ({ artifacts }: Round, deed: Deed | null): boolean =>
  deed?.outcome?.argv.some((word) => artifacts.some(({ path }) => word === path || word.endsWith(`./${path}`))) ?? true

const untrue = (steps: readonly string[], rule: string, what: string): Finding[] =>
  steps.map((step) => wrong(rule, `says that it ${what} ${step}, which is not so`))

/** Letters and digits, as they are read. */
const bare = (text: string): string =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .normalize('NFKC')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).join(' ')

type Ended = BodyOf<'cycle-ended'>

const GATES = ['scope', 'evidence', 'status', 'acyclic', 'dangling', 'saved']
const OF_MISSIONS = ['fidelity', 'document']

export const wrongEnd = ({ book, deed }: At, { n, gates, paths }: Ended): Finding[] => {
  const { round, items, saved, changed, id } = book
  if (round?.n !== n || round.phase !== 'gate-review' || deed?.call?.tool === 'cycle-end')
    return [wrong('phase', `completes cycle ${n} in ${round?.phase ?? 'no cycle'}`)]
  const owed = id.startsWith('P-') ? GATES : [...GATES, ...OF_MISSIONS]
  const closed = owed.filter((name) => !gates.some(({ gate, ok }) => gate === name && ok))
  const differ = changedItems(round.base, items)
  const meant = new Set([...round.wanted, ...restingOn(items, round.wanted)])
  const strange = differ.filter((one) => !meant.has(one) && (round.base.has(one) || items.get(one)?.status !== 'open'))
  const same = canonical(paths) === canonical(differ.flatMap((one) => pathOf(items, one)))
  return [
    ...(closed.length > 0 ? [wrong('gate', `completes cycle ${n} with ${closed.join(', ')} closed`)] : []),
    ...(saved && saved.through >= changed ? [] : [wrong('gate', `completes cycle ${n}, and it was not saved`)]),
    ...(strange.length > 0 ? [wrong('gate', `completes cycle ${n}, which was not about ${strange.join(', ')}`)] : []),
    ...(same ? [] : [wrong('ledger', `says another way than how cycle ${n} came to what it did`)]),
  ]
}

const pathOf = (items: Book['items'], id: string) => {
  const item = items.get(id)
  if (!item) return []
  const { status, basis, artifacts, runs, dependsOn, text } = item
  const from = dependsOn.flatMap((other) => {
    const under = items.get(other)
    return under ? [{ item: other, status: under.status }] : []
  })
  return [{ item: id, statement: sha256(text), status, basis, artifacts, runs, from }]
}

export const wronglyGivenUp = ({ book, deed }: At, { n, gates, paths, step }: Ended): Finding[] => {
  const { round } = book
  if (round?.n !== n || deed?.call?.tool === 'advance')
    return [wrong('phase', `gives cycle ${n} up, which is not under way`)]
  return [
    ...(gates.length + paths.length > 0 ? [wrong('gate', `gives cycle ${n} up, and says what came of it`)] : []),
    ...unkept(book, step),
  ]
}

/** What was tried and left is kept as failed, with the step that left it. */
const unkept = ({ round, kept }: Book, step: string): Finding[] =>
  !round || round.approach === null || (kept?.step === step && kept.approach === round.approach)
    ? []
    : [wrong('approach', `leaves what was tried on ${round.item} without keeping that it failed`)]
