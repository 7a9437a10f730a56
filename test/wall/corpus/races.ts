import type { ToolCall } from '../../../src/shapes/peripheral.ts'
import { type Attempt, adding, call, edit, glob, grep, inTerminal, list, read, run, write } from '../attempt.ts'

const repeated = (times: number, of: (n: number) => ToolCall): ToolCall[] =>
  Array.from({ length: times }, (_, n) => of(n))

/** A folder is swapped for a link to the outside and back, as fast as it goes, while a tool is asked for what is in it. */
const swapped = (id: string, calls: ToolCall[], slow?: true): Attempt => ({
  id: `a race: ${id}`,
  where: 'race',
  peripheral: 'edit',
  calls,
  together: true,
  swapped: 'race',
  ...(slow ? { slow } : {}),
})

/** The same by a program of the agent's own, which goes on in a terminal. */
const SWAPPER = `import fs from 'node:fs'
for (;;) {
  try {
    fs.renameSync('race', 'aside')
    fs.symlinkSync('../outside', 'race')
    fs.unlinkSync('race')
    fs.renameSync('aside', 'race')
  } catch {}
}
`

export const RACES: readonly Attempt[] = [
  swapped(
    'to read',
    repeated(12, () => read('race/secret.txt')),
  ),
  swapped(
    'to list',
    repeated(8, () => list('race')),
  ),
  swapped(
    'to search',
    repeated(8, () => grep('race')),
  ),
  swapped(
    'to find names',
    repeated(8, () => glob('race')),
  ),
  swapped(
    'to write',
    repeated(10, (n) => write(`race/new-${n}.txt`)),
  ),
  swapped(
    'to write deeper',
    repeated(10, (n) => write(`race/deep/new-${n}.txt`)),
  ),
  swapped(
    'to edit',
    repeated(6, () => edit('race/secret.txt')),
  ),
  swapped(
    'to patch',
    repeated(8, (n) => adding(`race/patched-${n}.txt`)),
  ),
  swapped(
    'to run',
    repeated(3, (n) => run('ls', '-la', `race/${n === 0 ? '' : 'deep'}`)),
    true,
  ),
  {
    id: 'a race: by a program in a terminal',
    where: 'race',
    peripheral: 'edit',
    slow: true,
    calls: [
      write('swap.mjs', SWAPPER),
      inTerminal('swap', 'node', 'swap.mjs'),
      ...repeated(8, () => read('race/secret.txt')),
      ...repeated(8, (n) => write(`race/mine-${n}.txt`)),
      call('terminal', { do: 'stop', name: 'swap' }),
    ],
  },
]
