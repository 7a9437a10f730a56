// Builds the program: a few files, in which also the packages are that it needs. To look for a thousand modules and to read
// them one by one was most of what a start took. `node src/build.mjs [FOLDER]`; types are checked by `npm run lint`.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const [folder = join(root, 'dist')] = process.argv.slice(2)

/** What others import from the package, as it says itself. */
const { exports = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const exported = Object.values(exports).flatMap(
  ({ default: file = '' }) => file.match(/^\.\/dist\/(.+)\.js$/)?.[1] ?? [],
)

rmSync(join(folder, 'src'), { recursive: true, force: true })
await build({
  absWorkingDir: root,
  entryPoints: ['src/cli', ...exported].map((name) => `${name}.ts`),
  outbase: '.',
  outdir: folder,
  bundle: true,
  splitting: true,
  chunkNames: 'src/parts/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Compiled for one machine, and found beside their own packages.
  external: ['better-sqlite3', 'msgpackr-extract'],
  // Packages that are no modules ask for what Node brings by `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  // Nothing is made smaller, so names stay what they are, and show in what is told of an error. `keepNames` would say each of
  // them again whenever a function is made: the drafts of a step took eight times as long.
  logLevel: 'warning',
}).catch(() => process.exit(1)) // what is wrong was said
