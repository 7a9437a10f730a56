import { lstat, readdir, readlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Mount } from './mounts.ts'

/** What programs need of the machine to run at all. Everything that is not named here is not there. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store', '/gnu/store']

/** The parts of /etc that hold no secrets: how names, libraries, certificates, times and languages are found. */
const ETC =
  /^(alternatives|ca-certificates|ca-certificates\.conf|crypto-policies|debian_version|fonts|gai\.conf|group|host\.conf|java-[\w-]+|ld\.so\.(cache|conf|conf\.d)|locale\.(alias|conf)|localtime|lsb-release|magic|mime\.types|nsswitch\.conf|os-release|passwd|perl|protocols|python3(\.\d+)?|services|shells|timezone)$/

const CERTIFICATES = [
  'ssl/certs',
  'ssl/openssl.cnf',
  'ssl/cert.pem',
  'pki/ca-trust',
  'pki/tls/certs',
  'pki/tls/cert.pem',
]

/** A name of its own for what has no network: many programs ask for localhost. */
const HOSTS = '127.0.0.1 localhost sandbox\n::1 localhost\n'

/** The machine as programs see it that may not write to it: read-only, and no more of it than they need. */
export const machine = async (network: boolean): Promise<Mount[]> => {
  const names = (await readdir('/etc')).filter((name) => ETC.test(name))
  const pieces = [...names, ...CERTIFICATES, ...(network ? ['resolv.conf', 'hosts'] : [])].map((name) =>
    join('/etc', name),
  )
  const shown = await Promise.all([...SYSTEM, ...pieces, ...ownNode()].map(asItIs))
  const hosts: Mount[] = network ? [] : [{ kind: 'text', at: '/etc/hosts', text: HOSTS }]
  return [...shown.filter((mount) => mount !== null), ...hosts]
}

/**
 * The Node that runs this, where the system has it elsewhere. Only its programs and packages: its prefix may be
 * somebody's home.
 */
const ownNode = (): string[] => {
  const folder = dirname(process.execPath)
  if (folder.startsWith('/usr/')) return []
  if (basename(folder) !== 'bin') return [process.execPath]
  return [folder, join(dirname(folder), 'lib/node_modules'), join(dirname(folder), 'include/node')]
}

/** A link of the root stays a link (`/bin` is often `usr/bin`); everything else is bound, and read-only. */
const asItIs = async (path: string): Promise<Mount | null> => {
  try {
    const stat = await lstat(path)
    if (stat.isSymbolicLink() && dirname(path) === '/') return { kind: 'link', at: path, to: await readlink(path) }
    return { kind: 'read', at: path, from: path }
  } catch {
    return null
  }
}
