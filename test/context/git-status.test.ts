import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { gitStatus } from '../../src/workspace/git-status.ts'
import { scratch } from '../support/folder.ts'

const path = process.env['PATH'] ?? ''

/** A repository with one commit, and git as its user would run it. */
const repository = async () => {
  const folder = scratch()
  const root = join(realpathSync(folder.path), 'ws')
  mkdirSync(root)
  const git = (...args: string[]) =>
    execa('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', ...args], { cwd: root })
  await git('init', '--quiet', '--initial-branch=main')
  const write = (name: string, text: string) => folder.write(join('ws', name), text)
  write('a.txt', 'one\n')
  write('b c.txt', 'two\n')
  await git('add', '.')
  await git('commit', '--quiet', '-m', 'the kettle boils\n\nand more')
  return { root, git, write, path: folder.path, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

const statusOf = (root: string) => gitStatus({ root, path })

/** What is in the folder besides what was put there: a program that ran would have left something. */
const touched = (it: { path: string }) => join(it.path, 'ran')

test('the branch, the last commit, and what is different from it', async () => {
  using it = await repository()
  const head = { commit: (await it.git('rev-parse', 'HEAD')).stdout.slice(0, 12), subject: 'the kettle boils' }
  expect(await statusOf(it.root)).toEqual({ branch: 'main', head, changed: [], more: false })
  it.write('a.txt', 'other\n')
  it.write('new/one.txt', 'x')
  it.write('Größe.txt', 'x')
  await it.git('rm', '--quiet', 'b c.txt')
  await it.git('checkout', '--quiet', '--detach')
  expect(await statusOf(it.root)).toEqual({
    branch: null,
    head,
    changed: [
      { state: '.M', path: 'a.txt' },
      { state: 'D.', path: 'b c.txt' },
      { state: '??', path: 'Größe.txt' },
      { state: '??', path: 'new/' },
    ],
    more: false,
  })
})

test('where there is no repository, or no commit, it says so', async () => {
  using folder = scratch()
  const root = realpathSync(folder.path)
  expect(await statusOf(root)).toBe(null)
  await execa('git', ['init', '--quiet', '--initial-branch=main'], { cwd: root })
  expect(await statusOf(root)).toEqual({ branch: 'main', head: null, changed: [], more: false })
})

test('a checkout of its own is one; a file that leads to the repository of somebody else is not', async () => {
  using it = await repository()
  const [own, alien] = [join(it.path, 'own'), join(it.path, 'alien')]
  await it.git('worktree', 'add', '--quiet', '-b', 'side', own)
  expect(await statusOf(realpathSync(own))).toMatchObject({ branch: 'side', changed: [] })
  mkdirSync(alien)
  await execa('cp', [join(own, '.git'), join(alien, '.git')])
  expect(await statusOf(realpathSync(alien))).toBe(null)
})

test('nothing that the settings of a repository name is run', async () => {
  using it = await repository()
  const ran = touched(it)
  const program = it.write('../program', `#!/bin/sh\necho ran >> '${ran}'\n`)
  await execa('chmod', ['+x', program])
  const settings: [string, string][] = [
    ['core.fsmonitor', program],
    ['core.hooksPath', it.path],
    ['core.pager', program],
    ['core.sshCommand', program],
    ['filter.evil.clean', program],
    ['filter.evil.process', program],
    ['filter.a=b.c.clean', program],
    ['filter.a=b.c.required', 'true'],
    ['filter..clean', program],
    ['gpg.program', program],
    ['log.showSignature', 'true'],
    ['diff.external', program],
    ['alias.status', `!${program}`],
  ]
  for (const [key, value] of settings) await it.git('config', '--file', join(it.root, '.git/config'), key, value)
  await execa('cp', [program, join(it.path, 'post-index-change')])
  it.write('.gitattributes', '* filter=\na.txt filter=evil\n*.txt filter=a=b.c\n')
  // The same size as before, so that git has to look at what is in it.
  it.write('a.txt', 'ten\n')
  expect((await statusOf(it.root))?.changed).toEqual([
    { state: '.M', path: 'a.txt' },
    { state: '??', path: '.gitattributes' },
  ])
  await expect(execa('cat', [ran])).rejects.toThrow('No such file')
  // The settings are such that they would have been run.
  await execa('git', ['status'], { cwd: it.root, stdin: 'ignore', reject: false })
  expect((await execa('cat', [ran])).stdout).toContain('ran')
})

test('a repository with more changes than anybody reads is cut, and says so', async () => {
  using it = await repository()
  const blob = (await it.git('rev-parse', 'HEAD:a.txt')).stdout
  const lines = Array.from({ length: 5000 }, (_, i) => `100644 ${blob}\t${'x'.repeat(200)}-${i}\n`)
  await execa('git', ['update-index', '--index-info'], { cwd: it.root, input: lines.join('') })
  const status = await statusOf(it.root)
  expect([status?.branch, status?.more, (status?.changed.length ?? 0) > 3000]).toEqual(['main', true, true])
})
