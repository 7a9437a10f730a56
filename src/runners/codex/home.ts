import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunnerOptions } from '../options.ts'

const CONFIG = '# Written by Bellhop at every start: what else stood here would be a hole in a wall.\n'

/** Instructions that the program reads from its home, and that no setting keeps it from. */
const INSTRUCTIONS = ['AGENTS.md', 'AGENTS.override.md']

/** The folders of the program as it finds them: what it is told, it is told by us, and not by a file that lies there. */
export const prepareHome = async ({ home, empty }: Pick<RunnerOptions, 'home' | 'empty'>): Promise<void> => {
  await mkdir(home, { recursive: true, mode: 0o700 })
  await mkdir(empty, { recursive: true })
  await writeFile(join(home, 'config.toml'), CONFIG)
  for (const name of INSTRUCTIONS) await rm(join(home, name), { force: true })
}
