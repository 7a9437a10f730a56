import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { TestProject } from 'vitest/node'
import { type Postgres, postgresMissing, startPostgres } from './postgres.ts'

/** Gives each caller a database of one PostgreSQL, which is started for the first: most runs of one file want none. */
export const setup = async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  if (postgresMissing) console.warn(`\n  THE TESTS ON POSTGRESQL ARE SKIPPED. ${postgresMissing}\n`)
  let server: Promise<Postgres> | null = null
  const door = createServer(async (socket) => {
    socket.on('error', () => {}) // a caller that was interrupted
    server ??= startPostgres()
    const answer = server.then(({ database }) => database())
    socket.end(await answer.catch((error) => String(error)))
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  provide('postgres', (door.address() as AddressInfo).port)
  return async () => {
    door.close()
    await (await server?.catch(() => null))?.[Symbol.asyncDispose]()
  }
}
