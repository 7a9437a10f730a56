import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { loadHouse } from '../../src/config/load.ts'
import { folderAt, secretsOf } from '../../src/house/folder.ts'
import { complaint } from '../config/complaint.ts'
import { cachedPackages } from '../support/cached-packages.ts'
import { scratch } from '../support/folder.ts'
import { bellhop } from '../support/instance.ts'
import { REPOSITORY } from './bare.ts'

const FOLDER = join(REPOSITORY, 'docs/deploy/kubernetes')

const Labels = z.record(z.string(), z.string())
const Port = z.object({ name: z.string(), containerPort: z.number() })
const Header = z.object({ name: z.string(), value: z.string() })
const HttpGet = z.object({ path: z.string(), port: z.string(), httpHeaders: z.array(Header).default([]) })
const Probe = z.object({ httpGet: HttpGet.optional() })
const Container = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  ports: z.array(Port).default([]),
  startupProbe: Probe.optional(),
  readinessProbe: Probe,
  livenessProbe: Probe,
  resources: z.object({
    requests: z.object({ cpu: z.string(), memory: z.string() }),
    limits: z.object({ memory: z.string() }),
  }),
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
})
const Volume = z.object({
  name: z.string(),
  persistentVolumeClaim: z.object({ claimName: z.string() }).optional(),
  configMap: z.object({ name: z.string() }).optional(),
  secret: z
    .object({ secretName: z.string(), items: z.array(z.object({ key: z.string(), path: z.string() })) })
    .optional(),
})
const Workload = z.object({
  kind: z.enum(['Deployment', 'StatefulSet']),
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.number(),
    serviceName: z.string().optional(),
    selector: z.object({ matchLabels: Labels }),
    volumeClaimTemplates: z.array(z.object({ metadata: z.object({ name: z.string() }) })).default([]),
    template: z.object({
      metadata: z.object({ labels: Labels }),
      spec: z.object({
        automountServiceAccountToken: z.literal(false),
        enableServiceLinks: z.boolean().optional(),
        terminationGracePeriodSeconds: z.number().optional(),
        securityContext: z.object({
          runAsNonRoot: z.literal(true),
          runAsUser: z.number(),
          seccompProfile: z.object({}),
        }),
        containers: z.tuple([Container]),
        volumes: z.array(Volume).default([]),
      }),
    }),
  }),
})
type Document = { apiVersion: string; kind: string; metadata: { name: string; namespace?: string } }
type Workload = z.infer<typeof Workload>

const EXAMPLE = 'secrets.yaml.example'

const documentsIn = (file: string): Document[] =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })

/** As kubectl takes a folder: the files that end in these, and no others. */
const taken = readdirSync(FOLDER)
  .filter((file) => /\.(json|yaml|yml)$/.test(file))
  .sort()
const applied = taken.flatMap(documentsIn)
const documents = [...applied, ...documentsIn(EXAMPLE)]
const ofKind = <T extends z.ZodType>(kind: string, shape: T): z.infer<T>[] =>
  documents.filter((document) => document.kind === kind).map((document) => shape.parse(document))
const workloads = documents
  .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
  .map((document) => Workload.parse(document))
const ours = workloads.filter(({ spec }) => spec.template.metadata.labels['app'] === 'bellhop')
const [config] = ofKind('ConfigMap', z.object({ metadata: z.object({ name: z.string() }), data: Labels }))
const [secret] = ofKind('Secret', z.object({ metadata: z.object({ name: z.string() }), stringData: Labels }))
const claims = ofKind('PersistentVolumeClaim', z.object({ metadata: z.object({ name: z.string() }) })).map(
  ({ metadata }) => metadata.name,
)

const podOf = ({ spec }: Workload) => spec.template.spec
const matches = (labels: Record<string, string>, selector: Record<string, string>): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value)

/** The types of Kubernetes' own objects, made from its OpenAPI description. */
const MODELS = {
  name: 'kubernetes-models',
  what: 'the types of Kubernetes',
  packages: { 'kubernetes-models': '4.5.1' },
}
const HOMES: Record<string, string> = {
  'apps/v1': 'apps/v1',
  'policy/v1': 'policy/v1',
  v1: 'v1',
}

describe('as Kubernetes has it', () => {
  let models = ''
  beforeAll(async () => {
    models = await cachedPackages(MODELS)
  })

  test('every document is what its kind may be, with no key that it has not', async () => {
    using folder = scratch()
    const typed = documents.map(
      ({ apiVersion, kind, ...rest }, i) =>
        `import type { I${kind} as T${i} } from '${models}/node_modules/kubernetes-models/${HOMES[apiVersion]}/${kind}'
export const d${i}: T${i} = ${JSON.stringify({ apiVersion, kind, ...rest })}`,
    )
    const file = folder.write('documents.ts', `${typed.join('\n')}\n`)
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'commonjs',
      '--moduleResolution',
      'bundler',
      '--ignoreConfig',
    ]
    const tsc = join(REPOSITORY, 'node_modules/.bin/tsc')
    const { exitCode, stdout } = await execa(tsc, [...options, '--module', 'esnext', file], { reject: false })
    expect([exitCode, stdout]).toEqual([0, ''])
    const wrong = folder.write('wrong.ts', `${typed.join('\n').replace('"readinessProbe"', '"readyProbe"')}\n`)
    expect((await execa(tsc, [...options, '--module', 'esnext', wrong], { reject: false })).stdout).toContain(
      'readyProbe',
    )
  })

  test('every document passes the checks of its kind', async () => {
    using folder = scratch()
    const script = folder.write(
      'check.cjs',
      `const documents = ${JSON.stringify(documents)}
const homes = ${JSON.stringify(HOMES)}
for (const { apiVersion, kind, ...rest } of documents) {
  const { [kind]: Kind } = require('${models}/node_modules/kubernetes-models/' + homes[apiVersion] + '/' + kind)
  new Kind(rest).validate()
}
console.log(documents.length + ' are right')`,
    )
    expect((await execa(process.execPath, [script])).stdout).toBe(`${documents.length} are right`)
  })
})

test('there is all that it takes, in one namespace', () => {
  expect(documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Namespace bellhop',
    'ConfigMap bellhop',
    'Service redis',
    'StatefulSet redis',
    'Service postgres',
    'StatefulSet postgres',
    'PersistentVolumeClaim workspace',
    'PersistentVolumeClaim data',
    'Deployment gateway',
    'Service gateway',
    'PodDisruptionBudget gateway',
    'Deployment worker',
    'PodDisruptionBudget worker',
    'Deployment bridge',
    'Secret bellhop',
  ])
  expect([...new Set(documents.slice(1).map(({ metadata }) => metadata.namespace))]).toEqual(['bellhop'])
})

test('the secret is none of what is applied with the folder, and its example is none that would be taken', () => {
  expect(readdirSync(FOLDER).filter((file) => !taken.includes(file))).toEqual([EXAMPLE])
  expect(applied.filter(({ kind }) => kind === 'Secret')).toEqual([])
  using folder = scratch()
  const file = folder.write('bellhop.json', secret?.stringData['bellhop.json'] ?? '')
  expect(complaint(() => secretsOf(folderAt(folder.path), file)).message).toContain(
    'has not the secrets of an instance',
  )
})

test('selectors match the labels of pods, and ports those of their containers', () => {
  for (const { spec } of workloads) expect(matches(spec.template.metadata.labels, spec.selector.matchLabels)).toBe(true)
  const budgets = ofKind(
    'PodDisruptionBudget',
    z.object({ spec: z.object({ minAvailable: z.number(), selector: z.object({ matchLabels: Labels }) }) }),
  )
  for (const { spec } of budgets) {
    const chosen = workloads.filter((one) => matches(one.spec.template.metadata.labels, spec.selector.matchLabels))
    expect(chosen.map((one) => one.spec.replicas > spec.minAvailable)).toEqual([true])
  }
  const Service = z.object({
    metadata: z.object({ name: z.string() }),
    spec: z.object({ selector: Labels, ports: z.array(z.object({ targetPort: z.string(), port: z.number() })) }),
  })
  const services = ofKind('Service', Service)
  for (const { metadata, spec } of services) {
    const chosen = workloads.filter((one) => matches(one.spec.template.metadata.labels, spec.selector))
    const open = chosen.flatMap((one) => podOf(one).containers[0].ports)
    expect(chosen.map((one) => one.metadata.name)).toEqual([metadata.name])
    expect(open.map(({ name, containerPort }) => ({ targetPort: name, port: containerPort }))).toEqual(spec.ports)
  }
  const named = workloads.flatMap(({ spec }) => spec.serviceName ?? [])
  expect(named.filter((name) => !services.some(({ metadata }) => metadata.name === name))).toEqual([])
})

test.each(workloads.map((one) => [one.metadata.name, one] as const))(
  '%s has the volumes that it mounts',
  (_name, one) => {
    const { volumes, containers } = podOf(one)
    const [{ volumeMounts }] = containers
    const own = [...volumes, ...one.spec.volumeClaimTemplates.map(({ metadata }) => metadata)].map(({ name }) => name)
    expect(volumeMounts.map(({ name }) => name).sort()).toEqual([...own].sort())
    expect(
      volumes
        .flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? [])
        .filter((name) => !claims.includes(name)),
    ).toEqual([])
    expect(
      volumes.flatMap((volume) => volume.configMap?.name ?? []).filter((name) => name !== config?.metadata.name),
    ).toEqual([])
    const secrets = volumes.flatMap((volume) => volume.secret ?? [])
    expect(secrets.filter(({ secretName }) => secretName !== secret?.metadata.name)).toEqual([])
    const keys = Object.keys(secret?.stringData ?? {})
    expect(secrets.flatMap(({ items }) => items.filter(({ key }) => !keys.includes(key)))).toEqual([])
  },
)

/** The config as the parts run on it. */
const house = () => {
  using folder = scratch()
  const file = folder.write('bellhop.yaml', config?.data['bellhop.yaml'] ?? '')
  return loadHouse(join(REPOSITORY, 'config'), file).config
}

/** The volumes that have files from these documents; the others are folders. */
const FILES = ['config', 'secrets']

describe.each(ours.map((one) => [one.metadata.name, one] as const))('%s', (name, one) => {
  const pod = podOf(one)
  const [container] = pod.containers
  const env = Object.fromEntries(container.env.map((variable) => [variable.name, variable.value]))

  test('is asked how it is where it answers', () => {
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe]
    const port = name === 'gateway' ? 'door' : 'health'
    // Under a name that it answers to: the address of a pod is none. A health port goes by no name.
    const httpHeaders = name === 'gateway' ? [{ name: 'Host', value: 'localhost' }] : []
    expect(probes.map((probe) => probe?.httpGet)).toEqual([
      { path: '/healthz', port, httpHeaders },
      // All gateways are not ready at once, where a worker is away: the doors stay open.
      { path: name === 'gateway' ? '/healthz' : '/readyz', port, httpHeaders },
      { path: '/healthz', port, httpHeaders },
    ])
    const answers = name === 'gateway' ? 7070 : Number(env['BELLHOP_HEALTH_PORT'])
    expect(container.ports).toEqual([{ name: port, containerPort: answers }])
    // The kubelet asks at the address of the pod.
    const host = name === 'gateway' ? house().http.host : env['BELLHOP_HEALTH_HOST']
    expect(host).toBe('0.0.0.0')
  })

  test('drains for longer than its work may take', () => {
    const { drainMs } = house()
    const waits = name === 'gateway' ? 5000 : 0
    expect((pod.terminationGracePeriodSeconds ?? 0) * 1000).toBeGreaterThanOrEqual(waits + drainMs + 5000)
  })

  test('is started with words and variables that the program knows, and with files that are mounted', async () => {
    const [command = '', ...rest] = container.args
    expect([(await bellhop([command, ...rest, '--help'])).exitCode, command]).toEqual([0, name])
    expect(pod.enableServiceLinks).toBe(false)
    using folder = scratch()
    const files = { ...secret?.stringData, ...config?.data }
    const here = Object.entries(env).map(([key, value]) => {
      const mount = container.volumeMounts.find(
        ({ name: volume, mountPath }) => FILES.includes(volume) && value.startsWith(`${mountPath}/`),
      )
      const text = mount && files[value.slice(mount.mountPath.length + 1)]
      if (mount) expect(text, `${key}=${value}`).toBeTypeOf('string')
      return [key, text === undefined ? value : folder.write(`files/${key}`, text)]
    })
    const given: Record<string, string> = { ...Object.fromEntries(here), BELLHOP_WORKSPACE: '/workspace' }
    const told = await bellhop(['config', '--json'], { env: given })
    expect(told.stderr).toBe('')
    const { options, secrets } = JSON.parse(told.stdout)
    expect([options.config.from, options.secrets.from, secrets.REDIS_URL.from, secrets.BELLHOP_EVIDENCE.from]).toEqual([
      'BELLHOP_CONFIG',
      'BELLHOP_SECRETS_FILE',
      'REDIS_URL_FILE',
      'BELLHOP_EVIDENCE_FILE',
    ])
    const items = pod.volumes.flatMap(({ secret: kept }) => kept?.items ?? [])
    const named = Object.values(env).filter((value) => value.startsWith('/run/secrets/bellhop/'))
    expect(items.map(({ key, path }) => [key, `/run/secrets/bellhop/${path}`]).sort()).toEqual(
      named.map((value) => [basename(value), value]).sort(),
    )
    const known = [
      'BELLHOP_DATA',
      'BELLHOP_CONFIG',
      'BELLHOP_SECRETS_FILE',
      'BELLHOP_EVIDENCE_FILE',
      'REDIS_URL_FILE',
      'BELLHOP_URL',
      'BELLHOP_LOG',
      'BELLHOP_HEALTH_PORT',
      'BELLHOP_HEALTH_HOST',
    ]
    expect(env['BELLHOP_LOG']).toBe('stdout')
    expect(Object.keys(env).filter((key) => !known.includes(key))).toEqual([])
  })
})
