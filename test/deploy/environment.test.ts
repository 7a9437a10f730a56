import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { newSecrets } from '../../src/house/folder.ts'
import { scratch } from '../support/folder.ts'
import { bellhop, CLI, cleanEnv, pidsOf } from '../support/instance.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis } from '../support/redis.ts'
import { testWorkspace } from '../support/workspace.ts'

const KEY = 'sk-ant-never-to-be-seen-0123456789'
const SIGN_IN = 'ghp-never-to-be-seen-0123456789'
const PASSWORD = 'irc-never-to-be-seen-0123456789'

test('an instance that is told everything by its environment, with its secrets in files, comes up with all of it', async () => {
  using workspace = testWorkspace()
  using folder = scratch()
  await using redis = await startTestRedis()
  const secrets = newSecrets()
  const env = {
    BELLHOP_WORKSPACE: workspace.path,
    BELLHOP_DATA: join(folder.path, 'data'),
    BELLHOP_CONFIG: folder.write('bellhop.yaml', 'approvals: { minutes: 5 }\n'),
    BELLHOP_PORT: '0',
    BELLHOP_SECRETS_FILE: folder.write('secrets.json', JSON.stringify(secrets)),
    BELLHOP__ROOMS: '[{ id: office, faces: [web, cli, api, irc], listener: null }]',
    // Nobody listens there: what the bridge is given does not hang on that.
    BELLHOP__NETWORKS__HOME:
      '{ kind: irc, host: 127.0.0.1, port: 1, tls: false, nick: bell, password: IRC_PASSWORD, channels: { "#team": office } }',
    REDIS_URL_FILE: folder.write('redis', `${redis.address}\n`),
    ANTHROPIC_API_KEY_FILE: folder.write('key', `${KEY}\n`),
    GH_TOKEN_FILE: folder.write('github', `${SIGN_IN}\n`),
    IRC_PASSWORD_FILE: folder.write('irc', `${PASSWORD}\n`),
    SSL_CERT_FILE: '/etc/ssl/certs/of-our-own.pem',
  }
  const up = execa(process.execPath, [CLI, 'up'], {
    env: cleanEnv(env),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  })
  let output = ''
  up.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  try {
    const [, url = ''] = await eventually('`up` to say ready', () => /^ready {2}(\S+)$/m.exec(output))
    const asked = { cwd: folder.path, env: { BELLHOP_URL: url, BELLHOP_SECRETS_FILE: env.BELLHOP_SECRETS_FILE } }
    const rooms = await bellhop(['rooms', '--json'], asked)
    expect(JSON.parse(rooms.stdout).rooms.map(({ id }: { id: string }) => id)).toEqual(['office'])
    const link = await bellhop(['link', '--json'], asked)
    expect(JSON.parse(link.stdout)).toEqual({ link: `${url}/?token=${secrets.operator}` })

    // As a machine asks that knows it by its address alone, and as the probes of docs/deploy/kubernetes do.
    expect([await healthAs(url, '10.1.2.3:7070'), await healthAs(url, 'localhost')]).toEqual([403, 200])

    const parts = await Promise.all(['gateway', 'worker', 'bridge'].map((part) => pidsOf(env.BELLHOP_DATA, part)))
    expect(parts.map((pids) => pids.length)).toEqual([1, 1, 1])
    const argv = [...parts.flat(), up.pid].map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).join('\n')
    const log = join(env.BELLHOP_DATA, 'log')
    const logs = readdirSync(log).map((file) => readFileSync(join(log, file), 'utf8'))
    for (const secret of [KEY, SIGN_IN, PASSWORD, secrets.admin, secrets.agents, secrets.operator])
      expect([argv, output, ...logs].join('\n')).not.toContain(secret)
    // Each is given what was in the files and is for it, and where they are: the programs of agents are kept from them.
    const [gateway, worker, bridge] = parts.map(([pid]) => environmentAt(pid))
    const given = [env.REDIS_URL_FILE, env.ANTHROPIC_API_KEY_FILE, env.GH_TOKEN_FILE, env.IRC_PASSWORD_FILE]
    const files = [...given, env.BELLHOP_SECRETS_FILE]
    expect(JSON.parse(worker?.['BELLHOP_CLOSED'] ?? '').sort()).toEqual(files.sort())
    const secretsOf = ({ ANTHROPIC_API_KEY, GH_TOKEN, IRC_PASSWORD, SSL_CERT_FILE }: Record<string, string> = {}) => ({
      ANTHROPIC_API_KEY,
      GH_TOKEN,
      IRC_PASSWORD,
      SSL_CERT_FILE,
    })
    expect([secretsOf(gateway), secretsOf(worker), secretsOf(bridge)]).toEqual([
      { GH_TOKEN: SIGN_IN, SSL_CERT_FILE: env.SSL_CERT_FILE },
      { ANTHROPIC_API_KEY: KEY, SSL_CERT_FILE: env.SSL_CERT_FILE },
      // People ask for issues on networks, too.
      { GH_TOKEN: SIGN_IN, IRC_PASSWORD: PASSWORD, SSL_CERT_FILE: env.SSL_CERT_FILE },
    ])
    expect(readdirSync(env.BELLHOP_DATA)).not.toContain('secrets.json')
  } finally {
    up.kill('SIGTERM')
    await up
  }
})

/** What a process was given when it was started. */
const environmentAt = (pid: number | undefined): Record<string, string> =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((variable) => variable.split(/=(.*)/s)),
  )

const healthAs = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(`${url}/healthz`, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)).on('error', reject)
  })

test('`config` says what holds and by what, and nothing of a secret', async () => {
  using folder = scratch()
  const env = {
    BELLHOP_DATA: join(folder.path, 'data'),
    BELLHOP_CONFIG: folder.write(
      'bellhop.yaml',
      'sweepMs: 250\nservers: { docs: { argv: [docs], env: { K: v-secret } } }\n',
    ),
    BELLHOP__DRAINMS: '30000',
    BELLHOP_LOG: 'stdout',
    BELLHOP_HEALTH_PORT: '7071',
    REDIS_URL: 'redis://:pw-secret@127.0.0.1:1',
    OPENAI_API_KEY_FILE: folder.write('key', KEY),
  }
  folder.write('peripherals/own.yaml', 'narrows: explore\n')
  const wrong = await bellhop(['config', '--check'], { cwd: folder.path, env })
  expect([wrong.exitCode, wrong.stderr.split('\n')[0]]).toEqual([
    1,
    `bellhop: ${env.BELLHOP_CONFIG}:2: servers.docs: no peripheral has a tool of it: name one as NAME.TOOL`,
  ])
  folder.write(
    'bellhop.yaml',
    [
      'sweepMs: 250',
      'world: { server: "http://me:pw-secret@127.0.0.1:1" }',
      'worker: { processes: 3 }',
      'deploys: { site: [publish, "https://me:pw-secret@site.example"] }',
    ].join('\n'),
  )
  const inWorkspace = await bellhop(['config', '--check'], { cwd: folder.path, env })
  expect(inWorkspace.stderr).toContain(`the secret in ${env.OPENAI_API_KEY_FILE} lies in the workspace`)

  using other = scratch()
  const flags = ['--workspace', other.path, '--port', '81']
  const right = await bellhop(['config', '--check', ...flags], { env })
  expect([right.exitCode, right.stdout]).toEqual([0, 'the configuration is right'])
  const broken = {
    [`cannot read ${join(folder.path, 'none')}, which BELLHOP_SECRETS_FILE names: ENOENT`]: {
      BELLHOP_SECRETS_FILE: join(folder.path, 'none'),
    },
    [`${env.OPENAI_API_KEY_FILE}, which BELLHOP_SECRETS_FILE names, has not the secrets of an instance`]: {
      BELLHOP_SECRETS_FILE: env.OPENAI_API_KEY_FILE,
    },
    'OTEL_EXPORTER_OTLP_ENDPOINT is no address of a collector': { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' },
  }
  for (const [why, more] of Object.entries(broken)) {
    const { exitCode, stderr } = await bellhop(['config', '--check', ...flags], { env: { ...env, ...more } })
    expect([exitCode, stderr.split('\n')[0]]).toEqual([1, `bellhop: ${why}`])
  }
  const { stdout } = await bellhop(['config', '--json', ...flags], { env })
  const { ok, options, secrets, config } = JSON.parse(stdout)
  expect({ ok, options, secrets }).toEqual({
    ok: true,
    options: {
      workspace: { value: other.path, from: '--workspace' },
      data: { value: env.BELLHOP_DATA, from: 'BELLHOP_DATA' },
      config: { value: env.BELLHOP_CONFIG, from: 'BELLHOP_CONFIG' },
      verbose: { value: false, from: 'default' },
      queues: { value: 'all', from: 'default' },
      workers: { value: 3, from: `${env.BELLHOP_CONFIG}:3` },
      health: { value: '127.0.0.1:7071', from: 'BELLHOP_HEALTH_PORT' },
      secrets: { value: join(env.BELLHOP_DATA, 'secrets.json'), from: 'default' },
    },
    secrets: {
      REDIS_URL: { value: 'given', from: 'REDIS_URL' },
      BELLHOP_EVIDENCE: { value: 'not given', from: 'default' },
      BELLHOP_TOKEN: { value: 'not given', from: 'default' },
      ANTHROPIC_API_KEY: { value: 'not given', from: 'default' },
      CLAUDE_CODE_OAUTH_TOKEN: { value: 'not given', from: 'default' },
      OPENAI_API_KEY: { value: 'given', from: 'OPENAI_API_KEY_FILE' },
      CODEX_API_KEY: { value: 'not given', from: 'default' },
      GH_TOKEN: { value: 'not given', from: 'default' },
      GITHUB_TOKEN: { value: 'not given', from: 'default' },
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: { value: 'not given', from: 'default' },
      OTEL_EXPORTER_OTLP_HEADERS: { value: 'not given', from: 'default' },
    },
  })
  const keys = ['sweepMs', 'drainMs', 'http.port', 'http.host', 'world.server', 'deploys.site', 'log.to']
  expect(keys.map((key) => config[key])).toEqual([
    { value: 250, from: `${env.BELLHOP_CONFIG}:1` },
    { value: 30_000, from: 'BELLHOP__DRAINMS' },
    { value: 81, from: '--port' },
    { value: '127.0.0.1', from: 'default' },
    { value: 'http://…@127.0.0.1:1', from: `${env.BELLHOP_CONFIG}:2` },
    { value: ['publish', 'https://…@site.example'], from: `${env.BELLHOP_CONFIG}:4` },
    { value: 'stdout', from: 'BELLHOP_LOG' },
  ])
  const text = await bellhop(['config', ...flags], { env })
  expect(text.stdout).toMatch(/^drainMs +30000 +BELLHOP__DRAINMS$/m)
  expect(stdout + text.stdout).not.toMatch(/pw-secret|sk-ant/)
})

test('`secrets new` prints what BELLHOP_SECRETS_FILE takes, new each time', async () => {
  const [one, two] = await Promise.all([bellhop(['secrets', 'new']), bellhop(['secrets', 'new'])])
  const shape = {
    instance: expect.any(String),
    admin: expect.any(String),
    operator: expect.any(String),
    agents: expect.any(String),
  }
  expect([JSON.parse(one.stdout), JSON.parse(two.stdout)]).toEqual([shape, shape])
  expect(one.stdout).not.toBe(two.stdout)
})

test('a variable that is no key of the config ends every command with its name', async () => {
  const said = await bellhop(['worker'], { env: { BELLHOP__DRAINSM: '1' } })
  expect([said.exitCode, said.stderr]).toEqual([
    1,
    'bellhop: BELLHOP__DRAINSM is no key of the config\n  did you mean BELLHOP__DRAINMS?',
  ])
})
