import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'pipe' })

type Disk = { path: string } & Disposable

/** A small disk, unmounted afterwards; or the reason why there is none. */
export const smallDisk = (megabytes: number): Disk | string => {
  // Not in the TMPDIR: a server's own user has to reach it.
  const folder = mkdtempSync('/tmp/bellhop-disk-')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const path = join(folder, 'disk')
  mkdirSync(path)
  chmodSync(folder, 0o711)
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path)
  } catch (error) {
    remove()
    return `no tmpfs can be mounted here (it takes Linux and root): ${(error as Error).message.trim()}`
  }
  return {
    path,
    [Symbol.dispose]: () => {
      // Lazily: a file that a failed test left open must not keep the disk.
      run('umount', '-l', path)
      remove()
    },
  }
}
