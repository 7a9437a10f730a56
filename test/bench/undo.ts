import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { openWorkspace } from '../../src/workspace/paths.ts'
import { openShadow } from '../../src/workspace/shadow.ts'
import { scratch } from '../support/folder.ts'
import { type Bench, measure } from './report.ts'

const FILES = 50_000
const CHANGED = 10
const PATH = process.env['PATH'] ?? ''

/** Snapshots of a large tree, against the `git status` that people are used to on a tree of that size. */
export const undoBench = async (): Promise<Bench> => {
  using folder = scratch()
  const above = realpathSync(folder.path)
  const root = join(above, 'ws')
  for (let i = 0; i < FILES; i++) write(root, i, 'as it was')
  // Without the housekeeping that git would do behind its back: it would be measured too.
  const settings = ['user.name=ada', 'user.email=ada@example.org', 'gc.auto=0', 'maintenance.auto=false']
  const git = (...args: string[]) =>
    execa('git', [...settings.flatMap((one) => ['-c', one]), ...args], {
      cwd: root,
      env: { PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
      extendEnv: false,
    })
  await git('init', '--quiet')
  const added = await measure('the user’s own `git add --all`, the first time', 1, 1, () => git('add', '--all'))
  await git('commit', '--quiet', '-m', 'all of it')
  const status = 'the user’s own `git status`'
  await git('status', '--porcelain')

  const workspace = await openWorkspace(root, [])
  const shadow = await openShadow({ folder: join(above, 'shadow'), workspace, path: PATH, deny: [] })
  let round = 0
  const change = () => {
    round++
    for (let i = 0; i < CHANGED; i++) write(root, i, `round ${round}`)
  }
  const first = await measure('snapshot, the first one', 1, 1, shadow.tree)
  const before = await shadow.tree()
  const rows = [
    await measure(status, 9, 1, () => git('status', '--porcelain')),
    added,
    first,
    await measure('snapshot, nothing changed since', 9, 1, shadow.tree),
    await measure(`snapshot, ${CHANGED} files changed since`, 9, 1, () => {
      change()
      return shadow.tree()
    }),
  ]
  const changes = await shadow.changes(before, await shadow.tree())
  rows.push(
    await measure('what is different between two snapshots', 9, 1, async () =>
      shadow.changes(before, await shadow.tree()),
    ),
    await measure(`the diff of ${changes.length} files`, 9, 1, () => shadow.diff(changes)),
    await measure('a content is kept', 50, 1, (i) => shadow.keep(Buffer.from(`content ${i}`))),
  )
  return { title: `undo, on ${FILES} files in folders`, baseline: status, rows }
}

/** Fifty folders, in each twenty, in each five; forty lines a file. */
const write = (root: string, i: number, text: string): void => {
  const folder = join(root, `d${i % 50}`, `e${Math.floor(i / 50) % 20}`, `f${Math.floor(i / 1000) % 5}`)
  if (i < 5000) mkdirSync(folder, { recursive: true })
  const lines = Array.from({ length: 40 }, (_, j) => `line ${j} of file ${i}: ${text}\n`)
  writeFileSync(join(folder, `file-${i}.ts`), lines.join(''))
}
