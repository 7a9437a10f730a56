import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'

/** How long a statement may go without an answer before somebody looks whether the server is still at it; and how long that may take. */
const ANSWER_MS = 15_000
const LOOK_MS = 5000

/**
 * The pool for those who do not wait for a machine that is gone: it says nothing, not even that it is gone, and the kernel
 * believes in it for a quarter of an hour. Whoever has waited for long asks by a connection of its own. What is not being
 * worked on any more has failed, and its connection is never used again; what only takes long may.
 */
export const answeredOnly = (pool: pg.Pool): PostgresPool => ({
  connect: async () => {
    const client = await pool.connect()
    let gone: Error | null = null
    const query = async (text: string, values: readonly unknown[]) => {
      if (gone) throw gone
      let over = false
      const look = async (): Promise<void> => {
        const working = await isAtIt(client, pool.options)
        // Meanwhile the answer may have come, and the connection be another's.
        if (working || over) return
        gone = new Error(`the server has not answered for ${ANSWER_MS / 1000} seconds`)
        await client.end()
      }
      const looking = setInterval(() => void look().catch(() => {}), ANSWER_MS)
      try {
        return await client.query(text, [...values])
      } catch (error) {
        throw gone ?? error
      } finally {
        over = true
        clearInterval(looking)
      }
    }
    // Nobody asks by cursors.
    return { query, release: () => client.release() } as unknown as PostgresPoolClient
  },
  end: () => pool.end(),
})

/** Whoever waits to be read has done its work: nobody is there to whom it could say so. */
const AT_IT = `select from pg_stat_activity
  where pid = $1 and state = 'active' and wait_event is distinct from 'ClientWrite'`

/** Whether the server works on what it was asked by a connection. A server that cannot be asked does not. */
const isAtIt = async (asking: pg.PoolClient, options: pg.PoolConfig): Promise<boolean> => {
  // It has it; its types do not say so.
  const { processID } = asking as unknown as { processID: number }
  const other = new pg.Client({ ...options, connectionTimeoutMillis: LOOK_MS, query_timeout: LOOK_MS })
  other.on('error', () => {})
  try {
    await other.connect()
    return (await other.query(AT_IT, [processID])).rowCount === 1
  } catch {
    return false
  } finally {
    other.end().catch(() => {})
  }
}
