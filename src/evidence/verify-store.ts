import { setImmediate } from 'node:timers/promises'
import type { Head, Proof, StoreVerdict, Verdict } from '../shapes/verdict.ts'
import type { Engine, Tip } from './engine/engine.ts'
import { BEGINNING, toTheEnd } from './growing.ts'
import { GENESIS } from './hash.ts'
import { createIndexCheck, keptPages, type Say } from './index-check.ts'
import { createReading } from './reading.ts'
import type { Store } from './store.ts'
import { advance } from './tip.ts'

type Source = Pick<Store, 'engine'>

/** Verifies one chain from its beginning: what it was judged by is in the evidence too. */
export const verifyChain = ({ engine }: Source, session: string): Promise<Verdict> =>
  createReading({ engine }, session).verdict()

/** The same, with every check. */
export const proveChain = ({ engine }: Source, session: string): Promise<Proof> =>
  createReading({ engine }, session).proof()

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
    from: BEGINNING,
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
