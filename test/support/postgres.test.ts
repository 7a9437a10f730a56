import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { eventually } from './poll.ts'
import { postgresMissing, startPostgres } from './postgres.ts'
import { sharedPostgres } from './shared-postgres.ts'

const open = async (url: string): Promise<Client & AsyncDisposable> => {
  const client = new Client(url)
  client.on('error', () => {}) // lost when the server is killed
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

const numbers = async (client: Client): Promise<unknown[]> =>
  (await client.query('select n from numbers order by n')).rows.map(({ n }) => n)

describe.skipIf(postgresMissing)('a PostgreSQL for tests', () => {
  it('gives out databases that know nothing of each other', async () => {
    const urls = await Promise.all(Array.from({ length: 30 }, () => sharedPostgres().database()))
    const seen = urls.map(async (url, n) => {
      await using client = await open(url)
      await client.query(`create table numbers as select ${n} as n`)
      return await numbers(client)
    })
    expect(await Promise.all(seen)).toEqual(urls.map((_, n) => [n]))
  })

  it('keeps what was committed, and nothing else, when it is killed at work', async () => {
    await using server = await startPostgres()
    const url = await server.database()
    await using writer = await open(url)
    await using other = await open(url)
    await using watcher = await open(url)
    await writer.query('create table numbers as select 1 as n')
    await writer.query('begin')
    await writer.query('insert into numbers values (2)')
    await other.query('insert into numbers values (3)')
    const cut = other.query('select pg_sleep(600)').catch(({ message }) => message)
    const sleepers = "select 1 from pg_stat_activity where wait_event = 'PgSleep'"
    await eventually('the query to be at work', async () => (await watcher.query(sleepers)).rowCount === 1)

    await server.kill()
    expect(await cut).toBe('Connection terminated unexpectedly')
    await expect(open(url)).rejects.toThrow('ECONNREFUSED')

    await server.restart()
    await using reader = await open(url)
    expect(await numbers(reader)).toEqual([1, 3])
  })

  it('leaves nothing behind when those who started it are killed', async () => {
    const module = join(import.meta.dirname, 'postgres.ts')
    const script = `import { startPostgres } from '${module}'; console.log(await (await startPostgres()).database())`
    const child = execa(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { reject: false })
    let url = ''
    child.stdout.on('data', (chunk) => {
      url += chunk
    })
    await eventually('a database', () => url.endsWith('\n'))
    const folder = new URL(url).searchParams.get('host') ?? ''
    expect(existsSync(join(folder, '.s.PGSQL.5432'))).toBe(true)
    child.kill('SIGKILL')
    await child
    await eventually('its folder to be gone', () => !existsSync(folder))
    await expect(open(url)).rejects.toThrow('ENOENT')
  })
})
