import type { Store } from '../evidence/store.ts'
import { threadOf } from '../evidence/threads.ts'
import { createLane } from '../queue/lane.ts'
import type { Redis } from '../redis/redis.ts'
import type { Config } from '../shapes/config.ts'
import type { QueueName } from '../shapes/queue.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { MAIN } from '../shapes/room.ts'

type Options = {
  store: Pick<Store, 'get' | 'query' | 'session'>
  config: Pick<Config, 'rooms' | 'lease'>
  redis: Redis
  prefix: string
  /** The workspace that this process has. */
  own: string
}

/**
 * Which set of files the work of a room is done on. A name stands for one set of files, wherever they are seen; sessions
 * follow their room, and threads the room that they were begun in. Each has lanes of its own, from which only those take
 * that have it.
 */
export const createWorkspaces = ({ store, config, redis, prefix, own }: Options) => {
  const names = [...new Set([MAIN, own, ...config.rooms.map(({ workspace = MAIN }) => workspace)])]
  const known = (room: string) => config.rooms.find(({ id }) => id === room)

  const of = async (room: string): Promise<string> => {
    const place = known(room) ?? known((await threadOf(store, room))?.room ?? '')
    return place?.workspace ?? MAIN
  }

  /** Where everybody has the same, nobody has to look whose a session is. */
  const ofSession = async (session: string): Promise<string> => {
    if (names.length === 1) return own
    const record = await store.session(session)
    return record ? of(record.room) : MAIN
  }

  const lanesOf = (queue: QueueName) => {
    const lanes = new Map(names.map((name) => [name, createLane({ redis, prefix, name: laneName(queue, name) })]))
    return {
      /** Wakes a session, in the workspace that it works on. */
      wake: async (session: string): Promise<void> => {
        await lanes.get(await ofSession(session))?.wake(session)
      },
      /** Whether sessions of this workspace wait for somebody who drains them. */
      isWaitedFor: async (): Promise<boolean> => (await lanes.get(own)?.isWaitedFor()) ?? false,
      /** Each lane by itself, by its name. */
      each: new Map([...lanes].map(([workspace, lane]) => [laneName(queue, workspace), lane])),
      close: async (): Promise<void> => {
        await Promise.all([...lanes.values()].map((lane) => lane.close()))
      },
    }
  }

  const hereKey = (name: string) => `${prefix}:workspace:${name}`

  return {
    own,
    of,
    /** Whether a session is worked on here: its room may have been given another workspace since somebody woke it. */
    isOwn: async (session: string): Promise<boolean> => (await ofSession(session)) === own,
    turns: lanesOf('turns'),
    steps: lanesOf('steps'),
    /** The lane that this process takes from. */
    laneOf: (queue: QueueName): string => laneName(queue, own),
    /** Why the files of a room cannot be looked at here; null where they can, or where no room is meant. */
    elsewhere: async (room: string | null): Promise<Refusal | null> => {
      const name = room === null ? own : await of(room)
      if (name === own) return null
      const message = `the files of ${room} are the workspace ${name}, and this process has ${own}`
      return refusal('workspace-elsewhere', message)
    },
    /** Says that a worker with this workspace is here; said again before the lease is over, it stays so. */
    say: async (): Promise<void> => {
      await redis.set(hereKey(own), '1', 'PX', config.lease.ms)
    },
    /** The workspace of a room that no worker has; null where one does. Where there is one workspace, agents say that. */
    missing: async (room: string): Promise<string | null> => {
      if (names.length === 1) return null
      const name = await of(room)
      return (await redis.exists(hereKey(name))) === 1 ? null : name
    },
  }
}

const laneName = (queue: QueueName, workspace: string): string => (workspace === MAIN ? queue : `${queue}@${workspace}`)
