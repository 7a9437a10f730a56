/** One thing that is seen in the sandbox, and at which path. */
export type Mount = { at: string } & (
  | { kind: 'read' | 'write'; from: string }
  | { kind: 'link'; to: string }
  | { kind: 'scratch'; mb: number }
  /** An empty folder, and a file that cannot be opened, in the place of something. */
  | { kind: 'empty' | 'shut' }
  | { kind: 'text'; text: string }
  | { kind: 'folder' | 'proc' | 'dev' | 'fixed' }
)

/** Bubblewrap's arguments for mounts, in their order, and the texts that it reads from descriptors, from `fd` on. */
export const mountArguments = (mounts: readonly Mount[], fd: number, sized: boolean) => {
  const texts: string[] = []
  const args = mounts.flatMap((mount) => {
    if (mount.kind !== 'text') return argumentsOf(mount, sized)
    texts.push(mount.text)
    return ['--ro-bind-data', String(fd + texts.length - 1), mount.at]
  })
  return { args, texts }
}

const argumentsOf = (mount: Exclude<Mount, { kind: 'text' }>, sized: boolean): string[] => {
  const { at } = mount
  switch (mount.kind) {
    case 'read':
      return ['--ro-bind', mount.from, at]
    case 'write':
      return ['--bind', mount.from, at]
    case 'link':
      return ['--symlink', mount.to, at]
    case 'scratch':
      return [...(sized ? ['--size', String(mount.mb * 2 ** 20)] : []), '--tmpfs', at]
    case 'empty':
      return ['--tmpfs', at, '--remount-ro', at]
    case 'shut':
      // A device on a mount that allows no devices: whoever opens it is refused.
      return ['--ro-bind', '/dev/null', at]
    case 'folder':
      return ['--dir', at]
    case 'fixed':
      return ['--remount-ro', at]
    case 'proc':
      // Read-only as a whole: somebody who is root outside could write the kernel's settings through it.
      return ['--proc', at, '--remount-ro', at]
    case 'dev':
      return ['--dev', at]
  }
}

/** Outer ones before those inside them; what is at the same place stays in order. */
export const outerFirst = (mounts: readonly Mount[]): Mount[] => [...mounts].sort((a, b) => depth(a.at) - depth(b.at))

const depth = (path: string): number => (path === '/' ? 0 : path.split('/').length - 1)
