import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MOST_BYTES, MOST_FILES, scanMissions } from '../../src/missions/scan.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { reachOf } from '../../src/workspace/scope.ts'
import { wall } from '../support/explore.ts'
import { scratch } from '../support/folder.ts'

const READY = (id: string) => `# ${id}: it\nStatus: ready\n`

/** A workspace in a folder with something beside it; and what a look at its missions comes to. */
const workspace = (deny: string[] = []) => {
  const folder = scratch()
  mkdirSync(join(folder.path, 'ws'))
  const look = async (folders = ['missions', 'docs/missions']) => {
    const { missions, complaints } = await scanMissions({
      workspace: await openWorkspace(join(folder.path, 'ws'), [join(folder.path, 'ws/data')]),
      folders,
      shows: reachOf({ ...wall().scope, read: ['**/M-*.md'], deny }).mayRead,
    })
    return [
      missions.map(({ id, path, status }) => `${id} ${status} ${path}`),
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

test('missions are the files M-*.md of the folders, and of no others; where there is no folder there are none', async () => {
  using it = workspace()
  expect(await it.look()).toEqual([[], []])
  it.write('missions/M-b.md', READY('M-b'))
  it.write('missions/M-a.md', READY('M-a'))
  it.write('docs/missions/M-c.md', READY('M-c'))
  it.write('missions/README.md', READY('M-x'))
  it.write('missions/old/M-d.md', READY('M-d'))
  it.write('M-e.md', READY('M-e'))
  expect(await it.look()).toEqual([
    ['M-a ready missions/M-a.md', 'M-b ready missions/M-b.md', 'M-c ready docs/missions/M-c.md'],
    [],
  ])
})

test('what leads out of the workspace, is closed, or is no plain file is not read, and is said', async () => {
  using it = workspace(['missions/M-denied.md'])
  it.out('M-outside.md', READY('M-outside'))
  it.write('data/M-data.md', READY('M-data'))
  it.write('missions/M-denied.md', READY('M-denied'))
  it.write('missions/M-bad name.md', READY('M-bad'))
  it.write('.env', 'KEY=1\n')
  it.write('notes.md', READY('M-notes'))
  it.write('missions/M-twice.md', READY('M-twice'))
  linkSync(it.at('missions/M-twice.md'), it.at('other-name'))
  symlinkSync('../../M-outside.md', it.at('missions/M-out.md'))
  symlinkSync('../data/M-data.md', it.at('missions/M-own.md'))
  symlinkSync('../.env', it.at('missions/M-env.md'))
  symlinkSync('../notes.md', it.at('missions/M-notes.md'))
  symlinkSync('nowhere.md', it.at('missions/M-nowhere.md'))
  mkdirSync(it.at('missions/M-folder.md'))
  const right = 'make it a text file of at most 256 KB, with one name'
  const closed = 'is closed to mission control; open it in the scope of the peripheral, or take it away'
  expect(await it.look()).toEqual([
    [],
    [
      'missions/M-bad name.md:1: has a name that no mission can have; use "M-", then letters, digits, dots, dashes and underscores',
      `missions/M-denied.md:1: ${closed}`,
      `missions/M-env.md:1: ${closed}`,
      `missions/M-folder.md:1: is a folder; ${right}`,
      `missions/M-notes.md:1: ${closed}`,
      'missions/M-nowhere.md:1: leads out of the workspace; put the file itself there',
      'missions/M-out.md:1: leads out of the workspace; put the file itself there',
      'missions/M-own.md:1: leads out of the workspace; put the file itself there',
      `missions/M-twice.md:1: could not be read: missions/M-twice.md has several names (hard links), and where the others are nobody can say; ${right}`,
    ],
  ])
})

test('a folder that leads out of the workspace is not looked into', async () => {
  using it = workspace()
  it.out('elsewhere/M-a.md', READY('M-a'))
  symlinkSync('../elsewhere', it.at('missions'))
  const right = 'name a folder of the workspace under missions.folders in the config'
  expect(await it.look(['missions', '../elsewhere', '/etc'])).toEqual([
    [],
    [
      `../elsewhere:1: leads out of the workspace; ${right}`,
      `/etc:1: leads out of the workspace; ${right}`,
      `missions:1: leads out of the workspace; ${right}`,
    ],
  ])
})

test('a file that is too large or no text is not read, and neither are more files than there may be', async () => {
  using it = workspace()
  const right = 'make it a text file of at most 256 KB, with one name'
  it.write('missions/M-large.md', READY('M-large').padEnd(MOST_BYTES + 1))
  it.write('missions/M-fits.md', READY('M-fits').padEnd(MOST_BYTES))
  it.write('missions/M-binary.md', Buffer.from([0x23, 0x20, 0xff, 0xfe]))
  it.write('missions/M-nul.md', '# M-nul\0')
  expect(await it.look()).toEqual([
    ['M-fits ready missions/M-fits.md'],
    [
      `missions/M-binary.md:1: is no text; ${right}`,
      `missions/M-large.md:1: is larger than ${MOST_BYTES} bytes; ${right}`,
      `missions/M-nul.md:1: is no text; ${right}`,
    ],
  ])
  for (let i = 0; i < MOST_FILES; i++) it.write(`many/M-${String(i).padStart(3, '0')}.md`, READY('M'))
  it.write('many/M-one-more.md', READY('M-one-more'))
  const [read, wrong] = await it.look(['many'])
  expect([read?.length, wrong?.at(-1)]).toEqual([
    MOST_FILES,
    `many/M-one-more.md:1: is one of ${MOST_FILES + 1} missions, and ${MOST_FILES} are read; move those away that are over`,
  ])
})
