import { access, constants, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

const TRIPLES: Record<string, string> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}

/**
 * The program itself: what npm installs as `codex` is a launcher in JavaScript, which needs a `node` and stands between us
 * and the program. A path that is no such launcher, or finds no program, stays as it is.
 */
export const nativeCodex = async (path: string): Promise<string> => {
  const launcher = await realpath(path).catch(() => path)
  const platform = `${process.platform}-${process.arch}`
  const triple = TRIPLES[platform]
  if (basename(launcher) !== 'codex.js' || triple === undefined) return path
  // The launcher looks there, too; and without such a package, in its own.
  const home = packageFrom(launcher, `@openai/codex-${platform}`) ?? dirname(dirname(launcher))
  const program = join(home, 'vendor', triple, 'bin/codex')
  return access(program, constants.X_OK).then(
    () => program,
    () => path,
  )
}

/** The folder of a package, as a file would find it. */
const packageFrom = (file: string, name: string): string | null => {
  try {
    return dirname(createRequire(file).resolve(`${name}/package.json`))
  } catch {
    return null
  }
}
