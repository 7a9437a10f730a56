import { existsSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import type { FileChange } from '../shapes/turn.ts'
import { closedIn, differing } from './checkout-closed.ts'
import { type MergeOrder, type MergeReport, mergeCheckout } from './checkout-merge.ts'
import { type Ground, type Opened, openCheckout } from './checkout-open.ts'
import { baseOf, checkoutAt, readBegun, readRecord, writeBegun } from './checkout-record.ts'
import { type Refreshed, refreshCheckout } from './checkout-refresh.ts'
import { createSource } from './checkout-source.ts'
import type { Place } from './place.ts'

type Options = Omit<Ground, 'source'> & {
  /** Whether what an entry says was merged is still so: it was written down, and nobody has put it back. */
  stands: (merge: string) => Promise<boolean>
  /** Has something done under a name by one process of many at a time. An error where that cannot be: then it is not done. */
  alone: <T>(name: string, work: () => Promise<T>) => Promise<T>
}

/** How a checkout stands. */
export type CheckoutState = {
  agent: string
  folder: string
  commit: string
  /** How many commits the workspace has that it has not; null where that is not known. */
  behind: number | null
  /** Whether the workspace had something, when it began, that was in no commit: that is not in it. */
  apart: boolean
  /** What is not merged; and what was changed that nobody may bring over. */
  files: FileChange[]
  closed: string[]
}

export type Checkouts = ReturnType<typeof createCheckouts>

/**
 * Checkouts of the workspace's repository, one for each agent that works in one. Each is a clone, not a worktree: programs
 * of agents run there, and the references, hooks and settings of the user's repository are none of their business. What is
 * in their repositories is never looked at: what an agent did is what its files are.
 */
export const createCheckouts = ({ stands, alone, ...given }: Options) => {
  const ground: Ground = { ...given, source: createSource(given) }
  const inTurn = oneAtATime()
  const known = new Map<string, Opened>()

  const open = async (agent: string): Promise<Opened | string> => {
    const before = known.get(agent)
    if (before && (await isThere(before))) {
      const record = await readRecord(before.at.record)
      if (record) return { ...before, record }
    }
    const opened = await openCheckout(ground, agent)
    if (typeof opened !== 'string') known.set(agent, opened)
    return opened
  }

  /** Without the merges that do not hold any more, and what came after them: it is to be brought over again. */
  const held = async (opened: Opened): Promise<Opened> => {
    const { record } = opened
    const merges: typeof record.merges = []
    for (const merge of record.merges) {
      if (!(await stands(merge.id))) break
      merges.push(merge)
    }
    return { ...opened, record: { ...record, merges } }
  }

  /** Opens it, and has the one thing done with it; a sentence where it cannot be opened. */
  const using = <T>(agent: string, work: (opened: Opened) => Promise<T>): Promise<T | string> =>
    inTurn(agent, async () => {
      const opened = await open(agent)
      return typeof opened === 'string' ? opened : work(opened)
    })

  const placeOf = (agent: string) => checkoutAt(ground.folder, ground.workspace.root, agent)
  const isMade = (agent: string): boolean => existsSync(placeOf(agent).record)

  return {
    /** Where an agent works; made when it is first needed. An error, with a sentence, where it cannot be. */
    of: async (agent: string): Promise<Place> => {
      const place = await using(agent, async (opened) => opened.place)
      if (typeof place === 'string') throw new Error(`${agent} works in a checkout of its own, and has none: ${place}`)
      return place
    },
    isMade,
    /**
     * A sentence where there is nothing to merge from, or it is not its turn in time. One at a time in all processes, as all of
     * them come to the same workspace; and none while a checkout is brought up to date.
     */
    merge: async (agent: string, order: MergeOrder): Promise<MergeReport | string> => {
      if (!isMade(agent)) return `${agent} has not begun to work in its checkout`
      let begun = false
      const bring = () =>
        using(agent, async (opened) => {
          begun = true
          return mergeCheckout(ground, await held(opened), order)
        })
      return alone(MERGING, () => alone(agent, bring)).catch((error: Error) => {
        if (begun) throw error
        return `nothing was merged: ${error.message}`
      })
    },
    /** For an agent that is about to begin with something; never while one works in there, in whichever process. */
    refresh: async (agent: string, still: () => boolean = () => true): Promise<Refreshed> => {
      const refreshed = await using(agent, async (opened) => refreshCheckout(ground, await held(opened), still))
      return typeof refreshed === 'string' ? { kind: 'left', why: refreshed } : refreshed
    },
    /** The turns that have begun in it, in whichever process; and that these have. */
    begun: (agent: string): Promise<string[]> => readBegun(placeOf(agent).begun),
    noteBegun: (agent: string, turns: readonly string[]): Promise<void> => writeBegun(placeOf(agent).begun, turns),
    /** Null where it was not made yet; a sentence where it cannot be opened. */
    state: async (agent: string): Promise<CheckoutState | string | null> =>
      isMade(agent) ? using(agent, async (opened) => stateOf(ground, await held(opened))) : null,
  }
}

/** No agent has this name. */
const MERGING = 'a merge'

const isThere = async ({ at }: Opened): Promise<boolean> => {
  const stats = await Promise.all([at.root, join(at.root, '.git')].map((path) => lstat(path).catch(() => null)))
  return stats.every((stat) => stat?.isDirectory())
}

const stateOf = async (ground: Ground, opened: Opened): Promise<CheckoutState> => {
  const { agent, at, place, record, git } = opened
  const head = await ground.source.head()
  return {
    agent,
    folder: at.root,
    commit: record.commit,
    behind: head === null ? null : await ground.source.commitsBetween(record.commit, head),
    apart: record.apart,
    files: await place.shadow.changes(baseOf(record), await place.shadow.tree()),
    closed: differing(record.closed, await closedIn(place.workspace, git, ground.path)),
  }
}
