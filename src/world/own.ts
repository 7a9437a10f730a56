import { startWorldServer } from './server.ts'

/** Where the world is: at the address of the config, or at a server of our own, which is started when it is first needed. */
export const worldAddress = (
  configured: string | null,
): { find: () => Promise<string>; close: () => Promise<void> } => {
  let own: ReturnType<typeof startWorldServer> | null = null
  let closed = false
  return {
    find: async () => {
      if (configured !== null) return configured
      if (closed) throw new Error('this process is ending')
      own ??= startWorldServer().catch((error: Error) => {
        // It may start the next time.
        own = null
        throw error
      })
      return (await own).url
    },
    close: async () => {
      closed = true
      const started = await own?.catch(() => null)
      await started?.close()
    },
  }
}
