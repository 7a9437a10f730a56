const MOST = 2000

/** Remembers for a while who asked for what: by the ids of messages and of turns. */
export const createAskers = () => {
  const nicks = new Map<string, { nick: string; room: string }>()
  return {
    remember: (ids: readonly string[], nick: string, room: string): void => {
      for (const id of ids) nicks.set(id, { nick, room })
      for (const id of [...nicks.keys()].slice(0, Math.max(0, nicks.size - MOST))) nicks.delete(id)
    },
    /** The nick of whoever asked for what a post is about, there. */
    of: ({ id, turn, room }: { id: string; turn: string | null; room: string }): string | null => {
      // What follows from a message has its id, a dot and more.
      const asker = nicks.get(turn ?? '') ?? nicks.get((turn ?? id).split('.')[0] ?? '')
      return asker?.room === room ? asker.nick : null
    },
  }
}
export type Askers = ReturnType<typeof createAskers>
