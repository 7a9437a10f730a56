import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'
import type { Postgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The port on which test/support/postgres-setup.ts gives out databases. */
    postgres: number
  }
}

/** The one PostgreSQL of the whole run, which nobody kills: `await sharedPostgres().database()`. */
export const sharedPostgres = (): Pick<Postgres, 'database'> => ({
  database: async () => {
    const answer = await text(connect(inject('postgres'), '127.0.0.1'))
    if (answer.startsWith('postgres://')) return answer
    throw new Error(answer)
  },
})
