import { setImmediate } from 'node:timers/promises'
import type { Entry } from '../shapes/evidence.ts'
import type { Proof, Verdict } from '../shapes/verdict.ts'
import { checksOf } from './checks.ts'
import type { Engine } from './engine/engine.ts'
import { createExplainer } from './explain.ts'
import { BEGINNING, toTheEnd } from './growing.ts'
import { pagesOf } from './read.ts'
import { createVerifier } from './verify.ts'
import { createWrites, type Written } from './wall/writes.ts'
import { createWalls } from './walls.ts'

type Source = { engine: Engine }

export type Reading = ReturnType<typeof createReading>

/**
 * Reads a chain and verifies it, page by page: however long it is, little of it is in memory. Asked again, it goes on where
 * it ended, and reads what is new.
 */
export const createReading = ({ engine }: Source, session: string, { walls, learn } = createWalls({ engine })) => {
  const verifier = createVerifier(session, walls)
  const writes = createWrites()
  const explain = createExplainer(engine)
  let [first, last]: [Entry?, Entry?] = []
  let reading: Promise<unknown> = Promise.resolve()

  const goOn = async (): Promise<Ends | undefined> => {
    let head: Ends | undefined
    const pages = toTheEnd({
      from: last?.seq ?? BEGINNING,
      pages: (after) => pagesOf(engine.db, session, after),
      place: ({ seq }) => seq,
      end: async () => {
        head = await engine.db.selectFrom('chain').selectAll().where('session', '=', session).executeTakeFirst()
        return head?.seq ?? 0
      },
    })
    for await (const page of pages) {
      const explained = await explain(page)
      await learn(page)
      first ??= page[0]
      for (const entry of page) {
        last = entry
        if (verifier.take(entry, explained.has(entry.position))) writes.take(entry)
      }
      // Others get their turn: reading a page is work without a pause.
      await setImmediate()
    }
    return head
  }

  /** One after the other: an entry is read once. */
  const after = <T>(then: (head: Ends | undefined) => T): Promise<T> => {
    const next = reading.then(goOn, goOn).then(then)
    reading = next
    return next
  }

  const judge = (head: Ends | undefined): Verdict => {
    const verdict = verifier.verdict()
    const what = wrongWith(head, verdict.entries, first, last)
    if (what === null) return verdict
    return { ...verdict, ok: false, violations: [...verdict.violations, { entry: '', rule: 'head', what }] }
  }

  return {
    verdict: (): Promise<Verdict> => after(judge),
    /** The verdict, with every check that it comes from. */
    proof: (): Promise<Proof> =>
      after((head) => {
        const verdict = judge(head)
        return { ...verdict, checks: checksOf(verifier.seen(), verdict) }
      }),
    /** What the chain says each file was left as. */
    written: (): Promise<ReadonlyMap<string, Written>> => after(writes.known),
  }
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
