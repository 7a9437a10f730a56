import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { REPOSITORY } from './bare.ts'

type Part = {
  image: string
  build?: { context: string }
  command?: string[]
  environment?: Record<string, string>
  secrets?: { source: string }[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  ports?: string[]
  profiles?: string[]
  restart: string
  stop_grace_period?: string
  volumes: string[]
  deploy?: { replicas: number }
}
type Composed = {
  services: Record<string, Part>
  secrets: Record<string, { file: string }>
  volumes: Record<string, object>
}

let composed: Composed
beforeAll(async () => {
  const { stdout } = await execa(
    'docker-compose',
    ['-f', join(REPOSITORY, 'compose.yaml'), '--profile', 'bridge', 'config'],
    {
      env: { BELLHOP_WORKSPACE: '/srv/team' },
    },
  )
  composed = parse(stdout)
})

const part = (name: string): Part => composed.services[name] as Part
const ours = ['gateway', 'worker', 'bridge']

test('docker-compose takes it, and finds a gateway, two workers, a bridge where it is wanted, and what they need', () => {
  expect(Object.keys(composed.services).sort()).toEqual(['bridge', 'gateway', 'postgres', 'redis', 'worker'])
  expect(ours.map((name) => [part(name).command, part(name).deploy?.replicas, part(name).profiles])).toEqual([
    [['gateway'], undefined, undefined],
    [['worker'], 2, undefined],
    [['bridge'], undefined, ['bridge']],
  ])
  expect(ours.map((name) => part(name).image)).toEqual(['bellhop', 'bellhop', 'bellhop'])
  expect([part('redis').image, part('postgres').image]).toEqual(['redis:7.2-bookworm', 'postgres:16-bookworm'])
})

test('nothing of it is open to other machines, all starts again, and begins after what it needs is well', () => {
  expect(Object.values(composed.services).flatMap(({ ports = [] }) => ports)).toEqual(['127.0.0.1:7070:7070/tcp'])
  expect(Object.values(composed.services).map(({ restart }) => restart)).toEqual(Array(5).fill('unless-stopped'))
  const healthy = { postgres: { condition: 'service_healthy' }, redis: { condition: 'service_healthy' } }
  expect(ours.map((name) => part(name).depends_on)).toEqual([healthy, healthy, healthy])
  expect([part('redis').healthcheck?.test[1], part('postgres').healthcheck?.test[1]]).toEqual([
    'redis-cli',
    'pg_isready',
  ])
})

test('secrets are files, and every file that a variable names is given to that part', () => {
  for (const name of [...ours, 'postgres']) {
    const named = Object.entries(part(name).environment ?? {}).filter(([key]) => key.endsWith('_FILE'))
    const given = part(name).secrets?.map(({ source }) => `/run/secrets/${source}`)
    expect(named.map(([, file]) => file).sort()).toEqual(given?.sort())
  }
  const used = Object.values(composed.services).flatMap(({ secrets = [] }) => secrets.map(({ source }) => source))
  expect([...new Set(used)].sort()).toEqual(Object.keys(composed.secrets).sort())
  expect(readFileSync(join(REPOSITORY, '.gitignore'), 'utf8').split('\n')).toContain('/secrets')
})

test('what is kept is in volumes: evidence, queues, the data folder; and the workspace is a folder of the machine', () => {
  expect(Object.keys(composed.volumes).sort()).toEqual(['data', 'postgres', 'redis'])
  for (const name of ours) expect(part(name).volumes.slice(0, 2)).toEqual(['data:/data:rw', '/srv/team:/workspace:rw'])
})

test('all parts run on one config, which its steps make, and say what they do where docker looks', () => {
  const file = '/etc/bellhop/bellhop.yaml'
  const mounts = ours.map((name) => part(name).volumes.slice(2))
  expect(mounts).toEqual(Array(3).fill([`${join(REPOSITORY, 'bellhop.yaml')}:${file}:ro`]))
  expect(ours.map((name) => part(name).environment?.['BELLHOP_CONFIG'])).toEqual(Array(3).fill(file))
  expect(ours.map((name) => part(name).environment?.['BELLHOP_LOG'])).toEqual(Array(3).fill('stdout'))
  expect(readFileSync(join(REPOSITORY, 'compose.yaml'), 'utf8')).toMatch(/^# {3}touch bellhop\.yaml /m)
  expect(readFileSync(join(REPOSITORY, '.gitignore'), 'utf8').split('\n')).toContain('/bellhop.yaml')
})

test('each part is a command with variables that the program knows, and drains for as long as it may', async () => {
  using folder = scratch()
  for (const name of ours) {
    const { command = [], environment = {}, stop_grace_period = '' } = part(name)
    expect((await bellhop([...command, '--help'])).exitCode).toBe(0)
    const env = {
      ...environment,
      BELLHOP_SECRETS_FILE: folder.write('secrets.json', '{}'),
      BELLHOP_EVIDENCE_FILE: folder.write('evidence', 'postgres://bellhop:pw@postgres:5432/bellhop\n'),
      BELLHOP_CONFIG: folder.write('bellhop.yaml', ''),
      BELLHOP_WORKSPACE: '/workspace',
    }
    const { stdout, stderr } = await bellhop(['config', '--json'], { env })
    expect(stderr).toBe('')
    const { drainMs } = JSON.parse(stdout).config
    expect(Number.parseInt(stop_grace_period, 10) * 1000).toBeGreaterThanOrEqual(drainMs.value + 5000)
    const known =
      'REDIS_URL BELLHOP_EVIDENCE_FILE BELLHOP_SECRETS_FILE BELLHOP__DRAINMS BELLHOP_URL BELLHOP_HEALTH_PORT BELLHOP_CONFIG BELLHOP_LOG DISCORD_TOKEN_FILE'
    expect(Object.keys(environment).filter((key) => !known.split(' ').includes(key))).toEqual([])
  }
})
