import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { type Source, sourcesIn } from './sources.ts'

const PARTS =
  'agents backup bulletins chat client config console context cycles delivery doors evidence lib mcp metrics missions operations patterns peripherals queue redis registry rig rpc runners sandbox schema shapes social sources status tickle tools traces wire workspace world'
    .split(' ')
    .map((part) => `src/${part}`)

/** Who may import whom, besides itself. Everything may import the shapes; only the roots know everything. */
const layers: Record<string, readonly string[]> = {
  'src/shapes': [],
  'src/lib': ['src/shapes'],
  'src/redis': ['src/lib'],
  'src/chat': ['src/shapes'],
  // What is said on networks: when, in which order and how often. How, is for their outlets.
  'src/delivery': ['src/shapes', 'src/lib', 'src/redis', 'src/chat'],
  // How things stand, and when a room is told: decided from evidence, posted through the store.
  'src/bulletins': ['src/shapes', 'src/lib', 'src/evidence'],
  // A set of walls is right when all that they declare can happen: that is for the peripherals to say.
  'src/config': ['src/shapes', 'src/lib', 'src/tools', 'src/peripherals'],
  'src/evidence': ['src/shapes', 'src/lib', 'src/redis'],
  // A whole instance in one file, and out of it again; what agents can change is opened as it is for them.
  'src/backup': ['src/shapes', 'src/lib', 'src/evidence', 'src/workspace'],
  'src/registry': ['src/shapes', 'src/lib', 'src/redis'],
  'src/queue': ['src/lib', 'src/redis'],
  // What is counted and what is traced: told by whoever does it, and known to nobody but the roots.
  'src/metrics': ['src/shapes', 'src/lib', 'src/redis'],
  'src/traces': ['src/shapes', 'src/lib'],
  'src/workspace': ['src/shapes', 'src/lib'],
  'src/sandbox': ['src/shapes', 'src/lib', 'src/workspace'],
  'src/tools': ['src/shapes', 'src/lib', 'src/workspace', 'src/sandbox'],
  'src/sources': ['src/shapes', 'src/lib', 'src/sandbox', 'src/tools', 'src/evidence'],
  'src/peripherals': ['src/shapes', 'src/lib', 'src/workspace', 'src/sandbox', 'src/tools', 'src/evidence'],
  // What missions say, what the evidence shows of them, and what follows from both.
  'src/missions': ['src/shapes', 'src/lib', 'src/workspace', 'src/evidence', 'src/tools'],
  // Work that lasts: decided by pure functions from the chain of an undertaking, and from facts that are looked up; what
  // the file of a mission says is for the missions to read.
  'src/cycles': ['src/shapes', 'src/lib', 'src/workspace', 'src/evidence', 'src/tools', 'src/missions'],
  // What patterns say, what the evidence shows of them, and what follows from both: know-how, as missions are work.
  'src/patterns': ['src/shapes', 'src/lib', 'src/workspace', 'src/evidence', 'src/tools'],
  // A text world, its server, and the games in it: what was played is evidence, and the tools have the port.
  'src/world': ['src/shapes', 'src/lib', 'src/evidence', 'src/tools'],
  'src/runners': ['src/shapes', 'src/lib', 'src/sandbox'],
  'src/context': ['src/shapes', 'src/lib', 'src/evidence', 'src/workspace'],
  // Loopback models and the check of the wall that is run against them.
  'src/rig': ['src/shapes', 'src/lib', 'src/runners', 'src/mcp'],
  'src/agents': [
    'src/shapes',
    'src/lib',
    'src/evidence',
    'src/peripherals',
    'src/registry',
    'src/runners',
    'src/context',
  ],
  'src/operations': ['src/shapes', 'src/lib', 'src/evidence', 'src/workspace', 'src/tickle', 'src/cycles'],
  // Rules that go by the evidence alone: who is stuck, and what comes next.
  'src/tickle': ['src/shapes', 'src/lib', 'src/evidence', 'src/status', 'src/sandbox'],
  'src/social': ['src/shapes', 'src/lib', 'src/evidence', 'src/operations'],
  'src/status': ['src/shapes', 'src/lib', 'src/evidence'],
  'src/wire': ['src/shapes', 'src/lib', 'src/evidence', 'src/registry', 'src/agents'],
  'src/rpc': ['src/shapes', 'src/lib', 'src/evidence', 'src/status'],
  // Who is let in is for the pipeline's second stage to say.
  'src/doors': ['src/shapes', 'src/social'],
  'src/schema': ['src/shapes', 'src/operations'],
  'src/console': ['src/shapes', 'src/lib', 'src/operations', 'src/schema', 'src/doors'],
  'src/mcp': ['src/shapes', 'src/lib', 'src/evidence', 'src/agents', 'src/tools', 'src/operations'],
  'src/client': ['src/shapes', 'src/chat'],
  adapters: ['src/shapes', 'src/chat'],
  // The composition roots: what they hold is wiring.
  'src/house': [...PARTS, 'adapters'],
  'src/up': [...PARTS, 'src/house', 'adapters'],
  'src/commands': [...PARTS, 'src/house', 'src/up', 'adapters'],
  'src/cli.ts': [...PARTS, 'src/house', 'src/up', 'src/commands'],
}

/** Whose types may be known besides: nothing of them is loaded. */
const typeLayers: Record<string, readonly string[]> = {
  // What a client can ask is what the table says: it is typed by the rows, which run where it asks.
  'src/client': ['src/operations'],
}

/** Packages with one home: the best of its field, used in one place. */
const homes: Record<string, readonly string[]> = {
  bullmq: ['src/queue'],
  ioredis: ['src/redis'],
  'better-sqlite3': ['src/evidence', 'src/house/lock.ts'],
  kysely: ['src/evidence'],
  pg: ['src/evidence/engine'],
  execa: [
    'src/tickle/source-github.ts',
    'src/tools',
    'src/sandbox',
    'src/workspace',
    'src/up',
    'src/runners',
    'src/commands/login.ts',
  ],
  diff: ['src/tools', 'src/workspace'],
  '@modelcontextprotocol/client': ['src/sources'],
  '@modelcontextprotocol/server': ['src/mcp'],
  '@modelcontextprotocol/node': ['src/mcp'],
  'irc-framework': ['adapters/irc'],
  'discord.js': ['adapters/discord'],
  hono: ['src/console'],
  '@hono/node-server': ['src/house'],
  commander: ['src/cli.ts', 'src/commands'],
  pino: ['src/lib'],
  'prom-client': ['src/metrics'],
  '@opentelemetry/api': ['src/traces'],
  '@opentelemetry/sdk-trace-base': ['src/traces'],
  '@opentelemetry/resources': ['src/traces'],
  '@opentelemetry/exporter-trace-otlp-http': ['src/traces'],
  // Served to browsers as it is: nothing of it is loaded here.
  uplot: ['src/console'],
  ws: ['src/rpc', 'src/wire', 'src/commands/app-server.ts'],
  // The config is the user's, and wrong YAML in it is a Problem; that of a pattern is anybody's, and a complaint.
  yaml: ['src/config', 'src/patterns/front-matter.ts'],
  zod: ['src'],
}

const sources = [...sourcesIn('src'), ...sourcesIn('adapters')]

const importsOf = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\b[^'"`]*?\bfrom\s*'([^']+)'|\bimport\(\s*'([^']+)'|^import\s*'([^']+)'/gm)].map(
    ([, ...names]) => names.find((name) => name !== undefined) ?? '',
  )

const layerOf = (file: string): string | undefined =>
  Object.keys(layers).find((layer) => file === layer || file.startsWith(`${layer}/`))

/** The name of a package in an import: its scope and name, without the path inside it. */
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

const localImports = ({ file, text }: Source): string[] =>
  importsOf(text)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)))

/** What is imported for its types alone. */
const localTypes = ({ file, text }: Source): string[] => {
  const erased = [...text.matchAll(/^import type\b[^'"`]*?\bfrom\s*'(\.[^']+)'/gm)].map(([, name = '']) => name)
  const all = importsOf(text)
  return erased
    .filter((name) => all.filter((one) => one === name).length === 1)
    .map((name) => normalize(join(dirname(file), name)))
}

const packages = ({ text }: Source): string[] =>
  importsOf(text)
    .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
    .map(packageOf)

test('every file lies in a layer: a new folder has to be argued for in the table', () => {
  expect(sources.filter(({ file }) => layerOf(file) === undefined).map(({ file }) => file)).toEqual([])
})

test('files import only what their layer allows', () => {
  const offenders = sources.flatMap((source) => {
    const layer = layerOf(source.file) ?? ''
    const allowed = [layer, ...(layers[layer] ?? [])]
    const known = localTypes(source).filter((path) => typeLayers[layer]?.includes(layerOf(path) ?? ''))
    return localImports(source)
      .filter((path) => !allowed.includes(layerOf(path) ?? '') && !known.includes(path))
      .map((path) => `${source.file} imports ${path}`)
  })
  expect(offenders).toEqual([])
})

test('packages are used only where they are at home', () => {
  const offenders = sources.flatMap((source) =>
    packages(source)
      .filter((name) => !homes[name]?.some((home) => source.file.startsWith(home)))
      .map((name) => `${source.file} uses ${name}`),
  )
  expect(offenders).toEqual([])
})

test('nothing starts a process but through execa, and nothing uses a shell', () => {
  const offenders = sources.filter(({ text }) => /node:child_process|shell:\s*true/.test(text)).map(({ file }) => file)
  expect(offenders).toEqual([])
})
