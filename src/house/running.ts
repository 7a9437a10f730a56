import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Folder } from './folder.ts'

/** What a running instance leaves for `bellhop say` and its like to find it. */
const Instance = z.object({ pid: z.int(), url: z.string() })
type Instance = z.infer<typeof Instance>

/** Where the instance of this folder is; null when none is written down. */
export const instanceOf = (folder: Folder): Instance | null => {
  try {
    return Instance.parse(JSON.parse(readFileSync(folder.running, 'utf8')))
  } catch {
    return null
  }
}

export const writeInstance = (folder: Folder, instance: Instance): void =>
  writeFileSync(folder.running, JSON.stringify(instance), { mode: 0o600 })
