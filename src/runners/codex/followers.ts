import type { RunnerOptions } from '../options.ts'
import type { Notice } from './notices.ts'

/** Who hears what is said of a thread. */
type Follower = {
  told: (notice: Notice) => void
  /** The program is gone. */
  lost: (why: string) => void
  close: () => Promise<void>
}

/** As much as is kept of threads that nobody follows yet. */
const MOST_EARLY = 500

/** Brings what one process says of many threads to whoever follows each of them. */
export const createFollowers = (log: RunnerOptions['log']) => {
  const followers = new Map<string, Follower>()
  const early: { thread: string; notice: Notice }[] = []
  let expected = 0
  return {
    told: (thread: string, notice: Notice): void => {
      const follower = followers.get(thread)
      try {
        if (follower) follower.told(notice)
        else if (expected > 0 && early.length < MOST_EARLY) early.push({ thread, notice })
      } catch (error) {
        // One who cannot hear does not make the others deaf.
        log('what the program said could not be heard', { error: (error as Error).message })
      }
    },
    /** The program is gone: nobody hears anything more. */
    lost: (why: string): void => {
      for (const follower of [...followers.values()]) follower.lost(why)
      followers.clear()
    },
    /** Keeps what is said of threads that nobody follows yet, until what is answered is called. */
    expect: (): (() => void) => {
      expected++
      return () => {
        expected--
        if (expected === 0) early.length = 0
      }
    },
    follow: (thread: string, follower: Follower): (() => void) => {
      followers.set(thread, follower)
      for (const { notice } of early.filter((one) => one.thread === thread)) follower.told(notice)
      return () => void followers.delete(thread)
    },
    followerOf: (thread: string): Follower | undefined => followers.get(thread),
  }
}

export type Followers = ReturnType<typeof createFollowers>
