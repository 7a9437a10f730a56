import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadHouse } from '../../src/config/load.ts'
import { checkWall } from '../../src/rig/wall.ts'
import { cageFor } from '../../src/sandbox/cage.ts'
import { INSTALL_MS } from '../support/cached-packages.ts'
import { findClis } from '../support/clis.ts'

const explore = () => {
  const { specs } = loadHouse(join(import.meta.dirname, '../../config'), null)
  return specs.get('explore') ?? expect.fail('there is no explore')
}

let clis: { claude: string; codex: string }
beforeAll(async () => {
  clis = await findClis()
}, INSTALL_MS)

type Wrap = (argv: readonly string[]) => readonly string[]

/** What does not hold of the wall of a program that is started so. */
const broken = async (name: 'claude' | 'codex', wrap: Wrap, key = 'sk-rig'): Promise<string[]> => {
  const wanted = { name, program: clis[name], spec: explore(), key, wrapFor: async () => wrap }
  const { checks } = await checkWall(wanted)
  return checks.filter(({ ok }) => !ok).map((check) => check.name)
}

/** Takes a flag and what belongs to it out of the words that start a program. */
const without =
  (flag: string, values: number): Wrap =>
  (argv) => {
    const at = argv.indexOf(flag)
    return at < 0 ? argv : [...argv.slice(0, at), ...argv.slice(at + 1 + values)]
  }

const asIs: Wrap = (argv) => argv

test.each([
  ['claude', 'sk-rig'],
  ['claude', 'sk-ant-oat-rig'],
  ['codex', 'sk-rig'],
] as const)('the wall of %s holds by the key %s, also without a cage around it', async (name, key) => {
  expect(await broken(name, asIs, key)).toEqual([])
})

test.each(['claude', 'codex'] as const)('%s works in its cage', async (name) => {
  const checked = await checkWall({
    name,
    program: clis[name],
    spec: explore(),
    wrapFor: async (writable) => {
      const cage = await cageFor({ path: process.env['PATH'] ?? '', readable: [clis[name]], writable })
      return typeof cage === 'string' ? expect.fail(cage) : cage
    },
  })
  expect(checked.checks.filter(({ ok }) => !ok)).toEqual([])
})

describe('a wall with a hole in it is found', () => {
  test('tools of the program’s own', async () => {
    expect(await broken('claude', without('--tools', 1))).not.toEqual([])
  })

  test('files that it obeys: a hook is run, and instructions are read', async () => {
    // In this mode it reads no settings at all, whatever it is told of them.
    const open: Wrap = (argv) => [
      ...['/usr/bin/env', '-u', 'CLAUDE_CODE_DISABLE_CLAUDE_MDS'],
      ...without('--bare', 0)(without('--restricted', 0)(without('--setting-sources', 1)(argv))),
    ]
    expect(await broken('claude', open)).toEqual(['obeys no file it finds', 'runs nothing'])
  })

  test('a flag that the program does not know: it does not start', async () => {
    expect(await broken('claude', (argv) => (argv.includes('-p') ? [...argv, '--no-such-flag'] : argv))).not.toEqual([])
    expect(
      await broken('codex', (argv) => (argv.includes('app-server') ? [...argv, '--disable', 'no_such_feature'] : argv)),
    ).not.toEqual([])
  })

  test('the tools of a model’s own', async () => {
    const open: Wrap = (argv) =>
      argv.flatMap((word) => (word.startsWith('model_catalog_json=') ? ['model_verbosity="low"'] : [word]))
    expect(await broken('codex', open)).not.toEqual([])
  })
})
