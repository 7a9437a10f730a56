// What Bellhop is made of, besides itself: how much, from where, under which licences, and what of it runs at install.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { auditOf } from './audited.ts'
import { REPOSITORY } from './bare.ts'

type Locked = {
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  dev?: boolean
  devOptional?: boolean
  link?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  hasInstallScript?: boolean
}

const read = (file: string) => JSON.parse(readFileSync(join(REPOSITORY, file), 'utf8'))
const own = read('package.json')
const lock: { lockfileVersion: number; packages: Record<string, Locked> } = read('package-lock.json')
const locked = Object.entries(lock.packages).filter(([path]) => path !== '')
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const running = locked.filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)

test('every package of the lockfile is of one version and comes from a registry, and what is installed here is known by its hash', () => {
  expect(lock.lockfileVersion).toBe(3)
  const wrong = locked.filter(
    ([, { version, resolved = 'https://', link }]) =>
      link === true || !version || !/^https:\/\/(?!.*git)/.test(resolved),
  )
  expect(wrong.map(([path]) => path)).toEqual([])
  // What is for other systems alone is in the lockfile without a hash where the registry in use did not have it.
  const unknown = locked.filter(([, one]) => !one.integrity?.startsWith('sha512-'))
  const here = (one: Locked): boolean =>
    one.optional !== true || ((one.os ?? ['linux']).includes('linux') && (one.cpu ?? ['x64']).includes('x64'))
  expect(unknown.filter(([, one]) => here(one)).map(([path]) => path)).toEqual([])
})

test('the packages that are named are named by one version each, and the lockfile has that', () => {
  const named: [string, string][] = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((list) =>
    Object.entries(own[list] as Record<string, string>),
  )
  expect(named.filter(([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version)).toEqual([])
})

test('what runs at install is decided for every package that would', () => {
  const scripts = [...new Set(locked.filter(([, one]) => one.hasInstallScript).map(([path]) => nameOf(path)))]
  // Of esbuild's kind for one system alone, and never installed on another.
  const decided = Object.keys(own.allowScripts)
  expect(scripts.filter((name) => !decided.includes(name) && name !== 'fsevents').sort()).toEqual([])
  expect(
    running
      .filter(([, one]) => one.hasInstallScript)
      .map(([path]) => nameOf(path))
      .sort(),
  ).toEqual(['better-sqlite3', 'core-js', 'msgpackr-extract'])
})

const PERMISSIVE = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Python-2.0',
  'CC0-1.0',
  'Unlicense',
  'WTFPL',
]

/** Licences that are not in the lockfile, as the files of the package say; binaries for other systems are as their own one. */
const READ: Record<string, string> = { 'middleware-handler': 'MIT' }
const licenceOf = (path: string, { license }: Locked): string =>
  license ??
  READ[nameOf(path)] ??
  lock.packages[path.replace(/-(darwin|linux|win32)-\w+$/, '-linux-x64')]?.license ??
  'none'

test('everything that Bellhop runs with is under a permissive licence', () => {
  const licences = running.map(([path, one]) => [nameOf(path), licenceOf(path, one)] as const)
  const isFree = (licence: string): boolean =>
    licence
      .replace(/[()]/g, '')
      .split(' OR ')
      .some((one) => one.split(' AND ').every((each) => PERMISSIVE.includes(each)))
  expect(licences.filter(([, licence]) => !isFree(licence))).toEqual([])
  const kinds = [...new Set(licences.map(([, licence]) => licence))]
  const counts = kinds.map((kind) => `${licences.filter(([, licence]) => licence === kind).length} ${kind}`)
  const direct = Object.keys({ ...own.dependencies, ...own.optionalDependencies }).length
  console.log(counts.join(', '))
  expect(readFileSync(join(REPOSITORY, 'docs/operations.md'), 'utf8')).toContain(
    `${direct} npm packages are named, ${running.length} run`,
  )
})

test('the list of what is in the package has all that runs, by version and hash, and nothing else', async () => {
  const all = await execa('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], { cwd: REPOSITORY })
  const { stdout } = await execa(process.execPath, ['src/sbom.mjs'], { cwd: REPOSITORY, input: all.stdout })
  const { bomFormat, metadata, components } = JSON.parse(stdout)
  expect([bomFormat, metadata.component.name, metadata.component.purl]).toEqual([
    'CycloneDX',
    'bellhop',
    `pkg:npm/bellhop@${own.version}`,
  ])
  const listed = components.map(({ name, version }: { name: string; version: string }) => `${name}@${version}`)
  const expected = locked
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { version }]) => `${nameOf(path)}@${version}`)
  expect([...new Set(listed)].sort()).toEqual([...new Set(expected)].sort())
  expect(own.scripts.sbom).toContain('| node src/sbom.mjs >dist/sbom.cdx.json')
})

test('an audit that nobody answered is not taken for a clean one', () => {
  const clean = { vulnerabilities: {}, metadata: { vulnerabilities: { total: 0 } } }
  const found = { ...clean, vulnerabilities: { left: { severity: 'high', range: '<1.0.1' } } }
  expect(
    [JSON.stringify(clean), JSON.stringify(found), '{"message":"405 Method Not Allowed"}', ''].map(auditOf),
  ).toEqual([
    { text: 'nothing is known against the packages that Bellhop runs with', exitCode: 0 },
    { text: 'high  left <1.0.1', exitCode: 1 },
    ...Array(2).fill({
      text: 'the registry does not answer audits, so nothing is known: ask one that does, with npm audit --omit=dev --registry URL',
      exitCode: 2,
    }),
  ])
})
