import { delimiter } from 'node:path'
import { findBubblewrap, isolation } from './bubblewrap.ts'
import { machine } from './machine.ts'
import { type Mount, mountArguments, outerFirst } from './mounts.ts'

/** What a program of the house's own sees of this machine: what it is made of, and the folders that are its own. */
type Cage = {
  /** Where bubblewrap is looked for. */
  path: string
  readable: readonly string[]
  writable: readonly string[]
}

/** Puts a program into its cage: the words that start it there. */
export type Wrap = (argv: readonly string[]) => readonly string[]

const SCRATCH_MB = 512

/**
 * A cage for the program of an agent: it reaches the network, where its model is, and nothing of this machine besides what
 * it is made of and its own folders. Should it ever have hands of its own, there is nothing for them to hold. All of it ends
 * with the process that started it. Answers a sentence where there can be none.
 */
export const cageFor = async ({ path, readable, writable }: Cage): Promise<Wrap | string> => {
  const bubblewrap = await findBubblewrap(path.split(delimiter))
  if (typeof bubblewrap === 'string') return bubblewrap
  // Of the machine itself: with the network it has no texts of its own.
  const mounts = outerFirst([
    ...(await machine(true)),
    { kind: 'proc', at: '/proc' },
    { kind: 'dev', at: '/dev' },
    ...['/dev/shm', '/tmp'].map((at): Mount => ({ kind: 'scratch', at, mb: SCRATCH_MB })),
    ...readable.map((at): Mount => ({ kind: 'read', at, from: at })),
    ...writable.map((at): Mount => ({ kind: 'write', at, from: at })),
  ])
  const { args } = mountArguments(mounts, 0, bubblewrap.modern)
  // Its environment is made from nothing already, and must not stand among the arguments: there are secrets in it.
  const apart = isolation(bubblewrap, true).filter((option) => option !== '--clearenv')
  const words = [bubblewrap.file, ...apart, ...args, '--remount-ro', '/']
  return (argv) => [...words, '--', ...argv]
}
