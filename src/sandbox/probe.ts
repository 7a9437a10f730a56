import { delimiter, isAbsolute } from 'node:path'
import { findBubblewrap } from './bubblewrap.ts'
import { ownCgroups } from './cgroup.ts'

type Probe = { ok: boolean; detail: string; limits: 'cgroup-v2' | 'cgroup-v1' | 'supervised' }

/** Whether programs can be run here, found out by running one; how they are limited; and what to do where they cannot. */
export const probeSandbox = async (path: string): Promise<Probe> => {
  const limits = (await ownCgroups())?.kind ?? 'supervised'
  const found = await findBubblewrap(path.split(delimiter).filter(isAbsolute))
  return typeof found === 'string' ? { ok: false, detail: found, limits } : { ok: true, detail: found.file, limits }
}
