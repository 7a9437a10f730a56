import { delimiter, isAbsolute } from 'node:path'
import { steadyClock } from '../lib/clock.ts'
import { findBubblewrap } from './bubblewrap.ts'
import { ownCgroups } from './cgroup.ts'

type Probe = { ok: boolean; detail: string; limits: 'cgroup-v2' | 'cgroup-v1' | 'supervised' }

/** Whether programs can be run here, found out by running one; how they are limited; and what to do where they cannot. */
export const probeSandbox = async (path: string): Promise<Probe> => {
  const limits = (await ownCgroups())?.kind ?? 'supervised'
  const found = await findBubblewrap(path.split(delimiter).filter(isAbsolute))
  return typeof found === 'string' ? { ok: false, detail: found, limits } : { ok: true, detail: found.file, limits }
}

const AGAIN_MS = 30_000

/** Whether programs can run in a sandbox; asked again now and then where they cannot: somebody may have put it right. */
export const createProbe = (path: string): (() => Promise<string | null>) => {
  let known: { missing: string | null; at: number } | null = null
  return async () => {
    if (known && (known.missing === null || steadyClock() - known.at < AGAIN_MS)) return known.missing
    const { ok, detail } = await probeSandbox(path)
    known = { missing: ok ? null : detail, at: steadyClock() }
    return known.missing
  }
}
