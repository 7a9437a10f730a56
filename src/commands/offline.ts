import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig, loadPeripherals } from '../config/load.ts'
import { openStore } from '../evidence/store.ts'
import { folderAt, userName } from '../house/folder.ts'
import { type Settings, viewsOf } from '../house/parts.ts'
import { systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { Operation } from '../operations/operation.ts'
import { refusal } from '../shapes/refusal.ts'
import { type Result, refused } from '../shapes/result.ts'

/** Asks a data folder that no instance runs on: the evidence is all it takes, and it is opened for reading only. */
export const askOffline = async (
  row: Operation,
  input: Record<string, unknown>,
  settings: Settings,
): Promise<Result<unknown>> => {
  const { store: path } = folderAt(settings.data)
  if (!existsSync(path))
    throw new Problem(`there is no evidence in ${settings.data}`, 'name the data folder with --data DIR')
  const config = loadConfig(join(settings.root, 'config'), settings.configFile, settings)
  const specs = loadPeripherals(join(settings.root, 'config'))
  const store = openStore({ path, clock: systemClock, readonly: true })
  try {
    return await row.run(input, {
      person: { name: userName(), role: 'viewer', face: 'cli', via: null },
      room: null,
      store,
      who: async () => [],
      rooms: config.rooms,
      specs,
      ...viewsOf(store, config, specs),
      closeSession: async () => refused(refusal('store-failed', 'nothing can be changed while no instance runs')),
      newId: () => '',
    })
  } finally {
    await store.close()
  }
}
