import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { gitMark, isAsBefore } from '../../src/sandbox/git-mark.ts'
import { execute } from '../../src/sandbox/sandbox.ts'
import { scratch } from '../support/folder.ts'
import { createPlace, sh } from './place.ts'

/** Makes a link and removes it, over and over, beside everything else. */
const FLICKER = `
  const { rmSync, symlinkSync } = require('node:fs')
  for (;;) {
    symlinkSync('elsewhere', require('node:worker_threads').workerData)
    rmSync(require('node:worker_threads').workerData)
  }
`

test('a link that comes and goes is there or it is not, whenever it is looked at', async () => {
  using folder = scratch()
  const before = await gitMark(folder.path)
  expect(before).toEqual({ link: null })
  const flicker = new Worker(FLICKER, { eval: true, workerData: join(folder.path, '.git') })
  const seen = new Set<boolean>()
  // Until it was seen both ways: whatever is seen, nothing is thrown.
  for (let looks = 0; looks < 5000 || seen.size < 2; looks++) seen.add(await isAsBefore(folder.path, before))
  await flicker.terminate()
  rmSync(join(folder.path, '.git'), { force: true })
  symlinkSync('elsewhere', join(folder.path, '.git'))
  expect([seen, await gitMark(folder.path)]).toEqual([new Set([true, false]), { link: 'elsewhere' }])
})

test('a program that makes and removes .git over and over is ended, and nothing of it is left', async () => {
  using place = createPlace()
  const job = place.job(sh('while :; do ln -s elsewhere .git; rm -f .git; done'), { mode: 'workspace-write' })
  const { ended, output } = await execute(job)
  expect([ended, output]).toEqual(['signal', expect.stringContaining('changed .git')])
  expect(await gitMark(place.root)).toEqual({ link: null })
})
