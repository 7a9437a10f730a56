import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const FOLDER = import.meta.dirname

const described = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>

/** Every import of this folder: from which file, and of what. */
const imports = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
  .flatMap((file) =>
    [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/(?:from|import) '([^']+)'/g)].map(([, what = '']) => ({
      file,
      what,
    })),
  )

test('this folder imports nothing from outside of it but the packages that it declares', () => {
  const outside = imports.filter(
    ({ file, what }) => what.startsWith('.') && relative(FOLDER, join(FOLDER, dirname(file), what)).startsWith('..'),
  )
  const undeclared = imports.filter(({ file, what }) => {
    const { dependencies, devDependencies } = described
    const declared = file.startsWith('src') ? dependencies : { ...dependencies, ...devDependencies }
    return !what.startsWith('.') && !isBuiltin(what) && !(what in declared)
  })
  expect(imports.length).toBeGreaterThan(100)
  expect([...outside, ...undeclared]).toEqual([])
})
