import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ToolName } from '../../src/shapes/peripheral.ts'
import { probeTools } from '../../src/tools/probe.ts'
import { EXPLORE } from '../support/explore.ts'
import { bench, PATH } from './bench.ts'

const OK = {
  ripgrep: { name: 'ripgrep', ok: true, detail: expect.stringMatching(/^ripgrep \d+\.\d+\.\d+/) },
  tools: { name: 'tools', ok: true, detail: 'read glob grep' },
}

test('the probes say what was seen: the place, the program, the tools', async () => {
  using it = await bench()
  expect(await probeTools(EXPLORE, it.workspace, PATH)).toEqual([
    { name: 'workspace', ok: true, detail: it.root },
    OK.ripgrep,
    OK.tools,
  ])
})

test('a ripgrep that is missing, or that does not run, is told with where to look', async () => {
  using it = await bench()
  mkdirSync(join(it.above, 'empty'))
  const broken = it.write('bin/rg', '#!/bin/sh\necho ripgrep 0.0.0\nexit 1\n')
  chmodSync(broken, 0o755)
  for (const path of [join(it.above, 'empty'), join(it.above, 'bin')]) {
    expect(await probeTools(EXPLORE, it.workspace, path)).toEqual([
      { name: 'workspace', ok: true, detail: it.root },
      { name: 'ripgrep', ok: false, detail: 'rg does not run: see `bellhop doctor`' },
      OK.tools,
    ])
  }
})

test('a workspace that is gone is told', async () => {
  using it = await bench()
  rmSync(it.root, { recursive: true })
  expect(await probeTools(EXPLORE, it.workspace, PATH)).toEqual([
    { name: 'workspace', ok: false, detail: `${it.root} cannot be read` },
    OK.ripgrep,
    OK.tools,
  ])
})

test('a tool that the spec names and Bellhop has not is told', async () => {
  using it = await bench()
  const spec = { ...EXPLORE, tools: ['read', 'teleport'] as unknown as ToolName[] }
  expect(await probeTools(spec, it.workspace, PATH)).toEqual([
    { name: 'workspace', ok: true, detail: it.root },
    OK.ripgrep,
    { name: 'tools', ok: false, detail: 'there is no teleport' },
  ])
})
