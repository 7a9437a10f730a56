import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** A module that processes of tests run by themselves, as it was built: to compile it at each start takes longer than what they do. */
export const builtModule = (name: 'evidence/store' | 'lib/log-file'): string =>
  join(ROOT, 'node_modules/.bellhop/modules', `${name}.js`)
