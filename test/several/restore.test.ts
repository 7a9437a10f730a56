import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderAt } from '../../src/house/folder.ts'
import { lockAlone } from '../../src/house/lock.ts'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { startSeveral } from '../support/several.ts'

test('nothing is restored under a process that works on the folder, and none begins while it is', async () => {
  await using it = await startSeveral()
  using out = scratch()
  const file = join(out.path, 'it.tar')
  const evidence = join(out.path, 'evidence.db')
  const run = async (...args: string[]) => {
    const { exitCode, stderr } = await bellhop([...args, '--data', it.data])
    return [exitCode, stderr]
  }
  expect(await run('backup', file)).toEqual([0, ''])
  expect(await run('evidence', 'backup', evidence)).toEqual([0, ''])
  const gateway = await it.start('gateway')
  const worker = await it.start('worker')
  const refused = [1, expect.stringContaining(`processes of a Bellhop run on ${it.data}`)]
  expect(await run('restore', file, '--force')).toEqual(refused)
  expect(await run('restore', file, '--force', '--dry-run')).toEqual(refused)
  expect(await run('evidence', 'restore', evidence, '--replace')).toEqual(refused)
  gateway.kill('SIGTERM')
  await gateway.ended
  expect(await run('restore', file, '--force')).toEqual(refused)
  // However it ends, it holds nothing then.
  worker.kill('SIGKILL')
  await worker.ended
  const unlock = lockAlone(folderAt(it.data))
  await expect(it.start('worker')).rejects.toThrow(`a backup is being restored into ${it.data}`)
  unlock()
  expect(await run('restore', file, '--force')).toEqual([0, ''])
  expect(existsSync(join(it.data, 'evidence.db'))).toBe(true)
})
