// The doctor as a program, in prepared folders, with a PATH that holds only what a test puts there.

import { on, once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSilent } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TESTED } from '../src/runners/versions.ts'

const repository = resolve(import.meta.dirname, '..')

let root: string
let bin: string
let data: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'bellhop-doctor-'))
  bin = join(root, 'bin')
  data = join(root, 'data')
  await mkdir(join(root, 'src'))
  await mkdir(bin)
  await cp(join(repository, 'src/doctor.mjs'), join(root, 'src/doctor.mjs'))
  await lay('package.json', { dependencies: { 'better-sqlite3': '1.0.0' } })
})

afterEach(() => rm(root, { recursive: true, force: true }))

async function lay(path: string, content: string | object) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content))
}

/** Programs that answer `--version` with their name and a number. */
async function have(...programs: string[]) {
  for (const name of programs) {
    await lay(`bin/${name}`, `#!/bin/sh\necho '${name} 1.2.3'\necho more\n`)
    await chmod(join(bin, name), 0o755)
  }
}

/** All that a set up clone has. */
async function setUp() {
  const packages = { 'node_modules/better-sqlite3': { version: '1.0.0', integrity: 'sha512-x' } }
  const others = { '': {}, 'node_modules/for-another-system': { version: '1.0.0', optional: true } }
  await lay('package-lock.json', { packages: { ...others, ...packages } })
  await lay('node_modules/.package-lock.json', { packages })
  await lay('node_modules/better-sqlite3/index.js', 'module.exports = class { close() {} }\n')
  await lay('dist/src/cli.js', '')
}

async function doctor(command: string, env: Record<string, string> = {}) {
  const { exitCode, stdout, stderr } = await execa(
    process.execPath,
    [join(root, 'src/doctor.mjs'), ...command.split(' ')],
    { cwd: root, env: { PATH: bin, BELLHOP_DATA: data, ...env }, extendEnv: false, reject: false },
  )
  return { exitCode, stdout, stderr }
}

/** The answer to one check, after making sure that the exit code says the same. */
async function check(name: string, env: Record<string, string> = {}) {
  const { exitCode, stdout } = await doctor(`--json --only ${name}`, env)
  const { ready, checks } = JSON.parse(stdout)
  expect({ exitCode, count: checks.length }).toEqual({ exitCode: ready ? 0 : 1, count: 1 })
  return checks[0]
}

/** Resolves when a stream has brought a text. */
async function says(stream: Readable, text: string) {
  let seen = ''
  for await (const [chunk] of on(stream, 'data')) {
    seen += String(chunk)
    if (seen.includes(text)) return
  }
}

const ok = (name: string, detail: unknown) => ({ name, state: 'ok', detail, fix: null })
const installs = (name: string) => expect.stringMatching(RegExp(`apt-get install .* ${name.replaceAll('+', '\\+')}$`))
const limits = ok(
  'limits',
  expect.stringMatching(/^(cgroup-v[12]: memory and processes are limited by|supervised: no cgroup can)/),
)
const node = ok('node', `${process.version} (${process.execPath})`)

describe('the whole report', () => {
  it('finds everything in a folder that is set up', async () => {
    const programs = ['npm', 'redis-server', 'rg', 'git', 'bwrap', 'claude', 'codex', 'chromium', 'pg_ctlcluster']
    await have(...programs)
    await setUp()
    const found = (name: string, program = name) => ok(name, `${program} 1.2.3 (${join(bin, program)})`)
    const { exitCode, stdout, stderr } = await doctor('--json')
    expect({ exitCode, stderr, report: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      stderr: '',
      report: {
        ready: true,
        checks: [
          node,
          found('npm'),
          ok('packages', 'the npm packages are installed'),
          ok('better-sqlite3', 'it loads'),
          ok('build', join(root, 'dist/src/cli.js')),
          found('redis', 'redis-server'),
          found('ripgrep', 'rg'),
          found('git'),
          ok('data', expect.stringMatching(/data \(made at the first start\), \d+ MB free$/)),
          ok('instance', 'none is running on this data folder'),
          found('bubblewrap', 'bwrap'),
          limits,
          ...['claude', 'codex'].map((name) =>
            ok(name, `${name} 1.2.3 (${join(bin, name)}); \`bellhop doctor --wall\` tries its wall`),
          ),
          found('chromium'),
          ok('postgresql', join(bin, 'pg_ctlcluster')),
        ],
      },
    })
  })

  it('names all that is missing in a fresh clone on a bare machine, with the line for each', async () => {
    await have('apt-get')
    await lay('package-lock.json', { packages: { '': {}, 'node_modules/better-sqlite3': { version: '1.0.0' } } })
    const setup = `${join(root, 'bellhop')} --version`
    const absent = (name: string, state: string, detail: unknown, fix: unknown) => ({ name, state, detail, fix })
    const { exitCode, stdout } = await doctor('--json')
    expect({ exitCode, report: JSON.parse(stdout) }).toEqual({
      exitCode: 1,
      report: {
        ready: false,
        checks: [
          node,
          absent('npm', 'missing', 'npm is not on the PATH', installs('npm')),
          absent('packages', 'missing', 'not installed or another version: better-sqlite3', setup),
          absent('better-sqlite3', 'missing', "it does not load: Cannot find module 'better-sqlite3'", setup),
          absent(
            'compiler',
            'optional',
            expect.stringMatching(/^g\+\+, make, python3.* missing; needed where no prebuilt/),
            expect.stringMatching(/apt-get install .* g\+\+ make python3/),
          ),
          absent('build', 'missing', `${join(root, 'dist/src/cli.js')} is not there`, setup),
          absent('redis', 'missing', 'redis-server is not on the PATH', installs('redis-server')),
          absent('ripgrep', 'missing', 'rg is not on the PATH', installs('ripgrep')),
          absent('git', 'missing', 'git is not on the PATH', installs('git')),
          ok('data', expect.stringContaining(data)),
          ok('instance', 'none is running on this data folder'),
          absent(
            'bubblewrap',
            'optional',
            'bwrap is not on the PATH; needed for tools that run commands',
            installs('bubblewrap'),
          ),
          limits,
          absent(
            'claude',
            'optional',
            'claude is not on the PATH; its agents rehearse',
            `npm install -g @anthropic-ai/claude-code@${TESTED.claude.at(-1)}`,
          ),
          absent(
            'codex',
            'optional',
            'codex is not on the PATH; its agents rehearse',
            `npm install -g @openai/codex@${TESTED.codex.at(-1)}`,
          ),
          absent('chromium', 'optional', 'chromium is not on the PATH; needed for the tests', installs('chromium')),
          absent(
            'postgresql',
            'optional',
            'pg_ctlcluster or postgres is not on the PATH; needed for the tests, and where a shared store is kept',
            installs('postgresql'),
          ),
        ],
      },
    })
  })

  it('is one line a check for people, with the fix under it and a verdict at the end', async () => {
    await have('redis-server')
    expect(await doctor('--only redis')).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: `ok        redis  redis-server 1.2.3 (${join(bin, 'redis-server')})

Everything that is required is there.`,
    })
    expect(await doctor('--only ripgrep')).toEqual({
      exitCode: 1,
      stderr: '',
      stdout: `missing   ripgrep  rg is not on the PATH
                   fix: install ripgrep with this system's package manager

Not ready: ripgrep. The lines after "fix:" put it right.`,
    })
  })
})

describe('the npm packages', () => {
  it('are missing when one has another version than the lockfile says', async () => {
    await setUp()
    await lay('package-lock.json', { packages: { 'node_modules/better-sqlite3': { version: '1.0.1' } } })
    expect((await check('packages')).detail).toBe('not installed or another version: better-sqlite3')
  })

  it('are missing when a folder was deleted by hand', async () => {
    await setUp()
    await rm(join(root, 'node_modules/better-sqlite3'), { recursive: true })
    expect((await check('packages')).state).toBe('missing')
  })

  it('of a published package, which has no lockfile, are looked for by name', async () => {
    expect((await check('packages')).detail).toBe('not installed or another version: better-sqlite3')
    await lay('node_modules/better-sqlite3/package.json', {})
    expect((await check('packages')).state).toBe('ok')
  })
})

describe('Redis by REDIS_URL', () => {
  it('is asked for a PONG, with the password when there is one, which is never shown', async () => {
    const socket = join(root, 'redis.sock')
    const server = execa('redis-server', ['--port', '0', '--unixsocket', socket, '--requirepass', 'p@ss', '--save', ''])
    try {
      await Promise.race([server, says(server.stdout, 'ready to accept connections')])
      const detail = `REDIS_URL, ${socket}: `
      expect(await check('redis', { REDIS_URL: `${socket}?password=p%40ss` })).toEqual(ok('redis', `${detail}PONG`))
      const file = join(root, 'redis-url')
      await writeFile(file, `${socket}?password=p%40ss\n`)
      expect(await check('redis', { REDIS_URL_FILE: file })).toEqual(ok('redis', `REDIS_URL_FILE, ${socket}: PONG`))
      expect(await check('redis', { REDIS_URL: socket })).toEqual({
        name: 'redis',
        state: 'missing',
        detail: `${detail}NOAUTH Authentication required.`,
        fix: 'unset REDIS_URL',
      })
    } finally {
      server.kill()
      await server.catch(() => {})
    }
  })

  it.each([
    ['redis://:secret@127.0.0.1:1/0', 'REDIS_URL, 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1'],
    [
      'http://localhost',
      'REDIS_URL is none of redis://, rediss://, redis+sentinel://, redis+cluster://, and no path of a socket',
    ],
    [
      'redis+cluster://:secret@127.0.0.1:1,127.0.0.1:2',
      'REDIS_URL, 127.0.0.1:1,127.0.0.1:2: connect ECONNREFUSED 127.0.0.1:1',
    ],
  ])('is missing when it is %s', async (REDIS_URL, detail) => {
    expect(await check('redis', { REDIS_URL })).toEqual({
      name: 'redis',
      state: 'missing',
      detail,
      fix: 'unset REDIS_URL',
    })
  })

  it.each([
    ['redis+sentinel://ada:secret@127.0.0.1:1,127.0.0.1:PORT/main?sentinelPassword=p%40ss', 'AUTH p@ss'],
    ['redis+cluster://ada:p%40ss@127.0.0.1:1,127.0.0.1:PORT', 'AUTH ada p@ss'],
  ])('is there when one of several hosts answers: %s', async (form, login) => {
    let asked = ''
    await using host = createSilent((socket) =>
      socket.on('data', (chunk) => {
        asked += chunk
        if (asked.includes('PING')) socket.end('+OK\r\n+PONG\r\n')
      }),
    ).listen(0, '127.0.0.1')
    await once(host, 'listening')
    const { port } = host.address() as AddressInfo
    expect(await check('redis', { REDIS_URL: form.replace('PORT', String(port)) })).toEqual(
      ok('redis', `REDIS_URL, 127.0.0.1:1,127.0.0.1:${port}: PONG`),
    )
    expect(
      asked
        .split('\r\n')
        .filter((part) => /^[^*$]/.test(part))
        .join(' '),
    ).toBe(`${login} PING`)
  })

  it('is missing when the file with its address cannot be read', async () => {
    const file = join(root, 'no-such-file')
    expect(await check('redis', { REDIS_URL_FILE: file })).toEqual({
      name: 'redis',
      state: 'missing',
      detail: `REDIS_URL_FILE cannot be read: ENOENT: no such file or directory, open '${file}'`,
      fix: 'unset REDIS_URL_FILE',
    })
  })

  it('is given up after two seconds without an answer', async () => {
    await using silent = createSilent((socket) => socket.resume()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const { detail } = await check('redis', { REDIS_URL: `redis://127.0.0.1:${port}` })
    expect(detail).toBe(`REDIS_URL, 127.0.0.1:${port}: no answer in 2 s`)
  })
})

describe('bubblewrap', () => {
  it('is run in earnest: one that is there and may not do its work is named, with what forbids it', async () => {
    await have('bwrap')
    const forbidden = `case $1 in --version) echo 'bubblewrap 1' ;; *) echo 'bwrap: No permissions to create new namespace' >&2; exit 1 ;; esac`
    await lay('bin/bwrap', `#!/bin/sh\n${forbidden}\n`)
    expect(await check('bubblewrap')).toEqual({
      name: 'bubblewrap',
      state: 'optional',
      detail: `${join(bin, 'bwrap')} does not work here: bwrap: No permissions to create new namespace; needed for tools that run commands`,
      fix: expect.stringMatching(/^(in a container, start it with --security-opt|(sudo )?sysctl -w )/),
    })
  })

  it('is run with every namespace, and nothing of what root can do', async () => {
    await lay('bin/bwrap', `#!/bin/sh\necho "$*" >>${join(root, 'calls')}\necho bwrap 1\n`)
    await chmod(join(bin, 'bwrap'), 0o755)
    expect((await check('bubblewrap')).state).toBe('ok')
    expect(await readFile(join(root, 'calls'), 'utf8')).toMatch(
      /^--version\n--unshare-all .*--cap-drop ALL .*--proc \/proc /,
    )
  })
})

describe('the data folder', () => {
  it('is missing when a file is in its place, and --data goes before BELLHOP_DATA', async () => {
    await lay('file', '')
    const { exitCode, stdout } = await doctor(`--json --only data --data ${join(root, 'file')}`)
    expect({ exitCode, checks: JSON.parse(stdout).checks }).toEqual({
      exitCode: 1,
      checks: [
        {
          name: 'data',
          state: 'missing',
          detail: `${join(root, 'file')} is not a folder`,
          fix: 'export BELLHOP_DATA=/a/folder/you/can/write',
        },
      ],
    })
  })
})

describe('a running instance', () => {
  it('is healthy when its address says so, and otherwise named with its process', async () => {
    let status = 200
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/readyz' ? status : 404
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await lay('data/up.json', { pid: process.pid, url })
    expect(await check('instance')).toEqual(ok('instance', `process ${process.pid} is healthy at ${url}`))

    status = 503
    const failing = { name: 'instance', state: 'missing', fix: `kill ${process.pid}` }
    const detail = `process ${process.pid} runs, but ${url}: /readyz`
    expect(await check('instance')).toEqual({ ...failing, detail: `${detail} answers 503` })

    server.close()
    await once(server, 'close')
    const refused = expect.stringMatching(/\/readyz does not answer: connect ECONNREFUSED/)
    expect(await check('instance')).toEqual({ ...failing, detail: refused })
  })

  it('is none when its process ended', async () => {
    const ended = execa(process.execPath, ['-e', '0'])
    await ended
    await lay('data/up.json', { pid: ended.pid, url: 'http://127.0.0.1:1' })
    const detail = `none is running on this data folder; process ${ended.pid} is gone`
    expect(await check('instance')).toEqual(ok('instance', detail))
  })

  it('is reported when its file is damaged', async () => {
    await lay('data/up.json', '{')
    const file = join(data, 'up.json')
    const damaged = { name: 'instance', state: 'missing', detail: `${file} is damaged`, fix: `rm ${file}` }
    expect(await check('instance')).toEqual(damaged)
  })
})

describe('the options', () => {
  it.each(['--nope', 'word', '--packages', '--packages nope', '--only nope', '--data'])(
    'are refused with the usage when wrong: %s',
    async (command) => {
      const { exitCode, stdout, stderr } = await doctor(command)
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
      expect(stderr).toMatch(/^bellhop doctor: .+\n\nUsage: bellhop doctor /)
    },
  )

  it('are explained by --help', async () => {
    const { exitCode, stdout, stderr } = await doctor('--help')
    expect({ exitCode, stderr, start: stdout.slice(0, 21) }).toEqual({
      exitCode: 0,
      stderr: '',
      start: 'Usage: bellhop doctor',
    })
  })

  it.each([
    ['up', {}, 'redis-server ripgrep git'],
    ['up', { REDIS_URL: 'redis://localhost' }, 'ripgrep git'],
    ['demo', {}, 'redis-server ripgrep git'],
    ['worker', {}, 'ripgrep git'],
    [
      'test',
      { REDIS_URL: 'redis://localhost' },
      'redis-server ripgrep chromium curl postgresql git bubblewrap openssl',
    ],
    ['sandbox', {}, 'bubblewrap'],
  ])('list for --packages %s with %j: %s', async (purpose, env, stdout) => {
    expect(await doctor(`--packages ${purpose}`, env)).toEqual({ exitCode: 0, stdout, stderr: '' })
  })

  it.each(['pg_ctlcluster', 'postgres'])(
    'list nothing for --packages when nothing is missing, PostgreSQL being there as %s',
    async (postgresql) => {
      await have('redis-server', 'rg', 'chromium', 'curl', 'git', 'bwrap', 'openssl', postgresql)
      expect(await doctor('--packages test')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    },
  )
})
