import { existsSync } from 'node:fs'
import { isOurs, readHead } from '../../evidence/head.ts'
import { serverSettings, strayRows } from '../../evidence/self-check.ts'
import { openStore, type Store, versionsOf } from '../../evidence/store.ts'
import { proveChain, verifyStore } from '../../evidence/verify-store.ts'
import { type Folder, storeOf } from '../../house/folder.ts'
import type { Settings } from '../../house/parts.ts'
import { systemClock } from '../../lib/clock.ts'
import { count } from '../../lib/count.ts'
import { type Finding, problem, unless, warning, well } from './finding.ts'

/** How many chains are proved where not all are: the newest ones. */
const SAMPLE = 20

const GO_BACK = 'see what it is with `bellhop verify --all`, and go back to a backup: docs/backup.md'

export const checkEvidence = async (settings: Settings, folder: Folder, all: boolean): Promise<Finding[]> => {
  const url = storeOf(folder, settings.evidence)
  if (settings.evidence === null && !existsSync(url)) return [well('evidence', 'there is none yet')]
  const { version, known } = await versionsOf(url)
  const migration = unless(
    version < known,
    warning('migrations', `the store has version ${version}, this Bellhop brings it to ${known}`, 'bellhop migrate'),
    `none is pending: the store has version ${version}`,
  )
  if (version < known) return [migration]
  const store = await openStore({ url, clock: systemClock, readonly: true })
  try {
    const proved = all ? await whole(store, folder) : await sampled(store, folder)
    return [migration, ...proved, await projections(store), await times(store), ...(await server(store))]
  } finally {
    await store.close()
  }
}

const whole = async (store: Store, { head: files }: Folder): Promise<Finding[]> => {
  const head = readHead(files.head)
  const ours = head !== null && isOurs(head, files.key)
  const check = { head, ours, expected: existsSync(files.key), kept: null, progress: () => {} }
  const { ok, position, violations } = await verifyStore(store, check)
  const chains = await broken(store, await store.chains())
  return [
    unless(
      !ok,
      problem('evidence', violations[0]?.what ?? 'it is not whole', GO_BACK),
      `${entries(position)}, root, indexes and head agree`,
    ),
    chains,
  ]
}

const sampled = async (store: Store, { head: files }: Folder): Promise<Finding[]> => {
  const { position } = await store.tip()
  const head = readHead(files.head)
  const cut = head !== null && head.position > position
  const sessions = (await store.sessions(SAMPLE)).map(({ id }) => id)
  return [
    unless(
      cut,
      problem('evidence', `the signed head is at ${head?.position}, and the store ends at ${position}`, GO_BACK),
      `${entries(position)}; --all reads them all`,
    ),
    await broken(store, sessions),
  ]
}

const entries = (n: number): string => count(n, 'entry', 'entries')

const broken = async (store: Store, sessions: readonly string[]): Promise<Finding> => {
  for (const session of sessions) {
    const { ok, violations } = await proveChain(store, session)
    if (!ok) return problem('chains', `${session}: ${violations[0]?.what ?? 'it is not whole'}`, GO_BACK)
  }
  return well('chains', `${count(sessions.length, 'chain', 'chains')} proved`)
}

const projections = async (store: Store): Promise<Finding> => {
  const stray = await strayRows(store)
  if (stray === null)
    return warning('projections', 'the store was written to all the while', 'ask again when it is quieter')
  return unless(
    stray > 0,
    problem('projections', `${count(stray, 'row is', 'rows are')} not what the evidence says`, GO_BACK),
    'sessions, turns and rooms are what the evidence says',
  )
}

const SKEW_MS = 5000

const times = async (store: Store): Promise<Finding> => {
  const { high } = await store.tip()
  const ahead = high === '' ? 0 : Date.parse(high) - systemClock()
  return unless(
    ahead > SKEW_MS,
    warning(
      'clock',
      `the newest entry is ${Math.round(ahead / 1000)} s in the future`,
      'set the clock of this machine: timedatectl set-ntp true',
    ),
    'no entry is in the future',
  )
}

const server = async (store: Store): Promise<Finding[]> => {
  const found = await serverSettings(store)
  if (found === null) return []
  const { fsync, fullPageWrites, synchronousCommit, connections, rows, now } = found
  const lost = 'what it acknowledges can be lost with the power'
  return [
    unless(
      fsync !== 'on' || fullPageWrites !== 'on',
      problem(
        'PostgreSQL',
        `fsync or full_page_writes is off: ${lost}`,
        'set both to on in postgresql.conf, and restart it',
      ),
      'fsync is on',
    ),
    unless(
      ['off', 'local'].includes(synchronousCommit),
      problem(
        'PostgreSQL',
        `synchronous_commit is ${synchronousCommit}: ${lost}`,
        'alter system set synchronous_commit = on; select pg_reload_conf()',
      ),
      `synchronous_commit is ${synchronousCommit}`,
    ),
    unless(
      connections.used > connections.most * 0.8,
      warning(
        'PostgreSQL',
        `${connections.used} of ${connections.most} connections are taken`,
        'raise max_connections: each process of Bellhop takes up to 10',
      ),
      `${connections.used} of ${connections.most} connections are taken`,
    ),
    unless(
      rows.dead > 10_000 && rows.dead > rows.live / 2,
      warning('PostgreSQL', `${rows.dead} dead rows wait to be vacuumed`, 'turn autovacuum on; once: vacuum analyze'),
      `${rows.dead} dead rows`,
    ),
    unless(
      Math.abs(now - systemClock()) > SKEW_MS,
      warning(
        'PostgreSQL',
        `its clock is ${Math.round((now - systemClock()) / 1000)} s from ours`,
        'set the clocks of both machines: timedatectl set-ntp true',
      ),
      'its clock is ours',
    ),
  ]
}
