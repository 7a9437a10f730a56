import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openParts } from '../../src/house/parts.ts'
import { execute } from '../../src/sandbox/sandbox.ts'
import { createPlace, sh } from '../sandbox/place.ts'
import { scratch } from '../support/folder.ts'
import { startTestHouse } from '../support/gateway.ts'

test('no program of an agent reads a file with a secret, not even one that has the whole machine', async () => {
  using folder = scratch()
  using place = createPlace()
  const secrets = {
    REDIS_URL_FILE: folder.write('redis', 'PLANTED'),
    BELLHOP_EVIDENCE_FILE: folder.write('evidence', 'PLANTED'),
    ANTHROPIC_API_KEY_FILE: keptByKubernetes(folder, 'anthropic'),
  }
  await using house = await startTestHouse({
    worker: false,
    config: `agents: [{ id: claude-1, type: claude, peripheral: explore }]\n`,
  })
  const closed = [folder.write('discord', 'PLANTED')]
  const parts = await openParts({ ...house.settings, variables: secrets, closed }, 'worker')
  const files = [...Object.values(secrets), ...closed]
  const script = `cat "$@" ${folder.path}/*/..[0-9]*/* 2>&1; cat ${folder.write('open', 'seen')}`
  const read = async (): Promise<string> => {
    const job = place.job(sh(script, ...files), { mode: 'full', workspace: parts.workspace, hidden: [] })
    return (await execute(job)).output
  }
  const before = await read()
  renewed(folder, 'anthropic')
  const after = await read()
  await parts.close()
  expect([before, after].map((said) => [said.includes('PLANTED'), said.endsWith('seen')])).toEqual([
    [false, true],
    [false, true],
  ])
})

/** A secret as a kubelet mounts it: the file is a link into a folder that is a link, and that is swapped when it is renewed. */
const keptByKubernetes = (folder: ReturnType<typeof scratch>, name: string): string => {
  mkdirSync(join(folder.path, 'mount'))
  folder.write(`mount/..1/${name}`, 'PLANTED')
  symlinkSync('..1', join(folder.path, 'mount/..data'))
  symlinkSync(`..data/${name}`, join(folder.path, 'mount', name))
  return join(folder.path, 'mount', name)
}

const renewed = (folder: ReturnType<typeof scratch>, name: string): void => {
  folder.write(`mount/..2/${name}`, 'PLANTED')
  symlinkSync('..2', join(folder.path, 'mount/..fresh'))
  renameSync(join(folder.path, 'mount/..fresh'), join(folder.path, 'mount/..data'))
}
