import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Start } from './checkout-source.ts'
import { type Git, type GitOptions, gitIn } from './shadow-git.ts'

type Making = { folder: string; agent: string; start: Start; path: string }

/**
 * Makes a checkout in an empty folder: the files of a commit, and a repository of its own with the history of that commit
 * and nothing else. Everything in it is a copy: there is no link to the user's repository, no remote that could be pushed to,
 * no hook, and no setting but these.
 */
export const makeCheckout = async ({ folder, agent, start, path }: Making): Promise<void> => {
  const own = join(folder, '.git')
  await Promise.all(FOLDERS.map((name) => mkdir(join(own, name), { recursive: true })))
  await Promise.all([
    writeFile(join(own, 'config'), configOf(agent, start.format)),
    writeFile(join(own, 'HEAD'), `ref: refs/heads/${agent}\n`),
    writeFile(join(own, 'refs/heads', agent), `${start.commit}\n`),
    copyFile(start.shallow, join(own, 'shallow')).catch(() => {}),
    copyFile(start.exclude, join(own, 'info/exclude')).catch(() => {}),
  ])
  const git = gitIn({ folder: own, root: folder, path })
  // The contents are read where they are, packed into one file, and not looked for there any more.
  const borrowed = join(own, 'objects/info/alternates')
  await writeFile(borrowed, `${start.objects}\n`)
  const input = Buffer.from(`${start.commit}\n`)
  await told(git, ['pack-objects', '--revs', '--quiet', join(own, 'objects/pack/pack')], { input })
  await rm(borrowed)
  await told(git, ['read-tree', '--reset', '-u', start.commit])
}

const FOLDERS = ['objects/pack', 'objects/info', 'refs/heads', 'info'] as const

const configOf = (agent: string, format: string): string =>
  [
    '[core]',
    `\trepositoryformatversion = ${format === 'sha1' ? 0 : 1}`,
    '\tfilemode = true',
    '\tbare = false',
    '\tlogallrefupdates = true',
    '\thooksPath = /dev/null',
    ...(format === 'sha1' ? [] : ['[extensions]', `\tobjectFormat = ${format}`]),
    '[user]',
    `\tname = ${agent}`,
    `\temail = ${agent}@bellhop.invalid`,
    '',
  ].join('\n')

const told = async (git: Git, args: readonly string[], options?: GitOptions): Promise<void> => {
  const { exit, error } = await git(args, options)
  if (exit !== 0) throw new Error(`a checkout could not be made: ${error.trim().split('\n').at(-1)}`)
}
