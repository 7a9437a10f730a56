import { setImmediate } from 'node:timers/promises'
import type { Entry } from '../shapes/evidence.ts'
import type { Head, StoreVerdict, Verdict } from '../shapes/verdict.ts'
import type { Engine, Tip } from './engine/engine.ts'
import { GENESIS } from './hash.ts'
import { createIndexCheck, keptPages, type Say } from './index-check.ts'
import { byId, pagesOf } from './read.ts'
import type { Store } from './store.ts'
import { advance } from './tip.ts'
import { createVerifier, isSound, type ToolsOf } from './verify.ts'

type Source = Pick<Store, 'engine'>

/** Verifies one chain, page by page: however long it is, little of it is in memory. */
export const verifyChain = async ({ engine }: Source, session: string, toolsOf: ToolsOf): Promise<Verdict> => {
  const verifier = createVerifier(session, toolsOf)
  const explain = createExplainer(engine)
  let head: Ends | undefined
  let [first, last]: [Entry?, Entry?] = []
  const pages = toTheEnd({
    pages: (after) => pagesOf(engine.db, session, after),
    place: ({ seq }) => seq,
    end: async () => {
      head = await engine.db.selectFrom('chain').selectAll().where('session', '=', session).executeTakeFirst()
      return head?.seq ?? 0
    },
  })
  for await (const page of pages) {
    const explained = await explain(page)
    for (const entry of page) verifier.take(entry, explained.has(entry.position))
    first ??= page[0]
    last = page.at(-1)
    // Others get their turn: reading a page is work without a pause.
    await setImmediate()
  }
  const verdict = verifier.verdict()
  const what = wrongWith(head, verdict.entries, first, last)
  if (what === null) return verdict
  return { ...verdict, ok: false, violations: [...verdict.violations, { entry: '', rule: 'head', what }] }
}

type Ends = { seq: number; hash: string; at: string; first: number }

const wrongWith = (head: Ends | undefined, entries: number, first?: Entry, last?: Entry): string | null => {
  if (!head && entries === 0) return null
  if (head?.seq !== entries || head.hash !== last?.hash) {
    return `the chain ends with number ${entries}, its head says ${head ? `number ${head.seq}` : 'nothing'}`
  }
  const same = head.at === last.at && head.first === first?.position
  return same ? null : 'its head has another time or another beginning than the chain'
}

type Growing<T> = {
  pages: (after: number) => AsyncGenerator<T[]>
  place: (item: T) => number
  /** Where it ends, as the store says. */
  end: () => Promise<number>
}

/**
 * Everything up to where it ends, also while it grows: what is written meanwhile is read too, so that nothing looks cut
 * off that is only new. Where nothing comes any more, it is over, whatever the store says.
 */
async function* toTheEnd<T>({ pages, place, end }: Growing<T>): AsyncGenerator<T[]> {
  let last = Number.MIN_SAFE_INTEGER
  for (let said: number | null = null; ; ) {
    const before = last
    for await (const page of pages(last)) {
      yield page
      last = page.map(place).at(-1) ?? last
    }
    const now = await end()
    if (now <= last || (last === before && now === said)) return
    said = now
  }
}

/** Says which bodies of a page are gone by policy: an entry that is what it was when it was written lists them. */
const createExplainer = (engine: Engine) => {
  const lists = new Map<string, ReadonlySet<string>>()
  const listOf = async (id: string): Promise<ReadonlySet<string>> => {
    const known = lists.get(id)
    if (known) return known
    const entry = await byId(engine.db, id)
    const list = new Set(entry?.body?.event === 'compacted' && isSound(entry) ? entry.body.entries.split('\n') : [])
    if (lists.size > KEPT) lists.clear()
    lists.set(id, list)
    return list
  }
  return async (page: Entry[]): Promise<ReadonlySet<number>> => {
    const gone = page.filter(({ body }) => body === null)
    if (gone.length === 0) return new Set()
    const places = gone.map(({ position }) => position)
    const rows = await engine.lookup(engine.db, 'dropped', 'position', places)
    const by = new Map(rows.map((row) => [row.position, row.by]))
    const explained = new Set<number>()
    for (const { id, position } of gone) {
      if ((await listOf(by.get(position) ?? '')).has(id)) explained.add(position)
    }
    return explained
  }
}

const KEPT = 20

type Check = {
  /** The last head that was signed, whether our key did it, and whether there should be one. */
  head: Head | null
  ours: boolean
  expected: boolean
  /** A place and root that somebody kept elsewhere. */
  kept: { position: number; root: string } | null
  progress: (position: number, of: number) => void
}

/**
 * Verifies the store as a whole, in the order it was written: no place is empty, the root over all entries is right (a
 * chain that was removed altogether shows there), every entry is found by just what it says, and the signed head agrees.
 */
export const verifyStore = async ({ engine }: Source, check: Check): Promise<StoreVerdict> => {
  const whole = createComplaints()
  const beside = createComplaints()
  const tip: Tip = { position: 0, root: GENESIS, high: '', skew: 0 }
  const roots = rootsAt([check.head?.position, check.kept?.position])
  const index = createIndexCheck(engine, beside.complain)
  let found = await tipOf(engine)
  const pages = toTheEnd({
    pages: (after) => keptPages(engine, after),
    place: ({ position }) => position,
    end: async () => {
      found = await tipOf(engine)
      return found?.position ?? 0
    },
  })
  for await (const page of pages) {
    const highs = page.map((row) => {
      const { position, id } = row
      whole.complain(position !== tip.position + 1, 'missing', `${id} has place ${position} after ${tip.position}`)
      advance(tip, row)
      roots.see(tip)
      return tip.high
    })
    await index.page(page, highs)
    check.progress(tip.position, Math.max(tip.position, found?.position ?? 0))
    await setImmediate()
  }
  await index.end(tip.position)
  judgeTip(found, tip, whole.complain)
  judgeHead(check, tip, roots.at, whole.complain)
  const { position, root } = tip
  // The gravest first.
  const violations = [...whole.listed, ...beside.listed].slice(0, LISTED)
  return { ok: violations.length === 0, position, root, signed: check.head?.position ?? null, violations }
}

const LISTED = 200

const createComplaints = () => {
  const listed: StoreVerdict['violations'] = []
  const complain: Say = (wrong, rule, what) => {
    if (wrong && listed.length < LISTED) listed.push({ rule, what })
  }
  return { listed, complain }
}

const tipOf = ({ db }: Engine): Promise<Tip | undefined> => db.selectFrom('tip').selectAll().executeTakeFirst()

const judgeTip = (found: Tip | undefined, tip: Tip, complain: Say): void => {
  const agrees = found?.position === tip.position && found.root === tip.root
  complain(!agrees, 'tip', `the store ends at ${tip.position}, its tip says ${found?.position ?? 'nothing'}`)
  const inTime = found?.high === tip.high && found.skew === tip.skew
  complain(agrees && !inTime, 'tip', 'the tip says another time than the entries')
}

/** The roots at places that somebody vouched for. */
const rootsAt = (places: (number | undefined)[]) => {
  const at = new Map<number, string>([[0, GENESIS]])
  return {
    at,
    see: ({ position, root }: Tip): void => {
      if (places.includes(position)) at.set(position, root)
    },
  }
}

const judgeHead = (check: Check, tip: Tip, roots: ReadonlyMap<number, string>, complain: Say): void => {
  const { head, ours, expected, kept } = check
  complain(expected && head === null, 'signature', 'there is no signed head')
  complain(head !== null && !ours, 'signature', 'the signed head is not of this instance’s key')
  for (const [name, said] of [['the signed head', head] as const, ['the head you kept', kept] as const]) {
    if (!said) continue
    const missing = said.position - tip.position
    complain(
      missing > 0,
      'truncated',
      `${name} is at ${said.position}, the store ends at ${tip.position}: ${missing} missing`,
    )
    complain(
      missing <= 0 && roots.get(said.position) !== said.root,
      'rewritten',
      `what was written up to ${said.position} is not what ${name} vouches for`,
    )
  }
}
