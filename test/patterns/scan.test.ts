import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MOST_BYTES, MOST_FILES, scanPatterns } from '../../src/patterns/scan.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { reachOf } from '../../src/workspace/scope.ts'
import { wall } from '../support/explore.ts'
import { scratch } from '../support/folder.ts'
import { skill } from './patterns.ts'

/** A workspace in a folder with something beside it; and what a look at its patterns comes to. */
const workspace = (deny: string[] = []) => {
  const folder = scratch()
  mkdirSync(join(folder.path, 'ws'))
  folder.write('ours/brew/SKILL.md', skill('brew', 'Brew as Bellhop does.'))
  const look = async (folders = ['patterns', '.claude/skills']) => {
    const { patterns, complaints } = await scanPatterns({
      workspace: await openWorkspace(join(folder.path, 'ws'), [join(folder.path, 'ws/data')]),
      folders,
      shows: reachOf({ ...wall().scope, read: ['**/SKILL.md'], deny }).mayRead,
      ours: join(folder.path, 'ours'),
    })
    return [
      patterns.map(({ id, home, path, description }) => `${id} ${home} ${path}: ${description}`),
      complaints.map(({ path, line, what, right }) => `${path}:${line}: ${what}; ${right}`),
    ]
  }
  return {
    at: (name: string) => join(folder.path, 'ws', name),
    out: (name: string, text: string) => folder.write(name, text),
    write: (name: string, text: string | Buffer) => {
      folder.write(join('ws', name), '')
      writeFileSync(join(folder.path, 'ws', name), text)
    },
    look,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const OURS = 'brew bellhop bellhop:brew: Brew as Bellhop does.'

test('patterns are the files NAME/SKILL.md of the folders, then those of Bellhop; other files and folders are none', async () => {
  using it = workspace()
  expect(await it.look()).toEqual([[OURS], []])
  it.write('patterns/pour/SKILL.md', skill('pour'))
  it.write('patterns/README.md', skill('readme'))
  it.write('patterns/notes/other.md', skill('notes'))
  it.write('patterns/.hidden/SKILL.md', skill('hidden'))
  it.write('patterns/deep/er/SKILL.md', skill('er'))
  it.write('.claude/skills/stir/SKILL.md', skill('stir'))
  expect(await it.look()).toEqual([
    [OURS, 'pour workspace patterns/pour/SKILL.md: Do pour.', 'stir workspace .claude/skills/stir/SKILL.md: Do stir.'],
    [],
  ])
})

test('of two of one name the first counts, and one of the workspace counts before one of Bellhop', async () => {
  using it = workspace()
  it.write('patterns/brew/SKILL.md', skill('brew', 'Brew as we do.'))
  it.write('.claude/skills/brew/SKILL.md', skill('brew', 'Brew as Claude does.'))
  expect(await it.look()).toEqual([
    ['brew workspace patterns/brew/SKILL.md: Brew as we do.'],
    ['.claude/skills/brew/SKILL.md:1: is brew, as patterns/brew/SKILL.md is; give one of the two another name'],
  ])
})

test('what leads out of the workspace, is closed, or is no plain file is not read, and is said', async () => {
  using it = workspace(['patterns/denied/**'])
  it.out('outside/SKILL.md', skill('outside'))
  it.write('data/SKILL.md', skill('data'))
  it.write('notes.md', skill('notes'))
  it.write('patterns/denied/SKILL.md', skill('denied'))
  it.write('patterns/Bad_Name/SKILL.md', skill('bad'))
  it.write('patterns/twice/SKILL.md', skill('twice'))
  linkSync(it.at('patterns/twice/SKILL.md'), it.at('other-name'))
  mkdirSync(it.at('patterns/folder/SKILL.md'), { recursive: true })
  mkdirSync(it.at('patterns/linked'))
  symlinkSync('../../notes.md', it.at('patterns/linked/SKILL.md'))
  symlinkSync('../../outside', it.at('patterns/out'))
  symlinkSync('../data', it.at('patterns/own'))
  const right = 'make it a text file of at most 64 KB'
  const closed = 'is closed to the peripheral that looks; open it in its scope, or take it away'
  expect(await it.look(['patterns'])).toEqual([
    [OURS],
    [
      'patterns/Bad_Name/SKILL.md:1: is in a folder whose name no pattern can have; use small letters, digits and single dashes',
      `patterns/denied/SKILL.md:1: ${closed}`,
      `patterns/folder/SKILL.md:1: is a folder; ${right}`,
      `patterns/linked/SKILL.md:1: ${closed}`,
      'patterns/out/SKILL.md:1: leads out of the workspace; put the file itself there',
      'patterns/own/SKILL.md:1: leads out of the workspace; put the file itself there',
      `patterns/twice/SKILL.md:1: could not be read: patterns/twice/SKILL.md has several names (hard links), and where the others are nobody can say; ${right}`,
    ],
  ])
})

test('a folder that leads out of the workspace is not looked into', async () => {
  using it = workspace()
  it.out('elsewhere/pour/SKILL.md', skill('pour'))
  symlinkSync('../elsewhere', it.at('patterns'))
  const right = 'name a folder of the workspace under patterns.folders in the config'
  expect(await it.look(['patterns', '../elsewhere'])).toEqual([
    [OURS],
    [`../elsewhere:1: leads out of the workspace; ${right}`, `patterns:1: leads out of the workspace; ${right}`],
  ])
})

test('a file that is too large or no text is not read, and neither are more files than there may be', async () => {
  using it = workspace()
  const right = 'make it a text file of at most 64 KB'
  it.write('patterns/large/SKILL.md', skill('large').padEnd(MOST_BYTES + 1))
  it.write('patterns/fits/SKILL.md', skill('fits').padEnd(MOST_BYTES))
  it.write('patterns/binary/SKILL.md', Buffer.from([0x2d, 0x2d, 0x2d, 0xff, 0xfe]))
  expect(await it.look(['patterns'])).toEqual([
    [OURS, 'fits workspace patterns/fits/SKILL.md: Do fits.'],
    [
      `patterns/binary/SKILL.md:1: is no text; ${right}`,
      `patterns/large/SKILL.md:1: is larger than ${MOST_BYTES} bytes; ${right}`,
    ],
  ])
  for (let i = 0; i <= MOST_FILES; i++) {
    const name = `p-${String(i).padStart(3, '0')}`
    it.write(`many/${name}/SKILL.md`, skill(name))
  }
  const [read, wrong] = await it.look(['many'])
  expect([read?.length, wrong]).toEqual([
    MOST_FILES + 1,
    [
      `many/p-300/SKILL.md:1: is one of ${MOST_FILES + 1} patterns, and ${MOST_FILES} are read; move those away that nobody uses`,
    ],
  ])
})

test('those that come with Bellhop are right: each says when to use it, the steps, how one sees that it worked, and when to stop', async () => {
  using folder = scratch()
  const { patterns, complaints } = await scanPatterns({
    workspace: await openWorkspace(folder.path, []),
    folders: ['patterns'],
    shows: () => true,
    ours: join(import.meta.dirname, '../../config/patterns'),
  })
  const parts = ['## When to use it', '## Steps', '## How one sees that it worked', '## When to stop']
  expect(complaints).toEqual([])
  expect(patterns.map(({ id, home, text }) => [id, home, parts.filter((part) => !text.includes(part))])).toEqual(
    [
      'bisect-a-regression',
      'corner-a-flaky-test',
      'expand-then-contract',
      'make-the-smallest-reproduction',
      'measure-then-optimise',
      'pin-then-upgrade',
      'read-before-edit',
      'strangle-old-code',
      'write-the-failing-test-first',
    ].map((id) => [id, 'bellhop', []]),
  )
})
