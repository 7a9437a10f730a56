import type { BodyOf, Entry } from '../../shapes/evidence.ts'
import type { Finding } from '../complain.ts'
import { sha256 } from '../hash.ts'
import { type Book, emptyBook, leverOf, type Undertaken, write } from './book.ts'
import { shakenBy, shownIn, wrongItem, wrongShaken, wrongStanding, wrongWay } from './claims.ts'
import { type At, type Deed, type Deeds, wrong, wrongDeed } from './deeds.ts'
import { FINAL, STANDING } from './honest.ts'
import { wrongEnd, wronglyGivenUp, wrongMove } from './rounds.ts'

/**
 * Reads the chain of an undertaking and says what no honest work leads to: entries that no step of its holder made, phases
 * that do not follow, gates that were closed, statuses that nothing shows. It knows nothing of what wrote them.
 */
export const createUndertakings = (deeds: Deeds): ((entry: Entry, body: Undertaken) => Finding[]) => {
  let book: Book | null = null
  return (entry, body) => {
    const first = book === null
    book ??= emptyBook(body.undertaking)
    const deed = deeds.of(body.step)
    const judge = judges[body.event] as (at: At, body: Undertaken) => Finding[]
    const findings = [
      ...(first === (body.event === 'undertaking-opened') ? [] : [wrong('number', 'is not how an undertaking begins')]),
      ...misnumbered(entry),
      ...wrongDeed(book, entry, body, deed),
      ...judge({ book, entry, deed, deeds }, body),
    ]
    write(book, entry, body)
    return findings
  }
}

/** Every entry has its number in its id, so that nobody else can have it. */
const misnumbered = ({ id, session, seq }: Entry): Finding[] =>
  id === `${session}.${seq}` ? [] : [wrong('number', `is number ${seq} of ${session} under another id`)]

type Judges = { [E in Undertaken['event']]: (at: At, body: BodyOf<E>) => Finding[] }

const judges: Judges = {
  'undertaking-opened': ({ entry }, { undertaking }) =>
    entry.session.endsWith(`~${undertaking}`) ? [] : [wrong('number', `opens ${undertaking} in another chain`)],
  'undertaking-taken': ({ book: { holder }, entry, deeds }, { stay }) => {
    if (!holder || holder.stay === stay) return []
    const over = deeds.over(holder.stay)
    return over !== null && over < entry.position
      ? []
      : [wrong('hold', `takes it up while ${holder.session} is still at it`)]
  },
  'statement-set': ({ book }, { version, text, hash, why, shaken }) => {
    const { statement, items, round } = book
    const settled = [...items.values()].filter(({ status }) => STANDING.has(status))
    const under = new Set(settled.flatMap(({ dependsOn }) => dependsOn))
    const tops = settled.filter(({ id }) => !under.has(id))
    return [
      ...(round ? [wrong('ledger', `restates it in cycle ${round.n}`)] : []),
      ...(version === (statement?.version ?? 0) + 1 ? [] : [wrong('number', `is version ${version} of the statement`)]),
      ...(sha256(text) === hash ? [] : [wrong('ledger', 'has the statement under the hash of another')]),
      ...(statement && !/\S/.test(why) ? [wrong('ledger', 'restates it without a word why')] : []),
      ...wrongShaken(shaken, statement ? tops.map(({ id }) => id) : []),
    ]
  },
  'item-set': (at, { item, shaken }) => [
    ...wrongWay(at.book, item),
    ...wrongItem(at.book, item),
    ...wrongShaken(shaken, shakenBy(at.book, item)),
  ],
  'item-classified': ({ book }, { n, classified }) => {
    const { round, items, id: undertaking, mode } = book
    const { item: id, status } = classified
    const before = items.get(id)
    if (!round || round.n !== n || round.phase !== 'classify' || !before)
      return [wrong('phase', `classifies ${id} where nothing is classified`)]
    const item = { ...before, ...classified, ...shownIn(book, status) }
    const strange = undertaking.startsWith('P-') && !(FOUND_IN[mode] ?? []).includes(status)
    return [
      ...(round.wanted.includes(id) ? [] : [wrong('scope', `classifies ${id}, which the approach was not about`)]),
      ...(strange ? [wrong('mode', `finds ${id} to be ${status} in ${mode}`)] : []),
      ...wrongStanding(book, item, before),
    ]
  },
  'cycle-begun': ({ book, deed }, { n, item, mode }) => {
    const { round, rounds, items, id } = book
    const status = items.get(item)?.status
    const settled = status === undefined || FINAL.has(status) || STANDING.has(status)
    const other = deed?.call && deed.call.args['item'] !== item
    return [
      ...(round ? [wrong('phase', `begins a cycle while cycle ${round.n} is under way`)] : []),
      ...(n === rounds + 1 ? [] : [wrong('number', `is cycle ${n} after ${rounds}`)]),
      ...(settled || other ? [wrong('phase', `begins a cycle on ${item}, which is not what there was to do`)] : []),
      ...(mode === (id.startsWith('P-') ? book.mode : null)
        ? []
        : [wrong('mode', `is in ${mode}, and not in ${book.mode}`)]),
      ...unlicensed(book, item, deed),
    ]
  },
  'cycle-moved': (at, body) => wrongMove(at, body),
  'approach-failed': ({ book, deed }, { failed }) => {
    const { round, rounds } = book
    if (deed?.call?.tool === 'approach-failed') {
      const { item, approach } = deed.call.args
      const same = item === failed.item && approach === failed.approach && failed.n === (round?.n ?? rounds)
      return same ? [] : [wrong('approach', `says that ${failed.item} failed otherwise than it did`)]
    }
    const same = round && failed.n === round.n && failed.item === round.item && failed.approach === round.approach
    return same ? [] : [wrong('approach', `keeps another approach than what was tried on ${round?.item}`)]
  },
  'cycle-ended': (at, body) => (body.outcome === 'completed' ? wrongEnd(at, body) : wronglyGivenUp(at, body)),
  'proof-mode-moved': ({ book }, { from, to }) => {
    const { round, mode, id } = book
    const way = id.startsWith('P-') && from === mode ? LEADS[mode]?.[to] : undefined
    if (round || !way) return [wrong('mode', `goes from ${from} to ${to}, where ${mode} does not lead`)]
    return way(book) ? [] : [wrong('mode', `goes from ${from} to ${to}, with nothing done in ${from}`)]
  },
  'licence-given': ({ book }, { licence }) => [
    ...(book.licence || book.round || !book.items.has(licence.item)
      ? [wrong('licence', `is given for ${licence.item}, where none is given`)]
      : []),
    ...(book.levers.has(leverOf(licence)) ? [wrong('licence', 'is given once more for the same lever')] : []),
  ],
  'licence-ended': ({ book }, { item }) =>
    book.licence?.item === item ? [] : [wrong('licence', `ends a licence for ${item}, which there is not`)],
  'undertaking-saved': ({ book, deed }, { file, through }) => {
    const left = deed?.outcome?.files.some(({ path, after }) => path === file.path && after === file.state) ?? true
    return [
      ...(left ? [] : [wrong('saved', `says that ${file.path} was saved as what no step left there`)]),
      ...(through === book.changed
        ? []
        : [wrong('saved', `says that it was saved up to ${through}, not ${book.changed}`)]),
    ]
  },
}

/** How often one may fail before it takes a licence. */
const TRIES = 3

const unlicensed = ({ failed, licence, id }: Book, item: string, deed: Deed | null): Finding[] => {
  const times = failed.filter((one) => one.item === item).length
  if (!id.startsWith('P-') || times < TRIES) return []
  const valid = licence?.item === item && licence.until > (deed?.at ?? '')
  return valid ? [] : [wrong('licence', `begins a cycle on ${item}, where ${times} approaches had failed`)]
}

/** What a cycle in each mode can find. */
const FOUND_IN: Record<string, readonly string[]> = {
  SPEC: ['open', 'partial'],
  FALSIFY: ['open', 'partial', 'false', 'numerically-verified'],
  CONSTRUCT: ['open', 'partial', 'false', 'numerically-verified'],
  VERIFY: ['open', 'partial', 'proved', 'false', 'numerically-verified'],
  MAP: ['open', 'partial'],
}

const isFree = (): boolean => true
const isTried = ({ inMode }: Book): boolean => inMode > 0
const isSaid = ({ statement, items }: Book): boolean => statement !== null && items.size > 0
const isArgued = (book: Book): boolean =>
  isTried(book) || [...book.items.values()].some(({ status, basis }) => status === 'partial' && basis === 'argument')

/** Which mode leads where, and when. */
const LEADS: Record<string, Record<string, (book: Book) => boolean>> = {
  SPEC: { FALSIFY: isSaid },
  FALSIFY: { CONSTRUCT: isTried, SPEC: isFree },
  CONSTRUCT: { VERIFY: isArgued, FALSIFY: isFree, SPEC: isFree },
  VERIFY: { MAP: isTried, CONSTRUCT: isFree, FALSIFY: isFree },
  MAP: { SPEC: isFree },
}
