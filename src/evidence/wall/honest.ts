import type { LedgerItem } from '../../shapes/undertaking.ts'

type Rests = Pick<LedgerItem, 'status' | 'basis' | 'artifacts' | 'runs' | 'why'>

/** What can be wrong with what an item rests on: each says so, or nothing. */
const on =
  (...bases: string[]) =>
  ({ basis }: Rests): string | null =>
    basis !== null && bases.includes(basis) ? null : `on ${basis ?? 'nothing'}`
const file = ({ artifacts }: Rests): string | null => (artifacts.length > 0 ? null : 'without a file that shows it')
const run = ({ runs }: Rests): string | null => (runs.length > 0 ? null : 'without a program that ran')
const word = ({ why }: Rests): string | null => (/\S/.test(why) ? null : 'without a word why')
/** Done by a file, there is one; done by a program, it ran. */
const shown = (item: Rests): string | null => (item.basis === 'run' ? run(item) : file(item))

type Check = (item: Rests) => string | null

/** When a status is honest, said a second time. */
const HONEST: Record<string, Record<string, Check[]>> = {
  P: {
    open: [],
    partial: [on('assertion', 'argument', 'numbers'), word],
    proved: [on('argument'), file, run],
    'numerically-verified': [on('numbers'), run],
    false: [on('counterexample', 'argument'), file, run, word],
  },
  M: {
    open: [],
    partial: [on('assertion', 'artifact', 'run'), word],
    done: [on('artifact', 'run'), shown],
    blocked: [word],
    abandoned: [word],
  },
}

/** The statuses that come of a cycle alone, those that stay for ever, and those that stand on all they depend on. */
export const EARNED: ReadonlySet<string> = new Set(['proved', 'numerically-verified', 'false', 'done'])
export const FINAL: ReadonlySet<string> = new Set(['false', 'abandoned'])
export const STANDING: ReadonlySet<string> = new Set(['proved', 'done'])

/** Why an item of the undertaking with this name is not honest by itself; null where it is. */
export const dishonest = (undertaking: string, item: Rests): string | null => {
  const checks = HONEST[undertaking.charAt(0)]?.[item.status]
  if (!checks) return `is ${item.status}, which is nothing that ${undertaking} has`
  const wrong = checks.map((check) => check(item)).find((why) => why !== null)
  return wrong === undefined ? null : `is ${item.status} ${wrong}`
}

/** What an item stands on and must not: all that is proved depends on what is proved, all that is done on what is done. */
export const unstable = ({ status, dependsOn }: LedgerItem, items: ReadonlyMap<string, LedgerItem>): string[] =>
  STANDING.has(status) ? dependsOn.filter((other) => items.get(other)?.status !== status) : []
