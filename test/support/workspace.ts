import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from './folder.ts'

/** A small repository that the agents have never seen. */
export const testWorkspace = () => {
  const folder = scratch()
  folder.write('README.md', '# kettle\n\nBoils water.\n')
  folder.write(
    'src/boil.py',
    'LIMIT = 100\n\ndef boil(litres):\n    # TODO: check the lid\n    return litres * LIMIT\n',
  )
  folder.write('src/pour.py', 'from boil import boil\n\ncup = boil(1)\n')
  return folder
}

/**
 * A ripgrep that waits before it works, for as long as there is a file `hold` beside it: a tool step that a test can
 * be in the middle of. Answers the PATH to start the program with.
 */
export const slowRipgrep = (folder: ReturnType<typeof scratch>): { path: string; hold: string; started: string } => {
  const hold = join(folder.path, 'bin/hold')
  const started = join(folder.path, 'bin/started')
  const script = folder.write(
    'bin/rg',
    `#!/bin/sh\nif [ "$1" != --version ]; then echo $$ >> '${started}'; while [ -e '${hold}' ]; do sleep 0.05; done; fi\nexec /usr/bin/rg "$@"\n`,
  )
  chmodSync(script, 0o755)
  return { path: `${join(folder.path, 'bin')}:${process.env['PATH']}`, hold, started }
}
