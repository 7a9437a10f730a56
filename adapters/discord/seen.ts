import type { NetworkPort } from '../../src/chat/port.ts'

export type Seen = ReturnType<typeof createSeen>

/** The last message of each channel that was heard, also after a restart: what came after it is looked up. */
export const createSeen = ({ memory, roomOf }: Pick<NetworkPort, 'memory' | 'roomOf'>) => {
  const last = new Map<string, string>()
  return {
    note: async (channel: string, id: string): Promise<void> => {
      if (roomOf(channel) === null || BigInt(id) <= BigInt(last.get(channel) ?? '0')) return
      last.set(channel, id)
      await memory.set(`seen/${channel}`, id).catch(() => null)
    },
    last: async (channel: string): Promise<string | null> =>
      last.get(channel) ?? (await memory.get(`seen/${channel}`).catch(() => null)),
  }
}
