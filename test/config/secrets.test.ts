import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderAt, newSecrets, openFolder, secretsOf } from '../../src/house/folder.ts'
import { networkVariables } from '../../src/house/network-secrets.ts'
import { refuseOpenSecrets } from '../../src/house/secret-names.ts'
import { secretVariable } from '../../src/lib/secret-variable.ts'
import { handedOn, keyOf } from '../../src/runners/variables.ts'
import { Networks } from '../../src/shapes/networks.ts'
import { agentConfig } from '../support/agent.ts'
import { scratch } from '../support/folder.ts'
import { complaint } from './complaint.ts'

test('a secret is what its variable holds, or what is in the file that NAME_FILE names, without the last line ends', () => {
  using folder = scratch()
  const file = folder.write('key', 'sk-in a file\n\r\n')
  symlinkSync(file, join(folder.path, 'link'))
  expect([
    secretVariable('KEY', { KEY: 'sk-itself' }),
    secretVariable('KEY', { KEY_FILE: file }),
    secretVariable('KEY', { KEY_FILE: join(folder.path, 'link'), KEY: '' }),
    secretVariable('KEY', { KEY: '', KEY_FILE: '' }),
    secretVariable('KEY', {}),
  ]).toEqual(['sk-itself', 'sk-in a file', 'sk-in a file', null, null])
})

test('a file that cannot be used is a problem that names the variable, and nothing of what is in it', () => {
  using folder = scratch()
  const open = folder.write('open', 'sk-open')
  chmodSync(open, 0o666)
  const files = {
    gone: '/nowhere/key',
    folder: folder.path,
    empty: folder.write('empty', '\n'),
    long: folder.write('long', 'x'.repeat(70_000)),
    open,
  }
  const problems = Object.values(files).map((file) => complaint(() => secretVariable('KEY', { KEY_FILE: file })))
  const correct = 'correct KEY_FILE, or let the user that Bellhop runs as read the file'
  expect(problems).toEqual([
    { message: 'cannot read /nowhere/key, which KEY_FILE names: ENOENT', fix: correct },
    { message: `cannot read ${files.folder}, which KEY_FILE names: it is no file`, fix: correct },
    { message: `${files.empty}, which KEY_FILE names, is empty`, fix: 'put the secret into it, or unset KEY_FILE' },
    { message: `cannot read ${files.long}, which KEY_FILE names: it is too long`, fix: correct },
    { message: `anybody may write to ${open}, which KEY_FILE names`, fix: `take that away: chmod o-w ${open}` },
  ])
  expect(complaint(() => secretVariable('KEY', { KEY: 'sk-a', KEY_FILE: open }))).toEqual({
    message: 'KEY and KEY_FILE are both set',
    fix: 'leave one of them out',
  })
})

test('the keys of agents and the secrets of networks come by file as well', () => {
  using folder = scratch()
  const variables = {
    ANTHROPIC_API_KEY_FILE: folder.write('anthropic', 'sk-ant\n'),
    MY_KEY_FILE: folder.write('mine', 'sk-mine'),
    DISCORD_TOKEN_FILE: folder.write('discord', 'dt\n'),
    SSL_CERT_FILE: '/etc/ssl/cert.pem',
    OTHER_FILE: '/nowhere',
  }
  const claude = agentConfig({ id: 'claude-1', type: 'claude', peripheral: 'explore' })
  const codex = agentConfig({ id: 'codex-1', type: 'codex', peripheral: 'edit', key: 'MY_KEY' })
  const networks = Networks.parse({
    discord: { kind: 'discord', token: 'DISCORD_TOKEN', channels: { '1234567890123456789': 'lobby' } },
  })
  expect([keyOf(claude, variables), keyOf(codex, variables)]).toEqual(['sk-ant', 'sk-mine'])
  expect(handedOn([claude, codex], variables)).toEqual({
    ANTHROPIC_API_KEY: 'sk-ant',
    MY_KEY: 'sk-mine',
    SSL_CERT_FILE: '/etc/ssl/cert.pem',
    NO_PROXY: expect.any(String),
    no_proxy: expect.any(String),
  })
  expect(networkVariables(networks, variables)).toEqual({ DISCORD_TOKEN: 'dt' })
})

const certified = (certificate: string) =>
  Networks.parse({ home: { kind: 'irc', host: 'irc.example.org', channels: { '#team': 'lobby' }, certificate } })

test('a secret in the workspace is refused: agents read what is there', () => {
  using folder = scratch()
  const settings = {
    root: '/',
    version: '0',
    workspace: folder.path,
    data: join(folder.path, '.bellhop'),
    configFile: null,
    host: undefined,
    port: undefined,
    redis: null,
    evidence: null,
    verbose: false,
    path: '',
  }
  const config = { agents: [agentConfig({ id: 'claude-1', type: 'claude', peripheral: 'explore' })], networks: {} }
  const inside = join(folder.path, 'key')
  const said = (more: object) => complaint(() => refuseOpenSecrets({ ...settings, ...more }, config)).message
  expect([
    said({ variables: { ANTHROPIC_API_KEY_FILE: inside } }),
    said({ variables: { REDIS_URL_FILE: inside } }),
    said({ variables: { GH_TOKEN_FILE: inside } }),
    said({ variables: { OTEL_EXPORTER_OTLP_HEADERS_FILE: inside } }),
    said({ secretsFile: inside }),
    complaint(() => refuseOpenSecrets(settings, { ...config, networks: certified(inside) })).message,
  ]).toEqual(Array(6).fill(`the secret in ${inside} lies in the workspace, where agents read it`))
  using outside = scratch()
  const link = join(outside.path, 'key')
  symlinkSync(folder.write('real', 'sk-a'), link)
  expect(said({ secretsFile: link })).toBe(
    `the secret in ${join(folder.path, 'real')} lies in the workspace, where agents read it`,
  )
  refuseOpenSecrets({ ...settings, secretsFile: join(settings.data, 'shared.json') }, config)
  refuseOpenSecrets({ ...settings, variables: { ANTHROPIC_API_KEY_FILE: '/run/secrets/key' } }, config)
})

test('the secrets of an instance are made once in its folder, or read from the file that several machines share', () => {
  using folder = scratch()
  const own = openFolder(join(folder.path, 'data'))
  const made = secretsOf(own)
  expect(secretsOf(own)).toEqual(made)
  expect(readdirSync(own.path).sort()).toEqual(['.gitignore', 'log', 'secrets.json'])
  expect(statSync(join(own.path, 'secrets.json')).mode & 0o777).toBe(0o600)

  const shared = newSecrets()
  const file = folder.write('shared.json', JSON.stringify(shared))
  chmodSync(file, 0o444)
  mkdirSync(join(folder.path, 'other'))
  const other = folderAt(join(folder.path, 'other'))
  expect(secretsOf(other, file)).toEqual(shared)
  expect([existsSync(join(other.path, 'secrets.json')), statSync(file).mode & 0o777]).toEqual([false, 0o444])
})

test.each([
  ['no JSON', 'hello'],
  ['a token that is short', JSON.stringify({ ...newSecrets(), admin: 'admin' })],
  ['a key too many', JSON.stringify({ ...newSecrets(), more: 1 })],
])('a shared file with %s is a problem', (_what, text) => {
  using folder = scratch()
  const file = folder.write('shared.json', text)
  expect(complaint(() => secretsOf(folderAt(folder.path), file))).toEqual({
    message: `${file}, which BELLHOP_SECRETS_FILE names, has not the secrets of an instance`,
    fix: 'make one with `bellhop secrets new`, or take the secrets.json of the data folder that was there first',
  })
})
