import { linkSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import type { Scope } from '../../src/shapes/peripheral.ts'
import { hiddenIn } from '../../src/workspace/hidden.ts'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { wall } from '../support/explore.ts'
import { scratch } from '../support/folder.ts'

const stage = (...names: string[]) => {
  const folder = scratch()
  const root = join(realpathSync(folder.path), 'ws')
  mkdirSync(root)
  for (const name of names) folder.write(join('ws', name), 'x\n')
  return { ...folder, root, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

/** What is hidden of a workspace, by its names in it. */
const hidden = async (root: string, scope: Partial<Scope> = {}, offLimits: string[] = []): Promise<string[]> => {
  const workspace = await openWorkspace(
    root,
    offLimits.map((name) => join(root, name)),
  )
  const places = await hiddenIn(workspace, { ...wall().scope, ...scope }, process.env['PATH'] ?? '')
  return places.map((place) => place.slice(root.length + 1)).sort()
}

test('files and folders that are denied, wherever they are, and not what is in these', async () => {
  using it = stage(
    'README.md',
    '.env',
    '.env.example',
    'src/a.ts',
    'src/.ssh/config',
    'src/.ssh/deep/key',
    'node_modules/x/.npmrc',
    'node_modules/x/test/server.key',
    'certs/site.pem',
    'certs/site.crt',
    'home/.docker/config.json',
    'home/.docker/other.json',
  )
  expect(await hidden(it.root)).toEqual([
    '.env',
    'certs/site.pem',
    'home/.docker/config.json',
    'node_modules/x/.npmrc',
    'node_modules/x/test/server.key',
    'src/.ssh',
  ])
})

test('the git folders of others, but not the one of the workspace; a file that leads to one as well', async () => {
  using it = stage('.git/config', '.git/id_rsa', 'sub/.git/config', 'work/.git', 'deep/sub/.GIT/config')
  expect(await hidden(it.root)).toEqual(['deep/sub/.GIT', 'sub/.git', 'work/.git'])
})

test('what a scope denies, in whatever spelling', async () => {
  using it = stage(
    'private/a.txt',
    'Private/b.txt',
    'a.secret',
    'docs/b.SECRET',
    'docs/c.txt',
    '.ｅｎｖ',
    'x/.env ',
    'id_rsa.',
  )
  expect(await hidden(it.root, { deny: ['private/**', '*.secret'] })).toEqual(
    ['.ｅｎｖ', 'Private', 'a.secret', 'docs/b.SECRET', 'id_rsa.', 'private', 'x/.env '].sort(),
  )
  expect(await hidden(it.root, { deny: ['!docs/**'] })).toEqual(
    ['.ｅｎｖ', 'Private', 'a.secret', 'id_rsa.', 'private', 'x'].sort(),
  )
})

test('awkward names as they are', async () => {
  const names = [
    '-name.key',
    'a b/.env',
    'new\nline.pem',
    '*.key',
    '[x]/.env',
    "quote's.key",
    '\\.pem',
    '$HOME.key',
    '(.key',
  ]
  using it = stage(...names)
  expect(await hidden(it.root)).toEqual([...names].sort())
})

test('a name that is no text is hidden with its folder', async () => {
  using it = stage('sub/a.txt')
  await execa('bash', ['-c', "printf x > sub/$'\\xff'.pem"], { cwd: it.root })
  expect(await hidden(it.root)).toEqual(['sub'])
  await execa('bash', ['-c', "printf x > $'\\xff'.pem"], { cwd: it.root })
  await expect(hidden(it.root)).rejects.toThrow('cannot be hidden: its name is no text')
})

test('not links: they are not what they lead to, which is hidden under its own name', async () => {
  using it = stage('.env', 'plain.txt')
  symlinkSync('plain.txt', join(it.root, 'server.key'))
  symlinkSync('.env', join(it.root, 'settings'))
  symlinkSync('/etc', join(it.root, '.ssh'))
  expect(await hidden(it.root)).toEqual(['.env'])
})

test('a file that is hidden under one name, under its others too', async () => {
  using it = stage('.env', 'a.txt', 'other.key')
  linkSync(join(it.root, '.env'), join(it.root, 'settings.txt'))
  linkSync(join(it.root, 'other.key'), join(it.root, 'another.key'))
  linkSync(join(it.root, 'a.txt'), join(it.root, 'b.txt'))
  expect(await hidden(it.root)).toEqual(['.env', 'another.key', 'other.key', 'settings.txt'])
})

test('what is off limits, and nothing in it', async () => {
  using it = stage('data[1]/.env', 'data[1]/a.txt', 'data1/.env', 'a.txt')
  expect(await hidden(it.root, {}, ['data[1]', '../elsewhere'])).toEqual(['data1/.env', 'data[1]'])
})

test('more than a sandbox can cover is an error: nothing may run then', async () => {
  using it = stage()
  await execa('bash', ['-c', 'for i in $(seq 2501); do : > $i.key; done'], { cwd: it.root })
  await expect(hidden(it.root)).rejects.toThrow(`more than 2500 files of ${it.root} are to be hidden`)
})

test('a workspace that is not there is an error', async () => {
  using it = stage()
  await expect(
    hiddenIn({ root: join(it.root, 'gone'), offLimits: [] }, wall().scope, process.env['PATH'] ?? ''),
  ).rejects.toThrow('find did not find out what is to be hidden')
})
