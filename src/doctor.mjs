// @ts-check
// Says what is there, what is missing and which line puts it right. It runs before anything is installed,
// so it is plain JavaScript, uses nothing but Node and is no part of the build.

import { execFile, execFileSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { connect, isIP } from 'node:net'
import { delimiter, dirname, join, resolve } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/**
 * @typedef {{ name: string, state: 'ok' | 'missing' | 'optional', detail: string, fix: string | null }} Check
 * @typedef {{ root: string, data: string, env: NodeJS.ProcessEnv }} Place
 * @typedef {{ packages: Record<string, { version?: string, integrity?: string, optional?: boolean }> }} Lockfile
 */

// Program (or another that will do as well), Debian package, and what cannot be done without it. The launcher reads
// these lines too; what is for the sandbox it installs where it can, and starts without it where it cannot. Debian's
// PostgreSQL server is not on the PATH, where only what manages it is; elsewhere it is.
const PROGRAMS = `
redis-server redis-server up demo test
rg ripgrep up demo worker test
chromium chromium test
curl curl test
/usr/bin/python3 python3 test
/usr/lib/python3/dist-packages/websockets/__init__.py python3-websockets test
pg_ctlcluster|postgres postgresql test
g++ g++ compile
make make compile
python3 python3 compile
git git up demo worker test
bwrap bubblewrap sandbox test
/usr/sbin/ngircd ngircd test
/usr/sbin/inspircd inspircd test
/usr/bin/atheme-services atheme-services test
/usr/bin/faketime faketime test
openssl openssl test
/usr/sbin/nginx nginx-light test
/usr/bin/docker-compose docker-compose test
/usr/bin/systemd-analyze systemd test
/usr/bin/tmux tmux test
/usr/bin/promtool prometheus test
`

const programs = PROGRAMS.trim()
  .split('\n')
  .map((line) => {
    const [program = '', debian = '', ...purposes] = line.split(' ')
    return { program, debian, purposes }
  })

const purposes = [...new Set(programs.flatMap((one) => one.purposes))]
const LIMIT_MS = 2000
const LEAST_FREE_MB = 200
const NETWORKS_MS = 90_000

/** @type {(name: string, detail: string) => Check} */
const ok = (name, detail) => ({ name, state: 'ok', detail, fix: null })
/** @type {(name: string, detail: string, fix: string | null) => Check} */
const missing = (name, detail, fix) => ({ name, state: 'missing', detail, fix })
/** @type {(name: string, detail: string, fix: string | null) => Check} */
const optional = (name, detail, fix) => ({ name, state: 'optional', detail, fix })

/** @type {(error: unknown) => string} */
const reason = (error) => (error instanceof Error && error.message.split('\n')[0]) || String(error)

/** @type {(word: string) => string} */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** @type {(program: string, env: NodeJS.ProcessEnv) => string | null} */
function find(program, env) {
  // A library, which is no program.
  if (program.startsWith('/')) return existsSync(program) ? program : null
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const files = program.split('|').flatMap((name) => folders.map((folder) => join(folder, name)))
  return files.find(executable) ?? null
}

/** @type {(file: string) => boolean} */
function executable(file) {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** @type {(file: string) => unknown} */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/**
 * The first line a program prints about its version; null when it does not run.
 * @type {(file: string) => Promise<string | null>}
 */
function version(file) {
  return new Promise((done) => {
    execFile(file, ['--version'], { timeout: LIMIT_MS * 2 }, (error, stdout) =>
      done(error ? null : (stdout.trim().split('\n')[0] ?? '')),
    )
  })
}

/** @type {(packages: string[], env: NodeJS.ProcessEnv) => string} */
function installLine(packages, env) {
  const names = packages.join(' ')
  if (!find('apt-get', env)) return `install ${names} with this system's package manager`
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  return `${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${names}`
}

/**
 * The Debian packages that are missing for a purpose.
 * @type {(purpose: string, env: NodeJS.ProcessEnv) => string[]}
 */
function missingPackages(purpose, env) {
  const ownRedis = purpose !== 'test' && (env['REDIS_URL'] || env['REDIS_URL_FILE'])
  const names = programs
    .filter((one) => one.purposes.includes(purpose) && !find(one.program, env))
    .filter((one) => !(ownRedis && one.program === 'redis-server'))
    .map((one) => one.debian)
  return purpose === 'compile' && debianHeadersMissing() ? [...names, 'libnode-dev'] : names
}

const prefix = dirname(dirname(process.execPath))
const hasHeaders = () => existsSync(join(prefix, 'include/node/node.h'))

// Debian's own Node is a thin program around a shared library; its headers are a package of their own.
// Other Nodes bring theirs along, or they are fetched from outside.
function debianHeadersMissing() {
  const variables = /** @type {Record<string, unknown>} */ (process.config.variables)
  return !hasHeaders() && variables['node_shared'] === true
}

/** @type {(place: Place) => string} */
const setupLine = ({ root }) => `${quoted(join(root, 'bellhop'))} --version`

/** @type {(place: Place) => Check} */
function node() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const detail = `${process.version} (${process.execPath})`
  if (major > 20 || (major === 20 && minor >= 19)) return ok('node', detail)
  return missing('node', `${detail}, 20.19 or newer is needed`, 'install it from https://nodejs.org/en/download')
}

/**
 * A program by name: there and running, or the line that installs it.
 * @type {(name: string, program: string, env: NodeJS.ProcessEnv) => Promise<Check>}
 */
async function program(name, program, env) {
  const debian = programs.find((one) => one.program === program)?.debian ?? program
  const file = find(program, env)
  const fix = installLine([debian], env)
  if (!file) return missing(name, `${program} is not on the PATH`, fix)
  const line = await version(file)
  return line === null ? missing(name, `${file} does not run`, fix) : ok(name, `${line} (${file})`)
}

/** @type {(why: string, check: Promise<Check>) => Promise<Check>} */
async function unlessMissing(why, check) {
  const { name, state, detail, fix } = await check
  return state === 'missing' ? optional(name, `${detail}; ${why}`, fix) : ok(name, detail)
}

/**
 * The program of an agent: without it, that agent is a rehearsal.
 * @type {(name: string, npm: string, env: NodeJS.ProcessEnv) => Promise<Check>}
 */
async function agentProgram(name, npm, env) {
  const file = find(name, env)
  const said = file && (await version(file))
  if (said) return ok(name, `${said} (${file}); \`bellhop doctor --wall\` tries its wall`)
  return optional(name, `${name} is not on the PATH; its agents rehearse`, `npm install -g ${npm}`)
}

/** @type {(place: Place) => Check} */
function packages(place) {
  const wanted = /** @type {Lockfile | null} */ (readJson(join(place.root, 'package-lock.json')))
  const absent = wanted ? absentByLock(place.root, wanted) : absentByName(place.root)
  if (absent.length === 0) return ok('packages', 'the npm packages are installed')
  const some = absent.slice(0, 3).join(', ')
  const more = absent.length > 3 ? ` and ${absent.length - 3} more` : ''
  return missing('packages', `not installed or another version: ${some}${more}`, setupLine(place))
}

/**
 * A clone: each package of the lockfile, in the version that npm noted down when it installed it.
 * @type {(root: string, wanted: Lockfile) => string[]}
 */
function absentByLock(root, wanted) {
  const noted = /** @type {Lockfile | null} */ (readJson(join(root, 'node_modules/.package-lock.json')))?.packages ?? {}
  return Object.entries(wanted.packages)
    .filter(([path, { version, integrity, optional }]) => {
      const there = noted[path]
      if (path === '') return false
      // Those for other systems may be absent. npm leaves this one out where its install script fails: the launcher brings it.
      if (!there) return optional !== true || path === 'node_modules/better-sqlite3'
      return there.version !== version || there.integrity !== integrity || !existsSync(join(root, path))
    })
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
}

/**
 * A published package has no lockfile, and npm may have put what it needs into a folder above it.
 * @type {(root: string) => string[]}
 */
function absentByName(root) {
  const own = /** @type {{ dependencies?: object } | null} */ (readJson(join(root, 'package.json')))
  const folders = createRequire(join(root, 'package.json')).resolve.paths('x') ?? []
  return Object.keys(own?.dependencies ?? {}).filter(
    (name) => !folders.some((folder) => existsSync(join(folder, name))),
  )
}

/** @type {(place: Place) => Check} */
function sqlite(place) {
  try {
    const load = createRequire(join(place.root, 'package.json'))
    const Database = load('better-sqlite3')
    new Database(':memory:').close()
    return ok('better-sqlite3', 'it loads')
  } catch (error) {
    return missing('better-sqlite3', `it does not load: ${reason(error)}`, setupLine(place))
  }
}

/** @type {(place: Place) => Check} */
function compiler({ env }) {
  const names = missingPackages('compile', env)
  const headers = hasHeaders() ? `Node's headers are in ${prefix}` : "without Node's headers, which are then fetched"
  if (names.length === 0) return ok('compiler', `g++, make and python3 are there, ${headers}`)
  const detail = `${names.join(', ')} missing; needed where no prebuilt better-sqlite3 can be fetched`
  return optional('compiler', detail, installLine(names, env))
}

/** @type {(place: Place) => Check} */
function build(place) {
  const file = join(place.root, 'dist/src/cli.js')
  return existsSync(file) ? ok('build', file) : missing('build', `${file} is not there`, setupLine(place))
}

/** @type {(place: Place) => Promise<Check>} */
async function redis({ env }) {
  const name = env['REDIS_URL_FILE'] && !env['REDIS_URL'] ? 'REDIS_URL_FILE' : 'REDIS_URL'
  const given = env[name]
  if (!given) return program('redis', 'redis-server', env)
  const fix = `unset ${name}` // then a private one is started
  const text = name === 'REDIS_URL' ? given : attempt(() => readFileSync(given, 'utf8').trim())
  if (text instanceof Error) return missing('redis', `${name} cannot be read: ${reason(text)}`, fix)
  const targets = parseRedisUrl(text, env['REDIS_CA_FILE'] || null)
  if (!targets) return missing('redis', `${name} is none of ${REDIS_FORMS}, and no path of a socket`, fix)
  // Of several hosts one is enough: the others are there for the day when it is not.
  const answers = await Promise.all(targets.map(ping))
  const answer = answers.find((said) => said === 'PONG') ?? answers[0]
  const detail = `${name}, ${targets.map(({ shown }) => shown).join(',')}: ${answer}`
  return answer === 'PONG' ? ok('redis', detail) : missing('redis', detail, fix)
}

const REDIS_FORMS = 'redis://, rediss://, redis+sentinel://, redis+cluster://'

/**
 * Those who can be asked: of Sentinels and of a cluster each one that is named.
 * @typedef {{ shown: string, path?: string, host?: string, port?: number, tls: boolean, ca?: string | null, auth: string[] }} RedisTarget
 * @type {(text: string, ca: string | null) => RedisTarget[] | null}
 */
function parseRedisUrl(text, ca) {
  const address = text.startsWith('/') ? `unix://${text}` : text
  const [, scheme = '', way, login = '', hosts = '', rest = ''] =
    /^(rediss?|unix)(?:\+(sentinel|cluster))?:\/\/([^/?#]*@)?([^/?#]*)(.*)$/s.exec(address) ?? []
  const urls = hosts.split(',').map((host) => `${scheme}://${way === 'sentinel' ? '' : login}${host}${rest}`)
  if (!urls.every((url) => URL.canParse(url))) return null
  return urls.map((url) => redisTarget(new URL(url), way === 'sentinel', ca))
}

/**
 * Sentinels have a login of their own.
 * @type {(url: URL, sentinel: boolean, ca: string | null) => RedisTarget}
 */
function redisTarget(url, sentinel, ca) {
  const given = url.searchParams
  const user = sentinel ? given.get('sentinelUsername') : decodeURIComponent(url.username) || given.get('username')
  const password = sentinel ? given.get('sentinelPassword') : decodeURIComponent(url.password) || given.get('password')
  const auth = password ? [...(user ? [user] : []), password] : []
  if (url.protocol === 'unix:') return { shown: url.pathname, path: decodeURI(url.pathname), tls: false, auth }
  const host = url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1'
  const port = Number(url.port || (sentinel ? 26379 : 6379))
  return { shown: `${host}:${port}`, host, port, tls: url.protocol === 'rediss:', ca: given.get('ca') ?? ca, auth }
}

/** @type {(words: string[]) => string} */
const command = (words) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`

/** @type {(target: RedisTarget) => import('node:net').Socket} */
function socketTo({ path, host = '', port = 6379, tls, ca }) {
  if (path) return connect({ path })
  if (!tls) return connect({ host, port })
  const servername = isIP(host) ? '' : host
  return connectTls({ host, port, servername, ...(ca ? { ca: readFileSync(ca) } : {}) })
}

/**
 * PONG, or what went wrong. Never shows the password.
 * @type {(target: RedisTarget) => Promise<string>}
 */
function ping(target) {
  return new Promise((done) => {
    const socket = attempt(() => socketTo(target))
    if (socket instanceof Error) return done(reason(socket))
    let answer = ''
    /** @type {(outcome: string) => void} */
    const end = (outcome) => {
      clearTimeout(timer)
      socket.destroy()
      done(outcome)
    }
    const timer = setTimeout(() => end(`no answer in ${LIMIT_MS / 1000} s`), LIMIT_MS)
    socket.on('error', (error) => end(reason(error) || 'it cannot be reached'))
    socket.on('close', () => end('the connection was closed'))
    socket.on('data', (chunk) => {
      answer += String(chunk)
      const refusal = /^-(.*)\r\n/m.exec(answer)
      if (refusal) end(refusal[1] ?? '')
      if (/^\+PONG\r\n/m.test(answer)) end('PONG')
    })
    socket.write((target.auth.length > 0 ? command(['AUTH', ...target.auth]) : '') + command(['PING']))
  })
}

// Only looked for: what manages Debian's server does not tell a version.
/** @type {(place: Place) => Check} */
function postgresql({ env }) {
  const file = find('pg_ctlcluster|postgres', env)
  if (file) return ok('postgresql', file)
  const detail = 'pg_ctlcluster or postgres is not on the PATH; needed for the tests, and where a shared store is kept'
  return optional('postgresql', detail, installLine(['postgresql'], env))
}

/** What the sandbox is made of: bubblewrap with every namespace, as programs of agents are run. */
const ISOLATION =
  '--unshare-all --new-session --die-with-parent --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --remount-ro /proc --tmpfs /dev/shm'

/**
 * Really runs it: it may be installed and forbidden.
 * @type {(place: Place) => Promise<Check>}
 */
async function bubblewrap({ env }) {
  const found = await unlessMissing('needed for tools that run commands', program('bubblewrap', 'bwrap', env))
  const file = find('bwrap', env)
  if (found.state !== 'ok' || !file) return found
  const said = await new Promise((done) => {
    execFile(file, [...ISOLATION.split(' '), file, '--version'], { timeout: LIMIT_MS * 2 }, (error, _, stderr) =>
      done(error ? stderr.split('\n')[0] || reason(error) : null),
    )
  })
  if (said === null) return found
  return optional('bubblewrap', `${file} does not work here: ${said}; needed for tools that run commands`, allowance())
}

// The settings of a kernel that forbid what bubblewrap is made of: the value that does, and one that does not.
const FORBIDDING = [
  ['kernel.unprivileged_userns_clone', '0', '1'],
  ['user.max_user_namespaces', '0', '10000'],
  ['kernel.apparmor_restrict_unprivileged_userns', '1', '0'],
]

/** @type {() => string} */
function allowance() {
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  const found = FORBIDDING.find(
    ([name = '', forbids]) => text(`/proc/sys/${name.replaceAll('.', '/')}`).trim() === forbids,
  )
  if (found) return `${sudo}sysctl -w ${found[0]}=${found[2]}`
  return 'in a container, start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined'
}

/** @type {(file: string) => string} */
function text(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Which way memory and processes of programs are limited: bubblewrap limits neither.
 * @type {() => Check}
 */
function limits() {
  const place = cgroups().find(({ folders, files }) => groupCanBeMade(folders, files))
  if (place)
    return ok('limits', `${place.kind}: memory and processes are limited by groups in ${place.folders.join(', ')}`)
  const root =
    process.getuid?.() === 0 ? '; a fork bomb can outrun that where Bellhop is root, so run it as another user' : ''
  return ok(
    'limits',
    `supervised: no cgroup can be written here, so memory and processes are looked at while a program runs${root}`,
  )
}

/**
 * Where a group could be: below the one this process is in, or, with the newer kind, beside it.
 * @type {() => { kind: string, folders: string[], files: string[] }[]}
 */
function cgroups() {
  const own = text('/proc/self/cgroup')
    .split('\n')
    .map((line) => line.split(':'))
  const mounts = text('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' - '))
  /** @type {(controller: string) => string | null} */
  const folder = (controller) => {
    const path = own
      .find(([, controllers = '']) => controllers.split(',').includes(controller))
      ?.slice(2)
      .join(':')
    const mount = mounts.find(([, after = '']) => {
      const [type, , options = ''] = after.split(' ')
      return controller === '' ? type === 'cgroup2' : type === 'cgroup' && options.split(',').includes(controller)
    })
    const [, , , root = '/', at = ''] = mount?.[0]?.split(' ') ?? []
    if (path === undefined || at === '') return null
    return join(at, path.startsWith(root) ? path.slice(root.length) : '')
  }
  const [unified, memory, pids] = [folder(''), folder('memory'), folder('pids')]
  const files = ['memory.max', 'pids.max']
  return [
    ...(unified ? [unified, dirname(unified)].map((one) => ({ kind: 'cgroup-v2', folders: [one], files })) : []),
    ...(memory && pids
      ? [{ kind: 'cgroup-v1', folders: [memory, pids], files: ['memory.limit_in_bytes', 'pids.max'] }]
      : []),
  ]
}

/**
 * Found out by making one, with a process in it for a moment.
 * @type {(folders: string[], files: string[]) => boolean}
 */
function groupCanBeMade(folders, files) {
  const groups = folders.map((folder) => join(folder, `bellhop-doctor-${process.pid}`))
  try {
    for (const group of groups) mkdirSync(group)
    for (const [index, file] of files.entries())
      writeFileSync(join(groups[index] ?? groups[0] ?? '', file), '1000000', { flag: 'r+' })
    for (const group of groups)
      execFileSync('/bin/sh', ['-c', 'echo $$ >"$1"', 'sh', join(group, 'cgroup.procs')], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    for (const group of groups) if (existsSync(group)) rmdirSync(group)
  }
}

/** @type {(place: Place) => Check} */
function dataFolder({ data }) {
  const elsewhere = 'export BELLHOP_DATA=/a/folder/you/can/write'
  if (existsSync(data) && !statSync(data).isDirectory()) return missing('data', `${data} is not a folder`, elsewhere)
  const nearest = existing(data)
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK)
  } catch {
    return missing('data', `${nearest} cannot be written to`, elsewhere)
  }
  const { bavail, bsize } = statfsSync(nearest)
  const free = Math.floor((bavail * bsize) / 2 ** 20)
  const detail = `${data}${nearest === data ? '' : ' (made at the first start)'}, ${free} MB free`
  return free < LEAST_FREE_MB ? missing('data', `${detail}, too little`, elsewhere) : ok('data', detail)
}

/** @type {(folder: string) => string} */
const existing = (folder) => (existsSync(folder) ? folder : existing(dirname(folder)))

/** @type {(place: Place) => Promise<Check>} */
async function instance({ data }) {
  const file = join(data, 'up.json')
  if (!existsSync(file)) return ok('instance', 'none is running on this data folder')
  const { pid, url } = /** @type {{ pid?: unknown, url?: unknown } | null} */ (readJson(file)) ?? {}
  if (typeof pid !== 'number' || typeof url !== 'string')
    return missing('instance', `${file} is damaged`, `rm ${quoted(file)}`)
  if (!alive(pid)) return ok('instance', `none is running on this data folder; process ${pid} is gone`)
  const answer = await health(url)
  if (answer === 'healthy') return ok('instance', `process ${pid} is healthy at ${url}`)
  return missing('instance', `process ${pid} runs, but ${url}: ${answer}`, `kill ${pid}`)
}

/**
 * Whether the process is there and is Node: the number may have been given to another program since.
 * @type {(pid: number) => boolean}
 */
function alive(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPERM') return false
  }
  const file = `/proc/${pid}/cmdline`
  if (!existsSync(file)) return true
  return /node|bellhop/.test(readFileSync(file, 'utf8').split('\0')[0] ?? '')
}

/** @type {(url: string) => Promise<string>} */
async function health(url) {
  try {
    const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(LIMIT_MS) })
    await answer.body?.cancel()
    return answer.ok ? 'healthy' : `/readyz answers ${answer.status}`
  } catch (error) {
    const cause = error instanceof Error && error.cause
    return `/readyz does not answer: ${reason(cause || error)}`
  }
}

/** @type {Record<string, (place: Place) => Check | Promise<Check>>} */
const checks = {
  node,
  npm: ({ env }) => program('npm', 'npm', env),
  packages,
  'better-sqlite3': sqlite,
  compiler,
  build,
  redis,
  ripgrep: ({ env }) => program('ripgrep', 'rg', env),
  git: ({ env }) => program('git', 'git', env),
  data: dataFolder,
  instance,
  bubblewrap,
  limits,
  claude: ({ env }) => agentProgram('claude', '@anthropic-ai/claude-code@2.1.325', env),
  codex: ({ env }) => agentProgram('codex', '@openai/codex@0.166.0', env),
  chromium: ({ env }) => unlessMissing('needed for the tests', program('chromium', 'chromium', env)),
  postgresql,
}

/**
 * A check that fails itself is a finding too.
 * @type {(name: string, check: () => Check | Promise<Check>) => Promise<Check>}
 */
async function safely(name, check) {
  try {
    return await check()
  } catch (error) {
    return missing(name, `the check failed: ${reason(error)}`, null)
  }
}

/** @type {(only: string | undefined, place: Place) => Promise<Check[]>} */
async function examine(only, place) {
  const chosen = Object.entries(checks).filter(([name]) => !only || name === only)
  const results = await Promise.all(chosen.map(([name, check]) => safely(name, () => check(place))))
  // How to compile better-sqlite3 matters only to those who have to.
  const compiled = results.some((check) => check.name === 'better-sqlite3' && check.state === 'ok')
  return results.filter((check) => !(compiled && check.name === 'compiler'))
}

/**
 * The networks of a config, looked at by the program itself: their tokens, intents and channels. It takes a build.
 * @type {(config: string, place: Place) => Promise<Check[]>}
 */
async function networks(config, { root, data }) {
  const program = join(root, 'dist/src/cli.js')
  if (!existsSync(program))
    return [optional('networks', 'not looked at: nothing is built yet', setupLine({ root, data, env: {} }))]
  const argv = [program, 'doctor', '--networks', '--json', '--config', config]
  const said = await new Promise((done) => {
    execFile(process.execPath, argv, { timeout: NETWORKS_MS }, (error, stdout, stderr) =>
      done(stdout || { problem: stderr.split('\n')[0] || reason(error) }),
    )
  })
  if (typeof said !== 'string') return [missing('networks', said.problem, null)]
  return /** @type {{ findings: Check[] }} */ (JSON.parse(said)).findings
}

/** @type {(results: Check[]) => string} */
function report(results) {
  const width = Math.max(...results.map((check) => check.name.length))
  const lines = results.map(({ name, state, detail, fix }) => {
    const line = `${state.padEnd(8)}  ${name.padEnd(width)}  ${detail}`
    return fix ? `${line}\n${' '.repeat(width + 12)}fix: ${fix}` : line
  })
  return [...lines, '', verdict(results), ''].join('\n')
}

/** @type {(results: Check[]) => string} */
function verdict(results) {
  const names = results.filter((check) => check.state === 'missing').map((check) => check.name)
  if (names.length === 0) return 'Everything that is required is there.'
  return `Not ready: ${names.join(', ')}. The lines after "fix:" put it right.`
}

const USAGE = `Usage: bellhop doctor [--json] [--data DIR] [--only CHECK] [--config FILE]
       bellhop doctor --wall [--agent ID] [--json]
       bellhop doctor --networks --config FILE [--json]
       bellhop doctor --deep [--all] [--fix] [--json] [--data DIR] [--config FILE]
       bellhop doctor --packages ${purposes.join('|')}

Says what is there, what is missing and which line puts it right.

  --json          the same as JSON
  --data DIR      the data folder (default: BELLHOP_DATA, else .bellhop in the workspace)
  --only CHECK    one of: ${Object.keys(checks).join(', ')}
  --config FILE   also look at the networks of this config: tokens, intents, channels
  --networks      look at these alone
  --wall          run the real programs of the agents against a model that tries everything
  --deep          look at an instance from all sides: evidence, Redis, disk, permissions, backups
  --packages FOR  only print the Debian packages that are missing for this
  --help          print this

Exit code: 0 when nothing required is missing, 1 when something is, 2 for a wrong option.
`

const OPTIONS = /** @type {const} */ ({
  json: { type: 'boolean' },
  data: { type: 'string' },
  only: { type: 'string' },
  config: { type: 'string' },
  packages: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
})

/** @type {(argv: string[]) => ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']} */
function parse(argv) {
  const { values } = parseArgs({ args: argv, options: OPTIONS, strict: true })
  /** @type {(name: 'only' | 'packages', among: string[]) => void} */
  const oneOf = (name, among) => {
    const value = values[name]
    if (value !== undefined && !among.includes(value)) throw new Error(`--${name} is one of: ${among.join(', ')}`)
  }
  oneOf('only', Object.keys(checks))
  oneOf('packages', purposes)
  return values
}

/**
 * @template T
 * @param {() => T} work
 * @returns {T | Error}
 */
function attempt(work) {
  try {
    return work()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** @type {(argv: string[], env: NodeJS.ProcessEnv) => Promise<number>} */
async function main(argv, env) {
  const options = attempt(() => parse(argv))
  if (options instanceof Error) {
    process.stderr.write(`bellhop doctor: ${options.message}\n\n${USAGE}`)
    return 2
  }
  if (options.help) {
    process.stdout.write(USAGE)
    return 0
  }
  if (options.packages) {
    process.stdout.write(`${missingPackages(options.packages, env).join(' ')}\n`)
    return 0
  }
  const root = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))))
  const workspace = (env['BELLHOP_WORKSPACE'] || '.').replace(/^[a-z][a-z0-9-]*=/, '') // NAME=DIR has a name, too
  const data = resolve(options.data || env['BELLHOP_DATA'] || join(workspace, '.bellhop'))
  const place = { root, data, env }
  const found = await examine(options.only, place)
  const results = options.config ? [...found, ...(await networks(resolve(options.config), place))] : found
  const ready = results.every((check) => check.state !== 'missing')
  process.stdout.write(options.json ? `${JSON.stringify({ ready, checks: results }, null, 2)}\n` : report(results))
  return ready ? 0 : 1
}

// biome-ignore lint/style/noProcessEnv: this is a program of its own, and here is its entry
process.exitCode = await main(process.argv.slice(2), process.env)
