import { randomBytes } from 'node:crypto'
import { mkdir, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileState } from '../shapes/turn.ts'
import { closedIn } from './checkout-closed.ts'
import { makeCheckout } from './checkout-make.ts'
import { exchangeRepository, type Ground, type Opened } from './checkout-open.ts'
import { baseOf, writeRecord } from './checkout-record.ts'
import { gitIn } from './shadow-git.ts'
import { lookAt, putBack } from './shadow-restore.ts'
import { kindOf } from './state.ts'
import { readState } from './write.ts'

/** Whether a checkout is at the commit of the workspace: it was, it was brought there, or it was left, and why. */
export type Refreshed = { kind: 'same' | 'brought'; commit: string } | { kind: 'left'; why: string }

/**
 * Brings the commit that is checked out in the workspace into the checkout of an agent that has nothing of its own left
 * there: all that it did is merged, and is in that commit or was decided otherwise. What git ignores stays as it is.
 */
export const refreshCheckout = async (ground: Ground, opened: Opened, still: () => boolean): Promise<Refreshed> => {
  const { agent, at, place, record, git } = opened
  const start = await ground.source.start()
  if (typeof start === 'string') return left(start)
  if (start.commit === record.commit) return { kind: 'same', commit: record.commit }
  const now = await place.shadow.tree()
  if (now !== baseOf(record)) return left(`${agent} has something that is not merged`)
  const between = await ground.source.changedBetween(record.commit, start.commit)
  if (between === null) return left(`the commit ${record.commit.slice(0, 12)} that it began with is gone`)

  const fresh = join(at.outer, `.fresh-${randomBytes(6).toString('hex')}`)
  try {
    await mkdir(fresh, { recursive: true, mode: 0o700 })
    await makeCheckout({ folder: fresh, agent, start, path: ground.path })
    const own = (await place.shadow.changes(record.clean, now)).map(({ path }) => path)
    const wanted = await statesIn(fresh, [...new Set([...own, ...between])])
    const waiting = await undecided(ground, opened, own, wanted)
    if (waiting !== null) return left(`${waiting} was merged, and is not committed`)
    // Nothing is changed before this, and what is begun here is not left half done.
    if (!still()) return left('another process may be at it')
    const why = await become(opened, fresh, wanted)
    if (why !== null) return left(why)
    await exchangeRepository(at, fresh)
    await gitIn({ folder: join(at.root, '.git'), root: at.root, path: ground.path })([
      'update-index',
      '-q',
      '--refresh',
    ])
    const [clean, theirs] = await Promise.all([place.shadow.tree(), ground.shadow.tree()])
    const closed = await closedIn(place.workspace, git, ground.path)
    const apart = clean !== theirs
    await writeRecord(at.record, { version: 1, commit: start.commit, clean, apart, closed, merges: [] })
    return { kind: 'brought', commit: start.commit }
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

const left = (why: string): Refreshed => ({ kind: 'left', why })

type States = ReadonlyMap<string, FileState | null>

const statesIn = async (root: string, names: readonly string[]): Promise<States> => {
  const states = new Map<string, FileState | null>()
  for (const name of names) {
    const state = await readState({ real: join(root, name), name })
    states.set(name, state.ok ? state.value : null)
  }
  return states
}

/** A file of the agent's that was merged, and of which nobody decided yet what becomes of it: the workspace still has it. */
const undecided = async (
  { workspace }: Ground,
  { at }: Opened,
  own: readonly string[],
  wanted: States,
): Promise<string | null> => {
  const [here, there] = await Promise.all([statesIn(at.root, own), statesIn(workspace.root, own)])
  return own.find((name) => ![here.get(name), there.get(name)].includes(wanted.get(name) ?? null)) ?? null
}

/** Makes files what they are in a fresh checkout; a sentence where that did not come off. */
const become = async ({ place }: Opened, fresh: string, wanted: States): Promise<string | null> => {
  const now = await statesIn(place.workspace.root, [...wanted.keys()])
  const plan = [...wanted].map(([path, before]) => ({ path, before, after: now.get(path) ?? null, between: false }))
  const looked = await lookAt(place.workspace, { lacks: async () => new Set<FileState>() }, plan)
  const lost = looked.find(({ stands }) => stands === 'lost')
  if (lost) return `${lost.path}: ${lost.why}`
  const files = looked.filter(({ stands }) => stands !== 'back')
  const names = new Map(plan.map(({ path, before }) => [before, path]))
  const content = async (state: FileState): Promise<Buffer | null> => {
    const file = join(fresh, names.get(state) ?? '')
    return kindOf(state) === '120000' ? readlink(file, 'buffer') : readFile(file)
  }
  const { failed } = await putBack(place.workspace, { content }, files)
  return failed[0] ? `${failed[0].path}: ${failed[0].why}` : null
}
