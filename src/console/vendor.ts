import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** What pages use that others have made, by the name it is served under: the files of their packages, and no copies. */
const FILES: Record<string, () => string> = {
  'marked.js': () => join(dirname(require.resolve('marked/package.json')), 'lib/marked.esm.js'),
  'uplot.js': () => require.resolve('uplot/dist/uPlot.esm.js'),
  'uplot.css': () => require.resolve('uplot/dist/uPlot.min.css'),
}

/** Where such a file is; null where there is none of that name, or its package is not installed. */
export const vendored = (name: string): string | null => {
  try {
    return (Object.hasOwn(FILES, name) && FILES[name]?.()) || null
  } catch {
    return null
  }
}
