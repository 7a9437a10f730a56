import type { Packed } from './tar.ts'

/**
 * What of a data folder is taken along: what is not here is made anew, or says only what happens just now. A name that is added
 * raises the format of backups: older versions take what they do not know for damage.
 */
export const FILES: readonly string[] = ['.gitignore']
export const FOLDERS: readonly string[] = ['uploads', 'checkouts', 'spills']
/** What undo needs: each set of files has its own. */
export const SHADOWS = /^shadow(?:-.+)?$/
/** Who has these can act as the instance, sign for it, or use what its agents are signed in with. */
export const SECRETS = 'secrets.json'
export const SECRET_FILES: readonly string[] = [SECRETS, 'evidence.key', 'evidence.head']
export const SECRET_FOLDERS: readonly string[] = ['agents']
/** The evidence as one file, however it was kept; and the config file with the peripherals beside it. */
export const EVIDENCE = 'evidence.db'
export const CONFIG = 'config'

const ALL_FILES = [...FILES, ...SECRET_FILES, EVIDENCE]
const ALL_FOLDERS = [...FOLDERS, ...SECRET_FOLDERS, CONFIG]

/** Whether a backup can have something of that name and kind: nothing else is put into a data folder. */
export const isNamed = ({ path, kind }: Pick<Packed, 'path' | 'kind'>): boolean => {
  const [top = '', ...below] = path.split('/')
  if (ALL_FILES.includes(top)) return below.length === 0 && kind === 'file'
  return (ALL_FOLDERS.includes(top) || SHADOWS.test(top)) && (below.length > 0 || kind === 'folder')
}
