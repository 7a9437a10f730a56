import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nativeCodex } from '../../src/runners/codex/native.ts'
import { scratch } from '../support/folder.ts'

const PLATFORM = `${process.platform}-${process.arch}`
const TRIPLE = process.arch === 'arm64' ? 'aarch64-unknown-linux-musl' : 'x86_64-unknown-linux-musl'

test.each([
  ['inside of the package', `@openai/codex/node_modules/@openai/codex-${PLATFORM}`],
  ['beside the package', `@openai/codex-${PLATFORM}`],
  ['in the package itself', '@openai/codex'],
])('the launcher of npm is passed over for the program %s', async (_where, place) => {
  using folder = scratch()
  const launcher = folder.write('lib/node_modules/@openai/codex/bin/codex.js', '#!/usr/bin/env node\n')
  folder.write(`lib/node_modules/${place}/package.json`, '{}')
  const program = folder.write(`lib/node_modules/${place}/vendor/${TRIPLE}/bin/codex`, '')
  chmodSync(program, 0o755)
  symlinkSync(launcher, join(folder.path, 'codex'))
  expect(await nativeCodex(join(folder.path, 'codex'))).toBe(program)
})

test('what is no launcher, and a launcher without a program, stay as they are', async () => {
  using folder = scratch()
  const program = folder.write('bin/codex', '')
  const alone = folder.write('@openai/codex/bin/codex.js', '')
  const paths = [program, alone, '/no/such/codex']
  expect(await Promise.all(paths.map(nativeCodex))).toEqual(paths)
})
