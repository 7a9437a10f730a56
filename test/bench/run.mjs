// Runs the benches as the program runs: built, and not as `tsx` would, which says the name of every function again whenever
// one is made. `npm run bench -- [PART …]`.
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')
/** Beside the packages, which it finds from there. */
const outfile = join(root, 'node_modules/.cache/bellhop-bench/main.mjs')

/** A file is still where it was for whoever looks for something beside it. */
/** @type {import('esbuild').Plugin} */
const inPlace = {
  name: 'in-place',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
      loader: 'ts',
    })),
}

await build({
  entryPoints: [join(import.meta.dirname, 'main.ts')],
  outfile,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  plugins: [inPlace],
  logLevel: 'warning',
}).catch(() => process.exit(1)) // what is wrong was said
await import(outfile)
