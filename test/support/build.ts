import { build } from 'esbuild'
import { execa } from 'execa'
import { ROOT } from './built.ts'

/** Tests that start the program start what was built from these sources. */
export const setup = async (): Promise<void> => {
  await execa('npm', ['run', 'build', '--silent'])
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/evidence/store.ts', 'src/evidence/drafts.ts', 'src/lib/log-file.ts'],
    outbase: 'src',
    outdir: 'node_modules/.bellhop/modules',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  })
}
