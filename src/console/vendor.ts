import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The libraries of the page, as they lie in their packages: what a browser loads is what npm has checked, and no copy. */
const FILES: Record<string, { package: string; file: string }> = {
  'marked.js': { package: 'marked', file: 'lib/marked.esm.js' },
}

const { resolve } = createRequire(import.meta.url)

/** Where a library lies; null where the page has none of that name. */
export const vendorFile = (name: string): string | null => {
  const found = Object.hasOwn(FILES, name) ? FILES[name] : undefined
  return found ? join(dirname(resolve(`${found.package}/package.json`)), found.file) : null
}
