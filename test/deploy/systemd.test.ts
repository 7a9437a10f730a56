import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { REPOSITORY } from './bare.ts'

/** What the files of a machine's secrets hold. */
const CREDENTIALS: Record<string, string> = { redis: 'redis://a', evidence: 'postgres://a:b@c/d' }

const FOLDER = join(REPOSITORY, 'docs/deploy/systemd')
const units = readdirSync(FOLDER).filter((name) => name.endsWith('.service'))

type Line = readonly [key: string, value: string]

const linesOf = (name: string): Line[] =>
  readFileSync(join(FOLDER, name), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
      return key === undefined ? [] : [[key, value] as const]
    })

const values = (name: string, key: string): string[] =>
  linesOf(name).flatMap(([known, value]) => (known === key ? [value] : []))
const environmentOf = (name: string): Record<string, string> =>
  Object.fromEntries(values(name, 'Environment').map((pair) => pair.split(/=(.*)/s).slice(0, 2)))

/** The units as systemd would find them, a template by one of its names, with the drop-in where it belongs. */
const installed = () => {
  const folder = scratch()
  const program = process.execPath // the one of the units is not on this machine, and systemd looks for it
  const named = units.map((name) => name.replace('@.', '@1.'))
  for (const [i, name] of named.entries()) {
    const text = readFileSync(join(FOLDER, units[i] ?? ''), 'utf8')
    folder.write(name, text.replace('/usr/bin/bellhop', program))
  }
  const dropIn = readFileSync(join(FOLDER, 'secrets.conf'), 'utf8')
  for (const name of ['bellhop.service', 'bellhop-worker@1.service']) folder.write(`${name}.d/secrets.conf`, dropIn)
  return { ...folder, named }
}

test('systemd has nothing against the units', async () => {
  using folder = installed()
  const files = folder.named.map((name) => join(folder.path, name))
  const { exitCode, all } = await execa('systemd-analyze', ['verify', '--man=no', ...files], {
    reject: false,
    all: true,
  })
  expect([exitCode, all]).toEqual([0, ''])
})

test('systemd holds them to be guarded well, as far as bubblewrap allows', async () => {
  using folder = installed()
  for (const name of folder.named) {
    const file = join(folder.path, name)
    const { stdout } = await execa('systemd-analyze', ['security', '--offline=yes', '--no-pager', file], {
      reject: false,
    })
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
    console.log(`${name}: exposure ${exposure} of 10`)
    expect(Number(exposure)).toBeLessThan(4)
  }
})

test('no unit forbids what a sandbox is made of', () => {
  const forbidding =
    /^(RestrictNamespaces|PrivateUsers|ProtectProc|ProtectHostname|ProtectKernelTunables|ProtectKernelLogs|ProtectControlGroups|MemoryDenyWriteExecute)=/m
  expect(units.filter((name) => forbidding.test(readFileSync(join(FOLDER, name), 'utf8')))).toEqual([])
})

test('a sandbox works without capabilities and new privileges, as a unit has it', async () => {
  const limits = [
    '--bounding-set=-all',
    '--no-new-privs',
    ...(process.getuid?.() === 0 ? ['--reuid=1000', '--regid=1000', '--clear-groups'] : []),
  ]
  const sandbox = ['bwrap', '--unshare-all', '--hostname', 'sandbox', '--cap-drop', 'ALL', '--ro-bind', '/', '/']
  const { stdout } = await execa('setpriv', [
    ...limits,
    ...sandbox,
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    'echo',
    'works',
  ])
  expect(stdout).toBe('works')
})

test('all of them are guarded in the same way', () => {
  const guards = units.map((name) => {
    const lines = linesOf(name)
    const first = lines.findIndex(([key]) => key === 'NoNewPrivileges')
    return lines.slice(
      first,
      lines.findIndex(([key]) => key === 'WantedBy'),
    )
  })
  expect(guards).toEqual(units.map(() => guards[0]))
  expect(guards[0]?.length).toBeGreaterThan(15)
})

describe.each(units)('%s', (name) => {
  const [, command = ''] = values(name, 'ExecStart')[0]?.split(' ') ?? []
  const environment = environmentOf(name)

  test('drains for as long as it may before it is killed', () => {
    const drainMs = Number(environment['BELLHOP__DRAINMS'])
    // `up` ends a gateway, a bridge and a worker one after the other, and each is given five seconds more.
    const parts = command === 'up' ? 3 : 1
    expect(values(name, 'KillMode')).toEqual(['mixed'])
    expect(Number(values(name, 'TimeoutStopSec')[0]) * 1000).toBeGreaterThanOrEqual(parts * (drainMs + 5000))
  })

  test('starts a command that there is, with variables that it knows', async () => {
    const { exitCode } = await bellhop([command, '--help'])
    expect([exitCode, command]).toEqual([
      0,
      name === 'bellhop.service' ? 'up' : name.replace(/^bellhop-|@?\.service$/g, ''),
    ])
    using folder = scratch()
    // The variables are tried where their folders and credentials are.
    const here = Object.entries(environment).map(([key, value]) => {
      const file = value.startsWith('%d/') ? folder.write(value.slice(3), CREDENTIALS[value.slice(3)] ?? '{}') : null
      return [key, file ?? value.replace('%i', '1')]
    })
    const config = folder.write('etc/bellhop.yaml', '')
    const env = { ...Object.fromEntries(here), BELLHOP_CONFIG: config, BELLHOP_WORKSPACE: '/nowhere' }
    const { stdout, stderr } = await bellhop(['config', '--json'], { env })
    expect(stderr).toBe('')
    const told = JSON.parse(stdout)
    expect(told.config.drainMs).toEqual({ value: 30_000, from: 'BELLHOP__DRAINMS' })
    expect(told.options.data).toEqual({ value: '/var/lib/bellhop', from: 'BELLHOP_DATA' })
    const known =
      'HOME BELLHOP_DATA BELLHOP_WORKSPACE BELLHOP_CONFIG BELLHOP__DRAINMS BELLHOP_LOG BELLHOP_SECRETS_FILE REDIS_URL_FILE BELLHOP_EVIDENCE_FILE BELLHOP_HEALTH_PORT'
    expect(Object.keys(environment).filter((key) => !known.split(' ').includes(key))).toEqual([])
  })

  test('logs into the journal where several machines may share its data folder', () => {
    expect(environment['BELLHOP_LOG']).toBe(command === 'up' ? undefined : 'stdout')
  })

  test('is given the credentials that its variables name', () => {
    const given = values(name, 'LoadCredential').map((text) => text.split(':')[0])
    const named = Object.values(environment).flatMap((value) => (value.startsWith('%d/') ? [value.slice(3)] : []))
    expect(named).toEqual(given)
  })
})
