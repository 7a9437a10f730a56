import type { Entry } from '../shapes/evidence.ts'
import type { Progress } from '../shapes/post.ts'
import type { Principal } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { RpcOut } from '../shapes/rpc.ts'
import { createApprovals } from './approvals.ts'
import { createFollower, type Follower } from './follower.ts'
import { RPC_LIMITS, type RpcHouse, type Tell } from './house.ts'
import type { Speaker } from './speaker.ts'
import type { History } from './views.ts'

/** What happens in the house, as far as it may concern a client. */
export type Happened = { entry: Entry } | { progress: Progress }

type Options = { house: RpcHouse; principal: Principal; speaker: Speaker; emit: (message: RpcOut) => void }

/** The threads that a client follows, and what is put to it there. */
export const createFollowing = ({ house, principal, speaker, emit }: Options) => {
  const limits = { ...RPC_LIMITS, ...house.limits }
  const followers = new Map<string, Follower>()
  const endings: (() => void)[] = []
  const tell: Tell = (method, params) => emit({ method, params })
  const approvals = createApprovals({
    house,
    principal,
    tell,
    ask: (id, method, params) => emit({ id, method, params }),
    command: speaker.command,
  })

  /** Whether one more thread can be followed. */
  const room = (): Result<null> => {
    if (followers.size < limits.threads) return ok(null)
    const message = `${limits.threads} threads are followed already: unsubscribe from some`
    return refused(refusal('connections-exceeded', message))
  }

  /** From where the thread was read; or from now on, where it is not followed already. */
  const follow = async (thread: string, history: Pick<History, 'through' | 'items'> | null): Promise<Result<null>> => {
    const known = followers.has(thread)
    if (known && history === null) return ok(null)
    const free = known ? ok(null) : room()
    if (!free.ok) return free
    const from = history ?? { through: await house.store.head() }
    followers.set(thread, createFollower({ thread, tell, ...from }))
    await approvals.resume(thread)
    return ok(null)
  }

  const see = (entry: Entry): void => {
    const thread = threadIn(entry) ?? ''
    const follower = followers.get(thread)
    if (!follower) return
    follower.see(entry)
    approvals.see(thread, entry)
  }

  return {
    tell,
    room,
    follow,
    unfollow: (thread: string): void => void followers.delete(thread),
    answer: approvals.answer,
    take: (what: Happened): void => {
      if ('entry' in what) see(what.entry)
      else followers.get(what.progress.room)?.hear(what.progress)
    },
    /** Hears what happens, until it is stopped; and that the token it came with is no longer good. */
    listen: async (heard: (what: Happened) => void, revoked: () => void): Promise<void> => {
      endings.push(
        await house.feed.listen((entry) => {
          if (threadIn(entry) !== null) heard({ entry })
          if (entry.body?.event === 'token-revoked' && entry.body.name === principal.key) revoked()
        }),
        house.progress((progress) => {
          if (followers.has(progress.room)) heard({ progress })
        }),
      )
    },
    stop: (): void => {
      for (const end of endings.splice(0)) end()
      followers.clear()
    },
  }
}

const ROOM = 'room/'

/** The thread an entry is of: the room that it is tagged with. */
const threadIn = ({ tags }: Entry): string | null =>
  tags.find((tag) => tag.startsWith(`${ROOM}t-`))?.slice(ROOM.length) ?? null
