import { readFile } from 'node:fs/promises'
import { execa } from 'execa'
import { findProgram } from './programs.ts'

/** A bubblewrap that was seen to work. An old one knows neither sizes nor how to forbid namespaces inside namespaces. */
type Bubblewrap = { file: string; modern: boolean }

/** What every program is kept apart by, whatever its mode. */
export const isolation = ({ modern }: Pick<Bubblewrap, 'modern'>, network: boolean): string[] => [
  '--unshare-all',
  ...(network ? ['--share-net'] : []),
  ...(modern ? ['--unshare-user', '--disable-userns'] : []),
  '--hostname',
  'sandbox',
  '--new-session',
  '--die-with-parent',
  // Somebody who is root outside would keep what root can do.
  '--cap-drop',
  'ALL',
  '--clearenv',
]

/** Finds bubblewrap and really runs it; answers what is wrong, with the line that fixes it, where it does not work. */
export const findBubblewrap = async (folders: readonly string[]): Promise<Bubblewrap | string> => {
  const file = await findProgram('bwrap', folders)
  if (file === null) return `bubblewrap is missing: ${await installLine(folders)}`
  return worked.get(file) ?? (await tried(file))
}

/** Only what worked is remembered: what did not may have been put right since. */
const worked = new Map<string, Bubblewrap>()

const tried = async (file: string): Promise<Bubblewrap | string> => {
  const strict = await trial(file, true)
  const said = strict === null ? null : await trial(file, false)
  if (said !== null) return `bubblewrap does not work here (${said}): ${await remedy(said)}`
  const found = { file, modern: strict === null }
  worked.set(file, found)
  return found
}

/** Null where it works, else the first line it says. */
const trial = async (file: string, modern: boolean): Promise<string | null> => {
  const sized = modern ? ['--size', '1048576'] : []
  const view = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc']
  const args = [...isolation({ modern }, false), ...view, ...sized, '--tmpfs', '/dev/shm', '--', file, '--version']
  const options = { env: {}, extendEnv: false, stdin: 'ignore', reject: false, timeout: 10_000 } as const
  const { exitCode, stderr, shortMessage } = await execa(file, args, options)
  return exitCode === 0 ? null : (stderr.split('\n')[0] || String(shortMessage)).replace(/^bwrap: /, '')
}

const installLine = async (folders: readonly string[]): Promise<string> =>
  (await findProgram('apt-get', folders)) === null
    ? "install bubblewrap with this system's package manager"
    : `${sudo()}apt-get install -y --no-install-recommends bubblewrap`

const sudo = (): string => (process.getuid?.() === 0 ? '' : 'sudo ')

/** The settings of a kernel that forbid what bubblewrap is made of, the value that does, and one that does not. */
const FORBIDDING = [
  ['kernel/unprivileged_userns_clone', '0', '1'],
  ['user/max_user_namespaces', '0', '10000'],
  ['kernel/apparmor_restrict_unprivileged_userns', '1', '0'],
] as const

const remedy = async (said: string): Promise<string> => {
  for (const [setting, forbids, allows] of FORBIDDING) {
    const value = await readFile(`/proc/sys/${setting}`, 'utf8').catch(() => '')
    if (value.trim() === forbids) return `${sudo()}sysctl -w ${setting.replaceAll('/', '.')}=${allows}`
  }
  if (/namespace|uid map|mount|permitted/i.test(said))
    return 'in a container, start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined'
  return `${sudo()}apt-get install -y --no-install-recommends --reinstall bubblewrap`
}
