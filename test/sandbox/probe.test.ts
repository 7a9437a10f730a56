import { chmodSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { execa, execaSync } from 'execa'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../src/sandbox/probe.ts'
import { execute } from '../../src/sandbox/sandbox.ts'
import { scratch } from '../support/folder.ts'
import { createPlace, sh } from './place.ts'

const path = process.env['PATH'] ?? ''
const bubblewrap = execaSync('sh', ['-c', 'command -v bwrap']).stdout
const limits = expect.stringMatching(/^(cgroup-v2|cgroup-v1|supervised)$/)
const sudo = process.getuid?.() === 0 ? '' : 'sudo '

/** A folder with programs that are these scripts. */
const programs = (scripts: Record<string, string>) => {
  const folder = scratch()
  for (const [name, script] of Object.entries(scripts)) chmodSync(folder.write(name, `#!/bin/sh\n${script}\n`), 0o755)
  return folder
}

test('bubblewrap that works is found by running it', async () => {
  expect(await probeSandbox(path)).toEqual({ ok: true, detail: bubblewrap, limits })
})

test.each([
  [{}, "bubblewrap is missing: install bubblewrap with this system's package manager"],
  [{ 'apt-get': 'exit 0' }, `bubblewrap is missing: ${sudo}apt-get install -y --no-install-recommends bubblewrap`],
])('where it is missing, the line that installs it is named: %j', async (scripts, detail) => {
  using folder = programs(scripts)
  expect(await probeSandbox(folder.path)).toEqual({ ok: false, detail, limits })
})

test('where namespaces are forbidden, what forbids them is named', async () => {
  using folder = programs({ bwrap: 'echo "bwrap: No permissions to create new namespace" >&2; exit 1' })
  const { ok, detail } = await probeSandbox(folder.path)
  expect([ok, detail]).toEqual([
    false,
    expect.stringMatching(
      /^bubblewrap does not work here \(No permissions to create new namespace\): (in a container, |(sudo )?sysctl -w )/,
    ),
  ])
})

test('one that was broken and is mended is found at once', async () => {
  using folder = programs({ bwrap: 'exit 7' })
  const before = await probeSandbox(folder.path)
  chmodSync(folder.write('bwrap', `#!/bin/sh\nexec ${bubblewrap} "$@"\n`), 0o755)
  expect([before.ok, (await probeSandbox(folder.path)).ok]).toEqual([false, true])
})

test('a program is not run where bubblewrap is missing, and says so', async () => {
  using place = createPlace()
  using folder = programs({})
  expect(await execute(place.job(['true'], { path: folder.path }))).toEqual({
    exit: 126,
    ended: 'exit',
    output: "bubblewrap is missing: install bubblewrap with this system's package manager\n",
  })
})

test('an older bubblewrap will do', async () => {
  using place = createPlace()
  const unknown = 'case "$*" in *--disable-userns* | *--size*) echo "bwrap: Unknown option" >&2; exit 1 ;; esac'
  using folder = programs({ bwrap: `${unknown}\nexec ${bubblewrap} "$@"` })
  const job = place.job(sh('cat .env; echo ran'), { path: `${realpathSync(folder.path)}:${path}` })
  expect(await execute(job)).toEqual({
    exit: 0,
    ended: 'exit',
    output: expect.stringMatching(/^ran\n.*Permission denied/),
  })
})

test('the doctor says the same', async () => {
  const doctor = realpathSync('src/doctor.mjs')
  const row = async (name: string) => {
    const { stdout } = await execa(process.execPath, [doctor, '--json', '--only', name], { reject: false })
    return JSON.parse(stdout).checks[0]
  }
  const { ok, limits: way } = await probeSandbox(path)
  const [sandbox, limited] = await Promise.all([row('bubblewrap'), row('limits')])
  expect([sandbox.state === 'ok', limited.detail.split(':')[0]]).toEqual([ok, way])
  expect(dirname(bubblewrap)).toBe(dirname(/\((.*)\)/.exec(sandbox.detail)?.[1] ?? ''))
})
