// The launcher on a small package of its own, with a PATH that holds the real tools it uses and stand-ins for
// those that would change the machine (apt-get, sudo, npm) or pretend to be another one (id).

import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const repository = resolve(import.meta.dirname, '..')
const realTools =
  'sh cat chmod cksum cmp cp env find flock getconf grep ls mkdir mktemp mv readlink rm sed sort tail tee timeout tr true'

const scripts = {
  // Notes each start, so that a test can see what was started and what was not.
  node: `echo "node $*" | sed "s#$ROOT/##g" >>"$CALLS"
[ -z "\${NODE_SAYS-}" ] || { echo "$NODE_SAYS"; exit 0; }
exec "${process.execPath}" "$@"`,
  id: `echo "\${UID_SAYS:-0}"`,
  sudo: `echo "sudo $*" >>"$CALLS"
[ "\${SUDO_ALLOWS-yes}" = yes ] || exit 1
shift
exec "$@"`,
  'apt-get': `policy=none
[ ! -e "$BELLHOP_POLICY_RC_D" ] || { "$BELLHOP_POLICY_RC_D" postgresql start; policy=$?; }
echo "apt-get $* (\${DEBIAN_FRONTEND-}, policy $policy)" >>"$CALLS"
case $* in
  *install*)
    [ -z "\${APT_FAILS-}" ] || { echo 'E: Unable to locate package ripgrep'; exit 100; }
    [ -z "\${APT_INTERRUPTS-}" ] || kill -INT "$PPID"
    for package; do
      case $package in
        redis-server | git | chromium | curl | g++ | make | python3) program=$package ;;
        ripgrep) program=rg ;;
        postgresql) program=pg_ctlcluster ;;
        bubblewrap) program=bwrap; [ -z "\${APT_LACKS-}" ] || { echo 'E: Unable to locate package bubblewrap'; exit 100; } ;;
        *) continue ;;
      esac
      cp "$BIN/id" "$BIN/$program"
    done ;;
esac`,
  // ci lays out what npm would; rebuild makes the "binary" that the stand-in of better-sqlite3 wants.
  npm: `echo "npm $*" >>"$CALLS"
echo 'npm warn some noise'
case $1 in
  ci | install)
    [ "$1" != ci ] || [ -z "\${CI_FAILS-}" ] || { echo "npm error code $CI_FAILS"; exit 1; }
    rm -rf node_modules
    cp -R "$MODULES" node_modules
    [ ! -e package-lock.json ] || cp package-lock.json node_modules/.package-lock.json ;;
  rebuild)
    [ -z "\${REBUILD_FAILS-}" ] || { echo 'gyp ERR! not ok'; exit 1; }
    mkdir -p node_modules/better-sqlite3/build/Release
    echo compiled >node_modules/better-sqlite3/build/Release/better_sqlite3.node ;;
  run)
    [ "$2" != build-release ] || [ "\${CHECK_EXITS:-0}" != 0 ] || { mkdir -p build/Release; echo compiled >build/Release/better_sqlite3.node; }
    echo "long=\${BELLHOP_LONG-} in $PWD"
    exit "\${CHECK_EXITS:-0}" ;;
esac`,
}

const cli = (word: string) =>
  `declare const process: { argv: string[]; cwd(): string }
console.log(JSON.stringify({ word: '${word}', args: process.argv.slice(2), cwd: process.cwd() }))\n`

let scratch: string
let template: string
let box: Box

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bellhop-launcher-'))
  await layModules(join(scratch, 'modules'))
  template = join(scratch, 'template')
  await layPackage(template)
  const first = await (await createBox('first', template)).start('--version')
  expect(first.exitCode, first.stderr).toBe(0)
})

afterAll(() => rm(scratch, { recursive: true, force: true }))

let count = 0
beforeEach(async () => {
  count += 1
  const root = join(scratch, `clone ${count}`) // a space, because folders have them
  await execa('cp', ['-a', template, root]) // keeps the times to the nanosecond, which fs.cp does not
  box = await createBox(String(count), root)
})

type Box = Awaited<ReturnType<typeof createBox>>

/** One machine: a package, a PATH, a home, a policy file and a list of what was called. */
async function createBox(name: string, root: string) {
  const home = join(scratch, `box-${name}`)
  const bin = join(home, 'bin')
  const calls = join(home, 'calls')
  const policy = join(home, 'policy-rc.d')
  const env = {
    PATH: bin,
    HOME: home,
    BIN: bin,
    CALLS: calls,
    ROOT: root,
    MODULES: join(scratch, 'modules'),
    BELLHOP_POLICY_RC_D: policy,
    BELLHOP_CACHE: join(home, 'cache'),
  }
  await mkdir(bin, { recursive: true })
  for (const tool of realTools.split(' ')) await symlink(real(tool), join(bin, tool))
  for (const [file, body] of Object.entries(scripts)) await program(join(bin, file), body)
  for (const tool of ['g++', 'make', 'python3']) await program(join(bin, tool), 'exit 0')
  return {
    root,
    home,
    bin,
    policy,
    have: (...programs: string[]) => Promise.all(programs.map((one) => program(join(bin, one), 'exit 0'))),
    called: async (start = '') =>
      (await readFile(calls, 'utf8')).split('\n').filter((line) => line !== '' && line.startsWith(start)),
    start: async (command: string, options: { env?: Record<string, string>; file?: string } = {}) => {
      await writeFile(calls, '')
      return execa(options.file ?? join(root, 'bellhop'), command.split(' '), {
        cwd: home,
        env: { ...env, ...options.env },
        extendEnv: false,
        reject: false,
      })
    },
  }
}

async function program(file: string, body: string) {
  await writeFile(file, `#!/bin/sh\n${body}\n`)
  await chmod(file, 0o755)
}

/** Where a tool is. Not `command -v`, which answers only the name for what the shell has built in. */
function real(tool: string) {
  const places = (process.env['PATH'] ?? '').split(':').map((folder) => join(folder, tool))
  return places.find((place) => existsSync(place)) ?? join('/usr/bin', tool)
}

/** What `npm ci` brings: what really builds, and a better-sqlite3 that loads when its binary was made. */
async function layModules(folder: string) {
  await mkdir(join(folder, '.bin'), { recursive: true })
  await symlink(join(repository, 'node_modules/esbuild'), join(folder, 'esbuild'))
  await mkdir(join(folder, 'prebuild-install'))
  await writeFile(join(folder, 'prebuild-install/bin.js'), 'process.exit(1)')
  await mkdir(join(folder, 'better-sqlite3'))
  await writeFile(join(folder, 'better-sqlite3/package.json'), '{"version":"1.0.0","main":"index.js"}')
  await writeFile(
    join(folder, 'better-sqlite3/index.js'),
    `const made = require('fs').readFileSync(__dirname + '/build/Release/better_sqlite3.node', 'utf8')
if (made !== 'compiled\\n') throw new Error('invalid ELF header')
module.exports = class { close() {} }\n`,
  )
}

async function layPackage(root: string) {
  await mkdir(join(root, 'src'), { recursive: true })
  await mkdir(join(root, 'adapters'))
  await cp(join(repository, 'bellhop'), join(root, 'bellhop'))
  for (const name of ['doctor', 'build']) await cp(join(repository, `src/${name}.mjs`), join(root, `src/${name}.mjs`))
  await writeFile(join(root, 'src/cli.ts'), cli('one'))
  await writeFile(join(root, 'src/other.ts'), 'export const other = 1\n')
  await writeFile(join(root, 'package.json'), '{"type":"module"}\n')
  await writeFile(join(root, 'package-lock.json'), lockfile('1.0.0'))
  await writeFile(join(root, 'tsconfig.json'), '{}\n')
}

/** The package as npm installs it for somebody: no sources, and what it needs beside it. */
async function publish() {
  const root = join(box.home, 'node_modules/bellhop')
  await mkdir(join(root, 'src'), { recursive: true })
  for (const part of ['bellhop', 'dist', 'src/doctor.mjs'])
    await cp(join(box.root, part), join(root, part), { recursive: true })
  await writeFile(join(root, 'package.json'), '{"type":"module","optionalDependencies":{"better-sqlite3":"1.0.0"}}\n')
  for (const name of ['better-sqlite3', 'prebuild-install'])
    await cp(join(scratch, 'modules', name), join(root, '..', name), { recursive: true })
  return root
}

async function compileIn(folder: string) {
  await mkdir(join(folder, 'build/Release'), { recursive: true })
  await writeFile(join(folder, 'build/Release/better_sqlite3.node'), 'compiled\n')
}

function lockfile(version: string) {
  return JSON.stringify({ packages: { '': {}, 'node_modules/better-sqlite3': { version } } })
}

const said = (word: string, args: string[] = ['up'], cwd = box.home) => JSON.stringify({ word, args, cwd })
const update = 'apt-get update (, policy 101)'
const install = (names: string) =>
  `apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends ${names} (noninteractive, policy 101)`

describe('Node', () => {
  it('is asked for in one sentence when it is too old', async () => {
    const { exitCode, stdout, stderr } = await box.start('up', { env: { NODE_SAYS: 'v20.18.3' } })
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'bellhop: Node.js v20.18.3 is too old: install Node.js 20.19 or newer with npm from https://nodejs.org/en/download, then run this again.',
    })
  })

  it('is asked for in one sentence when there is none', async () => {
    await rm(join(box.bin, 'node'))
    const { exitCode, stderr } = await execa(join(box.root, 'bellhop'), ['up'], {
      env: { PATH: box.bin, HOME: box.home },
      extendEnv: false,
      reject: false,
    })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        "bellhop: there is no 'node' here: install Node.js 20.19 or newer with npm from https://nodejs.org/en/download, then run this again.",
    })
  })
})

describe('a start with everything there', () => {
  it('says nothing, and starts nothing but the program', async () => {
    await box.have('redis-server', 'rg', 'git', 'bwrap')
    const { exitCode, stdout, stderr } = await box.start('up')
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: said('one'), stderr: '' })
    expect(await box.called()).toEqual(['node --version', 'node dist/src/cli.js up'])
  })

  it('finds its package through a symlink and keeps the current folder', async () => {
    const link = join(box.home, 'link')
    await symlink('bin/bellhop-link', link)
    await symlink(join(box.root, 'bellhop'), join(box.bin, 'bellhop-link'))
    const { stdout, stderr } = await box.start('who --json', { file: link })
    expect({ stdout, stderr }).toEqual({ stdout: said('one', ['who', '--json']), stderr: '' })
  })

  it('sets nothing up in a published package, which has no sources', async () => {
    const root = await publish()
    await compileIn(join(root, '../better-sqlite3'))
    const first = await box.start('who', { file: join(root, 'bellhop') })
    expect([first.stdout, first.stderr]).toEqual([said('one', ['who']), ''])
    const second = await box.start('who', { file: join(root, 'bellhop') })
    expect([second.stdout, second.stderr]).toEqual([said('one', ['who']), ''])
    expect(await box.called()).toEqual(['node --version', `node ${root}/dist/src/cli.js who`])
  })

  it('hands the doctor its options without setting anything up', async () => {
    await rm(join(box.root, 'node_modules'), { recursive: true })
    const { exitCode, stdout } = await box.start('doctor --packages up')
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'redis-server ripgrep git' })
    expect(await box.called()).toEqual(['node --version', 'node src/doctor.mjs --packages up'])
  })
})

describe('missing Debian packages', () => {
  it('are installed by root under a policy that denies services and is gone afterwards', async () => {
    const { exitCode, stdout, stderr } = await box.start('up')
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: said('one'),
      stderr: `bellhop: installing redis-server ripgrep git from Debian's packages
bellhop: installing bubblewrap from Debian's packages`,
    })
    expect(await box.called('apt-get')).toEqual([update, install('redis-server ripgrep git'), install('bubblewrap')])
    expect(await readdir(box.home)).not.toContain('policy-rc.d')
  })

  it.each([
    ['worker', {}, ['ripgrep git', 'bubblewrap']],
    ['demo', {}, ['redis-server ripgrep git', 'bubblewrap']],
    ['up', { REDIS_URL: 'redis://localhost' }, ['ripgrep git', 'bubblewrap']],
    ['test', {}, ['redis-server ripgrep chromium curl postgresql git bubblewrap openssl']],
  ])('of %s with %j are %s', async (command, env, names) => {
    await box.start(command, { env })
    expect(await box.called('apt-get')).toEqual([update, ...names.map(install)])
  })

  it.each(['who', 'say hello', 'help', 'up --help', '--version'])(
    'are none of the business of: %s',
    async (command) => {
      expect((await box.start(command)).exitCode).toBe(0)
      expect(await box.called('apt-get')).toEqual([])
    },
  )

  it('leave a policy that denies already untouched', async () => {
    await program(box.policy, 'exit 101')
    const before = await stat(box.policy)
    await box.start('up')
    const after = await stat(box.policy)
    expect(await box.called('apt-get')).toEqual([update, install('redis-server ripgrep git'), install('bubblewrap')])
    expect([after.ino, after.mtimeMs, after.ctimeMs]).toEqual([before.ino, before.mtimeMs, before.ctimeMs])
  })

  it.each([
    ['installed', 'exit 0', {}, 0],
    ['installed', '[ "$1" != redis-server ] || exit 101', {}, 0],
    ['failed', 'exit 0', { APT_FAILS: 'yes' }, 1],
    ['interrupted', 'exit 0', { APT_INTERRUPTS: 'yes' }, 130],
  ])('bring back a policy that allows, as it was, when they are %s: %s', async (_, allows, env, code) => {
    await box.have('bwrap')
    await program(box.policy, allows)
    await chmod(box.policy, 0o700)
    const before = await stat(box.policy)
    const { exitCode } = await box.start('up', { env })
    const after = await stat(box.policy)
    expect(exitCode).toBe(code)
    expect(await box.called('apt-get')).toEqual([update, install('redis-server ripgrep git')])
    expect([after.ino, after.mode, after.mtimeMs]).toEqual([before.ino, before.mode, before.mtimeMs])
    expect((await readdir(box.home)).filter((file) => file.startsWith('policy'))).toEqual(['policy-rc.d'])
  })

  it('clean up after an install that was killed', async () => {
    await program(box.policy, '# put here by bellhop while it installs packages\nexit 101')
    await program(`${box.policy}.before-bellhop`, 'echo mine; exit 0')
    await box.start('up')
    expect(await readFile(box.policy, 'utf8')).toBe('#!/bin/sh\necho mine; exit 0\n')
    expect((await readdir(box.home)).filter((file) => file.startsWith('policy'))).toEqual(['policy-rc.d'])
  })

  it('show the end of the log when they cannot be installed', async () => {
    const { exitCode, stdout, stderr } = await box.start('up', { env: { APT_FAILS: 'yes' } })
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr.split('\n')).toEqual([
      "bellhop: installing redis-server ripgrep git from Debian's packages",
      expect.stringMatching(
        /^bellhop: installing redis-server ripgrep git failed\. The last lines of .*setup-log\.\w+:$/,
      ),
      '  E: Unable to locate package ripgrep',
    ])
    expect(await readdir(box.home)).not.toContain('policy-rc.d')
  })

  it('are installed through sudo where it asks for no password', async () => {
    await box.have('git', 'bwrap')
    const { exitCode, stderr } = await box.start('worker', { env: { UID_SAYS: '1000' } })
    expect(exitCode, stderr).toBe(0)
    expect(await box.called('apt-get')).toEqual([update, install('ripgrep')])
    expect(await box.called('sudo')).toEqual([
      'sudo -n true',
      `sudo -n tee ${box.policy}`,
      `sudo -n chmod 755 ${box.policy}`,
      'sudo -n apt-get update',
      'sudo -n env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends ripgrep',
      `sudo -n rm -f ${box.policy}`,
    ])
  })

  it('are asked for with the exact line where sudo wants a password', async () => {
    const { exitCode, stdout, stderr } = await box.start('up', { env: { UID_SAYS: '1000', SUDO_ALLOWS: 'no' } })
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `bellhop: missing: redis-server ripgrep git. Run this, then start again:
  sudo apt-get update && sudo apt-get install -y --no-install-recommends redis-server ripgrep git`,
    })
    expect(await box.called('apt-get')).toEqual([])
  })
})

describe('bubblewrap', () => {
  beforeEach(() => box.have('redis-server', 'rg', 'git'))
  const without = 'bellhop: starting without it: until it is there, agents run no programs'

  it('that cannot be installed keeps nothing from starting, and is not tried again', async () => {
    const env = { APT_LACKS: 'yes' }
    const first = await box.start('up', { env })
    expect([first.exitCode, first.stdout, first.stderr.split('\n')]).toEqual([
      0,
      said('one'),
      [
        "bellhop: installing bubblewrap from Debian's packages",
        expect.stringMatching(/^bellhop: installing bubblewrap failed\. The last lines of .*:$/),
        '  E: Unable to locate package bubblewrap',
        without,
      ],
    ])
    const second = await box.start('up', { env })
    expect([second.exitCode, second.stdout, second.stderr]).toEqual([0, said('one'), ''])
    expect(await box.called()).toEqual(['node --version', 'node dist/src/cli.js up'])
  })

  it.each([
    [
      'where sudo wants a password',
      { UID_SAYS: '1000', SUDO_ALLOWS: 'no' },
      /Run this, then start again:\n {2}sudo apt-get/,
    ],
    ['where nothing can be kept', { UID_SAYS: '1000', SUDO_ALLOWS: 'no', HOME: '', BELLHOP_CACHE: '' }, /Run this/],
  ])('is asked for %s, and it starts', async (_, env, line) => {
    const { exitCode, stdout, stderr } = await box.start('worker', { env })
    expect([exitCode, stdout]).toEqual([0, said('one', ['worker'])])
    expect(stderr).toMatch(line)
    expect(stderr.endsWith(without)).toBe(true)
  })

  it('is asked for where there is no apt-get, and it starts', async () => {
    await rm(join(box.bin, 'apt-get'))
    const { exitCode, stdout, stderr } = await box.start('up')
    expect([exitCode, stdout]).toEqual([0, said('one')])
    expect(stderr).toBe(
      `bellhop: missing: bubblewrap. There is no apt-get here: install them with this system's package manager, then run this again.\n${without}`,
    )
  })
})

describe('npm packages', () => {
  it('are installed and compiled once, and the program alone speaks on stdout', async () => {
    await rm(join(box.root, 'node_modules'), { recursive: true })
    const { exitCode, stdout, stderr } = await box.start('who')
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: said('one', ['who']),
      stderr: `bellhop: installing npm packages
bellhop: fetching the compiled part of better-sqlite3
bellhop: compiling better-sqlite3 (about a minute and a half, once)`,
    })
    expect(await box.called('npm')).toEqual([
      'npm ci --ignore-scripts --no-audit --no-fund --loglevel=error',
      'npm rebuild better-sqlite3 --no-audit --no-fund --loglevel=error',
    ])
    expect((await box.start('who')).stderr).toBe('')
    expect(await readdir(join(box.home, 'cache/bellhop'))).toEqual([
      expect.stringMatching(/^better-sqlite3-1\.0\.0-.*\.node$/),
    ])
  })

  it('come with the compiler from Debian where there is none', async () => {
    await rm(join(box.root, 'node_modules'), { recursive: true })
    await rm(join(box.bin, 'g++'))
    await rm(join(box.bin, 'python3'))
    expect((await box.start('who')).exitCode).toBe(0)
    expect(await box.called('apt-get')).toEqual([update, install('g++ python3')])
  })

  it('are installed again when the lockfile changed', async () => {
    await writeFile(join(box.root, 'package-lock.json'), lockfile('1.0.1'))
    expect((await box.start('who')).stderr).toContain('bellhop: installing npm packages')
    expect((await box.start('who')).stderr).toBe('')
  })

  it('that somebody installed by hand are taken as they are', async () => {
    await rm(join(box.root, 'node_modules/.bellhop'), { recursive: true })
    const { stdout, stderr } = await box.start('who')
    expect({ stdout, stderr }).toEqual({ stdout: said('one', ['who']), stderr: '' })
    expect(await box.called('npm')).toEqual([])
  })

  it('are compiled from the cache in a second clone, and anew when what is kept there is broken', async () => {
    const binary = join(box.root, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node')
    const forget = () => Promise.all([rm(binary), rm(join(box.root, 'node_modules/.bellhop/compiled'))])
    await forget()
    await box.start('who')
    const [kept = ''] = await readdir(join(box.home, 'cache/bellhop'))

    await forget()
    expect((await box.start('who')).stderr).toBe('')
    expect(await readFile(binary, 'utf8')).toBe('compiled\n')

    await forget()
    await writeFile(join(box.home, 'cache/bellhop', kept), 'torn')
    expect((await box.start('who')).stderr).toContain('compiling better-sqlite3')
    expect(await readFile(join(box.home, 'cache/bellhop', kept), 'utf8')).toBe('compiled\n')
  })

  it('show the end of the log when compiling fails, and are tried again at the next start', async () => {
    await rm(join(box.root, 'node_modules'), { recursive: true })
    const failed = await box.start('who', { env: { REBUILD_FAILS: 'yes' } })
    expect({ code: failed.exitCode, stdout: failed.stdout }).toEqual({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(/bellhop: compiling better-sqlite3 failed.*\n( {2}.*\n)* {2}gyp ERR! not ok$/)
    expect((await box.start('who')).stdout).toBe(said('one', ['who']))
  })

  it('are installed where npm refuses the lockfile for packages of other systems, and nowhere else', async () => {
    const clean = () => rm(join(box.root, 'node_modules'), { recursive: true, force: true })
    await clean()
    expect((await box.start('who', { env: { CI_FAILS: 'EUSAGE' } })).exitCode).toBe(0)
    expect(await box.called('npm install --no-save')).toHaveLength(1)
    await clean()
    expect((await box.start('who', { env: { CI_FAILS: 'ENETUNREACH' } })).exitCode).toBe(1)
    expect(await box.called('npm install')).toEqual([])
  })

  it('need no home', async () => {
    await rm(join(box.root, 'node_modules'), { recursive: true })
    const { exitCode, stdout } = await box.start('who', { env: { HOME: '', BELLHOP_CACHE: '' } })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: said('one', ['who']) })
  })
})

describe('a published package', () => {
  const binary = 'better-sqlite3/build/Release/better_sqlite3.node'

  it('whose install scripts were blocked gets its compiled part at the first start, and keeps it', async () => {
    const root = await publish()
    const { exitCode, stdout, stderr } = await box.start('who', { file: join(root, 'bellhop') })
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: said('one', ['who']),
      stderr: `bellhop: fetching the compiled part of better-sqlite3
bellhop: compiling better-sqlite3 (about a minute and a half, once)`,
    })
    expect(await box.called('npm')).toEqual(['npm run build-release --no-audit --no-fund --loglevel=error'])
    expect((await box.start('who', { file: join(root, 'bellhop') })).stderr).toBe('')
    expect(await readdir(join(box.home, 'cache/bellhop'))).toHaveLength(1)

    await rm(join(root, '..', 'better-sqlite3/build'), { recursive: true })
    expect((await box.start('who', { file: join(root, 'bellhop') })).stderr).toBe('')
    expect(await readFile(join(root, '..', binary), 'utf8')).toBe('compiled\n')
  })

  it('that npm installed without better-sqlite3 brings it, in the version that it names', async () => {
    const root = await publish()
    await rm(join(root, '../better-sqlite3'), { recursive: true })
    const { exitCode, stdout, stderr } = await box.start('who', { file: join(root, 'bellhop') })
    expect([exitCode, stdout, stderr.split('\n')[0]]).toEqual([
      0,
      said('one', ['who']),
      'bellhop: installing better-sqlite3, which npm left out',
    ])
    expect((await box.called('npm'))[0]).toBe(
      'npm install --ignore-scripts --no-audit --no-fund --no-package-lock --loglevel=error better-sqlite3@1.0.0',
    )
    expect(await readFile(join(root, 'node_modules', binary), 'utf8')).toBe('compiled\n')
    expect((await readdir(root)).filter((name) => name.startsWith('new.'))).toEqual([])
    expect((await box.start('who', { file: join(root, 'bellhop') })).stderr).toBe('')
  })

  it('says why it does not start where compiling fails, and helps without', async () => {
    const root = await publish()
    const failed = await box.start('who', { file: join(root, 'bellhop'), env: { CHECK_EXITS: '1' } })
    expect([failed.exitCode, failed.stdout]).toEqual([1, ''])
    expect(failed.stderr).toMatch(/bellhop: compiling better-sqlite3 failed/)
    expect((await box.start('--version', { file: join(root, 'bellhop') })).exitCode).toBe(0)
  })
})

describe('the build', () => {
  it('is made again when a source changed', async () => {
    await writeFile(join(box.root, 'src/cli.ts'), cli('two'))
    const { stdout, stderr } = await box.start('who')
    expect({ stdout, stderr }).toEqual({ stdout: said('two', ['who']), stderr: 'bellhop: building' })
    expect((await box.start('who')).stderr).toBe('')
  })

  it('is made again when a source is older than before, as after a checkout', async () => {
    await utimes(join(box.root, 'src/other.ts'), new Date(0), new Date(0))
    expect((await box.start('who')).stderr).toBe('bellhop: building')
  })

  it('is made again when a source vanished, and drops what came of it', async () => {
    await writeFile(join(box.root, 'dist/src/other.js'), '')
    await rm(join(box.root, 'src/other.ts'))
    expect((await box.start('who')).stderr).toBe('bellhop: building')
    expect(await readdir(join(box.root, 'dist/src'))).toEqual(['cli.js'])
  })

  it('that fails shows why, starts nothing, and leaves the one before', async () => {
    await writeFile(join(box.root, 'src/cli.ts'), "import './gone.ts'\n")
    const { exitCode, stdout, stderr } = await box.start('who')
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain('Could not resolve "./gone.ts"')
    expect(await readdir(join(box.root, 'dist/src'))).toEqual(['cli.js'])
  })

  it('is made once when two start at the same time', async () => {
    await writeFile(join(box.root, 'src/cli.ts'), cli('two'))
    const both = await Promise.all([box.start('who'), box.start('who')])
    expect(both.map((one) => one.stdout)).toEqual([said('two', ['who']), said('two', ['who'])])
    expect(
      both
        .map((one) => one.stderr)
        .join('\n')
        .match(/building/g),
    ).toHaveLength(1)
  })
})

describe('bellhop test', () => {
  beforeEach(() => box.have('redis-server', 'rg', 'chromium', 'curl', 'git', 'bwrap', 'openssl'))

  it.each(['pg_ctlcluster', 'postgres'])(
    'runs all the checks and ends with their exit code, PostgreSQL being there as %s',
    async (postgresql) => {
      await box.have(postgresql)
      expect((await box.start('test', { env: { CHECK_EXITS: '7' } })).exitCode).toBe(7)
      expect(await box.called()).toEqual(['node --version', 'npm run --silent check'])
    },
  )

  it('runs only the tests that are named, in the package, and the long ones when asked', async () => {
    await box.have('pg_ctlcluster')
    const short = await box.start('test test/a.test.ts -t name', { env: { CHECK_EXITS: '3' } })
    expect(short.exitCode).toBe(3)
    expect(await box.called('npm')).toEqual([`npm run --silent test:run -- test/a.test.ts -t name`])
    const long = await box.start('test --long test/a.test.ts')
    expect(long.stdout).toContain(`long=1 in ${box.root}`)
  })
})
