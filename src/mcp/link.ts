import type { Notices } from './house.ts'
import { type Target, targetOf } from './target.ts'

export type Link = ReturnType<typeof createLink>

type Options = {
  notices: Notices
  /** A pipe is there for as long as its client is; a session may outlive it for a while. */
  kind: 'session' | 'pipe' | 'streams'
}

const ON_ITS_WAY_MS = 20

/**
 * One way to a client: a session, a pipe, or all the streams of a principal that has neither. It knows which resources
 * the client wants to hear of, and when it last listed its tools.
 */
export const createLink = ({ notices, kind }: Options) => {
  const watched = new Map<string, { target: Target; times: number }>()
  const waiting = new Set<() => void>()
  let stale = false
  let told = 0
  return {
    notices: {
      ...notices,
      toolsChanged: (): void => {
        stale = true
        told += 1
        notices.toolsChanged()
      },
    },
    kind,
    /** Whether the client was told that its tools are others, and has not listed them since. */
    isStale: (): boolean => stale,
    /** Answers whether it is a resource that can be watched. */
    watch: (uri: string): boolean => {
      const target = targetOf(uri)
      if (!target) return false
      watched.set(uri, { target, times: (watched.get(uri)?.times ?? 0) + 1 })
      return true
    },
    unwatch: (uri: string, all = false): void => {
      const known = watched.get(uri)
      if (!known) return
      if (all || known.times === 1) watched.delete(uri)
      else watched.set(uri, { ...known, times: known.times - 1 })
    },
    watches: (uri: string): boolean => watched.has(uri),
    watching: (): ReadonlyMap<string, { target: Target }> => watched,
    /**
     * The client begins to list its tools; it has them when the function that this answers is called, unless it was told of others
     * meanwhile. Whoever waits for that goes on when the list is on its way, and does not overtake it.
     */
    lists: (): (() => void) => {
      const before = told
      return () => {
        if (before !== told) return
        stale = false
        for (const done of [...waiting]) setTimeout(done, ON_ITS_WAY_MS)
      }
    },
    /** Resolves when the client has listed the tools that it was told of last, which it may have done already; or after a while. */
    untilListed: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        if (!stale) return void setTimeout(resolve, ON_ITS_WAY_MS)
        const done = () => {
          clearTimeout(timer)
          waiting.delete(done)
          resolve()
        }
        const timer = setTimeout(done, ms)
        waiting.add(done)
      }),
  }
}
