import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder of its own for a test, gone afterwards: `using folder = scratch()`. */
export const scratch = (): { path: string; write: (name: string, text: string) => string } & Disposable => {
  const path = mkdtempSync(join(tmpdir(), 'bellhop-test-'))
  return {
    path,
    write: (name, text) => {
      const file = join(path, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
